"""A sample that a system skipped is no free answer, wherever effort is averaged."""

import csv
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput, ModelUsage

from arag_inspect.corpus import Corpus
from arag_inspect.report import Report, frames, make_report, write_report
from arag_inspect.report.charts import as_spec, charts
from arag_inspect.solvers import System
from arag_inspect.tasks import earnings_synthetic
from tests.scripted import run, scripted

PRICES: dict[System, float] = {"naive_rag": 0.02, "stuffing": 0.0128}
ANSWERS: dict[System, str] = {
    "naive_rag": "Revenue rose in all segments of the company.",
    "stuffing": "The year went well for many.",
}
CALLS, TOO_LONG = 20, 8


def _model(system: System, price: float) -> Any:
    def answer(*arguments: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm", ANSWERS[system])
        output.usage = ModelUsage(
            input_tokens=900, output_tokens=100, total_tokens=1000, total_cost=price
        )
        return output

    return scripted(answer)


def _twenty(task: Task) -> Task:
    """The task on twenty calls of as many companies: each of the ten calls twice."""
    task.dataset = MemoryDataset(
        [
            sample.model_copy(
                update={
                    "id": f"{sample.id}-{time}",
                    "metadata": (sample.metadata or {}) | {"company": f"{sample.id} {time}"},
                }
            )
            for sample in task.dataset
            for time in (1, 2)
        ]
    )
    assert len(task.dataset) == CALLS
    return task


class Made:
    """Two systems on twenty calls, eight of them too long for the second."""

    def __init__(self, source: Path, folder: Path) -> None:
        corpus = Corpus.open(source)
        sizes = sorted(
            sum(chunk.tokens for chunk in corpus.document_chunks([name])) for name in corpus.doc_ids
        )
        limit = {"max_tokens": sizes[-1 - TOO_LONG // 2]}
        self.logs: dict[str, EvalLog] = {
            system: run(
                _twenty(
                    earnings_synthetic(
                        corpus=str(source),
                        scorers="rouge,retrieval_pr,efficiency",
                        system=system,
                        system_args=limit if system == "stuffing" else None,
                    )
                ),
                _model(system, price),
                log_dir=str(folder / "logs"),
            )
            for system, price in PRICES.items()
        }
        self.skipped = sum(
            sample.store["RetrievalTrace:skipped"] is not None
            for sample in self.logs["stuffing"].samples or []
        )
        self.answered = CALLS - self.skipped
        self.report: Report = make_report(frames(folder / "logs"), primary=["rouge.rouge1"])
        self.folder = write_report(self.report, folder / "report").folder


@pytest.fixture(scope="module")
def made(synthetic_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("skipped")
        patch.chdir(folder)
        return Made(synthetic_folder, folder)


def test_table_sentence_chart_and_metric_give_one_figure(made: Made) -> None:
    assert (made.skipped, made.answered) == (TOO_LONG, CALLS - TOO_LONG)
    with next(made.folder.glob("*/tables/cost.csv")).open() as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    own = rows["Stuffing"]
    assert float(own["cost per question (USD)"]) == pytest.approx(0.0128)
    assert int(own["cost per question (USD) n"]) == int(own["words n"]) == made.answered
    assert int(own["skipped"]) == made.skipped and int(rows["Naive RAG"]["skipped"]) == 0
    assert float(own["words"]) == len(ANSWERS["stuffing"].split()) and float(own["loops"]) == 1
    assert float(own["USD in all"]) == pytest.approx(0.0128 * made.answered)

    (report,) = made.report.benchmarks
    (finding,) = report.findings
    assert finding.text.startswith("Naive RAG is better in ROUGE-1 than Stuffing (+")
    assert finding.text.endswith(", at 1.6 times the cost).")  # 0.02 / 0.0128
    (chart,) = (chart for chart in charts(report) if chart.name == "frontier")
    spec = as_spec(chart)
    points = spec["layer"][1]["data"]["values"]
    (point,) = (point for point in points if point["system"] == "Stuffing")
    assert (point["n"], point["skipped"]) == (made.answered, made.skipped)
    assert point["cost"] == pytest.approx(0.0128)
    assert "; Stuffing: " in chart.description and " at 0.0128. " in chart.description

    results = made.logs["stuffing"].results
    assert results is not None
    metrics = {score.name: score for score in results.scores}
    for key, column in (
        ("cost_usd", "cost per question (USD)"),
        ("word_count", "words"),
        ("loops", "loops"),
        ("input_tokens", "tokens in"),
    ):
        assert metrics[key].metrics["mean"].value == pytest.approx(float(own[column]))
        assert metrics[key].scored_samples == made.answered
    assert metrics["latency_ms"].metrics["p50"].value == pytest.approx(float(own["p50 ms"]))

    with (made.folder / "evaluation_log.csv").open() as file:
        (row,) = (row for row in csv.DictReader(file) if row["system"] == "Stuffing")
    assert (row["samples"], row["skipped"]) == (str(CALLS), str(TOO_LONG))
    assert float(row["efficiency.cost_usd"]) == pytest.approx(0.0128)
    assert row["efficiency.cost_usd n"] == str(made.answered)
