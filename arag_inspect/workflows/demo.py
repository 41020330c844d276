"""The demo: three systems on synthetic calls, offline, in a minute or two."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path

from inspect_ai.log import EvalLog
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ..corpus import datasets_folder
from ..datasets import Options, prepare_dataset
from ..report import frames, make_report, write_report
from ..scorers import MEASURES
from ..solvers import System
from ..tasks import earnings_synthetic
from ._run_task import run_task
from .draw_samples import as_patterns, draw_samples

MODEL = "offline/extractive"
CORPUS = "synthetic-demo"
CHUNK_TOKENS = 250
WINDOW = 8_000
"""Tokens that stuffing may send: fewer than the longest documents have."""

WORDS = 100
"""Length of a summary that is asked for."""

REPORT = "report/demo"
SYSTEMS: tuple[System, ...] = ("arag", "naive_rag", "stuffing")

_SUMMARIES = (
    "retrieval_pr.recall",
    "retrieval_pr.precision",
    "rouge.rouge2",
    "geval_coverage",
    "error_taxonomy.any",
    "geval_faithfulness",
    "efficiency.loops",
    "efficiency.latency_ms",
)
_OTHERS = (
    "factual_consistency.supported",
    "fact_match.f1",
    "fact_coverage.facts",
    "nli_contradiction",
    "severity_judge",
    "embedding_coverage",
    "bertscore.bertscore_f1",
)


def run_demo(documents: int, limit: int, log_dir: str) -> None:
    """Run the systems on a synthetic corpus, print the results and write a report.

    Args:
        documents: Size of the corpus.
        limit: Documents to summarize, each of a different company.
        log_dir: Folder of the logs.

    Raises:
        InputError: A run failed; its log has the reason.
    """
    console = Console()
    prepared = prepare_dataset(
        "synthetic",
        documents=documents,
        earlier=2,
        options=Options(chunk_tokens=CHUNK_TOKENS, out=datasets_folder() / CORPUS),
    )
    console.print(f"Prepared {prepared.folder} in {prepared.seconds:.0f} s.\n")
    logs = []
    for system in SYSTEMS:
        console.print(f"Running {system} on {limit} documents ...")
        window = {"max_tokens": WINDOW} if system == "stuffing" else None
        task = earnings_synthetic(
            system=system,
            corpus=CORPUS,
            target_length=WORDS,
            system_args=window,
            scorers="all",
        )
        ids = draw_samples(task, limit)
        options = {"sample_id": as_patterns(ids), "log_dir": log_dir, "display": "none"}
        logs.append(run_task(task, MODEL, "the demo", **options))
    console.print()
    title = f"Synthetic earnings calls, summaries of about {WORDS} words"
    console.print(_table(title, _SUMMARIES, logs, counts=True))
    console.print(_table("The same summaries by the other measures", _OTHERS, logs))
    console.print(
        "A document holds the calls of one to three quarters; the question is about the last one. "
        f"Stuffing may send {WINDOW:,} tokens here, and skips the documents that are longer.\n"
    )
    console.print(
        f"{MODEL} is a rule-based extractive baseline, not a language model: the table shows that "
        "everything works, and what retrieval is worth to the same writer. As a judge it knows "
        "words and figures; its faithfulness is no better than chance.\n"
    )
    report = write_report(make_report(frames([log.location for log in logs])), Path(REPORT))
    console.print(f"Open the report:   {report.page} (or {report.markdown})", soft_wrap=True)
    console.print(f"Browse the logs:   inspect view --log-dir {log_dir}", soft_wrap=True)
    console.print(
        "With a real model: inspect eval arag_inspect/earnings_synthetic "
        f"-T corpus={CORPUS} -T system=arag --model anthropic/claude-sonnet-4-6",
        soft_wrap=True,
    )


def _table(title: str, keys: Sequence[str], logs: Sequence[EvalLog], counts: bool = False) -> Table:
    """Show means by system, of latency the median; with `counts`, also scored and skipped samples."""
    specs = [MEASURES[key] for key in keys]
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, padding=0)
    table.add_column("system", no_wrap=True)
    for heading in (*(spec.short_label for spec in specs), *(("n", "skip") if counts else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    for system, log in zip(SYSTEMS, logs, strict=True):
        scores = {score.name: score for score in log.results.scores} if log.results else {}
        columns = [scores[spec.value_key] for spec in specs]
        means = [
            score.metrics["p50" if score.name == "latency_ms" else "mean"].value
            for score in columns
        ]
        cells = [
            "-" if isnan(mean) else f"{mean:.0f}" if mean >= 100 else f"{mean:.2f}"
            for mean in means
        ]
        if counts:
            scored = [score.scored_samples or 0 for score in columns]
            measured = [n for n, mean in zip(scored, means, strict=True) if not isnan(mean)]
            cells += [str(min(measured)), str(scores["rouge2"].unscored_samples)]
        table.add_row(system, *cells)
    return table
