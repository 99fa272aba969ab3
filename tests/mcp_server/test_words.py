"""What models read is true: texts that suffice without the data, descriptions that name the real figures."""

from __future__ import annotations

import json
import re

import pytest

from agent.personas import PERSONAS
from agent.registry import OPPONENTS
from game.cards import CARDS, QUESTION_COST
from game.house import House
from game.leaderboard import LAST, LEAST
from mcp_server import words
from mcp_server.arguments import AcceptDeal, GetLeaderboard, MakeOffer, Say, WalkAway
from parlay_env.deal import numbers as n
from parlay_env.deal.state import T_MAX
from parlay_env.models import MAX_WORDS
from parlay_env.reward import RewardSpec

from .support import Client


def test_what_the_tools_say_of_costs_is_what_the_rules_have() -> None:
    cards = Say.model_fields["card"].description or ""
    assert {name: int(cost) for name, cost in re.findall(r"(\w+) \((\d+)", cards)} == {c.id: c.cost for c in CARDS}
    assert f"costs {QUESTION_COST} credibility" in (Say.model_fields["question"].description or "")
    assert f"{MAX_WORDS:,} characters" in (Say.model_fields["words"].description or "")
    for tool in (MakeOffer, AcceptDeal):
        assert f"costs {RewardSpec().cliff:g} points" in (tool.__doc__ or "")
    assert f"costs {-RewardSpec().walk_wrong:g} points" in (WalkAway.__doc__ or "")
    told = " ".join((GetLeaderboard.__doc__ or "").split())
    assert f"last {LAST} ranked games, for players with at least {LEAST}" in told
    assert "one turn of twenty" in words.INSTRUCTIONS and T_MAX == 20
    assert f"{n.HOT_TURNS}" == "3" and f"{n.HOT:.0f}" == "75"  # as the answers' field `tension` says


def test_every_opponent_is_described() -> None:
    assert set(words.PERSONAS) == set(PERSONAS) == set(OPPONENTS)


@pytest.mark.parametrize("seat", ["seller", "buyer"])
@pytest.mark.parametrize("scenario", ["saas_enterprise", "hiring_package", "supplier_contract"])
async def test_the_briefing_says_all_that_a_first_move_needs(ada: Client, scenario: str, seat: str) -> None:
    told = await ada.ask("start_negotiation", name="Ada", scenario_id=scenario, seat=seat)
    game, text = told.data, told.text
    assert game["game_id"] in text and game["player_key"] in text
    assert game["scenario"]["briefing"] in text
    assert f"{game['own']['limit']:,.0f}" in text
    assert f"move_number {game['move_number']}" in text
    assert all(one["id"] in text for one in game["scenario"]["sweeteners"])
    beyond = "worth less than" if game["own"]["weights"] else "under" if seat == "seller" else "over"
    assert f"agree to nothing {beyond}" in text or f"agree to nothing that is {beyond}" in text
    for name in ("offer_amount", "tactical_move", "claim_value", "event_impact", "JSON"):
        assert name not in text


async def test_an_offer_is_told_with_what_it_is_worth_against_the_limit(ada: Client) -> None:
    game = await ada.start(seat="seller", persona="shark")
    told = await ada.ask("make_offer", game_id=game["game_id"], move_number=0, amount=175_000, words="175,000.")
    offer = told.data["opponent_offer"]
    if offer is None:  # a headline has voided it
        assert "Their offer: none" in told.text
        return
    worth = offer["price"] - told.data["own"]["limit"]
    assert told.data["opponent_offer_worth"] == worth
    assert f"({abs(worth):,.0f} USD {'inside' if worth >= 0 else 'BEYOND'} your limit)" in told.text
    assert told.data["your_offer_worth"] == 175_000 - told.data["own"]["limit"]


@pytest.mark.parametrize("scenario", ["saas_enterprise", "supplier_contract"])
async def test_the_end_is_told_with_the_result_and_what_it_counts_for(ada: Client, house: House, scenario: str) -> None:
    game = await ada.start(scenario_id=scenario)
    told = await ada.ask("walk_away", game_id=game["game_id"], move_number=0, words="No.")
    result = told.data["result"]
    assert (result["reason"], result["by"], result["ranked"]) == ("walk_away", "you", True)
    assert "you walked away" in told.text
    assert f"Reward {result['reward']:+.1f} points" in told.text
    assert "It counts in the leaderboard" in told.text
    assert f"/games/{game['game_id']}" in told.text
    truth = await house.load(game["game_id"])
    grade = truth.row.row_of("seller")
    assert (result["efficiency"], result["reward"]) == (grade.efficiency, grade.reward)


async def test_tools_are_marked_by_what_they_do(ada: Client) -> None:
    tools = {tool.name: tool for tool in (await ada.session.list_tools()).tools}
    hints = {name: tool.annotations for name, tool in tools.items()}
    reads = {name for name, hint in hints.items() if hint is not None and hint.readOnlyHint}
    assert reads == {"get_game_state", "get_leaderboard", "list_scenarios", "list_personas"}
    assert {name for name, hint in hints.items() if hint.destructiveHint} == {"accept_deal", "walk_away"}
    assert {name for name, hint in hints.items() if not hint.idempotentHint} == {"start_negotiation"}
    for tool in tools.values():
        assert tool.outputSchema is not None
        assert "$ref" not in json.dumps([tool.inputSchema, tool.outputSchema])
        assert tool.inputSchema["additionalProperties"] is False
        assert tool.description and "\n    " not in tool.description
        for name, argument in tool.inputSchema["properties"].items():
            assert argument.get("description"), f"{tool.name}.{name}"
        assert not {"seed", "history", "split", "rewards", "omega", "guided"} & set(tool.inputSchema["properties"])
