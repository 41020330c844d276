"""Tests of reference items that are not judged: duplicates and analysts' estimates."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample

from arag_inspect.judge.references import reference_of
from arag_inspect.scorers import geval_coverage
from tests.scripted import Script, covered, only, run, scripted

CASES = {
    "an item is told again by the company's name": (
        "Acme reports Q1 EPS of $0.89.\nQ1 EPS $0.89.\nQ1 sales $5 million.",
        "Acme reports Q1 EPS of $0.89.\nQ1 sales $5 million.",
        {"repetitions": ["Q1 EPS $0.89."]},
    ),
    "the first of two equal items stays": (
        "Sees sales of $5 million.\nSees sales of $5 million.",
        "Sees sales of $5 million.",
        {"repetitions": ["Sees sales of $5 million."]},
    ),
    "only the comparison with an estimate goes": (
        "Sales $5 million versus Refinitiv IBES estimate of $4.9 million.\nEPS $2.",
        "Sales $5 million.\nEPS $2.",
        {"estimates": ["versus Refinitiv IBES estimate of $4.9 million"]},
    ),
    "the clause after it stays": (
        "Sales $5 million, compared with consensus of $4.9 million; margin 5%.",
        "Sales $5 million; margin 5%.",
        {"estimates": ["compared with consensus of $4.9 million"]},
    ),
    "an item that is an estimate goes": (
        "EPS $0.45. Analysts on average expected $0.43.",
        "EPS $0.45.",
        {"estimates": ["Analysts on average expected $0.43."]},
    ),
}
UNCHANGED = (
    "Q3 EPS $0.55.\nQ3 adjusted EPS $0.55.",
    "Q3 EPS $0.55.\nQ4 EPS $0.55.",
    "Not providing 2021 guidance.\nProviding 2021 guidance.",
    "To host its analyst day in May.\nSales rose 5% versus 2020.",
    "Analysts expect $4.",
)


@pytest.mark.parametrize("name", CASES)
def test_judged_reference_drops_repetitions_and_estimates(name: str) -> None:
    text, judged, left_out = CASES[name]
    reference = reference_of([text])
    assert (reference.text, reference.left_out) == (judged, left_out)


@pytest.mark.parametrize("text", UNCHANGED)
def test_judged_reference_is_unchanged_when_items_differ(text: str) -> None:
    assert reference_of([text]) == (text, {})


@pytest.mark.usefixtures("logs")
def test_judge_prompt_omits_reference_items_listed_as_left_out() -> None:
    text, judged, left_out = CASES["only the comparison with an estimate goes"]
    judge = Script(covered(4))
    task = Task([Sample("Summarize.", target=text)], scorer=geval_coverage(criteria="pinned"))
    log = run(task, scripted(Script("A.")), model_roles={"grader": scripted(judge)})
    assert f"<reference>\n{judged}\n</reference>" in judge.asked[0][0].text
    assert (only(log).metadata or {})["reference_left_out"] == left_out
