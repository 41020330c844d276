"""What decides is what the samples are and what was scored, on every surface."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import frames, make_report
from arag_inspect.report.comparisons import primary_measures
from tests.commands import call
from tests.report import material as m

FAITHFUL, RECALL = {"geval_faithfulness": 4.0}, {"retrieval_pr": {"recall": 0.5, "precision": 0.1}}
CORRECT = {"llm_accuracy": {"correct": 1.0, "incorrect": 0.0, "refusal": 0.0}}


@pytest.mark.parametrize(
    "task, styles, values, primary",
    [
        ("custom", ["qa"], {**RECALL, **CORRECT}, ["llm_accuracy.correct"]),
        ("their_suite", ["qa"], {"contain_match": 1.0, "numeric_match": 0.0}, ["numeric_match"]),
        ("financebench", ["qa"], RECALL, ["retrieval_pr.recall"]),
        ("custom", ["query_focused"], {**CORRECT, **RECALL, **FAITHFUL}, ["geval_faithfulness", "retrieval_pr.recall"]),
        ("any", ["legal"], {**FAITHFUL, "composite_faithfulness": 0.5}, ["composite_faithfulness"]),
        ("any", ["client_file"], {**FAITHFUL, "fact_match": {"f1": 0.5}}, ["fact_match.f1"]),
        ("custom", ["qa", "section", "qa"], {**FAITHFUL, **CORRECT}, ["llm_accuracy.correct", "geval_faithfulness"]),
        ("any", ["qa"], {"evidence_support": 1.0, **RECALL}, ["evidence_support"]),
        ("any", ["section"], {"rouge": {"rouge2": 0.5}}, ["rouge.rouge2"]),
    ],
)  # fmt: skip
def test_primary_measures_follow_the_samples(
    tmp_path: Path, task: str, styles: list[str], values: dict[str, Any], primary: list[str]
) -> None:
    samples = [
        m.sample(
            n,
            {k: m.scored(v) for k, v in values.items()},
            metadata={"style": styles[n % len(styles)]},
        )
        for n in range(6)
    ]
    results = frames([m.write(tmp_path, m.log(samples, task=f"arag_inspect/{task}"))])
    assert primary_measures(make_report(results).benchmarks[0].benchmark) == tuple(primary)


def _questions(system: str, often: bool) -> EvalLog:
    """One's own questions, of which 80 % or 20 % are answered rightly, with the same recall."""

    def scores(n: int) -> dict[str, Score]:
        correct = m.scored({"correct": float((n % 5 == 0) != often)})
        return {
            "llm_accuracy": correct,
            "retrieval_pr": m.scored({"recall": 0.5, "precision": 0.1}),
        }

    task = "arag_inspect/custom"
    return m.run_of(system, scores, 30, company="C{}", style="qa", task=task)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    m.write(tmp_path / "logs", _questions("arag", True), _questions("naive_rag", False))
    m.write(tmp_path / "new", _questions("arag", True))
    m.write(tmp_path / "base", _questions("arag", False))
    return tmp_path


def test_correctness_decides_on_ones_own_questions(questions: Path) -> None:
    out = questions / "report"
    told = call("report", questions / "logs", "-o", out).output
    assert "Correct by judge: A-RAG is right more often than Naive RAG (+0.600" in told
    page = (out / "summarization_report.md").read_text()
    assert "| system | Correct by judge | Recall | cost per question (USD) |" in page
    assert "| A-RAG | 0.800 " in page and "| Naive RAG | 0.200 " in page
    told = call("compare", questions / "base", questions / "new", "-o", out).output
    assert "Correct by judge: A-RAG is right more often than A-RAG (earlier) (+0.600" in told


def test_declared_primary_measures_reach_the_key_figures(questions: Path) -> None:
    out, name = questions / "report", "retrieval_pr.precision"
    call("report", questions / "logs", "-o", out, "--primary", name)
    page = (out / "summarization_report.md").read_text()
    assert "| system | Precision | Recall | cost per question (USD) |" in page
