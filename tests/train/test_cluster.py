"""`--engine ray`: a cluster plays what one process plays, to the last bit, and says in a line what is wrong with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray")

from game.scenarios import ScenarioError
from training import cluster as clusters
from training.cluster import Cluster, ClusterError
from training.episodes import cells, scenario_of, share_out
from training.evaluate import evaluate, plan
from training.selfplay import plan as self_plan
from training.selfplay import play_to


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    assert "RAY_ADDRESS" not in os.environ
    with Cluster(2) as found:
        yield found


def test_a_cluster_evaluates_to_the_same_results(cluster: Cluster) -> None:
    where = cells(("saas_enterprise",), ("shark", "diplomat"), ("seller",))
    chosen = plan(("tit_for_tat", "boulware"), where=where, episodes=30, split="validation")
    assert evaluate(chosen, workers=cluster).results == evaluate(chosen, workers=1).results


def test_a_cluster_plays_the_same_logs(cluster: Cluster, tmp_path: Path) -> None:
    chosen = self_plan(("tit_for_tat",), pairs=[("saas_enterprise", "veteran")], episodes=3)
    there, here = play_to(chosen, tmp_path / "there", cluster), play_to(chosen, tmp_path / "here")
    assert [one.log_lines() for one in there] == [one.log_lines() for one in here]


def test_results_come_in_the_order_of_the_work(cluster: Cluster) -> None:
    assert list(share_out(abs, range(-40, 0), cluster)) == list(range(40, 0, -1))


def test_what_goes_wrong_on_a_node_is_raised_here(cluster: Cluster) -> None:
    with pytest.raises(ScenarioError, match="no_such"):
        list(share_out(scenario_of, ["no_such.yaml"], cluster))


def test_a_node_with_another_game_is_refused(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "rules_digest", lambda: "another")
    with pytest.raises(ClusterError, match="the same on all"):
        list(share_out(abs, [1], cluster))


def test_no_cluster_at_an_address_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "not-an-address")
    with pytest.raises(ClusterError, match="not-an-address"), Cluster():
        pass
