"""Tests of reference items that are not judged: duplicates and analysts' estimates."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect.measures._references import reference_of
from arag_inspect.scorers import geval_coverage
from tests.scripted import Script, covered, only, run, scripted
from tests.tables import tables_beside

CASES = tables_beside(__file__)
UNCHANGED = (
    "Q3 EPS $0.55.\nQ3 adjusted EPS $0.55.",
    "Q3 EPS $0.55.\nQ4 EPS $0.55.",
    "Not providing 2021 guidance.\nProviding 2021 guidance.",
    "To host its analyst day in May.\nSales rose 5% versus 2020.",
    "Analysts expect $4.",
)


@pytest.mark.parametrize("name", CASES)
def test_judged_reference_drops_repetitions_and_estimates(name: str) -> None:
    reference = reference_of([CASES[name]["text"]])
    assert reference == (CASES[name]["judged"], CASES[name]["left out"])


@pytest.mark.parametrize("text", UNCHANGED)
def test_judged_reference_is_unchanged_when_items_differ(text: str) -> None:
    assert reference_of([text]) == (text, {})


@pytest.mark.usefixtures("logs")
def test_judge_prompt_omits_reference_items_listed_as_left_out() -> None:
    case = CASES["only the comparison with an estimate goes"]
    judge = Script(covered(4))
    task = Task(
        [Sample("Summarize.", target=case["text"])], scorer=geval_coverage(criteria="pinned")
    )
    log = run(task, scripted(Script("A.")), model_roles={"grader": scripted(judge)})
    assert f"<reference>\n{case['judged']}\n</reference>" in judge.asked[0][0].text
    assert (only(log).metadata or {})["reference_left_out"] == case["left out"]
