"""Tests of intervals and p-values against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from arag_inspect.stats.estimates import Floats, estimate, paired_difference
from arag_inspect.stats.multiple_tests import benjamini_hochberg, holm
from arag_inspect.stats.power import (
    clusters_needed,
    samples_for,
    samples_needed,
    smallest_detectable,
)
from arag_inspect.stats.strata import Codes


def _sample(seed: int, clusters: int, n: int = 60) -> tuple[Floats, Codes]:
    random = np.random.default_rng(seed)
    codes = random.integers(0, clusters, size=n)
    shift = random.normal(size=clusters)
    return random.normal(size=n) + shift[codes], codes


def _by_cluster(values: Floats, codes: Codes) -> tuple[Floats, Floats]:
    present = np.unique(codes)
    return (
        np.array([values[codes == code].sum() for code in present]),
        np.array([float((codes == code).sum()) for code in present]),
    )


def test_interval_matches_student_t_for_single_sample_clusters() -> None:
    values = np.random.default_rng(1).normal(size=15)
    actual = estimate(values, np.arange(15))
    reference = stats.t.interval(0.95, 14, values.mean(), stats.sem(values))
    assert (actual.n, actual.clusters) == (15, 15)
    assert actual[:3] == pytest.approx((values.mean(), *reference))


def test_clustered_error_matches_statsmodels() -> None:
    """CR2 equals CR1 if all clusters have the same size."""
    codes = np.repeat(np.arange(12), 5)
    values = (
        np.random.default_rng(1).normal(size=60) + np.random.default_rng(2).normal(size=12)[codes]
    )
    fitted = OLS(values, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    error = float(fitted.bse[0])
    actual = paired_difference(values, np.zeros(60), codes)
    assert actual is not None
    assert actual.freedom == pytest.approx(11) and actual.error == pytest.approx(error)
    assert actual.high == pytest.approx(values.mean() + stats.t.ppf(0.975, 11) * error)


def test_unequal_clusters_reduce_degrees_of_freedom() -> None:
    codes = np.repeat(np.arange(4), [1, 1, 1, 30])
    paired = paired_difference(np.random.default_rng(0).normal(size=33), np.zeros(33), codes)
    assert paired is not None and 1 <= paired.freedom < 2


def test_interval_of_share_matches_wilson() -> None:
    """With the clusters' effective sample size and Student's quantile."""
    values = (np.arange(200) < 12).astype(float)
    random = np.random.default_rng(0).permutation(values)
    actual = estimate(random, np.arange(200), (0, 1))
    reference = proportion_confint(12, 200, method="wilson")
    assert actual[1:3] == pytest.approx(reference, abs=0.002)
    twice = estimate(np.repeat(random, 2), np.repeat(np.arange(200), 2), (0, 1))
    assert twice[:3] == pytest.approx(actual[:3])
    scaled = estimate(1 + 4 * random, np.arange(200), (1, 5))
    assert scaled[:3] == pytest.approx(tuple(1 + 4 * end for end in actual[:3] if end is not None))


@pytest.mark.parametrize("value", [0.0, 0.4, 1.0])
def test_interval_has_width_when_all_values_are_equal(value: float) -> None:
    actual = estimate(np.full(60, value), np.repeat(np.arange(20), 3), (0, 1))
    squared = stats.t.ppf(0.975, 19) ** 2
    others = squared / (20 + squared)  # Wilson's upper end for 0 of 20
    expected = (value - others * value, value + others * (1 - value))
    assert actual[1:3] == pytest.approx(expected)


@pytest.mark.parametrize("clusters, exact", [(8, True), (25, False)])
def test_p_value_matches_scipy_permutation_test(clusters: int, exact: bool) -> None:
    values, codes = _sample(2, clusters)
    other = values - 0.3 + np.random.default_rng(9).normal(size=len(values))
    paired = paired_difference(values, other, codes)
    assert paired is not None
    reference = stats.permutation_test(
        tuple(_by_cluster(sample, codes)[0] for sample in (values, other)),
        lambda a, b, axis: (a - b).sum(axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9_999,
        rng=5,
    ).pvalue
    assert 0.001 < reference < 0.9
    assert paired.p == pytest.approx(reference, abs=1e-12 if exact else 0.01)


def test_paired_interval_equals_interval_of_differences() -> None:
    a, codes = _sample(3, 15)
    b, _ = _sample(4, 15)
    paired, alone = paired_difference(a, b, codes), estimate(a - b, codes)
    assert paired is not None
    assert (paired.difference, paired.low, paired.high) == pytest.approx(alone[:3])
    assert paired.effect == pytest.approx((a - b).mean() / (a - b).std(ddof=1))
    assert paired.wins + paired.ties + paired.losses == paired.n == 60
    assert paired.wins == int((a > b).sum())


def test_compare_uses_only_samples_present_on_both_sides() -> None:
    nan = float("nan")
    a, b = np.array([1.0, 2.0, nan, 4.0]), np.array([0.0, nan, 3.0, 4.0])
    paired = paired_difference(a, b, np.arange(4))
    assert paired is not None
    assert (paired.n, paired.mean_a, paired.mean_b, paired.difference) == (2, 2.5, 2.0, 0.5)
    assert (paired.wins, paired.ties, paired.losses) == (1, 1, 0)
    assert paired_difference(np.array([1.0, nan]), np.array([nan, 1.0]), np.arange(2)) is None


def test_single_cluster_has_no_interval_and_equal_values_zero_width() -> None:
    assert estimate(np.array([1.0, 2.0]), np.zeros(2, dtype=np.int64))[1:3] == (None, None)
    assert estimate(np.ones(5), np.arange(5))[:3] == (1.0, 1.0, 1.0)
    paired = paired_difference(np.ones(5), np.ones(5), np.arange(5))
    assert paired is not None
    assert (paired.p, paired.low, paired.high, paired.effect) == (1.0, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="no value"):
        estimate(np.array([float("nan")]), np.arange(1))


def test_repeated_values_within_clusters_widen_interval() -> None:
    random = np.random.default_rng(0)
    values = np.repeat(random.normal(size=20), 5)
    alone = estimate(values, np.arange(100))
    together = estimate(values, np.repeat(np.arange(20), 5))
    assert together.high - together.low > 1.7 * (alone.high - alone.low)  # type: ignore[operator]
    paired = paired_difference(values, np.zeros(100), np.repeat(np.arange(20), 5))
    assert paired is not None and paired.design_effect == pytest.approx(5, rel=0.1)


def test_p_value_and_interval_have_nominal_error_rate_under_chance() -> None:
    random = np.random.default_rng(3)
    codes = np.repeat(np.arange(16), random.integers(1, 7, size=16))
    below = outside = 0
    for _ in range(1_000):
        a, b = random.normal(size=(2, len(codes))) + random.normal(size=(2, 16))[:, codes]
        paired = paired_difference(a, b, codes, resamples=399)
        assert paired is not None and paired.low is not None and paired.high is not None
        below += paired.p < 0.05
        outside += not paired.low <= 0 <= paired.high
    assert 35 <= below <= 65
    assert 30 <= outside <= 70


def test_smallest_detectable_difference_has_eighty_percent_power() -> None:
    random = np.random.default_rng(4)
    codes = np.repeat(np.arange(20), 3)
    shared = random.normal(size=20)[codes]
    paired = paired_difference(random.normal(size=60) + shared, random.normal(size=60), codes)
    assert paired is not None
    size = smallest_detectable(paired)
    power = TTestPower().power(size / (paired.error * 20**0.5), 20, 0.05)  # type: ignore[operator]
    assert power == pytest.approx(0.8, abs=0.01)
    alone = paired_difference(np.ones(3), np.zeros(3), np.zeros(3, dtype=np.int64))
    assert alone is not None and smallest_detectable(alone) is None


@pytest.mark.parametrize("opposed", [0.0, 0.5, 2.0])
def test_detectable_difference_needs_as_many_samples_as_there_are(opposed: float) -> None:
    """Also where the samples of a cluster differ in opposite directions."""
    random = np.random.default_rng(3)
    codes = np.repeat(np.arange(20), 2)
    opposite = opposed * np.tile([1.0, -1.0], 20) * random.normal(size=20)[codes]
    paired = paired_difference(random.normal(size=40) + opposite, np.zeros(40), codes)
    assert paired is not None
    size = smallest_detectable(paired)
    assert size is not None and samples_for(paired, size) == pytest.approx(40, abs=3)


@pytest.mark.parametrize("size", [0.09, 0.35, 0.8, 1.7])
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_samples_needed_is_smallest_number_with_power(size: float, alpha: float) -> None:
    n = samples_needed(3 * size, 3, alpha=alpha, power=0.9)
    assert n is not None
    power = TTestPower().power
    assert power(size, n, alpha) >= 0.9 > power(size, n - 1, alpha)
    twice = samples_needed(3 * size, 3, design_effect=2.0, alpha=alpha, power=0.9)
    assert twice == pytest.approx(2 * n, abs=1)


def test_samples_needed_handles_zero_and_extreme_differences() -> None:
    assert samples_needed(0.0, 0.5) is samples_needed(0.1, 0.0) is None
    assert samples_needed(10, 0.5) == 2
    assert samples_needed(0.001, 1.0) == pytest.approx(7_848_860, rel=1e-4)


@settings(max_examples=20)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=8), st.floats(0.1, 10))
def test_comparison_is_invariant_to_scale_and_order(values: list[float], scale: float) -> None:
    a = np.array(values).round(6)
    zero, codes = np.zeros(len(a)), np.arange(len(a))
    result = paired_difference(a, zero, codes, resamples=255)
    scaled = paired_difference(zero, scale * a, codes, resamples=255)
    assert result is not None and scaled is not None
    assert result.difference * scale == pytest.approx(-scaled.difference, abs=1e-6)
    assert result.p == pytest.approx(scaled.p)
    assert (result.wins, result.losses) == (scaled.losses, scaled.wins)


def test_interval_of_alike_clusters_is_no_narrower_than_independent_one() -> None:
    values = np.array([1.0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1])  # 1 of 2 in five documents, 1 of 1
    documents = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5])
    alike = estimate(values, documents, (0, 1))
    independent = estimate(values, np.arange(11), (0, 1))
    assert alike.low is not None and independent.low is not None
    assert alike.low < independent.low  # the same variance, with fewer degrees of freedom


@pytest.mark.parametrize("bounds", [(None, None), (0, 1), (0, None)])
def test_interval_equals_independent_one_without_cluster_variance(
    bounds: tuple[float | None, float | None],
) -> None:
    values, codes = np.tile([0.0, 0.0, 1.0], 10), np.repeat(np.arange(10), 3)
    actual = estimate(values, codes, bounds)
    assert actual.low is not None and actual.high is not None
    half = stats.t.ppf(0.975, 9) * values.std(ddof=1) / 30**0.5
    assert actual.high - actual.low == pytest.approx(2 * half, rel=0.1)
    paired = paired_difference(values, np.full(30, 0.2), codes)
    assert paired is not None and paired.low is not None and paired.high is not None
    assert paired.high - paired.low == pytest.approx(2 * half)


@pytest.mark.parametrize("tie, wins", [(0.0, 12), (1e-4, 0), (1e-9, 12)])
def test_difference_below_tie_threshold_counts_as_tie(tie: float, wins: int) -> None:
    """Different batch orders change values of the same texts by 6e-8."""
    values, codes = np.linspace(0.7, 0.9, 12), np.arange(12)
    paired = paired_difference(values + 6e-8, values, codes, tie=tie)
    assert paired is not None
    assert (paired.wins, paired.ties, paired.losses) == (wins, 12 - wins, 0)
    if not wins:
        assert (paired.difference, paired.effect, paired.p) == (0, 0, 1)
        assert samples_needed(paired.difference, paired.deviation) is None


PS = [0.001, 0.04, 0.03, 0.5]


@pytest.mark.parametrize(
    ("low", "high", "spans_zero"),
    [
        (-0.1, 0.1, True),
        (0.0, 0.2, True),
        (-0.2, 0.0, True),
        (0.1, 0.2, False),
        (None, None, False),
    ],
)
def test_interval_that_ends_at_zero_spans_it(
    low: float | None, high: float | None, *, spans_zero: bool
) -> None:
    paired = paired_difference(np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.arange(2))
    assert paired and paired._replace(low=low, high=high).spans_zero is spans_zero


def test_p_value_corrections_match_statsmodels() -> None:
    assert holm(PS) == pytest.approx(multipletests(PS, method="holm")[1])
    assert benjamini_hochberg(PS) == pytest.approx(multipletests(PS, method="fdr_bh")[1])
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize("comparisons, needed", [(1, 6), (3, 7), (9, 9), (99, 12)])
def test_clusters_needed_is_smallest_number_that_can_reach_significance(
    comparisons: int, needed: int
) -> None:
    assert clusters_needed(comparisons) == needed
    assert comparisons * 2 / 2**needed < 0.05 <= comparisons * 2 / 2 ** (needed - 1)
