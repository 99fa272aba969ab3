"""The data set, built: logs played again, filtered, without duplicates, split by seed, written.

The same logs and options give the same files, byte for byte, whatever the number of processes.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from parlay_env import __version__
from parlay_env.prompt import PROMPT_VERSION
from training.data.checked import Checked, Found, Refused, checked
from training.data.files import together
from training.data.filters import FilterName, reasons, rejection
from training.data.form import (
    EPISODES,
    FORMAT,
    MANIFEST,
    SETS,
    CellCount,
    Episode,
    Example,
    Manifest,
    SetName,
    Told,
    digest_of,
    nobody,
)
from training.data.names import without_names
from training.data.tokens import ESTIMATE, TokenStats, stats
from training.episodes import share_out
from training.wire import action_text

VALIDATION_SHARE = 0.1
"""Of the seeds."""
TOLD = 5
"""Refused logs whose reasons are kept in full."""


_CHUNK = 20


class Options(msgspec.Struct, frozen=True):
    """How a set is to be built."""

    command: str
    source: str = "selfplay"
    filter: FilterName = "default"
    most: int | None = None
    """Episodes that are kept, at most: as evenly over the cells as they come."""
    validation_share: float = VALIDATION_SHARE
    tokenizer: str = ESTIMATE


def build(
    found: Iterable[Found | Refused], options: Options, out: Path, workers: int = 1, told: Told = nobody
) -> Manifest:
    """Build the set from these logs and write it, the manifest last: a folder without one holds no set. Raises
    TokenizerMissing, OSError, BrokenProcessPool."""
    refused, read = _examined(list(found), workers, told)
    rejected: Counter[str] = Counter()
    kept: list[Checked] = []
    seen: set[str] = set()
    for one in read:
        reason = "same_episode" if one.id in seen else rejection(one, options.filter)
        seen.add(one.id)
        if reason:
            rejected[reason] += 1
        else:
            kept.append(one)
    if options.most is not None and len(kept) > options.most:
        rejected["enough"] = len(kept) - options.most
        kept = evenly(kept, options.most)
    episodes = [episode_of(one, options.validation_share) for one in kept]
    examples, duplicates = _examples(kept)
    written = _written(episodes, examples)
    pairs = [(example.prompt, example.action) for mine in examples.values() for example in mine]
    tokens = stats(options.tokenizer, pairs, lambda done: told("tokens", done, len(pairs)))
    manifest = _manifest(options, refused, rejected, read, kept, episodes, examples, duplicates, tokens, written)
    content = written | {MANIFEST: msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"}
    with together(out, tuple(content)) as places:
        for place, lines in zip(places, content.values(), strict=True):
            place.write_bytes(lines)
    return manifest


def _examined(found: Sequence[Found | Refused], workers: int, told: Told) -> tuple[list[Refused], list[Checked]]:
    refused: list[Refused] = []
    read: list[Checked] = []
    told("logs", 0, len(found))
    for batch in share_out(_examine, list(_batches(found, _CHUNK)), workers):
        for one in batch:
            if isinstance(one, Checked):
                read.append(one)
            else:
                refused.append(Refused(*one))
        told("logs", len(read) + len(refused), len(found))
    return refused, read


def _batches(found: Iterable[Found | Refused], size: int) -> Iterator[list[Found | tuple[str, str]]]:
    """So many at a time; a refusal as its code and its message, which go from process to process."""
    batch: list[Found | tuple[str, str]] = []
    for one in found:
        batch.append((one.code, str(one)) if isinstance(one, Refused) else one)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _examine(batch: list[Found | tuple[str, str]]) -> list[Checked | tuple[str, str]]:
    done: list[Checked | tuple[str, str]] = []
    for one in batch:
        if not isinstance(one, Found):
            done.append(one)
            continue
        try:
            done.append(_nameless(checked(one), one.names))
        except Refused as error:
            done.append((error.code, str(error)))
    return done


def _nameless(one: Checked, names: tuple[str, ...]) -> Checked:
    """The episode without the player's name in its words."""
    if not names:
        return one
    moments = tuple(
        msgspec.structs.replace(m, action=m.action | {"utterance": without_names(m.action["utterance"], names)})
        if "utterance" in m.action
        else m
        for m in one.moments
    )
    return msgspec.structs.replace(one, moments=moments)


def evenly(kept: Sequence[Checked], most: int) -> list[Checked]:
    """So many of them, in their order: the first of every cell, then the second of every cell, and so on."""
    place: Counter[tuple[str, str, str]] = Counter()
    ranked: list[tuple[int, int]] = []
    for i, one in enumerate(kept):
        cell = (one.scenario, one.persona, one.seat)
        ranked.append((place[cell], i))
        place[cell] += 1
    return [kept[i] for i in sorted(i for _, i in sorted(ranked)[:most])]


def set_of(instance: bytes, share: float) -> SetName:
    """Where the episodes of an instance belong: by a hash of its seed, so that all of one seed are on one side, in this
    build and in every later one."""
    drawn = int.from_bytes(hashlib.blake2b(instance, digest_size=8, person=b"parlay-split").digest(), "big")
    return "validation" if drawn < share * 2**64 else "train"


def episode_of(one: Checked, share: float) -> Episode:
    """A kept episode as it is written."""
    outcome = one.outcome
    return Episode(
        episode=one.id,
        set=set_of(one.instance, share),
        source=one.source,
        learner=one.learner,
        scenario_id=one.scenario,
        persona=one.persona,
        seat=one.seat,
        split=one.split,
        events=one.events,
        seed=one.seed if one.source == "selfplay" else None,
        kept_for=reasons(one),
        reward=outcome.reward,
        efficiency=outcome.efficiency,
        deal=outcome.deal,
        end=outcome.end,
        turns=outcome.turns,
        zopa=outcome.zopa,
        belief_skill=outcome.belief_skill,
        actions=tuple(m.action for m in one.moments),
        allowed=tuple(m.allowed for m in one.moments),
    )


def _examples(kept: Sequence[Checked]) -> tuple[dict[str, list[Example]], dict[str, int]]:
    """The examples by episode, and how many were left out as duplicates: exact ones, and near ones, which differ in
    words and beliefs alone."""
    exact: set[tuple[str, str]] = set()
    near: set[tuple[str, str]] = set()
    duplicates = {"exact": 0, "near": 0}
    found: dict[str, list[Example]] = {}
    for one in kept:
        mine = found.setdefault(one.id, [])
        for step, moment in enumerate(one.moments):
            if not moment.allowed:
                continue
            text = action_text(moment.action)
            whole, gist = (moment.prompt, text), (_gist(moment.prompt), _decision(moment.action))
            if whole in exact:
                duplicates["exact"] += 1
            elif gist in near:
                duplicates["near"] += 1
            else:
                mine.append(Example(one.id, step, moment.turn, moment.prompt, text))
            exact.add(whole)
            near.add(gist)
    return found, duplicates


def _gist(prompt: str) -> str:
    """The situation without the other's words."""
    return "\n".join(line for line in prompt.splitlines() if not line.startswith("They say: "))


def _decision(action: dict[str, Any]) -> str:
    """What is done, without how it is said and what is believed."""
    return action_text({name: value for name, value in action.items() if name not in ("utterance", "belief")})


def _written(episodes: Sequence[Episode], examples: dict[str, list[Example]]) -> dict[str, bytes]:
    """The files' contents, by name."""
    lines: dict[str, list[bytes]] = {f"{name}.jsonl": [] for name in SETS} | {EPISODES: []}
    for one in episodes:
        lines[EPISODES].append(_encode_line(one))
        lines[f"{one.set}.jsonl"] += [_encode_line(example) for example in examples[one.episode]]
    return {name: b"".join(found) for name, found in lines.items()}


def _encode_line(one: Episode | Example) -> bytes:
    return msgspec.json.encode(one) + b"\n"


def _manifest(
    options: Options,
    refused: Sequence[Refused],
    rejected: Counter[str],
    read: Sequence[Checked],
    kept: Sequence[Checked],
    episodes: Sequence[Episode],
    examples: dict[str, list[Example]],
    duplicates: dict[str, int],
    tokens: TokenStats | None,
    written: dict[str, bytes],
) -> Manifest:
    sides: dict[SetName, list[tuple[Episode, Checked]]] = {name: [] for name in SETS}
    for episode, one in zip(episodes, kept, strict=True):
        sides[episode.set].append((episode, one))
    return Manifest(
        format=FORMAT,
        parlay=__version__,
        prompt_version=PROMPT_VERSION,
        command=options.command,
        source=options.source,
        filter=options.filter,
        most=options.most,
        validation_share=options.validation_share,
        logs=len(read) + len(refused),
        refused=dict(sorted(Counter(one.code for one in refused).items())),
        refused_first=tuple(str(one) for one in refused[:TOLD]),
        rejected=dict(sorted(rejected.items())),
        kept=len(kept),
        kept_for=dict(sorted(Counter(name for one in episodes for name in one.kept_for).items())),
        kept_by_first=dict(sorted(Counter(one.kept_for[0] if one.kept_for else "none" for one in episodes).items())),
        learners=dict(sorted(Counter(one.learner for one in kept).items())),
        deal_rate_read=_deal_rate(read),
        deal_rate=_deal_rate(kept),
        deal_rate_given_zopa=_deal_rate([one for one in kept if one.outcome.zopa]),
        efficiency=_quantiles([one.outcome.efficiency for one in kept if one.outcome.zopa]),
        not_allowed=sum(not moment.allowed for one in kept for moment in one.moments),
        duplicates=duplicates,
        examples={name: sum(len(examples[episode.episode]) for episode, _ in side) for name, side in sides.items()},
        episodes={name: len(side) for name, side in sides.items()},
        seeds={name: len({one.instance for _, one in side}) for name, side in sides.items()},
        cells=_cells(read, kept, examples),
        tokens=tokens,
        digest=digest_of(written),
    )


def _deal_rate(found: Sequence[Checked]) -> float | None:
    return round(sum(one.outcome.deal for one in found) / len(found), 4) if found else None


def _quantiles(values: Sequence[float]) -> tuple[float, ...]:
    import numpy as np

    if not values:
        return ()
    return tuple(round(float(q), 4) for q in np.quantile(values, (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)))


def _cells(
    read: Sequence[Checked], kept: Sequence[Checked], examples: dict[str, list[Example]]
) -> tuple[CellCount, ...]:
    def cell(one: Checked) -> tuple[str, str, str]:
        return one.scenario, one.persona, one.seat

    played, held = Counter(map(cell, read)), Counter(map(cell, kept))
    deals = Counter(cell(one) for one in kept if one.outcome.deal)
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in kept:
        counts[cell(one)] += len(examples[one.id])
    return tuple(CellCount(*key, played[key], held[key], deals[key], counts[key]) for key in played)
