"""Market events: held-out kinds and words, effects in bounds, and no drift of the market in either direction."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
import yaml

from game.events import SPLITS, MarketKind, Split, all_market_kinds, market_kinds
from game.scenarios import scenarios


def ids(split: Split) -> set[str]:
    return {kind.id for kind in market_kinds(split)}


def plain(words: str) -> str:
    return "".join(c for c in words.casefold() if c.isalnum())


def test_train_has_many_kinds_and_all_but_three_of_them_return_in_other_words() -> None:
    train, validation, test = (ids(split) for split in SPLITS)
    assert len(train) >= 14
    assert len(train - (validation | test)) == 3
    assert train & validation == train & test


@pytest.mark.parametrize("split", ["validation", "test"])
def test_five_kinds_or_more_are_held_out_for(split: Split) -> None:
    others = set().union(*(ids(other) for other in SPLITS if other != split))
    assert len(ids(split) - others) >= 5


def test_kinds_have_different_ids_and_stand_in_file_order() -> None:
    file = Path(__file__).parents[2] / "game" / "events.yaml"
    order = [kind["id"] for kind in yaml.safe_load(file.read_text("utf-8"))]
    assert len(set(order)) == len(order)
    assert [kind.id for kind in all_market_kinds()] == order
    for split in SPLITS:
        assert [kind.id for kind in market_kinds(split)] == [name for name in order if name in ids(split)]


@pytest.mark.parametrize("kind", all_market_kinds(), ids=lambda kind: kind.id)
class TestEachKind:
    def test_has_four_short_wordings_or_more_in_each_of_its_splits(self, kind: MarketKind) -> None:
        assert kind.words
        for words in kind.words.values():
            assert len({plain(wording) for wording in words}) == len(words) >= 4
            assert all(8 <= len(wording.split()) <= 22 for wording in words)

    def test_moves_a_limit_noticeably_and_not_beyond_bounds_or_not_at_all(self, kind: MarketKind) -> None:
        assert kind.seller or kind.buyer
        for mean in (kind.seller, kind.buyer):
            assert mean == 0 or 0.05 <= abs(mean) <= 0.20


def test_no_wording_occurs_twice_not_even_in_a_scenario() -> None:
    words = [wording for kind in all_market_kinds() for some in kind.words.values() for wording in some]
    words += [
        wording for s in scenarios().values() for h in s.headlines for some in h.words.values() for wording in some
    ]
    assert len({plain(wording) for wording in words}) == len(words)


@pytest.mark.parametrize("split", SPLITS)
class TestBalance:
    def test_the_mean_event_moves_neither_limit(self, split: Split) -> None:
        # Kinds are drawn evenly; at most two an episode. A hundredth of a single kind's least effect is no drift.
        kinds = market_kinds(split)
        for total in (sum(kind.seller for kind in kinds), sum(kind.buyer for kind in kinds)):
            assert abs(total) / len(kinds) <= 0.0005

    def test_neither_sign_is_the_safe_guess(self, split: Split) -> None:
        for means in ([kind.seller for kind in market_kinds(split)], [kind.buyer for kind in market_kinds(split)]):
            moved = [mean for mean in means if mean]
            assert 0.4 <= sum(mean > 0 for mean in moved) / len(moved) <= 0.6

    def test_one_side_does_not_give_the_other_away(self, split: Split) -> None:
        kinds = market_kinds(split)
        same = sum(kind.seller * kind.buyer > 0 for kind in kinds)
        opposite = sum(kind.seller * kind.buyer < 0 for kind in kinds)
        alone = sum(kind.seller * kind.buyer == 0 for kind in kinds)
        assert min(same, alone) >= 4
        assert opposite >= 6


def test_splits_share_no_words() -> None:
    by_split = {
        split: {plain(wording) for kind in market_kinds(split) for wording in kind.words[split]} for split in SPLITS
    }
    for one, other in combinations(SPLITS, 2):
        assert not by_split[one] & by_split[other]
