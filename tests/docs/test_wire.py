"""docs/wire.md says what the code does: its tables are held to the code, its exchanges and examples are played."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from parlay_env import __version__, models, tasks
from parlay_env.deal.state import Reason
from parlay_env.doors import http as http_door
from parlay_env.doors import mcp
from parlay_env.doors.game_socket import NO_SUCH_GAME
from parlay_env.doors.openapi import API_VERSION
from parlay_env.doors.openenv_socket import _CODES, OpenEnvSocket
from parlay_env.doors.plain_socket import PlainSocket
from parlay_env.doors.wire import MAX_STEP_BYTES
from parlay_env.environment import ParlayEnvironment
from parlay_env.grader import LATE, NEAR, Grade
from parlay_env.models import ParlayAction, ParlayObservation
from parlay_env.reward import EPISODE_RANGE, RewardSpec
from parlay_env.server import create_app
from parlay_env.settings import Settings
from tests.clients.servers import ROOT, RealServer

from .exchange import play_http, play_sockets
from .pages import Block, blocks, first_names, named, read, table
from .snippets import run_python

PAGE = "docs/wire.md"
BLOCKS = blocks(PAGE)
NONE = "–"


def figure(cell: str) -> float:
    """The first figure of a cell."""
    found = re.search(r"\d[\d,.]*", cell)
    assert found is not None, cell
    return float(found[0].replace(",", ""))


# Examples -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.kind in ("text /ws", "text /env/ws")], ids=str)
def test_an_exchange_over_a_socket_goes_as_shown(server: RealServer, block: Block) -> None:
    play_sockets(block, server.url)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.kind == "text http"], ids=str)
def test_an_exchange_over_http_goes_as_shown(server: RealServer, block: Block) -> None:
    play_http(block, server.url)


@pytest.mark.parametrize("place", [i for i, b in enumerate(BLOCKS) if b.kind == "python"])
def test_a_python_example_runs_and_prints_what_is_shown(server: RealServer, place: int) -> None:
    said, after = run_python(BLOCKS[place], server.url), BLOCKS[place + 1 : place + 2]
    if after and after[0].kind == "text output":
        assert said.strip() == after[0].text.strip()


def test_every_block_is_of_a_kind_that_is_played() -> None:
    assert {b.kind for b in BLOCKS} <= {"text /ws", "text /env/ws", "text http", "python", "text output"}


# What is sent ---------------------------------------------------------------------------------------------------------


def defaults(model: type[BaseModel]) -> dict[str, Any]:
    return {name: field.default for name, field in model.model_fields.items()}


@pytest.mark.parametrize(
    ("first", "model"),
    [("option", models.ResetOptions), ("field", ParlayAction), ("in `belief`", models.BeliefReport)],
)
def test_every_option_and_field_that_can_be_sent_is_in_its_table_with_its_default(
    first: str, model: type[BaseModel]
) -> None:
    documented = {named(row[0])[0]: json.loads(row[2].strip("`")) for row in table(PAGE, first)}
    assert documented == defaults(model)


@pytest.mark.parametrize(("first", "model"), [("option", models.ResetOptions), ("field", ParlayAction)])
def test_every_value_that_may_be_chosen_is_named(first: str, model: type[BaseModel]) -> None:
    schema = model.model_json_schema()["properties"]
    for name, _, _, meaning in table(PAGE, first):
        field = schema[named(name)[0]]
        choices = [value for one in (field, *field.get("anyOf", ())) for value in one.get("enum", ())]
        missing = [value for value in choices if f"`{value}`" not in meaning + name and value != field.get("default")]
        assert not missing, name


def test_the_bounds_of_what_can_be_sent_are_the_models() -> None:
    schema = models.ResetOptions.model_json_schema()["properties"]
    kinds = {named(row[0])[0]: row[1] for row in table(PAGE, "option")}
    assert kinds["omega"] == f"number, {schema['omega']['minimum']}–{schema['omega']['maximum']}"
    assert kinds["history"].endswith(f"≤ {schema['history']['anyOf'][0]['maxItems']}")
    assert kinds["episode_id"].endswith(f"≤ {schema['episode_id']['anyOf'][0]['maxLength']}")


def test_the_commands_of_the_plain_envelope_are_named(server: RealServer) -> None:
    message = f"cmd must be one of {', '.join(first_names(PAGE, '`cmd`'))}"
    error = json.dumps({"error": {"code": "UNKNOWN_COMMAND", "message": message}})
    play_sockets(Block(PAGE, "", "text /env/ws", f'→ {{"cmd": "?"}}\n← {error}'), server.url)


# What is seen ---------------------------------------------------------------------------------------------------------


def whole_game(*actions: dict[str, Any], **options: Any) -> ParlayObservation:
    """The last observation after these moves."""
    environment = ParlayEnvironment()
    seen = environment.reset(**{"scenario_id": "saas_enterprise", "persona": "diplomat", "seed": 73, **options})
    for action in actions:
        seen = environment.step(ParlayAction(**action))
    return seen


ACCEPTED = ({"utterance": "Agreed.", "accept_deal": True},)


def test_every_field_of_an_observation_is_in_the_table_and_no_other() -> None:
    assert sorted(first_names(PAGE, "field", "Observation")) == sorted(ParlayObservation.model_fields)


def test_a_field_that_may_be_null_says_what_that_means() -> None:
    said = {name: row[2] for row in table(PAGE, "field", "Observation") for name in named(row[0])}
    for name, field in ParlayObservation.model_fields.items():
        may_be_null = "None" in str(field.annotation) and name not in ("reward", "belief")
        assert bool(said[name]) or not may_be_null, name


@pytest.mark.parametrize(
    ("first", "model"),
    [
        ("in `scenario`", models.ScenarioView),
        ("in an issue", models.IssueView),
        ("in `own`", models.OwnView),
        ("in `prior`", models.PriorView),
        ("in a claim", models.ClaimView),
    ],
)
def test_every_part_of_an_observation_is_in_its_table(first: str, model: type[BaseModel]) -> None:
    assert sorted(first_names(PAGE, first)) == sorted(model.model_fields)


def test_the_grade_and_the_truth_are_documented_whole() -> None:
    last = whole_game(*ACCEPTED)
    assert last.grade is not None and last.truth is not None
    assert sorted(first_names(PAGE, "in `grade`")) == sorted(last.grade) == sorted(Grade.__struct_fields__)
    assert sorted(first_names(PAGE, "in `truth`")) == sorted(last.truth)


def test_the_state_has_what_its_table_says_besides_the_observation() -> None:
    environment = ParlayEnvironment()
    environment.reset(seed=1)
    found = set(environment.state.model_dump()) - set(ParlayObservation.model_fields)
    assert set(first_names(PAGE, "field", "State")) == found | {"done", "join_code"}


def test_every_way_to_end_is_named() -> None:
    assert first_names(PAGE, "`termination_reason`") == list(get_args(Reason))


# Rewards --------------------------------------------------------------------------------------------------------------


def test_the_most_that_fines_cost_is_the_rewards() -> None:
    noise = next(row[2] for row in table(PAGE, "term") if row[0] == "`noise`")
    assert noise.startswith(f"−{RewardSpec().noise:g} ")
    assert f"at most −{RewardSpec().fines_at_most:g} an episode" in noise
    low, high = EPISODE_RANGE
    assert f"from −{-low:g} to {high:g}, whatever is sent" in read(PAGE)


def test_every_term_is_documented_with_when_it_is_paid() -> None:
    at_once = {named(row[0])[0] for row in table(PAGE, "term") if row[1] == "every step"}
    late = {named(row[0])[0] for row in table(PAGE, "term") if row[1] == "last step"}
    assert at_once == set(NEAR)
    ends = [
        whole_game(*ACCEPTED),
        whole_game(*ACCEPTED, seed=7),  # far below the own limit
        whole_game({"utterance": "Good bye.", "walk_away": True}),
    ]
    terminal = {term for last in ends if last.grade is not None for term in last.grade["terminal"]}
    assert late == set(LATE) | terminal


# What can go wrong ----------------------------------------------------------------------------------------------------


def literals(folder: str, *callables: str) -> set[str]:
    """The first argument, a text, of every call of these names in the modules of a folder."""
    found: set[str] = set()
    for path in ROOT.glob(folder):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in callables:
                first = node.args[0] if node.args else None
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def invalid_codes() -> set[str]:
    return set(first_names(PAGE, "code", "Moves that are not allowed"))


def test_every_invalid_code_of_the_core_is_documented_and_no_other() -> None:
    raised = [literals(folder, "Invalid", "OfferError") for folder in ("parlay_env/*.py", "parlay_env/deal/*.py")]
    assert invalid_codes() == set.union(*raised)


CLAIM = {"utterance": "My limit.", "tactical_move": "batna_reveal", "claim_value": 110_800, "offer_amount": 150_000}
OFFER = {"utterance": "An offer.", "offer_amount": 150_000}
NOT_ALLOWED: dict[str, tuple[dict[str, Any], ...]] = {
    "one_decision": ({"offer_amount": 150_000, "accept_deal": True},),
    "one_tactic": ({"tactical_move": "reframe", "question": "timeline"},),
    "too_late_for_tactics": ({"walk_away": True, "question": "timeline"},),
    "two_offers": ({"offer_amount": 150_000, "offer": {"price": 150_000}},),
    "incomplete_offer": ({"offer": {"prize": 150_000}},),
    "out_of_range": ({"offer_amount": float("inf")},),
    "off_step": ({"offer_amount": 150_000.123},),
    "nothing_to_challenge": ({"challenge": True},),
    "too_few_points": (*[CLAIM] * 6, CLAIM),
    "anchor_once": ({"tactical_move": "anchor_high", "offer_amount": 170_000},),
    "anchor_needs_offer": (OFFER, {"tactical_move": "anchor_high"}),
    "not_silent": ({"tactical_move": "silence", "utterance": "Hm."},),
    "unknown_sweetener": ({"tactical_move": "sweetener", "sweetener": "a pony"},),
    "sweetener_without_card": ({"sweetener": "training_days"},),
    "claim_missing": ({"tactical_move": "batna_reveal"},),
    "claim_without_card": ({"claim_value": 150_000},),
    "claim_out_of_range": ({"tactical_move": "time_pressure", "claim_value": 21},),
    "belief_out_of_range": ({"belief": {"est_urgency": 2}},),
    "impact_out_of_range": ({"event_impact": -1.5},),
}
"""What brings about each code, in a game in which the opponent opens."""


@pytest.mark.parametrize("code", NOT_ALLOWED)
def test_a_code_comes_as_its_row_says(code: str) -> None:
    seen = whole_game(*NOT_ALLOWED[code], events=False)
    assert seen.invalid is not None
    assert seen.invalid.code == code


def test_nothing_can_be_accepted_before_an_offer_is_made() -> None:
    seed = next(seed for seed in range(20) if whole_game(seed=seed).opponent_offer is None)
    seen = whole_game(*ACCEPTED, seed=seed)
    assert seen.invalid is not None
    assert seen.invalid.code == "nothing_to_accept"


def test_a_code_that_the_wire_never_sends_is_marked_so() -> None:
    rows = table(PAGE, "code", "Moves that are not allowed")
    inside = [named(row[0]) for row in rows if "only for policies inside the process" in row[1]]
    assert set(inside[0]) == invalid_codes() - set(NOT_ALLOWED) - {"nothing_to_accept"}


def error_codes() -> dict[str, tuple[str, str, str]]:
    """Of every code: what `/ws` makes of it, its HTTP status, when it comes."""
    rows = table(PAGE, "code", "Errors")
    return {code.strip("`"): (openenv.strip("`"), status, when) for code, openenv, status, when in rows}


ONLY_HTTP = {"UNKNOWN_TASK", "METHOD_NOT_ALLOWED", "BAD_REQUEST"}
NEVER_OVER_HTTP = {"UNKNOWN_COMMAND", "NOT_YOUR_MOVE"}


def test_every_error_code_of_the_doors_is_documented_and_no_other() -> None:
    in_code: set[str] = set()
    for path in (ROOT / "parlay_env/doors").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                in_code |= set(re.findall(r"^(?:[A-Z]+(?:_[A-Z]+)+|[A-Z]{8,})$", node.value))
    at_ws = {*_CODES.values(), "VALIDATION_ERROR"}
    documented = error_codes()
    assert in_code == set(documented) | at_ws
    assert {openenv for openenv, _, _ in documented.values()} == at_ws | {NONE}


def test_a_codes_translation_and_status_are_the_doors() -> None:
    for code, (openenv, status, _) in error_codes().items():
        if code not in ONLY_HTTP | {"UNAUTHORIZED"}:
            assert openenv == _CODES.get(code, "VALIDATION_ERROR"), code
        if code in NEVER_OVER_HTTP:
            assert status == NONE, code
        elif code not in ("METHOD_NOT_ALLOWED", "BAD_REQUEST"):
            assert status == str(http_door._STATUS.get(code, 422)), code


def test_the_codes_that_close_a_socket_say_so() -> None:
    codes = error_codes()
    for code, door in (("CAPACITY_REACHED", "full"), ("SESSION_NOT_FOUND", "idle")):
        of_openenv, of_plain = (getattr(one, f"close_when_{door}") for one in (OpenEnvSocket, PlainSocket))
        assert f"{of_openenv} at `/ws`, {of_plain} at `/env/ws`" in codes[code][2]
    assert f"then closed ({NO_SUCH_GAME})" in codes["NOT_FOUND"][2]
    closing = {code for code in codes if "closed" in codes[code][2]}
    assert closing == {"CAPACITY_REACHED", "SESSION_NOT_FOUND", "NOT_FOUND"}


def test_the_codes_of_json_rpc_are_the_routes() -> None:
    documented = {int(row[0].replace("−", "-")) for row in table(PAGE, "JSON-RPC code")}
    assert documented == {value for name, value in vars(mcp).items() if name.isupper() and isinstance(value, int)}


# Limits and routes ----------------------------------------------------------------------------------------------------


def test_the_limits_are_the_defaults_of_the_settings() -> None:
    settings = Settings()
    expected = {
        "a message or a body": settings.message_bytes,
        "a step": MAX_STEP_BYTES,
        "an utterance": models.MAX_WORDS,
        "a `history`": 64,
        "sessions of all sockets": settings.max_sessions,
        "sessions on a socket of `/env/ws`": settings.sessions_per_socket,
        "sessions over HTTP": settings.http_sessions,
        "messages a second, by socket or by HTTP address": settings.rate,
        "silence": settings.idle_seconds,
        "pings": settings.ping_seconds,
        "the answer to a ping": settings.pong_seconds,
        "answers that are not read": settings.write_seconds,
    }
    assert {row[0]: figure(row[1]) for row in table(PAGE, "limit")} == expected


def test_every_route_is_documented_and_no_other() -> None:
    paths = create_app(Settings()).openapi()["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    assert set(first_names(PAGE, "route")) == routes | {"GET /openapi.json"}


def test_the_splits_are_those_of_the_task_routes() -> None:
    documented = {named(row[0])[0]: [int(cell) for cell in row[1:4]] for row in table(PAGE, "split")}
    assert documented == {name: [len(tasks.tasks(name)), *tasks.seed_range(name)] for name in tasks.SEEDS}


def test_the_page_names_the_release() -> None:
    assert set(re.findall(r'"env_version": "(.+?)"', read(PAGE))) == {__version__}
    assert f"`info.version` {API_VERSION}" in read(PAGE)
