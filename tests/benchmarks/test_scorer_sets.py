"""Tests of the scorer sets that scorers declare, and of those that a benchmark names."""

import pytest
from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.scorers import Factory, Sets, make_scorers, scorer_sets
from arag_inspect.benchmark.usual_scorers import ANSWER_SCORERS, SUMMARY_SCORERS
from arag_inspect.scorers import (
    efficiency,
    geval_coverage,
    numeric_match,
    rouge,
    section_retrieval,
)

SCORERS = (geval_coverage, rouge, efficiency)
SETS = scorer_sets(SCORERS, None)


def names(scorers: list[Scorer]) -> list[str]:
    return [registry_info(scorer).name.removeprefix("arag_inspect/") for scorer in scorers]


@pytest.mark.parametrize(
    ("sets", "name", "expected"),
    [
        (SETS, "default", ["geval_coverage", "rouge", "efficiency"]),
        (SETS, "no_grader", ["rouge", "efficiency"]),
        (SETS, "no_grader,geval_coverage", ["geval_coverage", "rouge", "efficiency"]),
        ({**SETS, "no_grader": ("efficiency",)}, "no_grader", ["efficiency"]),
        ({"default": ("numeric_match",)}, "default", ["numeric_match"]),
    ],
)
def test_make_scorers_resolves_sets_and_names(sets: Sets, name: str, expected: list[str]) -> None:
    assert names(make_scorers(name, SCORERS, sets, {})) == expected


@pytest.mark.parametrize("name", ["mine.py", "mine.py@tone", "tone"])
def test_unknown_scorer_is_refused_with_all_choices_and_a_way_to_add_a_file(name: str) -> None:
    with pytest.raises(InputError, match="is unknown; choose from .*, fact_coverage") as refused:
        make_scorers(f"default,{name}", SCORERS, SETS, {})
    assert refused.value.message.endswith("inspect score LOG --scorer FILE --action append")


SUMMARY = ["factual_consistency", "fact_coverage", "retrieval_pr", "section_coverage", "rouge"]


@pytest.mark.parametrize(
    ("also", "expected"),
    [
        ((), [*SUMMARY, "efficiency"]),
        ((section_retrieval,), [*SUMMARY, "efficiency", "section_retrieval"]),
    ],
)
def test_no_grader_set_of_summary_benchmarks_has_expected_scorers(
    also: tuple[Factory, ...], expected: list[str]
) -> None:
    sets = scorer_sets(SUMMARY_SCORERS, "summary", *also)
    made_scorers = make_scorers("no_grader", SUMMARY_SCORERS, sets, {})
    assert sorted(names(made_scorers)) == sorted(expected)


def test_no_grader_set_of_answer_benchmarks_has_expected_scorers() -> None:
    sets = scorer_sets(ANSWER_SCORERS, "answer", numeric_match)
    made_scorers = make_scorers("no_grader", ANSWER_SCORERS, sets, {})
    assert names(made_scorers) == ["numeric_match", "contain_match", "retrieval_pr", "efficiency"]


def test_sets_have_no_scorer_that_needs_gold_answers_where_there_are_none() -> None:
    sets = scorer_sets(ANSWER_SCORERS, "answer", has_gold=False)
    assert sets["default"] == ["retrieval_pr", "efficiency"]
    assert "numeric_match" in sets["all"] and "contain_match" not in sets["all"]
    summary_sets = scorer_sets(SUMMARY_SCORERS, "summary", has_gold=False)
    assert "severity_judge" in summary_sets["all"]


def test_sets_have_every_scorer_without_kind_of_output() -> None:
    every_name = ["geval_coverage", "rouge", "efficiency"]
    by_program = ["rouge", "efficiency"]
    expected = {"default": every_name, "no_grader": by_program, "all": every_name}
    assert scorer_sets(SCORERS, None) == expected
