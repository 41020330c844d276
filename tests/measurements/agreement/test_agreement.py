"""Tests of agreement with labels, against hand-computed figures."""

import numpy as np
import pandas as pd
import pytest

from measurements.agreement.agreement import best_threshold, measure_agreement


def _units(rows: list[tuple[float, float]], split: str, subset: str = "s") -> pd.DataFrame:
    units = pd.DataFrame(rows, columns=["label", "value"])
    groups = [f"{split}{subset}{index // 2}" for index in units.index]
    units = units.assign(group=groups, subset=subset, split=split)
    return units.set_axis([f"{split}{subset}{index}" for index in units.index])


def test_threshold_is_fitted_on_development_half() -> None:
    development = _units([(1, 0.9), (0, 0.1), (1, 0.7), (0, 0.5)], "development")
    test = _units([(1, 0.8), (0, 0.7), (1, 0.3), (0, 0.2)], "test")
    agreement = measure_agreement("m", pd.concat([development, test]), "binary", "test")
    # with threshold 0.6, 0.8 passes and 0.3 does not; 0.7 passes and 0.2 does not
    assert agreement.threshold == "development half: 0.600"
    assert agreement.figures["balanced_accuracy"].value == pytest.approx(0.5)
    assert agreement.figures["false_alarms"].value == pytest.approx(0.5)
    assert agreement.figures["auc"].value == pytest.approx(0.75)


def test_agreement_is_averaged_over_subsets() -> None:
    good = _units([(1, 0.9), (0, 0.1)] * 4, "test", "easy")
    bad = _units([(1, 0.1), (0, 0.9)] * 4, "test", "hard")
    both, alone = (
        measure_agreement("m", units, "binary", "test").figures["auc"].value
        for units in (pd.concat([good, bad]), bad)
    )
    assert (both, alone) == (pytest.approx(0.5), 0)


def test_subset_threshold_is_fitted_on_other_subsets() -> None:
    units = pd.concat(
        _units([(1, 0.9 + shift), (0, 0.1 + shift)] * 4, "test", subset)
        for subset, shift in (("a", 0.0), ("b", 0.0), ("c", 5.0))
    )
    agreement = measure_agreement("m", units, "binary", "all")
    # all of c is above 0.5; above the threshold of a and c there is nothing of b
    assert agreement.figures["balanced_accuracy"].value < 0.9
    assert agreement.threshold == "the other subsets"


def test_unscored_answers_are_counted_and_excluded() -> None:
    units = _units([(1.0, 3.0), (0.5, 2.0), (0.0, 1.0), (0.0, 1.0), (1.0, float("nan"))], "test")
    agreement = measure_agreement("m", units, "graded", "test")
    assert (agreement.scored, agreement.unscored) == (4, 1)
    assert agreement.figures["pearson"].value == pytest.approx(1.0)
    assert agreement.figures["kendall"].value == pytest.approx(1.0)


def test_constant_or_too_few_labels_give_no_figures() -> None:
    agreement = measure_agreement("m", _units([(0, 0.4), (0, 0.6)], "test"), "binary", "test")
    assert set(agreement.figures) <= {"kappa", "agreement"}
    alike = _units([(0.5, value) for value in (0.4, 0.6, 0.3, 0.9)], "test")
    assert measure_agreement("m", alike, "graded", "test").figures == {}
    three = _units([(0.0, 0.4), (0.5, 0.6), (1.0, 0.5)], "test")
    assert {*measure_agreement("m", three, "graded", "test").figures} == {"spearman", "kendall"}


@pytest.mark.parametrize("seed", range(5))
def test_best_threshold_maximizes_balanced_accuracy(seed: int) -> None:
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, 40).astype(float)
    values = np.round(labels * 0.3 + random.random(40), 1)

    def balanced(threshold: float) -> float:
        passed = values >= threshold
        return float(passed[labels > 0].mean() + (~passed[labels == 0]).mean())

    weights = np.where(labels > 0, 1 / labels.sum(), 1 / (40 - labels.sum()))
    best = balanced(best_threshold(labels, values, weights))
    best_by_search = max(map(balanced, [*np.unique(values), 9.0]))
    assert best == pytest.approx(best_by_search)
