"""Ids, form and rules of a two-sided summary."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_text import ReplyParseError
from arag_inspect.sisters.perspectives.two_sided import (
    CHECKS,
    faults,
    normalize_id,
    read_summary,
    sample_documents,
)

URL = "https://example.org/a/(1)?q=2"


@pytest.mark.parametrize(
    ("given_id", "meant"),
    [
        (3, 3),
        ("3", 3),
        ("Doc 3", 3),
        ("doc_3", None),
        ("[3]", 3),
        ("Document #12.", 12),
        ("doc id: 7", 7),
        (" Source 4 ", 4),
        (3.0, 3),
        (3.5, None),
        (float("nan"), None),
        (True, None),
        (None, None),
        ([3], None),
        ("three", None),
        ("3 and 4", None),
        (URL, URL),
        (f"see <{URL.split('(')[0]}>.", URL.split("(")[0]),
        ("Doc https://example.org/x,", "https://example.org/x"),
    ],
)
def test_ids_are_normalized(given_id: Any, meant: Any) -> None:
    assert normalize_id(given_id) == meant


@given(
    st.integers(0, 10**9), st.sampled_from(["{}", "Doc {}", "document {}", "[{}]", "#{}", "ID {}"])
)
def test_every_number_is_found_in_its_dress_and_stays_what_it_is(number: int, dress: str) -> None:
    assert normalize_id(dress.format(number)) == normalize_id(normalize_id(number)) == number


@given(st.text() | st.floats() | st.integers() | st.none())
def test_no_id_breaks_the_reader(value: Any) -> None:
    once = normalize_id(value)
    assert once is None or normalize_id(once) == once


def summary(*sides: tuple[str, list[tuple[str, Any]]]) -> str:
    claims = [
        {
            "stance": stance,
            "claim": "So it is.",
            "perspectives": [{"text": text, "evidence_docs": docs} for text, docs in points],
        }
        for stance, points in sides
    ]
    return json.dumps({"claims": claims})


FOR, AGAINST = ("for", [("It helps all.", [1])]), ("against", [("It costs much.", ["Doc 2", URL])])


def broken(reply: str) -> set[str]:
    faults_by_check = faults(read_summary(reply), {1, 2, 3, URL})
    assert tuple(faults_by_check) == CHECKS
    return {check for check, messages in faults_by_check.items() if messages}


@pytest.mark.parametrize(
    ("reply", "rules"),
    [
        (summary(FOR, AGAINST), set()),
        (summary(AGAINST, FOR), set()),
        (summary(("pro", FOR[1]), ("CON", AGAINST[1])), set()),
        (f"Here it is:\n```json\n{summary(FOR, AGAINST)}\n```", set()),
        (summary(("for", [("It helps.", "Doc 1, 3")]), AGAINST), set()),
        (summary(FOR), {"two_sides"}),
        (summary(FOR, FOR), {"two_sides", "each_used_once"}),
        (summary(FOR, AGAINST, ("against", [("It is late.", [3])])), {"two_sides"}),
        (summary(FOR, ("against", [])), {"schema"}),
        (summary(FOR, ("against", [("It costs.", [])])), {"schema"}),
        (summary(FOR, ("against", [("It costs.", [9])])), {"ids_exist"}),
        (summary(FOR, ("against", [("It costs.", ["the second"])])), {"ids_exist"}),
        (summary(FOR, ("against", [("It costs.", [2, "2"])])), {"each_used_once"}),
        (summary(FOR, ("against", [("It costs.", [1])])), {"each_used_once"}),
        (summary(FOR, ("against", [("It costs. It is late.", [2])])), {"sentence"}),
        (summary(FOR, ("against", [("Costs without an end", [2])])), {"sentence"}),
        (summary(FOR, ("against", [("", [2])])), {"sentence"}),
        (summary(FOR, ("against", [("word " * 29 + "end.", [2])])), set()),
        (summary(FOR, ("against", [("word " * 30 + "end.", [2])])), {"word_limit"}),
    ],
)
def test_each_rule_sees_its_own_fault(reply: str, rules: set[str]) -> None:
    assert broken(reply) == rules


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "not one JSON object"),
        ("I cannot help with that.", "not one JSON object"),
        ('{"claims": "none"}', "claims: Input should be a valid list"),
        ('{"answer": 1}', "claims: Field required"),
        (summary(("perhaps", [])), "claims.0.stance: Input should be 'for' or 'against'"),
        (summary(("for", [("Yes.", [{"id": 1}])])), "claims.0.perspectives.0.evidence_docs.0"),
        ('{"claims":' * 5000, "not one JSON object"),
    ],
)
def test_what_is_no_summary_says_what_is_wrong(reply: str, reason: str) -> None:
    with pytest.raises(ReplyParseError, match=reason):
        read_summary(reply)


@pytest.mark.parametrize(
    "documents",
    [None, [], 7, [{"id": "abc", "content": "Text."}], [{"id": 1, "content": " "}], ["text"]],
)
def test_a_sample_without_documents_is_told(documents: Any) -> None:
    with pytest.raises(InputError, match="documents"):
        sample_documents({"documents": documents})
