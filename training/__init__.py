"""Measuring and training: evaluation, the audit, and what learns. Doors and policies never import it."""
