"""Tests of win rates and areas under the curve, against libraries and simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from arag_inspect.stats.ranking import Ranking, auc, rank_quality, wilson, win_rate


def test_win_rate_counts_ties_half_and_has_wilson_interval() -> None:
    better, worse = np.array([5.0, 4, 3, 5]), np.array([1.0, 2, 1, 6])
    rate = win_rate(better, worse)
    low, high = binomtest(3, 4).proportion_ci(method="wilson")
    assert rate == pytest.approx((0.75, low, high, 4))
    tied = win_rate(np.array([5.0, 5]), np.array([5.0, 4]))
    assert tied and tied.value == 0.75
    assert win_rate(np.array([]), np.array([])) is None


@pytest.mark.parametrize(
    ("wins", "trials", "low", "high"),
    [
        (0, 10, 0.0, 0.27753279986288926),
        (3, 4, 0.30064184258240184, 0.9544127391902995),
        (7.5, 20, 0.19977085566463149, 0.5905104338485734),
        (199, 200, 0.9722262956021069, 0.9991168312843989),
        (5, 5, 0.5655175352168252, 1.0),
    ],
)
def test_wilson_matches_statsmodels(wins: float, trials: int, low: float, high: float) -> None:
    assert wilson(wins, trials) == pytest.approx((wins / trials, low, high, trials), abs=1e-12)


def test_auc_matches_sklearn() -> None:
    chance = np.random.default_rng(4)
    better = chance.integers(1, 6, 60).astype(np.float64)
    worse = chance.integers(1, 5, 60).astype(np.float64)
    truth = roc_auc_score([1] * 60 + [0] * 60, np.concatenate([better, worse]))
    rate = auc(better, worse)
    assert rate and rate.value == pytest.approx(truth)
    assert rate.low < truth < rate.high


def test_auc_interval_covers_truth_for_paired_texts() -> None:
    """About 95 % of 400 samples must contain the true value in their interval."""
    chance = np.random.default_rng(5)
    hits, width = 0, []
    for _ in range(400):
        case = chance.normal(size=40) * 2
        better, worse = (
            case + chance.normal(size=40) * 0.3 + 0.4,
            case + chance.normal(size=40) * 0.3,
        )
        rate = auc(better, worse)
        assert rate is not None
        truth = 0.5556  # P(N(0.4, 2 * (4 + 0.09)) > 0)
        hits += rate.low <= truth <= rate.high
        width.append(rate.high - rate.low)
    assert 0.92 <= hits / 400 <= 0.98
    assert np.mean(width) < 0.08  # independent texts with this spread would have 0.25


def test_auc_interval_has_width_under_perfect_separation() -> None:
    rate = auc(np.ones(10), np.zeros(10))
    assert rate and rate.value == 1 and 0.6 < rate.low < 0.8


@pytest.mark.parametrize(
    ("found", "wanted", "expected"),
    [
        # by hand: 1 / log2(3) over 1 + 1 / log2(3)
        ([7, 1, 8], {1: (), 2: ()}, [0, 1, 0.5, 0.5, 0.6309297536 / 1.6309297536]),
        ([1, 2], {1: (), 2: ()}, [1, 1, 1, 1, 1]),
        ([11, 1], {1: (11,)}, [1, 1, 1, 1, 1]),  # a copy counts, once
        ([11, 1, 2], {1: (11,), 2: ()}, [1, 1, 1, 1, (1 + 0.5) / 1.6309297536]),
        ([3, 4, 5, 6, 7, 1], {1: ()}, [0, 0, 0, 1 / 6, 1 / np.log2(7)]),
        (["b", "b", "a"], {"a": ()}, [0, 1, 1, 0.5, 0.6309297536]),  # documents repeat
        ([], {1: ()}, [0, 0, 0, 0, 0]),
    ],
)
def test_rank_quality_matches_hand_computed_values(
    found: list[object], wanted: dict[object, tuple[object, ...]], expected: list[float]
) -> None:
    best = Ranking([1], {1: ()})
    values = rank_quality([best, Ranking(found, wanted), best])
    assert values.tolist() == [[1] * 5, pytest.approx(expected), [1] * 5]
