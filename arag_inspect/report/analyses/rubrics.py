"""Tables of rubrics: the criteria passed least often, and the categories of criteria."""

from collections.abc import Iterator

import pandas as pd

from ...types.score_metadata import CriterionRecord, read_metadata, read_records
from ..analysis import RowCells, Words, analysis
from ..cells import Cell, Share, mean_over
from ..study import Study, cached_per_study

_MOST_CRITERIA = 30
"""Maximum number of criteria listed."""


@cached_per_study
def _verdicts(study: Study) -> pd.DataFrame:
    """Return a row per verdict on a criterion of a rubric.

    A criterion is passed if it is met, or if it has negative points and is not met.
    """
    scores = study.scores_of(study.catalogue.key_of("criteria"))
    verdicts = []
    for system, details in scores[["system", "details"]].itertuples(index=False):
        for judge in read_metadata(details).judges:
            for entry in read_records(judge.criteria, CriterionRecord):
                passed = entry.met == (entry.points >= 0)
                texts = entry.criterion, entry.category or ""
                verdicts.append((*texts, entry.points, system, passed))
    return pd.DataFrame(verdicts, columns=["criterion", "category", "points", "system", "passed"])


@cached_per_study
def _shares_passed(study: Study) -> "pd.Series[float]":
    """Return the share of verdicts that pass a criterion, by criterion and points."""
    return _verdicts(study).groupby(["criterion", "points"], sort=False)["passed"].mean()


def _number_of_criteria(study: Study) -> Words:
    shares = _shares_passed(study)
    return {
        "never": str((shares == 0).sum()),
        "all": str(len(shares)),
        "listed": str(min(len(shares), _MOST_CRITERIA)),
    }


@analysis(
    "Criteria of rubrics",
    text="""
    Share of the n verdicts that pass a criterion: met or, if its points are negative, not met.
    {never} of {all} were never passed; the {listed} with the lowest share are listed.
    """,
    words=_number_of_criteria,
    section="retrieval",
    order=70,
)
def criteria_met(study: Study) -> Iterator[RowCells]:
    """Yield the criteria of rubrics, those passed least first."""
    verdicts = dict(list(_verdicts(study).groupby(["criterion", "points"], sort=False)))
    for key in _shares_passed(study).sort_values(kind="stable").index[:_MOST_CRITERIA]:
        criterion, points = key
        shares = _shares_by_system(study, verdicts[key])
        yield {"criterion": criterion, "points": points, "shares": shares}


@analysis(
    "Categories of rubrics",
    text="""
    Share of the n verdicts that pass the criteria of a category, regardless of points.
    """,
    section="retrieval",
    order=80,
)
def rubric_categories(study: Study) -> Iterator[RowCells]:
    """Yield the share of criteria passed, by category."""
    verdicts = _verdicts(study)
    for category, rows in verdicts[verdicts["category"] != ""].groupby("category", sort=False):
        yield {
            "category": str(category),
            "criteria": rows["criterion"].nunique(),
            "shares": _shares_by_system(study, rows),
        }


def _shares_by_system(study: Study, verdicts: pd.DataFrame) -> dict[str, Cell]:
    """Return the share of verdicts that pass, for each system."""
    return {system: mean_over(rows["passed"], Share) for system, rows in study.by_system(verdicts)}
