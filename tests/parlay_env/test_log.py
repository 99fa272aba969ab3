"""The event log: append-only, chained, told apart from anything else."""

from __future__ import annotations

import json

import msgspec
import pytest

from parlay_env.core import play_episode, replay
from parlay_env.deal.state import Move, Setup
from parlay_env.log import EventLog, LogError
from tests.world import GAME, random_pair, setup


def sample() -> EventLog:
    log = play_episode(GAME, setup(persona="shark"), 11, random_pair(11)).log
    assert log is not None
    assert len(log.entries) > 4
    return log


def test_appending_leaves_the_shorter_log_as_it_was() -> None:
    empty = EventLog.begin("deal", setup(), 3)
    one = empty.append({"seller": Move(voiced=True)})
    assert empty.entries == ()
    assert len(one.entries) == 1
    assert EventLog.from_jsonl(empty.to_jsonl()) == empty


def test_each_line_is_json_and_the_first_one_has_setup_and_seed() -> None:
    head, *entries = (json.loads(line) for line in sample().to_jsonl().splitlines())
    assert head["seed"] == 11
    assert head["game"] == "deal"
    assert msgspec.convert(head["setup"], Setup) == setup(persona="shark")
    assert all(set(entry) == {"moves", "hash"} for entry in entries)


def test_no_two_lines_have_one_hash_and_the_same_moves_after_another_start_have_other_ones() -> None:
    log = sample()
    hashes = [log.head.hash, *(entry.hash for entry in log.entries)]
    assert len(set(hashes)) == len(hashes)
    other = EventLog.begin("deal", setup(persona="shark"), 12)
    for moves in log.moves(Move):
        other = other.append(moves)
    assert not {entry.hash for entry in other.entries} & set(hashes)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"hello",
        b"{}",
        b"[]",
        b"null",
        b'{"v":1}',
        b"\xff\xfe",
        b"\x00",
        b'{"v":1,"game":"deal","setup":{},"seed":"7","hash":""}',
        b'{"v":1,"game":"deal","setup":{},"seed":7,"hash":"00"}',
        b"[" * 100_000,
        b'{"v":1,"game":"deal","setup":' + b"[" * 100_000 + b',"seed":7,"hash":"00"}',
    ],
    ids=range(13),
)
def test_what_is_not_a_log_is_refused_with_one_kind_of_error(text: bytes) -> None:
    with pytest.raises(LogError):
        EventLog.from_jsonl(text)


def test_a_log_of_another_version_is_refused_by_its_version() -> None:
    first, rest = sample().to_jsonl().split(b"\n", 1)
    head = json.loads(first)
    head["v"] = 99
    with pytest.raises(LogError, match="version 99"):
        EventLog.from_jsonl(json.dumps(head).encode() + b"\n" + rest)


def test_the_error_names_the_line_that_was_changed() -> None:
    lines = sample().to_jsonl().splitlines()
    entry = json.loads(lines[3])
    seat = next(iter(entry["moves"]))
    entry["moves"][seat]["utterance"] = "I never said that."
    lines[3] = json.dumps(entry).encode()
    with pytest.raises(LogError, match="line 4"):
        EventLog.from_jsonl(b"\n".join(lines))


def test_a_shorter_log_is_the_log_of_an_earlier_moment() -> None:
    log = sample()
    lines = log.to_jsonl().splitlines()
    shorter = EventLog.from_jsonl(b"\n".join(lines[:-1]))
    assert shorter.entries == log.entries[:-1]
    assert GAME.to_move(replay(GAME, shorter).state)


def test_replay_refuses_a_log_with_a_broken_chain() -> None:
    log = sample()
    last = log.entries[-1]
    mover = next(iter(json.loads(bytes(last.moves))))
    forged = msgspec.structs.replace(last, moves=msgspec.Raw(json.dumps({mover: {"walk": True}}).encode()))
    with pytest.raises(LogError):
        replay(GAME, msgspec.structs.replace(log, entries=(*log.entries[:-1], forged)))


def test_words_of_any_kind_survive_a_log() -> None:
    words = 'quote " backslash \\ newline \n separator \u2028 \x85 emoji 🤝 中文 nul \x00'
    log = EventLog.begin("deal", setup(), 3).append({"seller": Move(utterance=words, voiced=True)})
    assert next(EventLog.from_jsonl(log.to_jsonl()).moves(Move))["seller"].utterance == words
