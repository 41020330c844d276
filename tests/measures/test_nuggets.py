"""Tests of vital and okay facts and graded citations over the Messages API, with costs."""

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import Model, get_model

from arag_inspect.corpus import Chunk
from arag_inspect.run.annotate.document_facts import ask_for_facts
from arag_inspect.scorers import citation_accuracy, fact_match
from tests.caching import CachingAPI
from tests.measures.cases import Case, run_cases
from tests.serving import serving

MODEL = "anthropic/claude-haiku-4-5-20251001"
TEXTS = {
    "vital": ["Revenue rose 5% to $20 million.", "Guidance was cut to $70 million."],
    "okay": ["A plant opened in Ohio."],
}
LISTED = [
    {"description": text, "type": "fact", "importance": importance}
    for importance, texts in TEXTS.items()
    for text in texts
]
ANSWER = "Revenue rose 5% to $20 million [1]. Guidance was cut to $7 million [2]. Ohio won."


def reply(body: dict[str, Any]) -> list[dict[str, Any]]:
    """List facts with their importance, match every fact except the cut, grade three statements."""
    asked = json.dumps(body["messages"])
    if "You choose the facts" in asked:
        verdict: Any = {"facts": LISTED}
    elif request := re.search(r"Take the facts ([GP]\d+) of", asked):
        code = request[1]
        match = None if code in ("G2", "P2") else f"{'P' if code[0] == 'G' else 'G'}{code[1:]}"
        verdict = {"verdicts": [{"id": code, "reasoning": "r", "match": match}]}
    else:
        assert "You check whether statements" in asked
        verdict = {"reasoning": "r", "verdict": {"supported": [1], "partial": [1, 2]}}
    return [{"type": "text", "text": json.dumps(verdict)}]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch, logs: Path) -> Iterator[CachingAPI]:
    served = CachingAPI(reply)
    with serving(served) as url:
        monkeypatch.setitem(os.environ, "ANTHROPIC_BASE_URL", url)
        monkeypatch.setitem(os.environ, "ANTHROPIC_API_KEY", "none")
        yield served


def grader() -> Model:
    return get_model(MODEL, memoize=False)


def dollars(api: CachingAPI, start: int = 0) -> Any:
    """Return the cost of the calls at $1 and $5 per million tokens."""
    calls = api.asked[start:]
    return pytest.approx(sum(c.input_tokens + 5 * c.output_tokens for c in calls) / 1e6)


def test_grader_marks_vital_facts_and_matches_stated_ones(api: CachingAPI) -> None:
    text = " ".join(text for texts in TEXTS.values() for text in texts)
    chunk = Chunk(0, "d", "", "", "", "", text, 9, ())
    listing = ask_for_facts({"d": [chunk]}, MODEL, log_dir="facts")
    facts = listing.facts["d"]
    assert [fact.importance for fact in facts] == ["vital", "vital", "okay"] and api.asked
    bank = [
        {"id": fact.fact_id, "text": fact.text, "importance": fact.importance} for fact in facts
    ]
    first = len(api.asked)
    cases = {
        "bank": Case(answer="A rose. B fell. C grew.", metadata={"facts": bank}),
        "unjudged": Case(
            answer="A rose.", metadata={"facts": [{"id": "x", "text": "Revenue rose."}]}
        ),
        "silent": Case(answer="", metadata={"facts": bank}),
    }
    ran = run_cases(cases, [fact_match(predicted="sentences")], grader=grader())
    vital, recall = (
        [ran.score(name, "fact_match").as_dict()[key] for name in cases]
        for key in ("vital", "recall")
    )
    assert vital == pytest.approx([0.5, math.nan, 0], nan_ok=True) and recall[0] == 2 / 3
    paid = [
        judge
        for name in cases
        for judge in (ran.score(name, "fact_match").metadata or {})["judges"]
    ]
    assert sum(judge["cost_usd"] for judge in paid) == dollars(api, first)
    assert [fact["importance"] for fact in paid[0]["gold"]] == ["vital", "vital", "okay"]


def test_citation_accuracy_grades_full_partial_and_no_support(api: CachingAPI) -> None:
    passages = [
        {"chunk_id": n, "doc_id": "d", "prefix": "", "text": text, "loop": 1}
        for n, text in enumerate(["Revenue rose 5% to $20 million.", "Guidance was cut."], 1)
    ]
    case = Case(answer=ANSWER, trace={"system": "naive_rag", "passages": passages})
    ran = run_cases({"one": case}, [citation_accuracy()], grader=grader())
    score = ran.score("one", "citation_accuracy")
    metadata = score.metadata or {}
    grades = [statement["grades"] for statement in metadata["statements"]]
    assert grades[:3] == [["full"], ["partial"], ["none"]]
    share = 1 / len(grades)
    assert score.value == pytest.approx({"supported": share, "partial": share, "cited": 2 * share})
    assert metadata["judges"][0]["cost_usd"] == dollars(api)


@pytest.mark.parametrize("again", ["Revenue rose 5%.", "revenue rose  5%.", "Revenue rose 5%. "])
def test_duplicate_facts_listed_by_grader_count_once(again: str) -> None:
    listed = ["Revenue rose 5%.", "Costs fell.", again, again]
    listing = json.dumps({"facts": [{"description": text, "type": "t"} for text in listed]})
    pairs = {"G1": "P1", "P1": "G1", "P2": None}
    verdicts = [{"id": code, "reasoning": "r", "match": match} for code, match in pairs.items()]
    matches = json.dumps({"verdicts": verdicts})
    says = {"fact_match facts": listing, "fact_match matches": matches}
    case = Case(says=says, metadata={"facts": ["Revenue rose 5% [case]."]})
    score = run_cases({"twice": case}, [fact_match()]).score("twice", "fact_match")
    assert score.as_dict()["precision"] == 0.5 and score.as_dict()["recall"] == 1
