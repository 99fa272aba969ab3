"""The report has every policy, says what its figures mean, and does without plots where they can't be drawn."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from parlay_env.deal.state import T_MAX
from training.evaluate import evaluate
from training.grid import Grid
from training.measures import MEASURES
from training.plots import HOW_TO_GET, ends_by_turn, reward_by_cell, reward_by_policy
from training.report import PICTURES, markdown, write
from training.summary import Summary, summed_up

from .conftest import Seer, small

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def summary(played: Grid) -> Summary:
    return summed_up(played)


@pytest.fixture
def no_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)


def test_the_report_ranks_the_policies_with_intervals(summary: Summary) -> None:
    ladder = markdown(summary).partition("## The policies")[2].partition("\n\nRating:")[0].strip().splitlines()[2:]
    told = [(line.split("|")[1].strip(), float(re.findall(r"-?[\d.]+", line.split("|")[2])[0])) for line in ladder]
    assert {name for name, _ in told} == {"`tit_for_tat`", "`conceder`", "`random`"}
    assert told == sorted(told, key=lambda one: -one[1])
    assert all(re.search(r"\[-?[\d.]+, -?[\d.]+\]", line) for line in ladder)


def test_the_report_says_what_every_measure_is(summary: Summary) -> None:
    page = markdown(summary)
    for measure in MEASURES:
        if not measure.key.startswith(("term_", "prior_")):
            assert f"| `{measure.key}` | {measure.unit} | {measure.what} |" in page
    assert "the disagreement point is the two limits" in page


def test_tables_are_whole(summary: Summary) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", markdown(summary), re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_regret_and_beliefs_are_told_where_there_are_any(summary: Summary, seer: type[Seer]) -> None:
    assert "None of the policies reports a belief" in markdown(summary)
    assert "regret against the oracle" not in markdown(summary)
    page = markdown(summed_up(evaluate(small("conceder", "random", "oracle", episodes=3))))
    assert "regret against the oracle" in page
    beliefs = page.partition("## Beliefs")[2].partition("##")[0]
    assert "`oracle`" in beliefs
    assert "`conceder`" not in beliefs


def test_plots_are_drawn_as_png_and_svg_and_shown_by_the_report(tmp_path: Path, seer: type[Seer]) -> None:
    found = summed_up(evaluate(small("conceder", "random", "oracle", episodes=3)))
    assert write(found, tmp_path) == ""
    shown = re.findall(r"!\[.+\]\((.+)\)", (tmp_path / "report.md").read_text("utf-8"))
    assert shown == [f"{name}.png" for name in PICTURES]
    for name in PICTURES:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(PNG)
        assert Xml.parse(tmp_path / f"{name}.svg").getroot().tag.endswith("svg")


def test_the_same_results_draw_the_same_plots(tmp_path: Path, summary: Summary) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(summary, tmp_path / name)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_without_matplotlib_the_report_says_how_to_get_it_and_is_written(
    tmp_path: Path, summary: Summary, no_matplotlib: None
) -> None:
    assert write(summary, tmp_path) == HOW_TO_GET
    assert "![" not in (tmp_path / "report.md").read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.md", "summary.json"]


def test_plots_can_be_left_out(tmp_path: Path, summary: Summary) -> None:
    assert write(summary, tmp_path, plots=False) == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.md", "summary.json"]


def test_a_plot_shows_every_policy_and_names_its_units(summary: Summary) -> None:
    names = ["tit_for_tat", "conceder", "random"]
    axes = reward_by_policy(summary).axes[0]
    assert sorted(label.get_text() for label in axes.get_yticklabels()) == sorted(names)
    assert axes.get_xlabel() == "reward (points an episode)"
    cells = reward_by_cell(summary).axes[0]
    assert [label.get_text() for label in cells.get_xticklabels()] == ["shark, seller", "diplomat, buyer"]
    panels = ends_by_turn(summary).axes
    assert sorted(panel.get_title(loc="left") for panel in panels if panel.get_visible()) == sorted(names)
    assert panels[0].get_xticks()[-1] == T_MAX


def test_one_policy_in_one_cell_on_one_seed_makes_a_report(tmp_path: Path) -> None:
    chosen = small("random", episodes=1)
    grid = evaluate(type(chosen)(chosen.policies, chosen.cells[:1], chosen.split, chosen.first_seed, 1))
    assert write(summed_up(grid), tmp_path) == ""
    page = (tmp_path / "report.md").read_text("utf-8")
    assert "beyond random" not in page
    assert "Rating" not in page


def test_loading_the_engine_loads_no_plotting_library() -> None:
    import subprocess

    code = "import sys, training.evaluate, training.report; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
