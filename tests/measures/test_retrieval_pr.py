"""Tests of recall and precision, against hand-computed values."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
from inspect_ai.scorer import Score

from arag_inspect.judge.unscored import OF_THE_SAMPLE
from arag_inspect.scorers import retrieval_pr
from tests.measures.cases import Case, Ran, run_cases


def trace_of_reads(
    read: dict[int, int], searches: list[list[int]], loops: int, **fields: Any
) -> Mapping[str, Any]:
    """Set a trace: the loop in which each chunk was read, and the searches by loop."""
    passages = [
        {"chunk_id": chunk, "doc_id": "D", "prefix": "", "text": "", "loop": loop}
        for chunk, loop in read.items()
    ]
    found = [
        {"tool": "keyword_search", "query": ["x"], "chunk_ids": ids, "scores": [1.0] * len(ids),
         "loop": loop}
        for loop, ids in enumerate(searches, start=1)
    ]  # fmt: skip
    trace_fields = {"system": "arag", "context": "retrieved", "loops": loops, "passages": passages}
    return {**trace_fields, "searches": found, **fields}


def case(gold: list[int], trace: Mapping[str, Any], **more: Any) -> Case:
    return Case(metadata={"gold_chunk_ids": gold, **more}, trace=trace)


def _chunk_values(score: Score) -> dict[str, float]:
    """Return a sample's values, leaving out the evidence key, which has no texts."""
    assert isinstance(score.value, Mapping)
    values = {key: float(str(value)) for key, value in score.value.items()}
    assert math.isnan(values.pop("evidence"))
    return values


FOREIGN: list[dict[str, Any]] = [
    {"style": "news"}, {"company": None}, {"facts": "x"}, {"gold_chunk_ids": "3"},
    {"years": 2020}, {"doc_ids": 5},
]  # fmt: skip
UNSCORED: dict[str, tuple[list[int], dict[str, Any], str]] = {
    "bare": ([], {}, "no_gold"),
    "document": ([1], {"context": "document"}, "no_retrieval"),
    "closed": ([1], {"context": "none"}, "no_retrieval"),
    "skipped": ([1], {"skipped": "too long"}, "skipped"),
}


@pytest.fixture(scope="module")
def ran() -> Ran:
    # gold: 1 (also in 5, 6), 2, 3 (also in 7); read: 5, 6, 9 and, in loop 2, 2; 7 was only found
    copies = trace_of_reads({5: 1, 6: 1, 9: 1, 2: 2}, [[5, 6, 7]], loops=2)
    one = trace_of_reads({1: 1}, [[1]], loops=1)
    cases = {
        "copies": case([1, 2, 3], copies, gold_copies={"1": [5, 6], "3": [7]}, doc_ids=["D"]),
        "in_vain": case([1], trace_of_reads({}, [[2]], loops=2), doc_ids=["D"]),
        "idle": case([1], trace_of_reads({}, [], loops=2), doc_ids=["D"]),
        **{name: case(gold, {**one, **fields}) for name, (gold, fields, _) in UNSCORED.items()},
        **{f"foreign{n}": Case(metadata=metadata, trace=one) for n, metadata in enumerate(FOREIGN)},
    }
    return run_cases(cases, [retrieval_pr()])


def test_copies_of_gold_evidence_count_once(ran: Ran) -> None:
    score = ran.score("copies", "retrieval_pr")
    expected = {"recall": pytest.approx(2 / 3), "precision": 0.75, "search_recall": 1.0}
    assert _chunk_values(score) == {**expected, "documents": 1.0} and score.metadata is not None
    assert score.metadata["recall_by_loop"] == pytest.approx([1 / 3, 2 / 3])
    assert score.metadata["missed"] == [3] and score.metadata["found_not_read"] == [3]


def test_retrieval_pr_matches_hand_computed_values() -> None:
    # gold: 1, 2, 3, 4; read: 1 and 9 in loop 2, 2 in loop 4; 3 was found but never read
    trace = trace_of_reads({1: 2, 9: 2, 2: 4}, [[1, 3, 9], [], [2]], loops=5)
    ran = run_cases({"one": case([1, 2, 3, 4], trace, doc_ids=["D", "E"])}, [retrieval_pr()])
    score = ran.score("one", "retrieval_pr")
    expected = {"recall": 0.5, "precision": pytest.approx(2 / 3), "search_recall": 0.75}
    assert _chunk_values(score) == {**expected, "documents": 0.5} and score.metadata is not None
    assert score.metadata["recall_by_loop"] == [0, 0.25, 0.25, 0.5, 0.5]
    assert score.metadata["chunks"] == {"D": 3, "E": 0}
    assert score.metadata["missed"] == [3, 4] and score.metadata["found_not_read"] == [3]
    assert score.metadata["signature"].startswith("retrieval_pr|arag-inspect:")
    assert ran.log.results
    means = {s.name: s.metrics["mean"].value for s in ran.log.results.scores}
    assert math.isnan(means.pop("evidence"))
    assert means == {**expected, "documents": 0.5}
    assert {"mean", "lower", "upper"} == set(ran.log.results.scores[0].metrics)


@pytest.mark.parametrize("name", ["in_vain", "idle"])
def test_retrieval_pr_is_zero_when_nothing_is_read(ran: Ran, name: str) -> None:
    value = _chunk_values(ran.score(name, "retrieval_pr"))
    assert value == {"recall": 0, "precision": 0, "search_recall": 0, "documents": 0}


def test_retrieval_pr_is_unscored_with_reason(ran: Ran) -> None:
    for name, (_, _, reason) in UNSCORED.items():
        score = ran.score(name, "retrieval_pr")
        assert score.value != score.value and score.reason == reason and score.explanation
    for number, metadata in enumerate(FOREIGN):
        assert ran.score(f"foreign{number}", "retrieval_pr").reason == "no_gold", metadata
    assert ran.log.results
    assert ran.log.results.scores[0].unscored_samples == len(UNSCORED) + len(FOREIGN)


def test_gold_pages_are_scored_with_and_without_gold_chunks() -> None:
    pages = [
        {"doc_id": "D", "page": 12, "chunk_ids": [1, 2]},
        {"doc_id": "D", "page": 40, "chunk_ids": [8]},
    ]
    trace = trace_of_reads({2: 1, 9: 1}, [[2, 9]], loops=1)
    about = {"gold_pages": pages, "doc_ids": ["D"]}
    ran = run_cases(
        {"both": case([1], trace, **about), "pages": case([], trace, **about)}, [retrieval_pr()]
    )
    both, alone = (ran.score(name, "retrieval_pr") for name in ("both", "pages"))
    assert _chunk_values(both) == {
        "recall": 0,
        "precision": 0,
        "search_recall": 0,
        "documents": 1.0,
    }
    missing = float("nan")
    assert _chunk_values(alone) == pytest.approx(
        {"recall": missing, "precision": missing, "search_recall": missing, "documents": 1.0},
        nan_ok=True,
    )
    assert alone.explanation is not None and "; the gold chunks are unknown" in alone.explanation
    for score, keys in ((both, set()), (alone, {"recall", "precision", "search_recall"})):
        assert score.metadata is not None
        assert score.metadata.get("unscored", {}).keys() - {"evidence"} == keys
        assert score.metadata["pages"] == {"read": [["D", 12]], "missed": [["D", 40]]}


PASSAGES = [
    (4, "Sales were flat. Net revenue rose 9% to $1.2 billion in the first"),
    (5, "quarter of 2016, from $1.1 billion. The board kept its policy on buying shares"),
    (9, "Net revenue rose 7% to $1.4 billion in the first quarter of 2017."),
]
QUOTED = "Net revenue rose 9% to $1.2 billion in the first quarter of 2016, from $1.1 billion."


EVIDENCE = {
    "in order": ([QUOTED], [4, 5], 1),
    "in any order": ([QUOTED], [5, 4], 1),
    "touched": ([QUOTED], [4], 0),
    "ends with the passage": ([QUOTED[:70]], [4], 0),
    "of another year": ([QUOTED], [9], 0),
    "in capitals": ([QUOTED.upper().replace(" ", "\n")], [4, 5, 9], 1),
    "half": ([QUOTED, "The dividend was doubled."], [4, 5], 0.5),
    "one of two rows": (["Sales were flat.\nThe board kept its policy"], [4], 0),
    "rows apart": (["Sales were flat.\nThe board kept its policy"], [4, 5], 1),
    "a part": (["Net revenue rose 7% to $1.4 billion"], [9], 1),
}
"""Evidence, the passages read, and the share of the evidence in them."""


def test_evidence_counts_only_when_passage_text_contains_evidence() -> None:
    texts = dict(PASSAGES)
    cases = {}
    for name, (evidence, chunk_ids, _) in EVIDENCE.items():
        trace = dict(trace_of_reads(dict.fromkeys(chunk_ids, 1), [chunk_ids], loops=1))
        trace["passages"] = [{**one, "text": texts[one["chunk_id"]]} for one in trace["passages"]]
        key = name.replace(" ", "_")
        cases[key] = case([4], trace, evidence=evidence)
        cases[f"{key}_alone"] = case([], trace, evidence=evidence)
    ran = run_cases(cases, [retrieval_pr()])
    for name, (_, passages, share) in EVIDENCE.items():
        for ending, recall in (("", float(4 in passages)), ("_alone", math.nan)):
            values = ran.score(f"{name.replace(' ', '_')}{ending}", "retrieval_pr").as_dict()
            assert values["evidence"] == share, name
            assert values["recall"] == pytest.approx(recall, nan_ok=True)


def test_evidence_is_unscored_when_passages_have_no_text() -> None:
    trace = trace_of_reads({1: 1}, [[1]], loops=1)
    ran = run_cases({"one": case([1], trace, evidence=[QUOTED])}, [retrieval_pr()])
    value = ran.score("one", "retrieval_pr").value
    assert isinstance(value, dict) and value["evidence"] != value["evidence"]
    assert value["recall"] == 1


def test_reason_names_trace_unless_system_says_it_does_not_retrieve() -> None:
    cases = {
        "foreign": case([1], {}),
        "external": case([1], {"system": "external", "context": "none", "loops": 1}),
        "closed": case([1], {"system": "closed_book", "context": "none", "loops": 1}),
    }
    ran = run_cases(cases, [retrieval_pr()])
    reasons = {name: str(ran.score(name, "retrieval_pr").explanation) for name in cases}
    assert reasons["foreign"] == reasons["external"]
    assert reasons["foreign"].startswith("No passages were recorded: fill RetrievalTrace")
    assert reasons["closed"] == "The system does not retrieve passages."


def test_sample_without_documents_leaves_their_share_inapplicable() -> None:
    ran = run_cases({"any": case([1], trace_of_reads({1: 1}, [[1]], loops=1))}, [retrieval_pr()])
    score = ran.score("any", "retrieval_pr")
    assert score.metadata is not None
    assert score.metadata["unscored"]["documents"] in OF_THE_SAMPLE
