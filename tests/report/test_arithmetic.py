"""Tests that systems embedded with different arithmetic are named and not compared."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from inspect_ai.log import EvalLog

from arag_inspect.report import frames
from tests.logs import samples_of
from tests.report import material as m

BFLOAT16 = {"dtype": "bfloat16", "machine": {"device": "cpu"}}
FLOAT32 = {"dtype": "float32", "machine": {"device": "cpu"}}
GPU = {"dtype": "float32", "machine": {"device": "NVIDIA H100"}}
BEFORE_MACHINES = {"dtype": "float32", "machine": None}

NOT_COMPARED = (
    "the systems searched vectors computed in different arithmetic, so they are not comparable"
)
UNUSUAL = "are not comparable with those of a corpus embedded in float32 on a CPU"


class Case(NamedTuple):
    """Two systems: how their corpora were embedded, and which steps they used."""

    embeddings: tuple[Any, Any]
    compared: bool
    said: str = ""
    tool: str = "semantic_search"
    reranked_in: str | None = None


CASES = {
    "bfloat16 and float32": Case((BFLOAT16, FLOAT32), False, "A-RAG: bfloat16; Naive RAG: float32"),
    "GPU and CPU": Case((GPU, FLOAT32), False, "A-RAG: float32 on NVIDIA H100"),
    "hybrid": Case((FLOAT32, BFLOAT16), False, NOT_COMPARED, "hybrid_search"),
    "reranked on a GPU": Case((FLOAT32, FLOAT32), False, NOT_COMPARED, reranked_in="float32 on H"),
    "reranked by words": Case(
        (FLOAT32, FLOAT32), True, UNUSUAL, "bm25_search", reranked_in="float32 on H"
    ),
    "reranked in float32": Case((FLOAT32, FLOAT32), True, reranked_in="float32"),
    "both bfloat16": Case((BFLOAT16, BFLOAT16), True, UNUSUAL),
    "both float32": Case((FLOAT32, FLOAT32), True),
    "before machines": Case((BEFORE_MACHINES, FLOAT32), True),
    "unknown": Case((None, BFLOAT16), True, UNUSUAL),
    "malformed": Case(({"dtype": ["bfloat16"]}, FLOAT32), True),
    "keyword": Case((BFLOAT16, FLOAT32), True, tool="keyword_search"),
    "none": Case((BFLOAT16, FLOAT32), True, tool=""),
}


def run_of(system: str, value: float, embedding: Any, case: Case) -> EvalLog:
    search = {"tool": case.tool, "query": "sales", "chunk_ids": [1], "scores": [0.5], "loop": 1}
    reranked_in = None if system == "naive_rag" and case.compared is False else case.reranked_in
    return m.run_of(
        system,
        lambda n: {"geval_coverage": m.judged(value + n % 2)},
        effort={"searches": [search] if case.tool else [], "reranked_in": reranked_in},
        metadata={"corpus": {"chunks_sha256": "a" * 64, "embedding": embedding}},
    )


@pytest.mark.parametrize("kind", CASES)
def test_systems_with_different_vector_arithmetic_are_not_compared(
    tmp_path: Path, kind: str
) -> None:
    case = CASES[kind]
    first, second = case.embeddings
    logs = run_of("arag", 4.0, first, case), run_of("naive_rag", 2.0, second, case)
    all_frames = frames(m.write(tmp_path, *logs))
    texts = [notice.text for notice in m.notices(all_frames)]
    verdicts = [comparison.verdict for comparison in m.report_on(all_frames).comparisons]
    assert verdicts
    assert all(("measured differently" in verdict) != case.compared for verdict in verdicts)
    about = [text for text in texts if NOT_COMPARED in text or UNUSUAL in text]
    assert len(about) == bool(case.said) and case.said in "".join(about)


@pytest.mark.parametrize("embedding", [BFLOAT16, GPU])
def test_slices_with_different_vector_arithmetic_are_separate_runs(
    tmp_path: Path, embedding: Any
) -> None:
    case = CASES["both float32"]
    logs = [run_of("arag", 3.0, model, case) for model in (embedding, FLOAT32)]
    for day, log in enumerate(logs, start=1):
        log.eval.created = f"2026-01-0{day}T00:00:00+00:00"
        log.eval.config.limit = (8 * day - 7, 8 * day)
    for sample in samples_of(logs[1]):
        sample.id = f"t{sample.id}"
    logs[1].eval.dataset.sample_ids = [sample.id for sample in samples_of(logs[1])]
    all_frames = frames(m.write(tmp_path, *logs))
    assert len(all_frames.answers) == 8 and set(all_frames.runs["arithmetic"]) == {"float32"}
    assert any("they differ in arithmetic of the vectors" in own.text for own in all_frames.notices)


def test_compare_names_changed_vector_arithmetic_and_withholds_verdict(tmp_path: Path) -> None:
    case = CASES["both float32"]
    runs = (
        run_of("arag", value, embedding, case)
        for value, embedding in ((2.0, BFLOAT16), (4.0, FLOAT32))
    )
    change = m.change_of(tmp_path, *runs)
    texts = m.finding_texts(change)
    assert "arithmetic of the vectors: bfloat16 → float32" in texts["What differs"]
    assert "measured differently" in m.PartialReport(change).comparisons[0].verdict
