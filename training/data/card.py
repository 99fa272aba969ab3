"""The data set's card: what it holds, how it was made and what it is not, in Markdown, from its manifest alone."""

from __future__ import annotations

from pathlib import Path

import msgspec

from agent.llm.names import is_language
from agent.registry import OPPONENTS
from training.data.files import together
from training.data.filters import FILTERS, RULES
from training.data.form import SETS, CellCount, Manifest
from training.data.sources import UNKNOWN
from training.data.tokens import ESTIMATE, LETTERS

CARD = "README.md"
WORDS = {
    "breach": "a deal beyond the learner's own limit",
    "forfeit": "forfeited, by moves that are not allowed",
    "no_rule": "none of the filter's rules holds",
    "same_episode": "the same log a second time",
    "enough": "more than were asked for (`--most`)",
    "damaged": "the log can't be read, or its chain is broken",
    "unfinished": "the log ends before its episode does",
    "setup": "not an episode that this release would play",
    "forged": "somebody moves as nobody would, or it pays other than is said",
}
"""What the counted reasons mean."""
OF_PEOPLE = (
    "People's own words, in the language that each chose; prompts and the opponents' words are English. The names that "
    "they go by, or went by, are taken out where they stand in them (`[name]`). Whether "
    "somebody said anything else of themselves is not known.",
    "It holds what consent allowed when it was built. A player who takes it back, or deletes a game, is gone from the "
    "next build: build it again before every training, and delete older copies.",
    "A person's instance has a secret besides its seed and can't be asked for: there are no `grpo` rows and no `dpo` "
    "pairs of it.",
)
OF_POLICIES = (
    "{who}: moves are as good as the policy. Words are those of three lexicons, in English, and follow the decision; "
    "they give no reasons that the decision had."
)
OF_BELIEFS = "Their beliefs are a tracker's that knows the personas' policies; another opponent would be misjudged."
OF_MODELS = (
    "{who}: moves, words and beliefs are a language model's own. It was asked in English; which language it "
    "answered in was not looked at."
)
OF_UNKNOWN = "{n:,} episodes are bare logs: nobody says who played, and whose the words are."
OF_SCRIPTED = "{who} are scripted. Who learns from it learns to play against them."
OF_OTHER_POLICIES = (
    "Opposite: {who}, policies with words of three lexicons. Policies have no beliefs against them; these episodes "
    "have no `grpo` rows and no `dpo` pairs."
)
OF_OTHER_MODELS = (
    "Opposite: {who}, a language model. What it did can't be computed again and was held to the rules alone; what "
    "it said stands in the prompts. There are no `grpo` rows and no `dpo` pairs of these episodes."
)
OF_ALL = (
    "Kept episodes are chosen by how they ended: they tell nothing of how often such play succeeds.",
    "Seeds are of the splits `train` and `validation`; the frozen benchmark's are of `test`, and none is in here.",
)
MIT = "MIT, as Parlay."
NOT_MIT = "Prompts, the rules and the form are Parlay's, under MIT. {why} Whoever passes the set on answers for that."
WHY_PEOPLE = (
    "The words of people are theirs: they were given for training, by consent that can be taken back, and under no "
    "licence."
)
WHY_MODELS = (
    "What language models wrote ({who}) is under the licence of each model and the terms of its provider, which may "
    "bar training others on it."
)
WHY_UNKNOWN = "Whose the words of bare logs are isn't known."


class Authors(msgspec.Struct, frozen=True):
    """Whose moves and words a set holds, and against whom."""

    people: bool
    policies: tuple[str, ...]
    models: tuple[str, ...]
    unknown: int
    """Episodes of nobody knows whom."""
    scripted: tuple[str, ...]
    """Personas that sit opposite."""
    other_policies: tuple[str, ...]
    other_models: tuple[str, ...]

    @property
    def own(self) -> bool:
        """All words are Parlay's: programs' alone."""
        return not (self.people or self.models or self.other_models or self.unknown)


def authors(found: Manifest) -> Authors:
    """Who made this set, by its source, its learners and its cells."""
    people = found.source == "human"
    players = [] if people else [name for name in found.learners if name != UNKNOWN]
    opposite = tuple(dict.fromkeys(cell.persona for cell in covered(found)))
    return Authors(
        people=people,
        policies=tuple(name for name in players if not is_language(name)),
        models=tuple(filter(is_language, players)),
        unknown=0 if people else found.learners.get(UNKNOWN, 0),
        scripted=tuple(name for name in opposite if name in OPPONENTS),
        other_policies=tuple(name for name in opposite if name not in OPPONENTS and not is_language(name)),
        other_models=tuple(filter(is_language, opposite)),
    )


def write_card(found: Manifest, folder: Path) -> str:
    """Write the card beside its set. Raises OSError."""
    text = card(found)
    with together(folder, (CARD,)) as (place,):
        place.write_text(text, "utf-8")
    return text


def card(found: Manifest) -> str:
    """The card."""
    who = authors(found)
    parts = [
        _front(who),
        _what(found),
        _how(found, who),
        _coverage(found),
        _filters(found),
        _tokens(found),
        _limits(who),
        f"## Licence\n\n{_licence(who)}",
    ]
    return "\n\n".join(parts) + "\n"


def _front(who: Authors) -> str:
    """What hubs read. The language is named where all words are known to be in it."""
    facts = ["license: mit", "language: en"] if who.own else ["license: other"]
    facts += ["task_categories: [text-generation, reinforcement-learning]", "tags: [negotiation, parlay]"]
    return "\n".join(["---", *facts, "---", "", "# Negotiations of Parlay"])


def _what(found: Manifest) -> str:
    examples = sum(found.examples.values())
    people = found.source == "human"
    who = "people, who gave them for training," if people else _names(found.learners)
    rows = [
        ("set", "episodes", "seeds", "examples"),
        ("---", "---:", "---:", "---:"),
        *((n, found.episodes[n], found.seeds[n], found.examples[n]) for n in SETS),
    ]
    return (
        f"{found.kept:,} negotiations under hidden information by {who} against {_opponents(found)}, as "
        f"{examples:,} examples, one a move: the prompt that the player would be given there, then its action, one "
        "line of JSON as the wire takes it, with nothing but what is set.\n\n"
        f"{_table(rows)}\n\n"
        f"Deal rate of the episodes that are kept: {_share(found.deal_rate)}; of those among them that had a ZOPA: "
        f"{_share(found.deal_rate_given_zopa)}; of all that were read: {_share(found.deal_rate_read)}. "
        f"{_efficiency(found)}"
    )


def _how(found: Manifest, who: Authors) -> str:
    dropped = ", ".join(f"{n:,} {kind}" for kind, n in found.duplicates.items())
    return (
        "## How it was made\n\n"
        f"```sh\n{found.command}\n```\n\n"
        f"By Parlay {found.parlay}, prompt {found.prompt_version}. Every log was played again first: its chain, its "
        f"setup, {_replayed(who)}what it paid had to be what this release makes of it. Digest of the "
        f"files: `{found.digest}`.\n\n"
        f"Episodes of one seed are all in `train` or all in `validation` ({found.validation_share:.0%} of the seeds, "
        "drawn by a hash of the seed, so that a later build puts each where it is now). Left out of the examples: "
        f"moves that were not allowed ({found.not_allowed:,}), and duplicates ({dropped}; near: the same decision in "
        "the same situation, only words and beliefs differ)."
    )


def _replayed(who: Authors) -> str:
    """Whose moves were computed again."""
    if not who.other_models:
        return "each of the opponent's moves and "
    return "each move of an opponent that is no language model and " if who.scripted or who.other_policies else "and "


def _coverage(found: Manifest) -> str:
    rows: list[tuple[object, ...]] = [
        ("scenario", "opponent", "seat", "read", "kept", "deals", "examples"),
        ("---", "---", "---", "---:", "---:", "---:", "---:"),
        *((f"`{c.scenario}`", c.persona, c.seat, c.read, c.kept, c.deals, c.examples) for c in found.cells),
    ]
    held = sum(cell.kept > 0 for cell in found.cells)
    return f"## Cells\n\n{held} cells of scenario × opponent × seat have episodes that are kept.\n\n{_table(rows)}"


def _filters(found: Manifest) -> str:
    rows: list[tuple[object, ...]] = [("what", "episodes"), ("---", "---:"), ("logs read", found.logs)]
    rows += [(f"refused, `{code}`: {WORDS[code]}", n) for code, n in found.refused.items()]
    rows += [(f"left out, `{code}`: {WORDS[code]}", n) for code, n in found.rejected.items()]
    rows += [("**kept**", found.kept)]
    for name in RULES:
        rows += [(f"… for which `{name}` holds", found.kept_for.get(name, 0))]
    rules = FILTERS[found.filter]
    told = "\n".join(f"- `{name}`: {_first(RULES[name].__doc__)}" for name in rules)
    kept = f"one of these rules is enough:\n\n{told}" if rules else "everything that could be played again is kept."
    return f"## Filter `{found.filter}`\n\nTo be kept, {kept}\n\n{_table(rows)}"


def _tokens(found: Manifest) -> str:
    if found.tokens is None:
        return "## Tokens\n\nThere are no examples."
    t = found.tokens
    rows = [
        ("", "mean", "95th percentile", "most"),
        ("---", "---:", "---:", "---:"),
        ("prompt", f"{t.prompt_mean:,.1f}", f"{t.prompt_p95:,.1f}", f"{t.prompt_most:,}"),
        ("action", f"{t.action_mean:,.1f}", f"{t.action_p95:,.1f}", f"{t.action_most:,}"),
    ]
    by = f"the tokenizer of `{t.tokenizer}`"
    if t.tokenizer == ESTIMATE:
        by = f"an estimate: a token for every {LETTERS} letters of a word, begun, one for each digit and each sign"
    return f"## Tokens\n\nBy {by}. In all: {t.total:,}. Without a chat template's own.\n\n{_table(rows)}"


def _limits(who: Authors) -> str:
    told: list[str] = [*OF_PEOPLE] if who.people else []
    if who.policies:
        told.append(OF_POLICIES.format(who=_listed(who.policies)))
        told += [OF_BELIEFS] if who.scripted else []
    if who.models:
        told.append(OF_MODELS.format(who=_listed(who.models)))
    if who.unknown:
        told.append(OF_UNKNOWN.format(n=who.unknown))
    if who.scripted:
        told.append(OF_SCRIPTED.format(who=f"The opponents {', '.join(who.scripted)}"))
    if who.other_policies:
        told.append(OF_OTHER_POLICIES.format(who=_listed(who.other_policies)))
    told += [OF_OTHER_MODELS.format(who=f"`{name}`") for name in who.other_models]
    return "## Limits\n\n" + "\n".join(f"- {one}" for one in (*told, *OF_ALL))


def _licence(who: Authors) -> str:
    if who.own:
        return MIT
    models = dict.fromkeys((*who.models, *who.other_models))
    why = [WHY_PEOPLE] if who.people else []
    why += [WHY_MODELS.format(who=_listed(tuple(models)))] if models else []
    why += [WHY_UNKNOWN] if who.unknown else []
    return NOT_MIT.format(why=" ".join(why))


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _names(learners: dict[str, int]) -> str:
    return ", ".join(f"`{name}` ({n:,})" for name, n in learners.items()) or "nobody"


def _opponents(found: Manifest) -> str:
    return ", ".join(dict.fromkeys(cell.persona for cell in found.cells)) or "nobody"


def _efficiency(found: Manifest) -> str:
    if not found.efficiency:
        return "No kept episode had a ZOPA."
    least, tenth, quarter, middle, upper, ninth, most = (f"{value:.2f}" for value in found.efficiency)
    return (
        f"E of the kept ones that had a ZOPA: median {middle}, quartiles {quarter} and {upper}, deciles {tenth} and "
        f"{ninth}, from {least} to {most}."
    )


def _share(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


def _first(text: str | None) -> str:
    return " ".join((text or "").split())


def _table(rows: list[tuple[object, ...]] | list[tuple[str, ...]]) -> str:
    return "\n".join("| " + " | ".join(f"{v:,}" if isinstance(v, int) else str(v) for v in row) + " |" for row in rows)


def covered(found: Manifest) -> tuple[CellCount, ...]:
    """The cells that have kept episodes."""
    return tuple(cell for cell in found.cells if cell.kept)
