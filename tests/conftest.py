"""Hypothesis profiles: `ci` (default: few examples, the same ones every time) and `thorough` (HYPOTHESIS_PROFILE)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

slow_is_fine = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
settings.register_profile(
    "ci", max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=slow_is_fine
)
settings.register_profile("thorough", max_examples=1000, deadline=None, suppress_health_check=slow_is_fine)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
