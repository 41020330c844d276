"""Tests of scorer sets: those a benchmark names, and those derived from its default set."""

import pytest
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from arag_inspect.benchmark.scorers import Sets, make_scorers
from arag_inspect.benchmark.usual_scorers import (
    ANSWER_SCORERS,
    NUMERIC_SETS,
    SECTION_SETS,
    SUMMARY_SCORERS,
    SUMMARY_SETS,
)
from arag_inspect.scorers import efficiency, geval_coverage, rouge

SCORERS = (geval_coverage, rouge, efficiency)
SETS: Sets = {"default": ("geval_coverage", "rouge")}


def names(scorers: list[Scorer]) -> list[str]:
    return [registry_info(scorer).name.removeprefix("arag_inspect/") for scorer in scorers]


@pytest.mark.parametrize(
    ("sets", "name", "expected"),
    [
        (SETS, "default", ["geval_coverage", "rouge"]),
        (SETS, "no_grader", ["rouge"]),
        (SETS, "all", ["geval_coverage", "rouge", "efficiency"]),
        ({**SETS, "no_grader": ("efficiency",)}, "no_grader", ["efficiency"]),
        ({"default": ("geval_coverage", "numeric_match")}, "no_grader", ["numeric_match"]),
    ],
)
def test_make_scorers_resolves_named_and_derived_sets(
    sets: Sets, name: str, expected: list[str]
) -> None:
    assert names(make_scorers(name, SCORERS, sets, {})) == expected


SUMMARY = ["factual_consistency", "fact_coverage", "retrieval_pr", "section_coverage", "rouge"]


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        (SUMMARY_SETS, [*SUMMARY, "efficiency"]),
        (SECTION_SETS, [*SUMMARY, "efficiency", "section_retrieval"]),
    ],
)
def test_no_grader_set_of_summary_benchmarks_has_expected_scorers(
    sets: Sets, expected: list[str]
) -> None:
    made_scorers = make_scorers("no_grader", SUMMARY_SCORERS, sets, {})
    assert sorted(names(made_scorers)) == sorted(expected)


def test_no_grader_set_of_answer_benchmarks_has_expected_scorers() -> None:
    made_scorers = make_scorers("no_grader", ANSWER_SCORERS, NUMERIC_SETS, {})
    assert names(made_scorers) == ["numeric_match", "contain_match", "retrieval_pr", "efficiency"]
