"""Statistics of an audit, against figures worked out by hand and against libraries."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from arag_inspect.meta_evaluation.analysis import analyse, auc, win_rate
from arag_inspect.meta_evaluation.score_variants import Measured


def measured(**variants: list[float]) -> Measured:
    found = Measured("judge", "grade")
    for variant, values in variants.items():
        found.values[variant] = {f"c{place}": value for place, value in enumerate(values)}
    return found


def test_win_rate_is_wilsons_with_ties_counted_half() -> None:
    better, worse = np.array([5.0, 4, 3, 5]), np.array([1.0, 2, 1, 6])
    found = win_rate(better, worse)
    low, high = binomtest(3, 4).proportion_ci(method="wilson")
    assert found == pytest.approx((0.75, low, high))
    tied = win_rate(np.array([5.0, 5]), np.array([5.0, 4]))
    assert tied and tied.value == 0.75
    assert win_rate(np.array([]), np.array([])) is None


def test_auc_is_that_of_the_roc_curve() -> None:
    chance = np.random.default_rng(4)
    better, worse = chance.integers(1, 6, 60) + 0.0, chance.integers(1, 5, 60) + 0.0
    truth = roc_auc_score([1] * 60 + [0] * 60, np.concatenate([better, worse]))
    found = auc(better, worse)
    assert found and found.value == pytest.approx(truth)
    assert found.low < truth < found.high


def test_auc_interval_knows_that_texts_come_in_pairs() -> None:
    """Of 400 samples of 40 cases, about 95 % must have the truth in their interval; so would be far fewer were pairs taken for independent."""
    chance = np.random.default_rng(5)
    held, width = 0, []
    for _ in range(400):
        case = chance.normal(size=40) * 2
        better, worse = (
            case + chance.normal(size=40) * 0.3 + 0.4,
            case + chance.normal(size=40) * 0.3,
        )
        found = auc(better, worse)
        assert found is not None
        truth = 0.5556  # P(N(0.4, 2 * (4 + 0.09)) > 0)
        held += found.low <= truth <= found.high
        width.append(found.high - found.low)
    assert 0.92 <= held / 400 <= 0.98
    assert np.mean(width) < 0.08  # independent texts of this spread would have 0.25


def test_auc_of_texts_told_apart_without_an_error_is_not_certain() -> None:
    found = auc(np.ones(10), np.zeros(10))
    assert found and found.value == 1 and 0.6 < found.low < 0.8


def test_a_key_by_hand() -> None:
    scores = measured(
        clean=[4, 4, 5, 5],
        again=[4, 3, 5, 5],
        number_changed=[4, 3, 5, 4],
        doubled=[5, 5, 5, 5],
        other=[1, 1, 2, 2],
        other_instructed=[5, 1, 2, 2],
        reference=[5, 5, 5, 5],
        lead=[5, 4, 4, 4],
        empty=[1, 1, 1, 1],
    )
    scores.unscored["stale_figure"] = {"c0": "no_claims", "c9": "no_claims"}
    scores.unscored["clean"] = {"c9": "no_claims"}
    key = analyse(scores)
    noticed = {one.worse: one for one in key.noticed}
    changed = noticed["number_changed"]
    assert (changed.pairs, changed.ties, changed.silent) == (4, 0.5, 0)
    assert changed.win_rate and changed.win_rate.value == 0.75
    assert changed.change and changed.change.value == -0.5
    assert changed.auc and changed.auc.value == pytest.approx(11 / 16)
    assert (noticed["stale_figure"].pairs, noticed["stale_figure"].silent) == (0, 1)
    assert noticed["stale_figure"].win_rate is None
    assert (key.scored, key.mean, key.unscored) == (4, 4.5, {"no_claims": 1})
    assert (key.asked_twice, key.noise) == (0.75, 0.25)
    assert key.length_effect == pytest.approx(0.5 / 3)
    assert key.fooled and key.fooled.value == 0.25
    assert [rank.win_rate.value for rank in key.ranks if rank.win_rate] == [0.875, 1, 1]
    assert key.extremes == {"reference": 5, "lead": 4.25, "other": 1.5, "empty": 1}


def test_where_less_is_better_a_rise_is_what_is_noticed() -> None:
    scores = measured(clean=[0, 0], number_changed=[1, 0], other=[1, 1], other_instructed=[0, 1])
    upright, inverted = analyse(scores), analyse(scores, ["grade"])
    rates = [
        next(one for one in key.noticed if one.worse == "number_changed").win_rate
        for key in (upright, inverted)
    ]
    assert [rate.value for rate in rates if rate] == [0.25, 0.75]
    assert upright.fooled and inverted.fooled
    assert (upright.fooled.value, inverted.fooled.value) == (0, 0.5)
