"""Write a report as files in a folder."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import fsspec
from filelock import FileLock

from .._util.csv_cells import csv_text
from .._util.errors import InputError, one_line
from .._util.progress import Advance, Progress, no_progress
from .._util.registry import EXPORTS, load_hook
from .benchmark import Benchmark
from .build import Report
from .charts import Chart, as_png, as_svg, charts
from .exports import evaluated_predictions, log_rows, merge_log, plain, predictions
from .frames import Frames
from .labels import SYSTEMS
from .markdown import to_markdown
from .page.render import render_page

MARKDOWN = "summarization_report.md"
PAGE = "report.html"
RUN_LOG = "evaluation_log.csv"
_LOCK = ".lock"


class WrittenReport(NamedTuple):
    """Paths of a written report."""

    folder: Path
    markdown: Path
    page: Path


def write_report(
    report: Report,
    folder: Path,
    *,
    viewer: str | None = None,
    refresh: int | None = None,
    progress: Progress = no_progress,
) -> WrittenReport:
    """Write page, Markdown, tables, scores and predictions.

    Files are replaced atomically.

    Layout: `report.html`, which is self-contained; `summarization_report.md`; a Parquet file for
    each frame, and `scores.csv`; `evaluation_log.csv`, which keeps a row for each run ever
    reported here; and for each benchmark a folder with its tables as CSV, its
    charts as SVG and PNG and, for each system, `predictions.jsonl`, `predictions.eval.jsonl` and
    what its benchmark adds.

    Args:
        report: Report to write.
        folder: Folder, created if missing.
        viewer: Address of a running `inspect view`, for links from the page to samples.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        progress: Shows how many charts are drawn.

    Raises:
        InputError: It cannot be written, `viewer` is not an address on the web, or its
            `evaluation_log.csv` is something else.
    """
    if viewer is not None and not viewer.startswith(("http://", "https://")):
        raise InputError(f"viewer must be an address like http://127.0.0.1:7575, got {viewer!r}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK):  # concurrent reports wait for each other
            _write_all(report, folder, viewer, refresh, progress)
    except OSError as error:
        raise InputError(f"the report cannot be written to {folder}: {error}") from error
    return WrittenReport(folder, folder / MARKDOWN, folder / PAGE)


def upload_report(
    report: Report,
    address: str,
    *,
    viewer: str | None = None,
    refresh: int | None = None,
    progress: Progress = no_progress,
) -> str:
    """Write a report, as `write_report` does, into a folder of a remote store.

    It is written locally first, so that each remote file is replaced as a whole; an
    existing `evaluation_log.csv` is extended.

    Args:
        report: Report to write.
        address: Address such as `s3://bucket/report`, of any store that fsspec supports.
        viewer: See `write_report`.
        refresh: Seconds after which a browser reloads the page, while runs are in progress.
        progress: Shows how many charts are drawn.

    Returns:
        Address of the page.

    Raises:
        InputError: It cannot be written there, see also `write_report`.
    """
    try:
        files, root = fsspec.core.url_to_fs(address)
        with TemporaryDirectory() as temporary:
            folder = Path(temporary)
            if files.exists(log := f"{root}/{RUN_LOG}"):
                files.get_file(log, str(folder / RUN_LOG))
            write_report(report, folder, viewer=viewer, refresh=refresh, progress=progress)
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != _LOCK:
                    files.put_file(str(path), f"{root}/{path.relative_to(folder).as_posix()}")
    except InputError:
        raise
    except Exception as error:  # a remote store's library can raise any error
        raise InputError(
            f"the report cannot be written to {address}: {one_line(error) or type(error).__name__}"
        ) from error
    return f"{address.rstrip('/')}/{PAGE}"


def _write_all(
    report: Report, folder: Path, viewer: str | None, refresh: int | None, progress: Progress
) -> None:
    _write_run_log(report, folder / RUN_LOG)
    beside = _write_frames(report.frames, folder)
    for part, name in zip(report.benchmarks, _slugs(report), strict=True):
        for section in part.sections:
            for table in section.tables:
                _write(folder / name / "tables" / f"{table.id}.csv", table.as_csv())
        systems, folders = part.benchmark.systems, unique_slugs(_ids(part.benchmark))
        for system, slug_name in zip(systems, folders, strict=True):
            exports = {
                "predictions.jsonl": predictions,
                "predictions.eval.jsonl": evaluated_predictions,
                **{file: load_hook(hook) for file, hook in EXPORTS.items()},
            }
            for file, export in exports.items():
                _write_lines(folder / name / slug_name / file, export(part.benchmark, system))
    all_charts = [charts(part) for part in report.benchmarks]
    with progress(sum(map(len, all_charts))) as advance:
        pictures = {
            part.benchmark.name: _write_charts(benchmark_charts, folder, name, advance)
            for part, benchmark_charts, name in zip(
                report.benchmarks, all_charts, _slugs(report), strict=True
            )
        }
    _write(folder / MARKDOWN, to_markdown(report, pictures))
    page = render_page(report, all_charts, viewer=viewer, refresh=refresh, beside=beside)
    _write(folder / PAGE, page)


def slug(name: str) -> str:
    """Return a name suitable for a file, of at most 60 characters."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "unnamed"


def _slugs(report: Report) -> list[str]:
    """Return a folder name for each benchmark."""
    return unique_slugs([part.benchmark.name for part in report.benchmarks])


def _ids(benchmark: Benchmark) -> list[str]:
    """Return the names of the systems with their solver in place of its words."""
    return [
        run.system.replace(SYSTEMS.get(run.solver, run.solver), run.solver, 1)
        for run in benchmark.rows
    ]


def unique_slugs(names: Sequence[str]) -> list[str]:
    """Return a distinct file name for each name."""
    slugs: list[str] = []
    for name in names:
        numbered = (f"{slug(name)}{f'-{number}' if number else ''}" for number in count())
        slugs.append(next(candidate for candidate in numbered if candidate not in slugs))
    return slugs


def _write_run_log(report: Report, path: Path) -> None:
    try:
        existing = path.read_text(encoding="utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; move it away") from None
    rows = [row for part in report.benchmarks for row in log_rows(part.benchmark)]
    _write(path, merge_log(existing, rows, str(path)))


def _write_charts(
    drawn: Sequence[Chart], folder: Path, name: str, advance: Advance
) -> dict[str, list[str]]:
    """Write charts as files; return their paths by section."""
    paths: dict[str, list[str]] = {}
    for chart in drawn:
        svg_path = folder / name / "charts" / f"{chart.name}.svg"
        svg = as_svg(chart)
        _write(svg_path, svg)
        picture = as_png(chart, svg)
        _replace(svg_path.with_suffix(".png"), partial(_write_bytes, picture))
        paths.setdefault(chart.section, []).append(f"{name}/charts/{svg_path.name}")
        advance()
    return paths


def _write_bytes(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def _write_frames(frames: Frames, folder: Path) -> list[str]:
    """Write every frame as Parquet, and the scores as CSV too; return the names of the files."""
    tables = {name: getattr(frames, name) for name in ("answers", "scores", "runs", "verdicts")}
    for name, frame in {**tables, "steps": frames.steps()}.items():
        table = plain(frame)
        _replace(folder / f"{name}.parquet", partial(table.to_parquet, index=False))
        if name == "scores":
            own = table.drop(columns=["answer", "text"])
            rows = own.astype(object).where(own.notna(), None).itertuples(index=False)
            _write(folder / "scores.csv", csv_text([list(own.columns), *rows]))
    return ["scores.csv", *(f"{name}.parquet" for name in (*tables, "steps"))]


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write records as JSON Lines, one by one; no file if there is none."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if not (first := next(lines, "")):
        return

    def write(target: Path) -> None:
        with target.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(chain([first], lines))

    _replace(path, write)


def _write(path: Path, text: str) -> None:
    _replace(path, lambda target: target.write_text(text, encoding="utf-8", newline="\n"))


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write to a temporary name and rename, so that a file is never incomplete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.partial")
    try:
        write(unfinished)
        unfinished.replace(path)
    finally:
        with suppress(FileNotFoundError):
            unfinished.unlink()
