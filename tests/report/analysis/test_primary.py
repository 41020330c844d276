"""Tests of choosing primary measures by samples and scores, in every output."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score

from arag_inspect.report import frames, studies
from arag_inspect.report.cells import raw
from arag_inspect.report.comparison.primary import primary_measures
from tests.commands import call
from tests.report import material as m

FAITHFUL, RECALL = {"geval_faithfulness": 4.0}, {"retrieval_pr": {"recall": 0.5, "precision": 0.1}}
FACTS = {"fact_coverage": {"facts": 0.5, "quantities": 0.5, "words": 0.5}}
CORRECT = {"llm_accuracy": {"correct": 1.0, "incorrect": 0.0, "refusal": 0.0}}


@pytest.mark.parametrize(
    "task, styles, values, primary",
    [
        ("custom", ["qa"], {**RECALL, **CORRECT}, ["llm_accuracy.correct"]),
        ("their_suite", ["qa"], {"contain_match": 1.0, "numeric_match": 0.0}, ["numeric_match"]),
        ("financebench", ["qa"], RECALL, ["retrieval_pr.recall"]),
        ("custom", ["query_focused"], {**CORRECT, **RECALL, **FAITHFUL},
         ["geval_faithfulness", "retrieval_pr.precision"]),
        ("any", ["earnings_call"], {**FACTS, **RECALL},
         ["fact_coverage.facts", "retrieval_pr.recall"]),
        ("any", ["earnings_call"], {**FACTS, **RECALL, "geval_coverage": 4.0},
         ["geval_coverage", "retrieval_pr.recall"]),
        ("any", ["legal"], {**FAITHFUL, "composite_faithfulness": 0.5}, ["composite_faithfulness"]),
        ("any", ["client_file"], {**FAITHFUL, "fact_match": {"f1": 0.5}}, ["fact_match.f1"]),
        ("custom", ["qa", "section", "qa"], {**FAITHFUL, **CORRECT},
         ["llm_accuracy.correct", "geval_faithfulness"]),
        ("any", ["qa"], {"evidence_support": 1.0, **RECALL}, ["evidence_support"]),
        ("their_suite", ["summary"], {**CORRECT, **FAITHFUL}, ["geval_faithfulness"]),
        ("any", ["section"], {"rouge": {"rouge2": 0.5}}, ["rouge.rouge2"]),
    ],
)  # fmt: skip
def test_primary_measures_depend_on_samples_and_scores(
    tmp_path: Path, task: str, styles: list[str], values: dict[str, Any], primary: list[str]
) -> None:
    scores = {key: m.scored(value) for key, value in values.items()}
    about = [{"style": styles[n % len(styles)]} for n in range(6)]
    samples = [m.sample(n, scores, metadata=own) for n, own in enumerate(about)]
    results = frames(m.write(tmp_path, m.log(samples, task=f"arag_inspect/{task}")))
    (study,) = studies(results)
    assert primary_measures(study) == tuple(primary)


def test_recall_decides_for_query_focused_summaries_with_evidence(tmp_path: Path) -> None:
    scores = {key: m.scored(value) for key, value in (FAITHFUL | RECALL).items()}
    about = [{"style": "query_focused", "evidence": ["Sales rose."] if n else []} for n in range(3)]
    samples = [m.sample(n, scores, metadata=metadata) for n, metadata in enumerate(about)]
    (study,) = studies(frames(m.write(tmp_path, m.log(samples))))
    assert primary_measures(study) == ("geval_faithfulness", "retrieval_pr.recall")


def _questions(system: str, often: bool) -> EvalLog:
    """Custom questions, 80 % or 20 % answered correctly, with the same recall."""

    def scores(n: int) -> dict[str, Score]:
        correct = m.scored({"correct": float((n % 5 == 0) != often)})
        return {"llm_accuracy": correct, "retrieval_pr": m.scored(RECALL["retrieval_pr"])}

    task = "arag_inspect/custom"
    return m.run_of(system, scores, 30, company="C{}", style="qa", task=task)


def test_correctness_is_primary_for_custom_questions(tmp_path: Path) -> None:
    good, bad = _questions("arag", True), _questions("naive_rag", False)
    all_frames = frames(m.write(tmp_path / "logs", good, bad))
    report = m.report_on(all_frames)
    text = m.finding_texts(report.study)["Correct by judge"]
    assert text.startswith("A-RAG is right more often than Naive RAG (+0.600")
    board = m.table_of(report, "leaderboard").without_empty_columns()
    assert board.columns[:3] == ("system", "Correct by judge", "rank, Correct by judge")
    assert [(row[0], raw(row[1])) for row in board.rows] == [("A-RAG", 0.8), ("Naive RAG", 0.2)]
    other = m.table_of(m.report_on(all_frames, ["retrieval_pr.precision"]), "leaderboard")
    assert other.without_empty_columns().columns[1:3] == ("Precision", "rank, Precision")

    change = m.change_of(tmp_path, _questions("arag", False), _questions("arag", True))
    text = m.finding_texts(change)["Correct by judge"]
    assert text.startswith("A-RAG is right more often than A-RAG (earlier) (+0.600")


def _clear(system: str, grade: float) -> EvalLog:
    """Summaries with two measures; another package declares the second one in the log."""
    spec = {"key": "clarity", "label": "Clarity", "role": "primary", "low": 1, "high": 5}
    spec |= {"family": "judgement", "graded": True, "judged": True, "verb": "is clearer"}

    def scores(n: int) -> dict[str, Score]:
        return {"clarity": m.judged(grade + n % 2 / 2), "geval_coverage": m.judged(3.0 + n % 2)}

    scorer = {"name": "clarity", "metadata": {"measures": [spec]}}
    return m.run_of(system, scores, 12, company="C{}", scorers=[scorer])


def test_primary_measure_declared_only_in_log_is_used_by_report_plan_and_gate(
    tmp_path: Path,
) -> None:
    logs = m.write(tmp_path / "logs", _clear("arag", 4.0), _clear("naive_rag", 2.0))
    report = m.report_on(frames(logs))
    assert primary_measures(report.study) == ("clarity", "geval_coverage")
    assert report.findings[0].text.startswith("A-RAG is clearer than Naive RAG (+2.000")
    assert "Clarity" in call("plan", logs, "--effect", "0.5").output
    assert "Gate passed: 2 kept" in call("gate", logs, "--rule", "clarity >= 1.5").output
