"""The page of the policies is what the roster says."""

from __future__ import annotations

from tests.clients.servers import ROOT
from training.policies import names

from .policies import page


def test_the_page_of_the_policies_is_the_rosters() -> None:
    assert (ROOT / "docs/policies.md").read_text("utf-8") == page()


def test_every_policy_is_on_it() -> None:
    assert [name for name in names() if f"| `{name}` |" not in page()] == []
