"""Tests that a figure of one company does not support a statement about another."""

from collections.abc import Sequence
from typing import Any

import pytest

from arag_inspect.figures import verify_claims
from arag_inspect.scorers import factual_consistency
from arag_inspect.types.trace import Passage
from tests.measures.cases import Case, run_cases

_HALDEN = "Halden Marine reported revenue of $412 million for the quarter, up 6.2%."
_BRIXBY = "Brixby Foods reported revenue of $957 million for the quarter."
_HOLLIS = "Net income of Hollis Telecom was $141 million in the quarter."


def _verdict(statement: str, passages: Sequence[str], documents: Sequence[str] = ()) -> str:
    return verify_claims(statement, passages, documents)[0].verdict


@pytest.mark.parametrize(
    ("statement", "passages"),
    [
        ("Hollis Telecom's revenue was $412 million.", [_HALDEN, _BRIXBY]),
        ("Hollis Telecom's revenue was $412 million.", [_HALDEN, _HOLLIS]),
        ("Revenue of Hollis Telecom was $412 million.", [_HALDEN]),
        ("Hollis reported revenue of $412 million.", [_HALDEN]),
        ("Hollis's revenue was $412 million and Halden's $957 million.", [_HALDEN, _BRIXBY]),
        ("Lomond Cement had net income of $141 million.", [_HOLLIS]),
        ("Lomond Cement employed 4,210 people.", ["Halden Marine employed 4,210 people."]),
        ("Lomond's capital expenditure was $28 million.",
         ["Halden Marine spent $28 million on capital expenditure."]),
    ],
)  # fmt: skip
def test_figure_of_another_company_is_not_support(statement: str, passages: list[str]) -> None:
    assert _verdict(statement, passages) == "unsettled"


@pytest.mark.parametrize(
    ("statement", "passage"),
    [
        ("Halden's revenue was $412 million.", _HALDEN),
        ("HLDN's revenue was $412 million.", _HALDEN),
        ("Revenue was $412 million.", _HALDEN),
        ("The company's revenue was $412 million.", _HALDEN),
        ("Management's figure for revenue is $412 million.", _HALDEN),
        ("Hollis's revenue was $412 million.", "We reported revenue of $412 million."),
        ("Hollis's revenue was $412 million.", "Our revenue was $412 million."),
        ("Hollis's revenue was $412 million.", "The company had revenue of $412 million."),
        ("Hollis's revenue was $412 million.", "Total revenue was $412 million."),
        ("Hollis's cloud revenue was $25 million.",
         "Hollis, third quarter. Skyline posted cloud revenue of $25 million."),
        ("Hollis Direct's revenue was $25 million.", "Direct delivered revenue of $25 million."),
        ("Hollis's Skyline revenue was $25 million.", "Skyline had revenue of $25 million."),
        ("Hollis's revenue in North America was $25 million.",
         "North America had revenue of $25 million."),
        ("International Business Machines' revenue was $4 billion.",
         "IBM reported revenue of $4 billion."),
    ],
)  # fmt: skip
def test_other_names_of_company_are_support(statement: str, passage: str) -> None:
    assert _verdict(statement, [passage]) == "supported"


def test_name_of_document_tells_company() -> None:
    statement = "Hollis's cloud revenue was $25 million."
    passage = "Skyline reported cloud revenue of $25 million."
    assert _verdict(statement, [passage]) == "unsettled"
    assert _verdict(statement, [passage], ["hollis_2025_q3"]) == "supported"
    assert _verdict(statement, [passage], ["halden_2025_q3"]) == "unsettled"
    assert _verdict(statement, [passage, _HOLLIS], ["a", "a"]) == "supported"
    assert _verdict(statement, [passage, _HOLLIS], ["a", "b"]) == "unsettled"


@pytest.mark.usefixtures("logs")
@pytest.mark.parametrize(
    ("document", "header", "share"),
    [("c1", "Skyline", 0.0), ("c1", "Hollis, third quarter", 1.0), ("hollis-q3", "", 1.0)],
)
def test_header_of_passage_tells_company(document: str, header: str, share: float) -> None:
    text = "Skyline reported cloud revenue of $25 million."
    passages = [
        Passage(1, doc_id=document, prefix=header, text="Costs fell."),
        Passage(2, doc_id=document, text=text),
    ]
    case = Case(
        "Hollis's cloud revenue was $25 million.",
        trace={"system": "arag", "context": "retrieved", "passages": passages},
    )
    ran = run_cases({"a": case}, [factual_consistency(judge=False)])
    value: Any = ran.score("a", "factual_consistency").value
    assert value["supported"] == share
