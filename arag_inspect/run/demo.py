"""The demo: three systems on synthetic calls, with the recorded replies of a language model."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .._util.progress import SampleProgress
from ..benchmarks import Options, Prepared, prepare_dataset
from ..corpus import datasets_folder
from ..measure import Aspect
from ..models.recorded.recording import read_recording
from ..models.run_task import run_task
from ..report import Study, Table, frames, make_report, studies, write_report
from ..tasks import earnings_synthetic
from .experiment import as_patterns, draw_samples

if TYPE_CHECKING:
    import pandas as pd

_RECORDING = "demo"
"""Recording of a language model's replies."""

CORPUS = "synthetic-demo"
_CHUNK_TOKENS = 250
VECTORS = Path(__file__).with_name("demo_vectors")
"""Vectors of the corpus, made by `measurements/demo_vectors.py`."""

_WINDOW = 8_000
"""Token limit of stuffing: less than the longest documents."""

WORDS = 100
"""Requested length of a summary in words."""

_DOCUMENTS = 12
"""Number of calls to summarise, each of a different company."""

_LOGS = "logs/demo"
_REPORT = "report/demo"
SYSTEMS: tuple[str, ...] = ("arag", "naive_rag", "stuffing")

_SHOWN: tuple[Aspect, ...] = (
    "recall",
    "precision",
    "items stated",
    "coverage",
    "statements supported",
    "faithfulness",
    "overlap",
    "errors",
    "loops",
    "words",
)
"""Aspects of the measures in the table."""


def prepare_demo(folder: Path, shipped: Path | None = VECTORS) -> Prepared:
    """Prepare the corpus of the demo.

    Args:
        folder: Folder to make.
        shipped: Folder of its vectors; None computes them.
    """
    options = Options(chunk_tokens=_CHUNK_TOKENS, out=folder, shipped=shipped)
    return prepare_dataset("synthetic", documents=_DOCUMENTS, earlier=2, options=options)


def run_demo() -> None:
    """Run the systems on a synthetic corpus, print the results and write a report.

    Raises:
        InputError: A run failed; its log has the reason.
    """
    prepared = prepare_demo(datasets_folder() / CORPUS)
    click.echo(f"Prepared {prepared.folder} in {prepared.seconds:.0f} s.\n")
    logs = []
    for system in SYSTEMS:
        task = earnings_synthetic(
            system=system,
            corpus=CORPUS,
            target_length=WORDS,
            system_args={"max_tokens": _WINDOW} if system == "stuffing" else None,
        )
        ids = as_patterns(draw_samples(task, _DOCUMENTS))
        options = {"sample_id": ids, "log_dir": _LOGS, "display": "none"}
        with SampleProgress(f"Running {system}") as progress:
            log = run_task(task, f"recorded/{_RECORDING}", "the demo", progress=progress, **options)
        logs.append(log.location)
    logged_frames = frames(logs)
    report = write_report(make_report(logged_frames), Path(_REPORT))
    (study,) = studies(logged_frames)
    click.echo(
        f"""
{_table(study).as_text().rstrip()}

A document has the calls of one to three quarters; the question is about the
last one. Stuffing may send {_WINDOW:,} tokens here, and skips longer documents.

{_limits()}

Open the report:   {report.page} (or {report.markdown})
Browse the logs:   inspect view --log-dir {_LOGS}
With a real model: inspect eval arag_inspect/earnings_synthetic \\
                   -T corpus={CORPUS} --model anthropic/claude-sonnet-4-6"""
    )


def _limits() -> str:
    """Return a note on who wrote and judged, and on the limits of the table."""
    _, recording = read_recording(_RECORDING)
    text = f"This replays {recording.header.describe()}. The searches ran now."
    return textwrap.fill(text, width=79)


def _table(study: Study) -> Table:
    """Return means by measure, and the numbers of scored and skipped samples."""
    keys = {aspect: study.catalogue.key_of(aspect) for aspect in _SHOWN}
    columns = [[study.catalogue.spec(key).label for key in keys.values()] + ["Scored", "Skipped"]]
    for run in study.rows:
        aspect_values = {
            aspect: study.known_values(run.system, key) for aspect, key in keys.items()
        }
        cells = [_cell(values) for values in aspect_values.values()]
        fewest = min(values.size for values in aspect_values.values() if values.size)
        outcomes = study.answers.loc[study.answers["system"] == run.system, "outcome"]
        skipped = int((outcomes == "skipped").sum())
        columns.append([*cells, str(fewest), str(skipped)])
    heads = ("", *(run.solver for run in study.rows))
    return Table("demo", "", "", heads, tuple(zip(*columns, strict=True)))


def _cell(values: "pd.Series[float]") -> str:
    if not values.size:
        return "-"
    average = values.mean()
    return f"{average:.2f}" if average < 100 else f"{average:.0f}"
