"""The lab: what its learners come to, that its rules are the server's, and that nothing in it holds the page up."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from playwright.async_api import Locator, expect

from agent.games.commons import HABIT_T, PLAYERS
from parlay_env.core import play_episode
from parlay_env.games import commons, levers
from parlay_env.games.commons import Commons, fished, gini
from training.reproduction import credit, curriculum
from training.reproduction import levers as learned_levers
from training.tabular import DECAY

from .conftest import PHONE, Visit
from .person import Person
from .test_chinese import foreign, words_of
from .test_every_page import WIDER

MODULE = "/static/app/lab/learn"
WAYS = ("sustainable", "greedy", "twelve", "copycat")
LAKES = [0, 4_999, 5_000, 10_000, 37_123, 99_999, 100_000]


async def lab(visit: Visit, **options: Any) -> Person:
    """Somebody in the lab, where nothing moves but to its end."""
    person = await visit(**{"reduced_motion": "reduce", **options})
    await person.go("/lab")
    await expect(person.page.locator("#curriculum")).to_be_visible()
    return person


def part(person: Person, name: str) -> Locator:
    """One of the experiments."""
    return person.page.locator(f"#{name}")


async def train(person: Person, name: str, key: str, **values: object) -> str:
    """Press the button and wait for the verdict."""
    await part(person, name).get_by_role("button", name=person.t(key, **values)).click()
    return await verdict(person, name)


async def verdict(person: Person, name: str) -> str:
    """What came of an experiment, once there is something."""
    status = part(person, name).get_by_role("status")
    await expect(status).not_to_be_empty()
    return await status.text_content() or ""


async def figures(person: Person, name: str) -> list[str]:
    """The large figures of an experiment."""
    return await part(person, name).locator(".lab__figure dd").all_text_contents()


async def module(person: Person, file: str, expression: str, value: object = None) -> Any:
    """What an expression over a module of the lab, `it`, gives in the browser."""
    source = f"(value) => import('{MODULE}/{file}.js').then((it) => {expression})"
    return await person.page.evaluate(source, value)


async def facts(person: Person, game: str) -> dict[str, float]:
    """The figures of a game, as the server tells them to the page."""
    listed = (await person.ask("GET", "/games"))["games"]
    return next(one["facts"] for one in listed if one["id"] == game)


# What the learners come to --------------------------------------------------------------------------------------------


async def test_levers_learn_to_meet_their_copies_and_hardly_any_stranger(visit: Visit) -> None:
    person = await lab(visit)
    await train(person, "levers", "lab.levers.train", n=20)
    own, cross = map(float, await figures(person, "levers"))
    assert own >= 0.97
    assert cross < 0.2
    rows = part(person, "levers").locator("table tbody tr")
    await expect(rows).to_have_count(20)
    cells = [await row.locator("td").all_text_contents() for row in await rows.all()]
    assert all(float(copy) >= 0.95 for _, copy, _ in cells)
    assert len({lever for lever, _, _ in cells}) >= 5, "strangers settle on different levers"


async def test_other_play_brings_strangers_together_on_the_odd_lever_from_beyond_the_edge(visit: Visit) -> None:
    person = await lab(visit)
    levers_ = part(person, "levers")
    await train(person, "levers", "lab.levers.train", n=20)
    await levers_.get_by_role("radio", name=person.t("lab.levers.other")).check(force=True)
    status = levers_.get_by_role("status")
    await expect(status).to_contain_text("0.90")
    found = int((await figures(person, "levers"))[2].split()[0])
    assert 1 <= found <= 12, "pulling all levers alike is just below the edge"
    await levers_.get_by_role("slider").first.fill("0.16")
    await expect(status).to_contain_text("20 of 20")
    own, cross, _ = await figures(person, "levers")
    assert float(own) == float(cross) == 0.9


async def test_a_pair_of_learners_is_told_by_the_arrow_keys(visit: Visit) -> None:
    person = await lab(visit)
    matrix = part(person, "levers").get_by_role("group", name=person.t("lab.levers.matrix"))
    told = part(person, "levers").locator(".matrix__foot [aria-live]")
    await matrix.focus()
    await expect(told).to_contain_text(re.compile(r"learner 1 .*copy: 0\.10"))
    await person.page.keyboard.press("ArrowRight")
    await expect(told).to_contain_text(re.compile(r"learner 1 .* with learner 2 .*: 0\.10"))


async def test_a_large_team_learns_from_the_difference_and_not_from_the_whole(visit: Visit) -> None:
    person = await lab(visit)
    await part(person, "credit").get_by_role("slider").first.fill("7")
    await expect(part(person, "credit")).to_contain_text(person.t("lab.credit.agents", n=128))
    said = await train(person, "credit", "lab.credit.train")
    assert re.search(r"95% work after 2[3-6] steps", said)
    team, difference = (int(figure.rstrip("%")) for figure in await figures(person, "credit"))
    assert 58 <= team <= 64
    assert difference >= 99


async def test_a_solver_grows_with_what_it_is_set(visit: Visit) -> None:
    person = await lab(visit)
    await train(person, "curriculum", "lab.curriculum.train")
    skills = part(person, "curriculum").locator(".lab__skills dd")
    found = [float(skill) for skill in await skills.all_text_contents()]
    assert found == pytest.approx([15.7, 10, 6.7, 4.5, 2.5], abs=0.5)


async def test_going_back_shows_an_earlier_step(visit: Visit) -> None:
    person = await lab(visit)
    await train(person, "levers", "lab.levers.train", n=20)
    await part(person, "levers").get_by_role("slider", name=person.t("lab.scrub")).fill("0")
    assert await figures(person, "levers") == ["0.10", "0.10"]


# The lake -------------------------------------------------------------------------------------------------------------


async def test_the_examples_of_the_commons_end_as_they_are_known_to(visit: Visit) -> None:
    person = await lab(visit)
    ends = {
        "twelve": (["160 t", "3 of 12", "0.00"], person.t("lab.commons.dead", month=3, total="160 t")),
        "greedy": (["100 t", "1 of 12", "0.00"], person.t("lab.commons.dead", month=1, total="100 t")),
        "sustainable": (["600 t", "12 of 12", "0.00"], person.t("lab.commons.alive", months=12, total="600 t")),
        "selfish": (["600 t", "12 of 12", "0.40"], person.t("lab.commons.alive", months=12, total="600 t")),
    }
    for name, (told, said) in ends.items():
        preset = person.button(f"lab.commons.preset.{name}")
        await preset.click()
        await expect(preset).to_have_attribute("aria-pressed", "true")
        await expect(part(person, "commons").get_by_role("status")).to_have_text(said)
        assert await figures(person, "commons") == told


async def test_the_lake_of_the_page_is_the_lake_of_the_game(visit: Visit) -> None:
    person, draw = await lab(visit), random.Random(5)
    lake = await facts(person, "commons")
    assert {name: getattr(commons, name.upper()) for name in lake} == lake
    asked = [[draw.randint(0, most) for _ in range(5)] for most in (3, 8, 15, 25, 60, 100) for _ in range(20)]
    tried = [(draw.choice(LAKES), quotas, month) for month, quotas in enumerate(asked)]
    source = "value.tried.map(([lake, asked, month]) => it.fished(value.facts, lake, asked, month))"
    found = await module(person, "commons", source, {"tried": tried, "facts": lake})
    for (kg, quotas, month), got in zip(tried, found, strict=True):
        assert (tuple(got["caught"]), got["lake"]) == fished(kg, quotas, month)


async def test_the_fishers_of_the_page_fish_as_the_game_s_own_players(visit: Visit) -> None:
    person, game, draw = await lab(visit), Commons(), random.Random(6)
    lake = await facts(person, "commons")
    mixed = [[draw.choice(WAYS) for _ in commons.SEATS] for _ in range(30)]
    plans = [[{"way": way, "fixed": 0} for way in five] for five in [*mixed, *([way] * 5 for way in WAYS)]]
    source = "value.plans.map((plan) => it.year(value.facts, plan))"
    years = await module(person, "commons", source, {"plans": plans, "facts": lake})
    unequal = await module(person, "commons", "value.map(it.gini)", [year["totals"] for year in years])
    for five, year, uneven in zip(plans, years, unequal, strict=True):
        players = {seat: PLAYERS[plan["way"]]() for seat, plan in zip(game.seats, five, strict=True)}
        state = play_episode(game, game.setup_type(), 1, players).state
        assert [month["caught"] for month in year["months"]] == [list(month.caught_kg) for month in state.past]
        assert year["end"] == state.lake_kg
        assert uneven == pytest.approx(gini(year["totals"]))


# What stands in two places --------------------------------------------------------------------------------------------


async def test_the_learners_settings_are_those_of_the_published_experiments_run_again(visit: Visit) -> None:
    person = await lab(visit)
    how, reached = learned_levers.HOW, learned_levers.REACHED
    assert await module(person, "constants", "it") == {
        "DECAY": DECAY,
        "LEVERS": {"steps": how.steps, "rate": how.rate, "episodes": how.episodes, "reached": reached},
        "CREDIT": {"steps": credit.STEPS, "rate": credit.RATE, "learned": credit.LEARNED},
        "CURRICULUM": {
            "difficulties": curriculum.DIFFICULTIES,
            "attempts": curriculum.ATTEMPTS,
            "eta": curriculum.ETA,
            "steps": curriculum.STEPS,
            "rate": curriculum.RATE,
            "pull": curriculum.PULL,
        },
        "HABIT_T": HABIT_T,
        "SEEDS": learned_levers.SET,
    }


async def test_the_edge_of_the_odd_lever_and_its_scores_are_the_known_ones(visit: Visit) -> None:
    person = await lab(visit)
    told = {"pays": list(levers.pays(levers.Setup())), "odd": levers.Setup().odd}
    assert 1 - await module(person, "levers", "it.basin(value)", told) == pytest.approx(learned_levers.threshold())
    policy = _policies(told["pays"])
    source = "Array.from(it.scores(Float32Array.from(value.rows.flat()), value.told))"
    found = await module(person, "levers", source, {"rows": policy, "told": told})
    assert found == pytest.approx(list(learned_levers.score(np.array(policy))), abs=1e-6)


def _policies(pays: Sequence[float]) -> list[list[float]]:
    draw = random.Random(7)
    rows = [[draw.random() for _ in pays] for _ in range(6)]
    return [[share / sum(row) for share in row] for row in rows]


# How it is to be there ------------------------------------------------------------------------------------------------


async def test_the_page_answers_while_learners_train_and_shows_them_on_the_way(visit: Visit) -> None:
    person = await visit()
    await person.go("/lab")
    await part(person, "levers").get_by_role("button", name=person.t("lab.levers.train", n=20)).click()
    await expect(person.button("lab.pause")).to_be_visible()
    await expect(part(person, "levers").locator(".lab__scrub .figure")).to_have_text(re.compile(r"step [1-9]\d+ of"))
    await person.button("lab.commons.preset.greedy").click()
    await expect(part(person, "commons").get_by_role("status")).to_contain_text("month 1")
    await person.button("lab.pause").click()
    await expect(person.button("lab.go")).to_be_visible()


async def test_every_word_that_comes_of_training_is_chinese_and_fits_a_phone(visit: Visit) -> None:
    person = await lab(visit, language="zh", **PHONE)
    for name in ("levers", "credit", "curriculum"):
        await train(person, name, f"lab.{name}.train", n=20)
    await part(person, "levers").get_by_role("radio", name=person.t("lab.levers.other")).check(force=True)
    await verdict(person, "levers")
    await person.button("chart.asTable").first.click()
    assert not foreign(await words_of(person.page))
    assert await person.page.evaluate(WIDER) is None
