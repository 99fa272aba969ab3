"""Parlay: an environment in which language models and people learn to negotiate under hidden information."""

__version__ = "0.1.0"
