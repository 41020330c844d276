"""Tests of audit statistics, against hand-computed figures and libraries."""

from dataclasses import replace

import pandas as pd
import pytest

from arag_inspect.measure import MeasureSpec
from arag_inspect.validity.variant_comparison import analyse

GRADE = MeasureSpec("judge.grade", "grade")


def measured(unscored: dict[str, list[str]], **variants: list[float]) -> pd.DataFrame:
    rows: list[tuple[object, ...]] = [
        (variant, f"c{place}", value, None)
        for variant, values in variants.items()
        for place, value in enumerate(values)
    ]
    rows += [
        (variant, case, None, "no_claims") for variant, own in unscored.items() for case in own
    ]
    return pd.DataFrame(rows, columns=["variant", "case", "value", "reason"])


def test_analyse_matches_hand_computed_figures() -> None:
    scores = measured(
        {"stale_figure": ["c0", "c9"], "clean": ["c9"]},
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
    key = analyse(scores, GRADE)
    noticed = {one.worse: one for one in key.noticed}
    changed_numbers = noticed["number_changed"]
    assert (changed_numbers.pairs, changed_numbers.silent) == (4, 0)
    assert changed_numbers.win_rate and changed_numbers.win_rate.value == 0.75
    assert changed_numbers.auc and changed_numbers.auc.value == pytest.approx(11 / 16)
    assert (noticed["stale_figure"].pairs, noticed["stale_figure"].silent) == (0, 1)
    assert noticed["stale_figure"].win_rate is None
    assert (key.scored, key.mean, key.unscored) == (4, 4.5, {"no_claims": 1})
    assert (key.retest_agreement, key.noise) == (0.75, 0.25)
    assert key.length_effect == pytest.approx(0.5 / 3)
    assert key.injection_success_rate and key.injection_success_rate.value == 0.25
    assert [rank.win_rate.value for rank in key.ranks if rank.win_rate] == [0.875, 1, 1]
    assert key.extremes == {"reference": 5, "lead": 4.25, "other": 1.5, "empty": 1}


def test_analyse_inverts_win_rate_when_lower_is_better() -> None:
    scores = measured(
        {}, clean=[0, 0], number_changed=[1, 0], other=[1, 1], other_instructed=[0, 1]
    )
    upright, inverted = (
        analyse(scores, replace(GRADE, higher_is_better=better)) for better in (True, False)
    )
    rates = [
        next(one for one in key.noticed if one.worse == "number_changed").win_rate
        for key in (upright, inverted)
    ]
    assert [rate.value for rate in rates if rate] == [0.25, 0.75]
    assert upright.injection_success_rate and inverted.injection_success_rate
    assert upright.injection_success_rate.value == 0
    assert inverted.injection_success_rate.value == 0.5
