"""`arag-inspect report` and `compare`: results of logs."""

import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from .._util.errors import InputError, echo
from ._command import FILE, command, split_names

if TYPE_CHECKING:
    from ..report import Criterion, Report


def log_options(
    *,
    lower: Annotated[tuple[str, ...], "NAME"] = (),
    higher: Annotated[tuple[str, ...], "NAME"] = (),
    labels: Annotated[tuple[str, ...], "--label", "FILE=NAME"] = (),
    cluster: Annotated[str | None, "KEY"] = None,
) -> Any:
    """Return the options for reading logs as `report.LogOptions`.

    Args:
        lower: Measures from other packages for which lower values are better.
        higher: Measures from other packages for which higher values are better.
        labels: Name for the system of a log, instead of its solver or model.
        cluster: Metadata key (or field) that groups samples, instead of company or document.

    Raises:
        InputError: A label has no `=`, two logs have the same, or a measure is in both lists.
    """
    from ..report import LogOptions

    pairs = [label.rpartition("=")[::2] for label in labels]
    names = [name for _, name in pairs]
    for label, (file, name) in zip(labels, pairs, strict=True):
        if not (file and name.strip()):
            raise InputError(f"--label {label} is not FILE=NAME")
        if names.count(name) > 1:
            raise InputError(f"--label gives two logs the name {name}; use different names")
    lower_names = split_names(",".join(lower))
    higher_names = split_names(",".join(higher))
    both = sorted({*lower_names} & {*higher_names})
    if both:
        raise InputError(f"{both[0]} is in --lower and in --higher; give it once")
    return LogOptions(tuple(lower_names), tuple(higher_names), dict(pairs), cluster)


class ReportOptions(NamedTuple):
    """Options of a report, and its folder."""

    out: str
    primary: str | None
    criteria: "tuple[Criterion, ...]"
    viewer: str | None


def output_options(
    *,
    out: Annotated[str, "-o --out", "FOLDER"] = "report",
    primary: Annotated[str | None, "NAME[,NAME2]"] = None,
    criteria: bool = False,
    viewer: Annotated[str | None, "URL"] = None,
) -> ReportOptions:
    """Return the options of a report.

    Args:
        out: Folder to write to, local or remote (s3://...).
        primary: Measures that decide which system is better, instead of the task's.
        criteria: Check the package's success criteria.
        viewer: Address of a running `inspect view`, such as http://127.0.0.1:7575, to link samples
            to.
    """
    from ..report import read_criteria

    return ReportOptions(out, primary, read_criteria() if criteria else (), viewer)


def write_and_print(report: "Report", to: ReportOptions, refresh: int | None = None) -> None:
    """Write a report, and print its notices, findings and location."""
    from .._util.progress import bar
    from ..report import upload_report, write_report
    from ..report.comparison.basis import extent_of, few_samples
    from ..report.findings.provenance import rule_notices
    from ..report.labels import end_sentence

    drawing: dict[str, Any] = {
        "viewer": to.viewer,
        "refresh": refresh,
        "progress": bar("Drawing charts"),
    }
    if "://" in to.out:
        lines = [f"Page:     {upload_report(report, to.out, **drawing)}"]
    else:
        files = write_report(report, Path(to.out), **drawing)
        lines = [f"Page:     {files.page}", f"Markdown: {files.markdown}"]
    for text in report.unjudged:
        echo(f"Not judged: {text}")
    runs = list(chain.from_iterable(item.study.rows for item in report.studies))
    for text in rule_notices(runs):
        echo(f"warning: {text}", err=True)
    for notice in report.notices:
        echo(f"{notice.level}: {notice.text}", err=True)
    for item in report.studies:
        extent = few_samples(item.study) or extent_of(item.study)
        echo(f"\n{item.study.title} ({extent})")
        for finding in item.findings:
            if finding.kind != "not judged":
                echo(f"  {finding.topic}: {finding.text}")
        if item.failure is not None:
            echo(f"  {item.failure.topic}: {item.failure}.")
        if item.lost_facts:
            echo(f"  Facts lost: {end_sentence(item.lost_facts)}")
    echo("\n" + "\n".join(lines))


_SECONDS = 5
"""Interval between two reads of logs that are being written."""


@command()
def report(
    logs: tuple[str, ...],
    *,
    human: Annotated[str | None, "FILE"] = None,
    review_sheet: Annotated[Path | None, FILE] = None,
    watch: bool = False,
    baseline: Annotated[str | None, "SYSTEM"] = None,
    to: Annotated[ReportOptions, output_options],
    reading: Annotated[Any, log_options],
) -> None:
    """Compare the systems in Inspect logs.

    LOGS are files or folders, local or remote. Writes one page with charts and every sample, the
    same as Markdown, and every score as CSV and Parquet.

    Args:
        logs: Files or folders.
        human: Human marks: a filled-in review sheet, or records in the format of Inspect's
            precomputed_scores (with their system if there are several).
        review_sheet: Also write answers for a person to mark, as .csv or .xlsx: ten random answers
            of each system, and answers that are weak or on which judges disagree.
        watch: Rewrite the report as samples finish, until no run is in progress.
        baseline: Compare every system with this one, including systems with other models.
        to: Options of the report.
        reading: Options for reading logs.
    """
    from .._util.progress import bar
    from ..report import add_human_marks, check_labels, frames, make_report
    from ..report.people.review_sheet import write_review_sheet

    check_labels(reading, logs)
    while True:
        before = _state(logs) if watch else None
        study_frames = frames(logs, reading=reading, progress=bar("Reading logs"))
        if human is not None:
            study_frames = add_human_marks(study_frames, human)
        if review_sheet is not None:
            count = write_review_sheet(study_frames, review_sheet)
            echo(
                f"Review {count} answers in {review_sheet}, then report again with --human "
                f"{review_sheet}"
            )
        new_report = make_report(
            study_frames,
            split_names(to.primary),
            to.criteria,
            baseline=baseline,
            progress=bar("Comparing"),
        )
        running = (study_frames.runs["status"] == "started").any()
        write_and_print(new_report, to, _SECONDS if watch and running else None)
        if not (watch and running):
            return
        while _state(logs) == before:
            time.sleep(_SECONDS)


def _state(logs: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name, size and date of every log file, local or remote."""
    import fsspec

    states = []
    for path in logs:
        files, root = fsspec.core.url_to_fs(path)
        for name, info in files.find(root, detail=True).items():
            states.append(
                (name, f"{info.get('size')} {info.get('mtime') or info.get('LastModified')}")
            )
    return sorted(states)


@command()
def compare(
    base: str,
    new: tuple[str, ...],
    *,
    to: Annotated[ReportOptions, output_options],
    reading: Annotated[Any, log_options],
) -> None:
    """Compare logs from before and after a change.

    BASE is a log or folder from before the change, NEW one from after it, local or remote. The
    report begins with what changed (model, prompts, corpus, judges, versions), then shows which
    measures and samples got worse or better, system by system, and everything else that
    `arag-inspect report` shows. With several NEW, every run has a row with its difference to BASE.
    """
    from .._util.progress import bar
    from ..report import check_labels, compare_frames, compare_runs, frames

    check_labels(reading, [base, *new])
    primary = split_names(to.primary)
    if len(new) > 1:
        every = reading._replace(every=True)
        runs = frames([base, *new], reading=every, progress=bar("Reading logs"))
        write_and_print(compare_runs(runs, base, primary=primary, criteria=to.criteria), to)
        return
    after = frames(new, reading=reading, progress=bar("Reading new logs"))
    before = frames([base], reading=reading, progress=bar("Reading earlier logs"))
    report = compare_frames(before, after, primary=primary, criteria=to.criteria)
    write_and_print(report, to)
