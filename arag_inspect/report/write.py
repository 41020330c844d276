"""Write a report as files in a folder: page, Markdown, tables, and ARagPoc's predictions."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import fsspec
import pandas as pd
from filelock import FileLock
from pydantic_core import to_json

from .._util.discovery import additions
from .._util.encodable import csv_text
from .._util.errors import InputError, one_line
from .._util.files import digest, replace_file
from .._util.progress import Progress, no_progress
from ..measure import MeasureSpec, by_family
from ..types.calls import to_calls
from .analyses.leaderboard import judge_cost
from .build import Report, StudyReport
from .chart import as_png, as_svg
from .frames import Frames
from .labels import SYSTEMS
from .markdown import to_markdown
from .page.render import render_page
from .study import NOT_ANSWERED, Study

_LOG_COST = ("cost", "latency", "loops")
_LOG_KEY = "eval_id"
_LARGE = ("searches", "passages", "details")
_EFFORT = {
    name: "words" if name == "word_count" else name
    for name in ("loops", "input_tokens", "output_tokens", "word_count", "cost_usd", "latency_ms")
}


def predictions(study: Study, system: str) -> Iterator[dict[str, Any]]:
    """Yield the answers of a system as records of ARagPoc's `predictions.jsonl`.

    A skipped or failed sample is marked, and has no prediction, cost or effort.
    `replay` holds the further fields with which the solver `replay` reproduces the scores.
    """
    for answer in _answers(study, system):
        retrieved = answer["context"] == "retrieved"
        finished = answer["outcome"] not in NOT_ANSWERED
        passages = answer["passages"]
        yield {
            "id": answer["id"],
            "source": answer["source"],
            "question": answer["input"],
            "ground_truth": answer["target"],
            "predicted": answer["text"] if finished else None,
            **_effort(answer),
            "max_loops_reached": answer["stopped_by"] == "max_loops",
            **_left_out(answer),
            "replay": {
                "epoch": answer["epoch"],
                "system": answer["answered_by"],
                "context": answer["context"],
                "reads_once": answer["reads_once"],
                "stopped_by": answer["stopped_by"],
                "outcome": answer["outcome"],
                "wall_ms": answer["wall_ms"] if finished else None,
                "chunk_ids": [] if retrieved else [passage.chunk_id for passage in passages],
            },
            "trace": [
                {key: value for key, value in call._asdict().items() if value is not None}
                for call in to_calls(answer["searches"], passages if retrieved else ())
            ],
        }


def evaluated_predictions(study: Study, system: str) -> Iterator[dict[str, Any]]:
    """Yield the scores of a system as records of ARagPoc's `predictions.eval.jsonl`.

    One record per answer; correctness is in those of runs that measured it.
    """
    values = study.by_answer.astype(object).where(study.by_answer.notna(), None)
    by_answer = values.to_dict("index")
    exported = [spec for spec in by_family(study.declared.values()) if _is_exported(study, spec)]
    for answer in _answers(study, system):
        value, effort = by_answer.get(answer["answer"], {}), _effort(answer)
        record = {"id": answer["id"], **_left_out(answer)}
        for spec in exported:
            record[spec.exported] = value.get(spec.key)
            if spec.graded:
                scoring = study.scorings.get((answer["answer"], spec.scorer))
                record[f"{spec.exported}_reasoning"] = scoring.text if scoring else None
        record |= {name: effort[name] for name in ("word_count", "loops", "cost_usd", "latency_ms")}
        codes = answer["codes"]
        yield record | {"error_codes": None if codes is None else list(codes)}


def _is_exported(study: Study, spec: MeasureSpec) -> bool:
    """Return whether records have a measure: those of questions only in runs that measured them."""
    return bool(spec.exported) and (spec.decides != ("answer",) or spec.key in study.measures)


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose records, tuples and dictionaries are JSON, for files.

    Columns that another frame holds in parts, or that are as large as the log, are left out.
    """
    kept = frame.drop(columns=[name for name in _LARGE if name in frame])
    texts = kept.select_dtypes(exclude=["number", "bool"]).columns
    return kept.assign(**{name: kept[name].map(_as_text) for name in texts})


def _as_text(value: object) -> object:
    if value is None or isinstance(value, str) or value != value:
        return None if value != value else value
    if isinstance(value, frozenset):
        value = sorted(value)
    return to_json(value, fallback=str, inf_nan_mode="null").decode()


def log_rows(study: Study) -> list[dict[str, str]]:
    """Return one row per run: its settings and means.

    Rows are comparable if `questions` and `signatures` are equal: the digests of the
    answered samples (id and epoch) and of the measurements.
    Dollars are means per question, of the system and of its judges, and
    missing if one of them is unknown.
    """
    judging, rows = judge_cost(study), []
    for system, answers in study.by_system(study.answers):
        run = study.runs.loc[system]
        finished = answers[~answers["outcome"].isin(NOT_ANSWERED)]
        scores = study.scores[study.scores["system"] == system]
        questions = finished["id"] + " " + finished["epoch"].astype(str)
        judged = finished.index.isin(study.verdicts["answer"])
        costs = judging.reindex(finished.index).where(judged, 0.0)
        row: dict[str, object] = {
            **run[[_LOG_KEY, "created", "task", "version", "dataset", "system", "model"]],
            "graders": " ".join(run["graders"]),
            "status": run["status"],
            "samples": len(answers),
            "skipped": int((answers["outcome"] == "skipped").sum()),
            "answered": len(finished),
            "questions": digest(*sorted(questions)),
            "corpus": (run["corpus"] or "")[:12],
            "signatures": digest(*sorted(scores["signature"].dropna().unique())),
            "judge_usd": costs.mean(skipna=False) if judged.any() else None,
            "log": run["location"],
        }
        means = scores.groupby("measure")["value"].agg(["mean", "count"])
        row |= {spec.key: means["mean"].get(spec.key) for spec in study.main}
        for key in map(study.key_of, _LOG_COST):
            row |= {key: means["mean"].get(key), f"{key} n": means["count"].get(key, 0)}
        row[study.key_of("cost")] = finished["cost_usd"].mean(skipna=False)
        rows.append({name: "" if pd.isna(value) else str(value) for name, value in row.items()})
    return rows


def merge_log(existing: str, rows: list[dict[str, str]], location: str) -> str:
    """Return a CSV log with more rows; the row of a known run is replaced.

    Args:
        existing: Contents of the log; empty if it does not exist.
        rows: Rows to add.
        location: Location of the log, for errors.

    Raises:
        InputError: The contents are not such a log.
    """
    old_rows = list(csv.DictReader(io.StringIO(existing)))
    if existing.strip() and (not old_rows or any(_LOG_KEY not in row for row in old_rows)):
        raise InputError(
            f"{location} has no column {_LOG_KEY}, so it is not a log of runs; move it away"
        )
    merged = {row[_LOG_KEY]: row for row in (*old_rows, *rows)}
    columns = dict.fromkeys(column for row in (*rows, *old_rows) for column in row if column)
    rest = ([row.get(column, "") for column in columns] for row in merged.values())
    return csv_text([columns, *rest])


def _answers(study: Study, system: str) -> list[dict[str, Any]]:
    return [answer for answer in study.records if answer["system"] == system]


def _effort(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the effort of an answer; empty if there is no answer."""
    if answer["outcome"] in NOT_ANSWERED:
        return dict.fromkeys(_EFFORT)
    effort = {name: answer[_EFFORT[name]] for name in _EFFORT}
    return effort | {name: effort[name] or 0 for name in ("loops", "input_tokens", "output_tokens")}


def _left_out(answer: dict[str, Any]) -> dict[str, Any]:
    """Return why there is no answer; empty if there is one."""
    why = {
        "skipped": {"skipped": True, "skip_reason": answer["error"]},
        "errored": {"error": answer["error"]},
    }
    return why.get(answer["outcome"], {})


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
    folder: Path | str,
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
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK):  # concurrent reports wait for each other
            _write_all(report, folder, viewer, refresh, progress)
    except OSError as error:
        raise InputError(f"the report cannot be written to {folder}: {error}") from error
    return WrittenReport(folder, folder / MARKDOWN, folder / PAGE)


def upload_report(report: Report, address: str, **options: Any) -> str:
    """Write a report, as `write_report` does, into a folder of a remote store.

    It is written locally first, so that each remote file is replaced as a whole; an
    existing `evaluation_log.csv` is extended.

    Args:
        report: Report to write.
        address: Address such as `s3://bucket/report`, of any store that fsspec supports.
        options: See `write_report`.

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
            write_report(report, folder, **options)
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
    names = unique_slugs([part.study.name for part in report.studies])
    _write_run_log(report, folder / RUN_LOG)
    beside = _write_frames(report.frames, folder)
    for part, name in zip(report.studies, names, strict=True):
        _write_study(part, folder / name)
    pictures = [
        (chart, folder / name / "charts" / f"{chart.name}.svg")
        for part, name in zip(report.studies, names, strict=True)
        for chart in part.charts
    ]
    with progress(len(pictures)) as advance:
        for chart, path in pictures:
            svg = as_svg(chart)
            replace_file(path, svg)
            replace_file(path.with_suffix(".png"), as_png(chart, svg))
            advance()
    replace_file(folder / MARKDOWN, to_markdown(report, names))
    replace_file(folder / PAGE, render_page(report, viewer=viewer, refresh=refresh, beside=beside))


def _write_study(part: StudyReport, folder: Path) -> None:
    """Write the tables of a benchmark, and the answers of each system."""
    for table in part.tables:
        replace_file(folder / "tables" / f"{table.id}.csv", table.as_csv())
    exports = {
        "predictions.jsonl": predictions,
        "predictions.eval.jsonl": evaluated_predictions,
    }
    for addition in additions():
        exports |= addition.exports
    systems = part.study.systems
    solvers = [
        run.system.replace(SYSTEMS.get(run.solver, run.solver), run.solver, 1)
        for run in part.study.rows
    ]
    for system, name in zip(systems, unique_slugs(solvers), strict=True):
        for file, export in exports.items():
            lines = (to_json(record).decode() + "\n" for record in export(part.study, system))
            if first := next(lines, ""):
                replace_file(folder / name / file, chain([first], lines))


def slug(name: str) -> str:
    """Return a name suitable for a file, of at most 60 characters."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60].rstrip("-.") or "unnamed"


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
    rows = [row for part in report.studies for row in log_rows(part.study)]
    replace_file(path, merge_log(existing, rows, str(path)))


def _write_frames(frames: Frames, folder: Path) -> list[str]:
    """Write every frame as Parquet, and the scores as CSV too; return the names of the files."""
    tables = {**dict(zip(Frames._fields[:4], frames[:4], strict=True)), "steps": frames.steps()}
    for name, frame in tables.items():
        table = plain(frame)
        replace_file(folder / f"{name}.parquet", table.to_parquet(index=False))
        if name == "scores":
            plain_scores = table.drop(columns=["answer", "text"])
            rows = (
                plain_scores.astype(object)
                .where(plain_scores.notna(), None)
                .itertuples(index=False)
            )
            replace_file(folder / "scores.csv", csv_text([list(plain_scores.columns), *rows]))
    return ["scores.csv", *(f"{name}.parquet" for name in tables)]
