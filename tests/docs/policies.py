"""What `docs/policies.md` says: every policy of the roster, from its own docstring."""

from __future__ import annotations

from agent.baselines import ROSTER
from training.policies import ABLATIONS, ORACLE

KINDS = {"random": "chance", "concession": "honest", "exploit": "exploit", "words": "words"}
BAYES = "The best of a family of plans in futures that its beliefs hold possible; it knows nothing hidden."
BOUND = "The best of the same plans, knowing the seed and so all that is hidden: a bound, no competitor."
PLANNERS = {
    "bayes": ("planner", BAYES),
    **{name: ("ablation", f"`bayes` without its {tool}.") for name, tool in ABLATIONS.items()},
    ORACLE: ("privileged", BOUND),
}
HEAD = """# The policies

Whom `parlay run`, `eval` and `benchmark` can play, and the audit plays. An *exploit* is after something else than a
good deal, and says what; mounted on another player it makes that one's moves besides. *Words* players make the moves of
the one they are mounted on and say something else: they must earn what it earns. `python -m tests.docs.refresh` writes
this page.

| policy | kind | what it does | what it farms | mounted on |
| --- | --- | --- | --- | --- |
"""


def page() -> str:
    """The page as it should be."""
    rows = [f"| `{name}` | {kind} | {does} |  |  |" for name, (kind, does) in PLANNERS.items()]
    for one in ROSTER.values():
        chassis = f"`{one.chassis}`" if one.chassis else ""
        rows.append(f"| `{one.name}` | {KINDS[one.kind]} | {one.summary} | {one.farms} | {chassis} |")
    return HEAD + "\n".join(rows) + "\n"
