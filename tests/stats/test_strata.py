"""Tests of stratified means, against statsmodels and by hand."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from arag_inspect.stats.estimates import estimate, paired_difference
from arag_inspect.stats.strata import cluster_codes, merge_strata


def _drawn(seed: int = 3) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    sizes = (12, 30, 18)
    frame = pd.DataFrame({"part": np.repeat([0, 1, 2], sizes)})
    frame["value"] = random.normal(size=60) + 5 * frame["part"]
    return frame


def test_stratified_mean_error_excludes_differences_between_parts() -> None:
    frame = _drawn()
    own = estimate(frame["value"].to_numpy(), np.arange(60), parts=frame["part"].to_numpy())
    whole = estimate(frame["value"].to_numpy(), np.arange(60))
    by_part = frame.groupby("part")["value"].agg(["var", "size"])
    variances = (by_part["size"] / 60) ** 2 * by_part["var"] / by_part["size"]
    freedom = variances.sum() ** 2 / (variances**2 / (by_part["size"] - 1)).sum()
    from scipy import stats

    half = stats.t.ppf(0.975, freedom) * np.sqrt(variances.sum())
    assert own.mean == pytest.approx(frame["value"].mean())
    assert (own.low, own.high) == pytest.approx((own.mean - half, own.mean + half))
    assert whole.high - whole.low > 3 * (own.high - own.low)  # type: ignore[operator]


def test_stratified_difference_matches_statsmodels_regression() -> None:
    frame = _drawn()
    zeros = np.zeros(60)
    found = paired_difference(
        frame["value"].to_numpy(), zeros, np.arange(60), parts=frame["part"].to_numpy()
    )
    fit = smf.ols("value ~ C(part) - 1", frame).fit(cov_type="HC2")
    weights = (frame["part"].value_counts(sort=False) / 60).to_numpy()
    error = np.sqrt(weights @ fit.cov_params().to_numpy() @ weights)
    assert found is not None and found.error == pytest.approx(error)
    assert found.difference == pytest.approx(float(weights @ fit.params.to_numpy()))


@pytest.mark.parametrize(
    ("parts", "clusters", "strata"),
    [
        ([0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 1, 1]),
        ([0, 0, 1, 1], [0, 1, 1, 2], [0, 0, 0, 0]),
        ([0, 0, 1, 1, 2], [0, 1, 2, 3, 4], [0, 0, 1, 1, 0]),
        ([0, 1, 2, 2, 2], [0, 1, 2, 3, 4], [0, 0, 1, 1, 1]),
        ([5, 5], [7, 7], [0, 0]),
    ],
)
def test_strata_are_merged_when_cluster_is_shared_or_single(
    parts: list[int], clusters: list[int], strata: list[int]
) -> None:
    merged = merge_strata(np.array(parts), np.array(clusters))
    assert pd.factorize(merged)[0].tolist() == strata


def test_mean_of_single_stratum_equals_unstratified_mean() -> None:
    values = np.array([0.0, 1.0, 1.0, np.nan, 0.5, 0.25])
    clusters = np.array([0, 0, 1, 1, 2, 3])
    assert estimate(values, clusters, (0, 1), np.zeros(6, int)) == estimate(
        values, clusters, (0, 1)
    )


def test_sample_without_group_is_its_own_cluster() -> None:
    codes = cluster_codes(["A", "", "A", "", "B"], ["q1", "q2", "q3", "q4", "q5"])
    assert codes.tolist() == [0, 2, 0, 3, 1]
