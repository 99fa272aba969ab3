"""Published figures of tabular learning, each run again: one file an experiment, `findings` what they give."""
