"""Corrections are those of statsmodels."""

import pytest
from statsmodels.stats.multitest import multipletests

from arag_inspect.stats.estimates import benjamini_hochberg, clusters_needed, holm

PS = [0.001, 0.04, 0.03, 0.5]


def test_corrections_are_those_of_statsmodels() -> None:
    assert holm(PS) == pytest.approx(multipletests(PS, method="holm")[1])
    assert benjamini_hochberg(PS) == pytest.approx(multipletests(PS, method="fdr_bh")[1])
    assert holm([]) == benjamini_hochberg([]) == []


@pytest.mark.parametrize("comparisons, needed", [(1, 6), (3, 7), (9, 9), (99, 12)])
def test_the_clusters_needed_are_the_fewest_with_which_one_comparison_can_be_called(
    comparisons: int, needed: int
) -> None:
    assert clusters_needed(comparisons) == needed
    assert comparisons * 2 / 2**needed < 0.05 <= comparisons * 2 / 2 ** (needed - 1)
