"""Win rates and areas, against libraries and simulation."""

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score

from arag_inspect.stats.ranking import auc, win_rate


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
    better = chance.integers(1, 6, 60).astype(np.float64)
    worse = chance.integers(1, 5, 60).astype(np.float64)
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
