"""Write a report as files in a folder: page, Markdown, tables, and predictions."""

from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import fsspec
import pandas as pd
from filelock import FileLock
from pydantic_core import to_json

from ..._util.encodable import csv_text
from ..._util.errors import InputError, one_line
from ..._util.files import slug
from ..._util.progress import Progress, no_progress
from ...types.additions import ADDITIONS
from ..build import Report, StudyReport
from ..chart import as_png, as_svg
from ..exports import evaluated_predictions, predictions, samples_table
from ..frames import Frames
from ..labels import label_of
from ..page.render import render_page
from .folder import File, upload_files, write_files
from .markdown import to_markdown
from .run_log import RUN_LOG, write_run_log

_LARGE_COLUMNS = ("searches", "passages", "returned", "details")
"""Columns that files leave out."""


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame for files, with records, tuples and dictionaries as JSON.

    Columns that are split up in another frame, or that are as large as the log, are left out.
    """
    small = frame.drop(columns=[name for name in _LARGE_COLUMNS if name in frame])
    texts = small.select_dtypes(exclude=["number", "bool"]).columns
    return small.assign(**{name: small[name].map(_as_text) for name in texts})


def _as_text(value: object) -> object:
    is_missing = value is None or value != value  # NaN
    if is_missing:
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, frozenset):
        value = sorted(value)
    return to_json(value, fallback=str, inf_nan_mode="null").decode()


MARKDOWN = "summarization_report.md"
PAGE = "report.html"
_LOCK = ".lock"


class WrittenReport(NamedTuple):
    """Paths of a written report."""

    folder: Path
    markdown: Path
    page: Path


def write_report(
    report: Report,
    folder: Path | str,
    *,
    viewer: str | None = None,
    refresh: int | None = None,
    progress: Progress = no_progress,
) -> WrittenReport:
    """Write page, Markdown, tables, scores and predictions.

    Files are replaced atomically. Those that an earlier report wrote into the folder are replaced
    or removed; other files stay.

    Layout: `report.html`, which is self-contained; `summarization_report.md`; a Parquet file for
    each frame, `samples.csv` and `scores.csv`; `evaluation_log.csv`, with a row for each run ever
    reported in the folder; and for each benchmark a folder with its tables as CSV, its charts as
    SVG and PNG and, for each system, `predictions.jsonl`, `predictions.eval.jsonl` and what its
    benchmark adds.

    Args:
        report: Report to write.
        folder: Folder, created if missing.
        viewer: Address of a running `inspect view`, for links from the page to samples.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        progress: Shows how many charts are drawn.

    Raises:
        InputError: The report cannot be written, `viewer` is not a web address, the existing
            `evaluation_log.csv` is not such a log, or another file has the name of one of these.
    """
    if viewer is not None and not viewer.startswith(("http://", "https://")):
        raise InputError(f"viewer must be an address like http://127.0.0.1:7575, got {viewer!r}")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK):  # concurrent reports wait for each other
            write_run_log([part.study for part in report.studies], folder / RUN_LOG)
            write_files(folder, _files(report, viewer, refresh, progress))
    except OSError as error:
        raise InputError(f"the report cannot be written to {folder}: {error}") from error
    return WrittenReport(folder, folder / MARKDOWN, folder / PAGE)


def upload_report(report: Report, address: str, **options: Any) -> str:
    """Write a report, as `write_report` does, into a folder of a remote store.

    It is written locally first, so that each remote file is replaced as a whole, and none if
    another file has the name of one of these.

    Args:
        report: Report to write.
        address: Address such as `s3://bucket/report`, of any store that fsspec supports.
        options: See `write_report`.

    Returns:
        Address of the page.

    Raises:
        InputError: The report cannot be written there; see also `write_report`.
    """
    try:
        store, root = fsspec.core.url_to_fs(address)
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if store.exists(f"{root}/{RUN_LOG}"):
                store.get_file(f"{root}/{RUN_LOG}", str(folder / RUN_LOG))
            write_report(report, folder, **options)
            upload_files(folder, store, root)
            store.put_file(str(folder / RUN_LOG), f"{root}/{RUN_LOG}")
    except InputError:
        raise
    except Exception as error:  # a remote store's library can raise any error
        raise InputError(
            f"the report cannot be written to {address}: {one_line(error) or type(error).__name__}"
        ) from error
    return f"{address.rstrip('/')}/{PAGE}"


def _files(
    report: Report, viewer: str | None, refresh: int | None, progress: Progress
) -> Iterator[File]:
    """Yield the files of a report one by one, the page last."""
    names = unique_slugs([part.study.name for part in report.studies])
    beside = []
    for path, content in chain(_samples_file(report), _frame_files(report.frames)):
        beside.append(path)
        yield path, content
    for part, name in zip(report.studies, names, strict=True):
        for path, content in chain(_table_files(part), _answer_files(part)):
            yield f"{name}/{path}", content
    with progress(sum(len(part.charts) for part in report.studies)) as advance:
        for part, name in zip(report.studies, names, strict=True):
            for chart in part.charts:
                drawn = as_svg(chart)
                yield f"{name}/charts/{chart.name}.svg", drawn
                yield f"{name}/charts/{chart.name}.png", as_png(chart, drawn)
                advance()
    yield MARKDOWN, to_markdown(report, names)
    yield PAGE, render_page(report, viewer=viewer, refresh=refresh, beside=beside)


def _table_files(part: StudyReport) -> Iterator[File]:
    for table in part.tables:
        yield f"tables/{table.id}.csv", table.as_csv()


def _answer_files(part: StudyReport) -> Iterator[File]:
    """Yield the answers of each system in every exported form."""
    exports = {
        "predictions.jsonl": predictions,
        "predictions.eval.jsonl": evaluated_predictions,
    }
    for addition in ADDITIONS.value:
        exports |= addition.exports
    solvers = [run.system.replace(label_of(run.solver), run.solver, 1) for run in part.study.rows]
    for system, name in zip(part.study.systems, unique_slugs(solvers), strict=True):
        for file, export in exports.items():
            lines = (to_json(record).decode() + "\n" for record in export(part.study, system))
            first = next(lines, "")
            if first:
                yield f"{name}/{file}", chain([first], lines)


def unique_slugs(names: Sequence[str]) -> list[str]:
    """Return a distinct file name for each name."""
    slugs: list[str] = []
    for name in names:
        numbered = (f"{slug(name)}{f'-{number}' if number else ''}" for number in count())
        slugs.append(next(candidate for candidate in numbered if candidate not in slugs))
    return slugs


def _samples_file(report: Report) -> Iterator[File]:
    """Yield the answers of all systems with their values, for a spreadsheet."""
    tables = [samples_table(part.study) for part in report.studies]
    if tables:
        yield "samples.csv", _as_csv(plain(pd.concat(tables, ignore_index=True)))


def _frame_files(frames: Frames) -> Iterator[File]:
    """Yield every frame as Parquet, and the scores as CSV too."""
    frames_by_name = {
        "answers": frames.answers,
        "scores": frames.scores,
        "runs": frames.runs,
        "verdicts": frames.verdicts,
        "steps": frames.steps(),
    }
    for name, frame in frames_by_name.items():
        table = plain(frame)
        yield f"{name}.parquet", table.to_parquet(index=False)
        if name == "scores":
            yield "scores.csv", _as_csv(table.drop(columns=["answer", "text"]))


def _as_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV; missing values are empty."""
    rows = table.astype(object).where(table.notna(), None).itertuples(index=False)
    return csv_text([list(table.columns), *rows])
