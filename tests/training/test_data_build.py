"""A data set holds what its logs hold: every log is played again, every rule counted, every action plays back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from agent.llm.providers import smollm2
from game.scenarios import scenarios
from parlay_env.core import Viewer
from parlay_env.deal.state import Move, Setup
from parlay_env.deal.terms import Offer, terms_of, to_offer
from parlay_env.log import EventLog
from parlay_env.models import ParlayAction, ResetOptions
from parlay_env.prompt import prompt_of
from parlay_env.session import GAME, Session
from training.data import filters
from training.data.build import Options, _examples, build, episode_of, evenly, set_of
from training.data.card import card
from training.data.checked import Checked, Found, Moment, Outcome, Refused, _cornered, checked
from training.data.filters import reasons, rejection
from training.data.form import EPISODES, MANIFEST, DataSetError, Manifest, load
from training.data.sources import SourceError, files_of, logs_in
from training.data.tokens import TokenizerMissing, counter, estimated, stats
from training.selfplay import log_of, plan, play_to, setup_of
from training.selfplay_file import FILE, Played

OPTIONS = Options("parlay data build LOGS --out DIR", validation_share=0.3)
PLAN = plan(("tit_for_tat", "conceder"), pairs=[(name, "veteran") for name in scenarios()], episodes=3)


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of self-play."""
    folder = tmp_path_factory.mktemp("logs")
    play_to(PLAN, folder)
    return folder


@pytest.fixture(scope="module")
def built(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    build(found_in(logs), OPTIONS, folder)
    return folder


def found_in(*paths: Path) -> Iterator[Found | Refused]:
    return (one for file in files_of(paths) for one in logs_in(file))


def episodes_of(logs: Path) -> list[Played]:
    lines = (logs / FILE).read_bytes().splitlines()[1:]
    return [msgspec.json.decode(line, type=Played) for line in lines]


# Examples -------------------------------------------------------------------------------------------------------------


def test_every_exported_action_plays_back_over_the_session_to_the_same_state(built: Path, logs: Path) -> None:
    data = load(built)
    by_id = {log_of(one).last_hash: one for one in episodes_of(logs)}
    shown = {(example.episode, example.step): example for found in data.examples.values() for example in found}
    assert len(shown) == sum(data.manifest.examples.values()) > 100
    for episode in data.episodes.values():
        played = by_id[episode.episode]
        options = episode.options(0)
        assert options is not None
        session = Session.open(ResetOptions(**options))
        assert session.table.setup == setup_of(played.match)
        for step in range(len(episode.actions)):
            example = shown.pop((episode.episode, step))
            assert example.prompt == session.observe(with_prompt=True)["prompt"]
            session.step(ParlayAction.model_validate_json(example.action))
        moves = list(log_of(played).moves(Move))
        assert session.done
        assert [{s: as_sent(m) for s, m in one.items()} for one in session.table.moves] == moves
        state = GAME.start(setup_of(played.match), played.match.seed)
        for one in moves:
            state = GAME.play(state, one).state
        assert session.table.state == state
    assert shown == {}


def as_sent(move: Move) -> Move:
    return msgspec.json.decode(msgspec.json.encode(move), type=Move)


def test_an_action_is_short_and_has_only_what_is_set(built: Path) -> None:
    for found in load(built).examples.values():
        for example in found:
            action = json.loads(example.action)
            assert json.dumps(action, separators=(",", ":"), ensure_ascii=False) == example.action
            assert all(value not in (None, False, "") for value in action.values())
            assert not ("offer" in action and "offer_amount" in action)
            assert ("offer" in action) <= ("Component supply contract" in example.prompt)


def test_a_move_that_was_not_allowed_is_no_example_and_nothing_after_it_can_be_reset_to() -> None:
    one = made_up(moments=(moment(0), moment(1, allowed=False), moment(2)))
    examples, _ = _examples([one])
    assert [example.step for example in examples["x"]] == [0, 2]
    episode = episode_of(one, 0.1)
    assert episode.options(1) is not None
    assert episode.options(2) is None


def moment(step: int, allowed: bool = True, **action: Any) -> Moment:
    return Moment(
        step + 1, f'Turn {step}.\nThey say: "a"\nEnd.', {"utterance": "So.", "offer_amount": step} | action, allowed
    )


OUTCOME = Outcome(
    reward=1.0, efficiency=0.0, deal=False, end="timeout", turns=20, zopa=True, breach=False, walked=False,
    nothing_left=False, cornered=False, shocks=0, followed=0, believed=True, belief_skill=0.0,
)  # fmt: skip


def made_up(id: str = "x", moments: tuple[Moment, ...] = (), persona: str = "shark", **outcome: Any) -> Checked:  # noqa: A002
    return Checked(
        id=id, source="selfplay", learner="tit_for_tat", scenario="saas_enterprise", persona=persona, seat="seller",
        split="train", events=True, seed=1, instance=b"1", moments=moments, outcome=replace(OUTCOME, **outcome),
    )  # fmt: skip


# Duplicates -----------------------------------------------------------------------------------------------------------


def test_exact_and_near_duplicates_are_left_out_and_counted() -> None:
    base = moment(0)
    worded = replace(base, prompt=base.prompt.replace('"a"', '"b"'), action=base.action | {"utterance": "Well."})
    believing = replace(base, action=base.action | {"belief": {"est_walk_away": 1}})
    other = replace(base, action=base.action | {"offer_amount": 7})
    found, counted = _examples([made_up("a", (base,)), made_up("b", (base, worded, believing, other))])
    assert counted == {"exact": 1, "near": 2}
    assert [len(found[name]) for name in ("a", "b")] == [1, 1]


def test_the_same_log_twice_is_kept_once(logs: Path, tmp_path: Path) -> None:
    once = build(found_in(logs), OPTIONS, tmp_path / "once")
    twice = build([*found_in(logs), *found_in(logs)], OPTIONS, tmp_path / "twice")
    assert twice.rejected["same_episode"] == once.logs
    assert (twice.kept, twice.digest) == (once.kept, once.digest)


# Sets -----------------------------------------------------------------------------------------------------------------


def test_sets_are_split_by_seed_and_never_by_turn(built: Path) -> None:
    data = load(built)
    sides: dict[int | None, set[str]] = {}
    for episode in data.episodes.values():
        sides.setdefault(episode.seed, set()).add(episode.set)
    assert all(len(found) == 1 for found in sides.values())
    assert {side for found in sides.values() for side in found} == {"train", "validation"}
    learners = {(e.seed, e.learner) for e in data.episodes.values()}
    assert len(learners) > len(sides), "some seeds were played by both learners"
    for name, found in data.examples.items():
        assert {data.episodes[example.episode].set for example in found} == {name}


def test_a_seed_stays_on_its_side_whatever_else_there_is() -> None:
    drawn = [set_of(seed.to_bytes(8, "big"), 0.1) for seed in range(4000)]
    assert drawn == [set_of(seed.to_bytes(8, "big"), 0.1) for seed in range(4000)]
    assert 0.08 < drawn.count("validation") / 4000 < 0.12
    assert {set_of(bytes([k]), 0.0) for k in range(50)} == {"train"}
    assert {set_of(bytes([k]), 1.0) for k in range(50)} == {"validation"}


def test_most_keeps_evenly_over_the_cells() -> None:
    kept = [made_up(f"{p}{k}", persona=p) for p, n in (("shark", 9), ("veteran", 2), ("diplomat", 5)) for k in range(n)]
    found = evenly(kept, 8)
    assert [one.persona for one in found].count("veteran") == 2
    assert [one.persona for one in found].count("shark") == 3
    assert [one.id for one in found] == [one.id for one in kept if one in found]


# Filters --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "held"),
    [
        ({"efficiency": 0.25, "deal": True, "end": "deal"}, ("efficient",)),
        ({"efficiency": 0.2499, "deal": True, "end": "deal"}, ()),
        ({"walked": True, "end": "walk_away", "nothing_left": True}, ("principled_exit",)),
        ({"walked": True, "end": "walk_away", "cornered": True}, ("principled_exit",)),
        ({"walked": True, "end": "walk_away"}, ()),
        ({"end": "walk_away", "nothing_left": True, "cornered": True}, ()),
        ({"shocks": 2, "followed": 2}, ("adapted",)),
        ({"shocks": 2, "followed": 1}, ()),
        ({"shocks": 0, "followed": 0}, ()),
        ({"shocks": 1, "followed": 1, "believed": False}, ()),
        ({"belief_skill": 0.5}, ("perceptive",)),
        ({"belief_skill": 0.4999}, ()),
    ],
)
def test_an_episode_is_kept_for_the_rules_that_hold(outcome: dict[str, Any], held: tuple[str, ...]) -> None:
    one = made_up(**outcome)
    assert reasons(one) == held
    assert rejection(one, "default") == ("" if held else "no_rule")
    assert rejection(one, "outcome") == ("" if set(held) & {"efficient", "principled_exit"} else "no_rule")
    assert rejection(one, "all") == ""


@pytest.mark.parametrize(
    ("outcome", "reason"), [({"breach": True, "deal": True}, "breach"), ({"end": "forfeit"}, "forfeit")]
)
def test_nobody_learns_to_breach_or_to_forfeit_however_much_was_understood(
    outcome: dict[str, Any], reason: str
) -> None:
    assert rejection(made_up(belief_skill=0.9, **outcome), "default") == reason


def test_every_filter_is_made_of_rules_that_say_what_they_are() -> None:
    assert all(set(rules) <= set(filters.RULES) for rules in filters.FILTERS.values())
    assert all(rule.__doc__ for rule in filters.RULES.values())


@pytest.mark.parametrize(
    ("turn", "theirs", "mine", "cornered"),
    [
        (17, -0.02, 0.08, True),
        (20, -0.50, 0.00, True),
        (17, -0.02, -0.05, True),
        (16, -0.02, 0.08, False),
        (17, 0.02, 0.08, False),
        (17, -0.02, 0.12, False),
        (17, -0.02, None, False),
        (17, None, 0.08, False),
    ],
)
def test_an_exit_is_principled_late_and_near_the_own_limit_alone(
    turn: int, theirs: float | None, mine: float | None, cornered: bool
) -> None:
    session = Session.open(ResetOptions(scenario_id="saas_enterprise", persona="shark", seat="seller", seed=4))
    state = session.table.state
    terms = terms_of(state.setup.scenario)

    def offer(share: float | None) -> Offer | None:
        """An offer with this surplus to the seller, in Δ0."""
        if share is None:
            return None
        price = (state.facts[0].limit + share * terms.delta0[0]) / 100
        return to_offer(terms, {terms.scenario.issues[0].name: round(price / 100) * 100})

    seller = replace(state.public.sides[0], latest=offer(mine))
    buyer = replace(state.public.sides[1], standing=offer(theirs))
    public = replace(state.public, turn=turn, sides=(seller, buyer))
    assert _cornered(replace(state, public=public), 0) is cornered


# What is no data ------------------------------------------------------------------------------------------------------


def _edited(
    log: EventLog, edit: Callable[[list[dict[str, Any]]], Any], head: Callable[[dict[str, Any]], None]
) -> bytes:
    """The log with its moves and setup changed, and a chain that fits: what a forger would make."""
    setup = msgspec.json.decode(log.head.setup)
    head(setup)
    moves = [msgspec.json.decode(entry.moves) for entry in log.entries]
    moves = edit(moves) or moves
    made = EventLog.begin(log.head.game, setup, log.seed)
    for one in moves:
        made = made.append(one)
    return made.to_jsonl()


def _opponents_move(moves: list[dict[str, Any]], seat: str) -> dict[str, Any]:
    return next(one[seat] for one in moves[3:] if seat in one)


FORGERIES: dict[str, tuple[str, Callable[[list[dict[str, Any]]], Any], Callable[[dict[str, Any]], None]]] = {
    "the opponent gives more": ("forged", lambda m: _opponents_move(m, "buyer").update(offer=[1200]), lambda s: None),
    "the opponent says another thing": (
        "forged", lambda m: _opponents_move(m, "buyer").update(utterance="I yield."), lambda s: None,
    ),
    "the end is missing": ("unfinished", lambda m: m[:-1], lambda s: None),
    "there is more after the end": ("forged", lambda m: [*m, m[-1]], lambda s: None),
    "a seat moves twice": ("forged", lambda m: [m[0], *m], lambda s: None),
    "a move no client can send": (
        "forged", lambda m: next(one["seller"] for one in m if "seller" in one).update(final=True), lambda s: None,
    ),
    "an easier opponent": ("setup", lambda m: None, lambda s: s["opponent"].update(temper=-9.0)),
    "another scenario under its name": ("setup", lambda m: None, lambda s: s["scenario"].update(spread=0.9)),
    "another reward": ("setup", lambda m: None, lambda s: s["reward"].update(cliff=50.0)),
    "a test's instance": ("setup", lambda m: None, lambda s: s.update(split="test")),
    "seeds of another split": ("setup", lambda m: None, lambda s: s.update(split="validation")),
}  # fmt: skip


@pytest.fixture(scope="module")
def honest(logs: Path) -> EventLog:
    """A log of a seller's, long enough."""
    for one in episodes_of(logs):
        cell, log = one.match.cell, log_of(one)
        if (cell.scenario, cell.seat) == ("saas_enterprise", "seller") and len(log.entries) > 8:
            return log
    pytest.fail("no log is long enough")


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_log_is_refused_though_its_chain_holds(honest: EventLog, name: str) -> None:
    code, edit, head = FORGERIES[name]
    log = _edited(honest, edit, head)
    with pytest.raises(Refused) as refused:
        checked(Found("selfplay", log, "tit_for_tat", "log 1"))
    assert (refused.value.code, str(refused.value).startswith("log 1")) == (code, True)


def test_the_same_log_made_anew_is_data(honest: EventLog) -> None:
    made = EventLog.begin(GAME.id, honest.setup(GAME.id, Setup), honest.seed)
    for moves in honest.moves(Move):
        made = made.append(moves)
    assert made.to_jsonl() == honest.to_jsonl()
    assert checked(Found("selfplay", made.to_jsonl(), "tit_for_tat", "log 1")).id == honest.last_hash
    assert checked(Found("selfplay", _edited(honest, lambda m: None, lambda s: None), "tit_for_tat", "log 1"))


def test_a_log_changed_by_accident_is_refused_by_its_line(honest: EventLog) -> None:
    lines = honest.to_jsonl().splitlines()
    lines[2] = lines[2].replace(b"utterance", b"utterence", 1)
    with pytest.raises(Refused, match="line 3 does not follow"):
        checked(Found("selfplay", b"\n".join(lines), "x", "log 1"))


def test_what_is_said_of_an_episode_must_be_so(honest: EventLog) -> None:
    for told in ({"reward": 135.0}, {"opponent": "shark"}):
        with pytest.raises(Refused, match="it is said to"):
            checked(Found("selfplay", honest.to_jsonl(), "x", "log 1", **told))


def test_a_damaged_file_gives_what_can_be_read_and_counts_the_rest(logs: Path, tmp_path: Path) -> None:
    lines = (logs / FILE).read_bytes().splitlines(keepends=True)
    forged = lines[2].replace(b'"reward":', b'"reward":1', 1)
    torn = [lines[0], lines[1], forged, b"[]\n", *lines[4:-1], lines[-1][:-30]]
    (tmp_path / FILE).write_bytes(b"".join(torn))
    found = build(found_in(tmp_path), OPTIONS, tmp_path / "set", workers=2)
    assert found.refused == {"damaged": 2, "forged": 1}
    assert found.logs == PLAN.total
    assert len(found.refused_first) == 3
    assert "cut off" in " ".join(found.refused_first)
    assert str(tmp_path) in found.refused_first[0]


def test_a_bare_log_is_data_too(honest: EventLog, tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_bytes(honest.to_jsonl())
    found = build(found_in(tmp_path), replace(OPTIONS, filter="all"), tmp_path / "set")
    assert (found.kept, found.learners) == (1, {"unknown": 1})


def test_what_are_no_logs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="parlay selfplay"):
        files_of([tmp_path / "nothing"])
    with pytest.raises(SourceError, match="parlay selfplay"):
        files_of([tmp_path])
    with pytest.raises(SourceError, match="name a folder"):
        files_of([])
    for text in ("{}\n", "no JSON\n", '{"kind": "other"}\n', ""):
        (tmp_path / "x.jsonl").write_text(text)
        with pytest.raises(SourceError, match="neither a self-play file nor an event log"):
            list(logs_in(tmp_path / "x.jsonl"))


# The whole ------------------------------------------------------------------------------------------------------------


def test_the_same_logs_give_the_same_files_for_any_number_of_processes(logs: Path, built: Path, tmp_path: Path) -> None:
    build(found_in(logs), OPTIONS, tmp_path, workers=2)
    for name in ("train.jsonl", "validation.jsonl", EPISODES, MANIFEST):
        assert (tmp_path / name).read_bytes() == (built / name).read_bytes()


def test_every_log_is_counted_once_and_the_card_tells_all_of_it(built: Path) -> None:
    found = load(built).manifest
    assert found.logs == found.kept + sum(found.refused.values()) + sum(found.rejected.values())
    assert found.kept == sum(found.kept_by_first.values()) == sum(found.episodes.values())
    assert sum(cell.read for cell in found.cells) == found.logs
    told = card(found)
    for cell in found.cells:
        assert (
            f"| `{cell.scenario}` | {cell.persona} | {cell.seat} | {cell.read} | {cell.kept} | {cell.deals} |" in told
        )
    for figure in (found.command, found.digest, "license: mit", f"{found.kept:,} negotiations"):
        assert figure in told
    assert all(word in told for word in ("Deal rate", "median", "## Tokens", "## Limits", "## Licence"))


MODEL = "llm:openai/some-model"


def told_of(built: Path, learners: tuple[str, ...], opponent: str | None = None, source: str = "selfplay") -> str:
    """The card of this set, had these played it against this one."""
    found = load(built).manifest
    cells = found.cells if opponent is None else tuple(replace(cell, persona=opponent) for cell in found.cells)
    return card(replace(found, source=source, learners=dict.fromkeys(learners, 3), cells=cells))


def test_the_card_of_programs_is_mit_and_english(built: Path) -> None:
    told = told_of(built, ("tit_for_tat", "conceder"))
    assert "license: mit\nlanguage: en\n" in told
    assert "`tit_for_tat`, `conceder`: moves are as good" in told and "three lexicons" in told
    assert "The opponents veteran are scripted" in told
    assert told.endswith("## Licence\n\nMIT, as Parlay.\n")
    assert "language model" not in told.partition("## Limits")[2]


def test_the_card_of_people_claims_neither_a_licence_nor_a_language_for_their_words(built: Path) -> None:
    told = told_of(built, ("person",), source="human")
    assert "license: other\n" in told and "\nlanguage:" not in told
    assert "The words of people are theirs" in told and "MIT, as Parlay." not in told
    assert "in the language that each chose" in told and "three lexicons" not in told
    assert "The opponents veteran are scripted" in told


def test_the_card_of_a_language_model_says_whose_words_they_are(built: Path) -> None:
    told = told_of(built, (MODEL,))
    assert "license: other\n" in told and "\nlanguage:" not in told
    assert f"What language models wrote (`{MODEL}`)" in told
    assert "three lexicons" not in told and "tracker" not in told
    assert "The opponents veteran are scripted" in told
    mixed = told_of(built, (MODEL, "tit_for_tat"))
    assert "`tit_for_tat`: moves are as good" in mixed and f"`{MODEL}`: moves, words and beliefs" in mixed


def test_the_card_says_who_sits_opposite(built: Path) -> None:
    against = told_of(built, ("tit_for_tat",), MODEL)
    assert f"Opposite: `{MODEL}`, a language model." in against
    assert "are scripted" not in against and "tracker" not in against
    assert "license: other\n" in against and f"What language models wrote (`{MODEL}`)" in against
    assert "each of the opponent's moves" not in against
    against = told_of(built, ("tit_for_tat",), "conceder")
    assert "Opposite: `conceder`, policies" in against
    assert "are scripted" not in against and "license: mit\n" in against


def test_the_card_of_bare_logs_says_that_nobody_knows_whose_they_are(built: Path) -> None:
    told = told_of(built, ("unknown",))
    assert "license: other\n" in told and "3 episodes are bare logs" in told


def test_a_build_that_ends_in_the_midst_leaves_no_half_set(
    built: Path, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in built.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    other = replace(OPTIONS, filter="all", validation_share=0.6)
    write, replaced = Path.write_bytes, Path.replace

    def no_room(self: Path, content: bytes) -> int:
        if EPISODES in self.name:
            raise OSError(28, "No space left on device")
        return write(self, content)

    with monkeypatch.context() as full:
        full.setattr(Path, "write_bytes", no_room)
        with pytest.raises(OSError, match="No space"):
            build(found_in(logs), other, tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before

    def killed(self: Path, target: Path) -> Path:
        if target.name == EPISODES:
            raise KeyboardInterrupt
        return replaced(self, target)

    with monkeypatch.context() as cut:
        cut.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            build(found_in(logs), other, tmp_path)
    with pytest.raises(DataSetError, match="parlay data build"):
        load(tmp_path)
    build(found_in(logs), other, tmp_path)
    assert load(tmp_path).manifest.validation_share == 0.6


def test_a_build_tells_how_far_it_is(logs: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    found = build(found_in(logs), OPTIONS, tmp_path, told=lambda *one: told.append(one))
    examples = sum(found.examples.values())
    assert told[0] == ("logs", 0, PLAN.total)
    assert ("logs", PLAN.total, PLAN.total) in told
    assert told[-1] == ("tokens", examples, examples)


def test_a_set_of_nothing_has_a_card(tmp_path: Path) -> None:
    found = build([], OPTIONS, tmp_path)
    assert found.kept == 0
    assert "There are no examples." in card(found)
    assert load(tmp_path).examples == {"train": (), "validation": ()}


def test_files_that_were_changed_are_no_data_set(built: Path, tmp_path: Path) -> None:
    for name in ("train.jsonl", "validation.jsonl", EPISODES, MANIFEST):
        (tmp_path / name).write_bytes((built / name).read_bytes())
    load(tmp_path)
    (tmp_path / "train.jsonl").write_bytes((built / "train.jsonl").read_bytes() + b"\n")
    with pytest.raises(DataSetError, match="not those that were built"):
        load(tmp_path)
    (tmp_path / MANIFEST).write_text("{}")
    with pytest.raises(DataSetError, match="can't be read"):
        load(tmp_path)
    (tmp_path / MANIFEST).unlink()
    with pytest.raises(DataSetError, match="parlay data build"):
        load(tmp_path)


def test_the_manifest_is_readable_json(built: Path) -> None:
    text = (built / MANIFEST).read_text("utf-8")
    assert text.count("\n") > 50
    assert msgspec.json.decode(text, type=Manifest) == load(built).manifest


# Tokens ---------------------------------------------------------------------------------------------------------------


def test_the_estimate_counts_pieces_of_words_digits_and_signs() -> None:
    assert estimated("") == 0
    assert estimated("offer") == 1
    assert estimated("offers") == 2
    assert estimated("150,000 USD.") == 6 + 1 + 1 + 1


def test_a_models_own_tokenizer_counts_and_the_estimate_is_near_it(built: Path) -> None:
    file = str(smollm2())
    texts = [(one.prompt, one.action) for one in load(built).examples["train"][:20]]
    with counter(file) as count:
        assert count("hello") >= 1
        assert count("150000") == 6
    real, near = stats(file, texts), stats("estimate", texts)
    assert real is not None and near is not None
    assert real.tokenizer == "SmolLM2-135M-Instruct.Q4_1.gguf"
    assert 0.8 < near.total / real.total < 1.4


def test_a_tokenizer_that_is_not_there_is_asked_for(tmp_path: Path) -> None:
    for name in ("nothing.gguf", str(tmp_path / "nothing")):
        with pytest.raises(TokenizerMissing, match="nothing"), counter(name):
            pass
    assert stats("nothing.gguf", []) is None


def test_prompts_are_those_of_the_doors(built: Path, logs: Path) -> None:
    one = checked(next(found for found in found_in(logs) if isinstance(found, Found)))
    played = episodes_of(logs)[0]
    state = GAME.start(setup_of(played.match), played.match.seed)
    for moves in log_of(played).moves(Move):
        if played.match.cell.seat in moves:
            break
        state = GAME.play(state, moves).state
    assert one.moments[0].prompt == prompt_of(GAME.view(state, Viewer("player", played.match.cell.seat)))


def test_a_learner_of_no_name_that_is_known_is_refused_and_stands_nowhere(logs: Path, tmp_path: Path) -> None:
    lines = (logs / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    name = json.loads(lines[1])["match"]["learner"].encode()
    forged = lines[1].replace(b'"learner":"' + name, b'"learner":"Joe Bloggs, joe@example.org', 1)
    assert forged != lines[1]
    file = tmp_path / "forged.jsonl"
    file.write_bytes(lines[0] + forged)
    (refused,) = logs_in(file)
    assert isinstance(refused, Refused)
    assert (refused.code, "Joe" in str(refused)) == ("setup", False)


@pytest.mark.parametrize(
    "line", [b'{"kind":' + b"[" * 100_000, b'{"kind":"parlay-selfplay","z":' + b"[" * 100_000, b"\xff"]
)
def test_a_file_that_is_meant_to_choke_us_is_told(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "hostile.jsonl"
    file.write_bytes(line + b"\n")
    with pytest.raises(SourceError):
        list(logs_in(file))
