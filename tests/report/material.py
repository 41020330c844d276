"""Logs with known figures, built with Inspect's public classes."""

import base64
import gzip
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import GenerateConfig, ModelOutput
from inspect_ai.scorer import Score

from arag_inspect.report import (
    Frames,
    LogOptions,
    Notice,
    Study,
    StudyReport,
    Table,
    frames,
    studies,
)
from arag_inspect.report.analyses import find_analyses
from arag_inspect.report.build import ReportSection, draw, make_sections
from arag_inspect.report.chart import Chart
from arag_inspect.report.charts import charts
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.comparison.changes import recorded_differences
from arag_inspect.report.comparison.examples import Example, choose_examples
from arag_inspect.report.criterion import Criterion
from arag_inspect.report.findings.findings import Finding, findings
from arag_inspect.report.findings.headline import headline
from arag_inspect.report.findings.key_finding import key_finding
from arag_inspect.report.findings.notices import study_notices
from arag_inspect.report.sections import tables_by_section
from arag_inspect.report.study import Choices

COMPANIES = ("ABM", "CRL", "DHX", "LUB")


def scored(value: Any, signature: str = "measure|version:1", **metadata: Any) -> Score:
    return Score(value=value, metadata={"signature": signature, **metadata})


def judged(
    value: float | Mapping[str, float], judge: str = "mock/judge", name: str = "geval_coverage"
) -> Score:
    """A score by one judge, or by several, each with its verdict."""
    verdicts = {judge: value} if isinstance(value, int | float) else dict(value)
    return Score(
        value=sum(verdicts.values()) / len(verdicts),
        explanation="Final score",
        metadata={
            "signature": f"{name}|judge:{'+'.join(verdicts)}",
            "verdicts": verdicts,
            "judges": [_verdict(*item) for item in verdicts.items()],
        },
    )


def _verdict(grader: str, verdict: float) -> dict[str, Any]:
    raw = f"I think <b>{verdict}</b>.\nFinal score: {verdict}"
    criteria = [{"name": "Facts", "reasoning": "All there.", "score": verdict}]
    effort = {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.001}
    verdict_row = {"grader": grader, "verdict": verdict, "reason": None, "raw": [raw]}
    return {**verdict_row, "criteria": criteria, **effort}


def trace(system: str = "arag", **fields: Any) -> dict[str, Any]:
    """Return what a solver leaves in a sample's store."""
    context = {"stuffing": "document", "closed_book": "none"}.get(system, "retrieved")
    record = {
        "system": system, "context": context, "loops": 3, "stopped_by": "answer",
        "latency_ms": 1000.0, "input_tokens": 1000, "output_tokens": 100, "cost_usd": 0.01,
    } | fields  # fmt: skip
    return {f"RetrievalTrace:{key}": value for key, value in record.items()}


def passage(chunk_id: int, loop: int = 1, text: str = "Sales rose.") -> dict[str, Any]:
    """Return a whole chunk that was read."""
    place = {"chunk_id": chunk_id, "doc_id": "ABM_q1", "prefix": "[COMPANY: ABM]"}
    return {**place, "text": text, "loop": loop}


def part_of_chunk(chunk_id: int, text: str = "Sales rose.") -> dict[str, Any]:
    """Return a part of a chunk that was read."""
    return {**passage(chunk_id, text=text), "how": "summarized"}


def sample(
    number: int,
    scores: Mapping[str, Score] | None = None,
    *,
    system: str = "arag",
    epoch: int = 1,
    answer: str = "Sales rose by 4 %.",
    stop_reason: Any = "stop",
    store: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    **fields: Any,
) -> EvalSample:
    about = {"source": "ectsum", "company": COMPANIES[number % len(COMPANIES)]}
    about |= {"period": "Q1_2021", "style": "earnings_call"}
    return EvalSample(
        id=f"s{number:03}",
        epoch=epoch,
        input="Summarize.",
        target="Sales rose by 4 percent.",
        output=ModelOutput.from_content("mock/model", answer, stop_reason=stop_reason),
        scores=None if scores is None else dict(scores),
        store=dict(trace(system) if store is None else store),
        metadata={**about, "gold_chunk_ids": [1, 2], **(metadata or {})},
        **fields,
    )


def log(
    samples: Sequence[EvalSample],
    *,
    system: str = "arag",
    model: str = "mock/model",
    version: int = 1,
    status: Any = "success",
    created: str = "2026-01-01T10:00:00+00:00",
    params: Mapping[str, Any] | None = None,
    task: str = "arag_inspect/ectsum",
    **spec: Any,
) -> EvalLog:
    ids = list(dict.fromkeys(sample.id for sample in samples))
    eval_spec = EvalSpec(
        created=created,
        task=task,
        task_version=version,
        task_args={"system": system},
        dataset=EvalDataset(name="ectsum-val", samples=len(ids), sample_ids=ids),
        model=model,
        config=EvalConfig(epochs=max((sample.epoch for sample in samples), default=1)),
        **spec,
    )
    step = EvalPlanStep(solver=f"arag_inspect/{system}", params=dict(params or {}))
    return EvalLog(
        status=status,
        eval=eval_spec,
        plan=EvalPlan(steps=[step], config=GenerateConfig(temperature=0)),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        samples=list(samples),
    )


def write(folder: Path, *logs: EvalLog) -> Path:
    """Write logs in order, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for eval_log in logs:
        number = len(list(folder.iterdir()))
        write_eval_log(eval_log, str(folder / f"2026-01-01T10-00-{number:02}-00-00_log.eval"))
    return folder


def run_of(
    system: str,
    scores: Callable[[int], Mapping[str, Score]] | Mapping[str, Score],
    count: int = 8,
    *,
    company: str | None = None,
    effort: Mapping[str, Any] | None = None,
    style: str | None = None,
    answer: str = "Sales rose by 4 %.",
    **options: Any,
) -> EvalLog:
    """Return a log of one system's answers.

    Args:
        system: Solver.
        scores: Scores of every sample, or a function from a sample's number to its scores.
        count: Number of samples.
        company: Pattern of the company's name, e.g. `C{}`; None for four companies in turn.
        effort: Fields of the trace.
        style: Kind of answer.
        answer: The answer to each question.
        options: Options of `log`.
    """
    samples = []
    for n in range(count):
        metadata = {"company": company.format(n)} if company else {}
        metadata |= {"style": style} if style else {}
        store = trace(system, **(effort or {}))
        own: Any = {"system": system, "store": store, "metadata": metadata, "answer": answer}
        scores_of_sample = scores(n) if callable(scores) else scores
        samples.append(sample(n, scores_of_sample, **own))
    return log(samples, system=system, **options)


class PartialReport(StudyReport):
    """The report on one study, computed only as far as a test asks."""

    def __init__(self, study: Study) -> None:
        object.__setattr__(self, "study", study)

    @cached_property
    def sections(self) -> tuple[ReportSection, ...]:
        return draw(self.study, make_sections(self.study, tables_by_section()))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return findings(self.study)

    @cached_property
    def headline(self) -> str:
        return headline(self.study)

    @cached_property
    def key_finding(self) -> str | None:
        return key_finding(self.study)

    @cached_property
    def examples(self) -> tuple[Example, ...]:
        return choose_examples(self.study)

    def table(self, table_id: str) -> Table | None:
        for analysis in find_analyses():
            if analysis.id == table_id:
                return analysis(self.study)
        return super().table(table_id)


def change_of(folder: Path, base: EvalLog, new: EvalLog, **reading: Any) -> Study:
    """Return the study of a change from one run to another, whose logs are read with options."""
    before, after = (
        frames(write(folder / side, run), reading=LogOptions(**reading))
        for side, run in (("base", base), ("new", new))
    )
    (study,) = studies(pair_runs(before, after, loose=True), Choices(is_change=True))
    return study


def finding_texts(study: Study) -> dict[str, str]:
    """Return the texts of the findings on a study, by topic."""
    return {finding.topic: finding.text for finding in findings(study)}


def report_on(
    read: Frames, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> StudyReport:
    """Return the report on frames of one benchmark."""
    (study,) = studies(read, Choices(tuple(primary), tuple(criteria)))
    return PartialReport(study)


def report_of(folder: Path, *logs: EvalLog, **options: Any) -> StudyReport:
    """Return the report on logs of one benchmark."""
    return report_on(frames(write(folder, *logs)), **options)


def notices(read: Frames) -> tuple[Notice, ...]:
    """Return every warning of a report on these frames."""
    return (*read.notices, *study_notices(studies(read)))


def noticed(read: Frames) -> str:
    """Return the texts of the notices, one per line."""
    return "\n".join(notice.text for notice in notices(read))


def changed(base: Frames, new: Frames) -> str:
    """Return the differences named by a comparison of two runs."""
    (pair,) = studies(pair_runs(base, new, loose=True))
    return "; ".join(map(str, recorded_differences(pair)))


def table_of(report: StudyReport, name: str) -> Table:
    """Return a table, which the report must have."""
    table = report.table(name)
    assert table is not None, name
    return table


def rows_of(report: StudyReport, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table, by column."""
    table_made = table_of(report, table)
    return [dict(zip(table_made.columns, row, strict=True)) for row in table_made.rows]


def chart_of(report: StudyReport, name: str) -> Chart:
    """Return a chart, which the report must have; only the chart, unless it needs a table."""
    without_tables = charts(report.study, {})
    chart = next((chart for chart in without_tables if chart.name == name), None)
    if chart is None:
        (chart,) = (chart for chart in report.charts if chart.name == name)
    return chart


def data_of(page: str) -> dict[str, Any]:
    """Return the samples embedded in a page."""
    match = re.search(r'<script type="text/plain" id="data">([\w+/=]*)</script>', page)
    assert match
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(match[1])))
    return data


def marks(
    read: Frames, sample: str, system: str = ""
) -> dict[str, tuple[float | None, str, str | None]]:
    """Return value, status and reason of every measure of a sample."""
    own = read.scores[read.scores["id"] == sample]
    return {
        row.measure: (None if row.value != row.value else row.value, row.status, row.reason)
        for row in own.itertuples()
        if system in ("", row.system)
    }


def runs_that_decline(*shares: Sequence[float]) -> list[EvalLog]:
    """Return a run for each list of `abstention.right`, one value per unanswerable question.

    The unanswerable questions s006, s007 ... come after six that every system answers rightly,
    except that the last system errs in s000.
    """
    logs = []
    for place, declined in enumerate(shares):
        system = f"system{place}"
        is_last = place == len(shares) - 1
        samples = []
        for number in range(6):
            is_right = not (is_last and number == 0)
            scores = {"answer_match": scored(float(is_right))}
            samples.append(sample(number, scores, system=system))
        for number, value in enumerate(declined, start=6):
            scores = {
                "answer_match": Score.unscored(reason="unanswerable"),
                "abstention": scored({"right": value, "wrong": None}),
            }
            samples.append(sample(number, scores, system=system))
        logs.append(log(samples, system=system))
    return logs
