"""Recall and precision, against numbers worked out by hand."""

from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.scorers import document_recall, retrieval_pr, trend_consistency
from arag_inspect.types.trace import Passage, RetrievalTrace, Search
from tests.scripted import run

pytestmark = pytest.mark.usefixtures("logs")


@solver
def leaves(read: dict[int, int], searches: list[list[int]], loops: int, **fields: Any) -> Solver:
    """Leave a trace: the loop in which each chunk was read, and searches by loop."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        trace = state.store_as(RetrievalTrace)
        trace.system, trace.context, trace.loops = "arag", "retrieved", loops
        trace.passages = [
            Passage(chunk_id=c, doc_id="D", prefix="", text="", loop=loop)
            for c, loop in read.items()
        ]
        trace.searches = [
            Search(
                tool="keyword_search", query=["x"], chunk_ids=ids, scores=[1.0] * len(ids), loop=n
            )
            for n, ids in enumerate(searches, start=1)
        ]
        for name, value in fields.items():
            setattr(trace, name, value)
        state.output.completion = "Four words are here."
        return state

    return solve


def scored(gold: list[int], solving: Solver, **more: Any) -> tuple[Score, EvalLog]:
    sample = Sample(input="?", id="s", metadata={"gold_chunk_ids": gold, **more})
    log = run(Task(dataset=[sample], solver=solving, scorer=retrieval_pr()), "mockllm/model")
    assert log.samples and log.samples[0].scores
    return log.samples[0].scores["retrieval_pr"], log


def test_either_copy_of_the_evidence_is_found_and_counts_once() -> None:
    # gold 1 (also in 5 and 6), 2 and 3 (also in 7); read 5, 6, 9 and, in loop 2, 2; 7 was found
    copies = {"1": [5, 6], "3": [7]}
    solving = leaves({5: 1, 6: 1, 9: 1, 2: 2}, [[5, 6, 7]], loops=2)
    score, _ = scored([1, 2, 3], solving, gold_copies=copies, doc_ids=["D"])
    expected = {"recall": pytest.approx(2 / 3), "precision": 0.75, "search_recall": 1.0}
    assert score.value == {**expected, "documents": 1.0}
    assert score.metadata is not None
    assert score.metadata["recall_by_loop"] == pytest.approx([1 / 3, 2 / 3])
    assert score.metadata["missed"] == [3] and score.metadata["found_not_read"] == [3]


def test_by_hand() -> None:
    # gold 1 2 3 4; read 1, 9 in loop 2 and 2 in loop 4; 3 was found, never read
    solving = leaves({1: 2, 9: 2, 2: 4}, [[1, 3, 9], [], [2]], loops=5)
    score, log = scored([1, 2, 3, 4], solving, doc_ids=["D", "E"])
    expected = {"recall": 0.5, "precision": pytest.approx(2 / 3), "search_recall": 0.75}
    assert score.value == {**expected, "documents": 0.5}
    assert score.metadata is not None
    assert score.metadata["recall_by_loop"] == [0, 0.25, 0.25, 0.5, 0.5]
    assert score.metadata["chunks"] == {"D": 3, "E": 0}
    assert score.metadata["missed"] == [3, 4] and score.metadata["found_not_read"] == [3]
    assert score.metadata["signature"].startswith("retrieval_pr|arag-inspect:")
    assert log.results
    means = {s.name: s.metrics["mean"].value for s in log.results.scores}
    assert means == {**expected, "documents": 0.5}
    assert {"mean", "stderr", "ci95_lower", "ci95_upper"} == set(log.results.scores[0].metrics)


@pytest.mark.parametrize("searches", [[[2]], []])
def test_read_nothing(searches: list[list[int]]) -> None:
    score, _ = scored([1], leaves({}, searches, loops=2), doc_ids=["D"])
    assert score.value == {"recall": 0, "precision": 0, "search_recall": 0, "documents": 0}


@pytest.mark.parametrize(
    ("gold", "fields", "reason"),
    [
        ([], {}, "no_gold"),
        ([1], {"context": "document"}, "no_retrieval"),
        ([1], {"context": "none"}, "no_retrieval"),
        ([1], {"skipped": "too long"}, "skipped"),
    ],
)
def test_unscored_with_its_reason(gold: list[int], fields: dict[str, Any], reason: str) -> None:
    score, log = scored(gold, leaves({1: 1}, [[1]], loops=1, **fields))
    assert score.value != score.value and score.reason == reason and score.explanation
    assert log.results and log.results.scores[0].unscored_samples == 1


@pytest.mark.parametrize(
    "metadata",
    [
        {"style": "news"},
        {"company": None},
        {"facts": "x"},
        {"gold_chunk_ids": "3"},
        {"line_items": "x", "years": 2020},
        {"line_items": [{"a": 1}]},
        {"doc_ids": 5},
    ],
)
def test_metadata_of_somebody_else_are_none(metadata: dict[str, Any]) -> None:
    names = {"retrieval_pr": "no_gold", "document_recall": "no_documents", "trend_consistency": "no_line_items"}  # fmt: skip
    log = run(
        Task(
            dataset=[Sample(input="?", metadata=metadata)],
            solver=leaves({1: 1}, [[1]], loops=1),
            scorer=[retrieval_pr(), document_recall(), trend_consistency()],
        ),
        "mockllm/model",
    )
    assert log.status == "success" and log.samples, log.error
    scores = log.samples[0].scores or {}
    assert {name: scores[name].reason for name in names} == names
