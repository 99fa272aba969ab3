"""Training, with PyTorch and TRL: in an environment of its own (`make test-trl`)."""
