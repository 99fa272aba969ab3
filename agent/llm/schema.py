"""The JSON schema of a move, for providers that hold an answer to one: that of the wire's action, made small.

No `$ref`, no null, no default; of the fields those that the scenario can use. It is the same at every turn of a
scenario, so that a provider compiles it once.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from game.scenarios import Issue
from parlay_env.deal.terms import Terms, range_of, terms_of
from parlay_env.deal.views import View
from parlay_env.models import ParlayAction

MOST_WORDS = 400
"""Characters of an utterance that a model is held to. The wire takes more."""
SHARES = {"est_urgency": (0, 1), "est_has_alternative": (0, 1), "event_impact": (-1, 1)}
_KEPT = ("type", "enum", "description", "properties", "items")


def action_schema(view: View) -> dict[str, Any]:
    """The schema of a move in this view's scenario."""
    terms = terms_of(view.setup.scenario)
    found = terms.kept.get("schema")
    if found is None:
        found = terms.kept["schema"] = _schema(terms)
    return deepcopy(found)


def _schema(terms: Terms) -> dict[str, Any]:
    whole = ParlayAction.model_json_schema()
    fields = {name: _small(name, field, whole.get("$defs", {})) for name, field in whole["properties"].items()}
    fields["utterance"]["maxLength"] = MOST_WORDS
    issues = terms.scenario.issues
    if terms.is_price:
        fields["offer_amount"] |= _figure(terms, 0, issues[0])
        del fields["offer"]
    else:
        fields["offer"] |= {
            "properties": {issue.name: _figure(terms, k, issue) for k, issue in enumerate(issues)},
            "required": [issue.name for issue in issues],
            "additionalProperties": False,
        }
        del fields["offer_amount"]
    if items := [item.id for item in terms.scenario.sweeteners]:
        fields["sweetener"]["enum"] = items
    else:
        del fields["sweetener"]
    return {"type": "object", "properties": fields, "required": ["utterance"], "additionalProperties": False}


def _figure(terms: Terms, k: int, issue: Issue) -> dict[str, Any]:
    """A figure of issue `k`: what the game would not refuse. Whole numbers where the issue has no others."""
    return one_of(issue.values) if issue.values else between(*range_of(terms, k), issue.step)


def one_of(values: Iterable[float]) -> dict[str, Any]:
    """A figure that is one of these."""
    known = list(dict.fromkeys(values))
    whole = all(value == int(value) for value in known)
    return {"type": "integer" if whole else "number", "enum": [int(value) if whole else value for value in known]}


def between(low: float, high: float, step: float) -> dict[str, Any]:
    """A figure from `low` to `high`; a whole number if all that `step` leads to are whole."""
    if step == int(step) and low == int(low):
        return {"type": "integer", "minimum": int(low), "maximum": int(high)}
    return {"type": "number", "minimum": low, "maximum": high}


def _small(name: str, field: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    """A field without what a provider doesn't need: references, null, titles, defaults, lengths."""
    wide = dict(field)
    for one in field.get("anyOf", ()):
        if one.get("type") != "null":
            wide = {**one, **{key: value for key, value in field.items() if key != "anyOf"}}
    if (reference := wide.pop("$ref", None)) is not None:
        wide = {**shared[reference.rpartition("/")[2]], **wide}
    small = {key: wide[key] for key in _KEPT if key in wide}
    if name in SHARES:
        small["minimum"], small["maximum"] = SHARES[name]
    if "properties" in small:
        small["properties"] = {key: _small(key, one, shared) for key, one in small["properties"].items()}
        small["additionalProperties"] = False
    return small
