"""Common parts of the commands that write a report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from .._util.errors import InputError, echo

if TYPE_CHECKING:
    from ..report import Criterion, Report


def reading(
    *,
    lower: Annotated[tuple[str, ...], "NAME"] = (),
    higher: Annotated[tuple[str, ...], "NAME"] = (),
    labels: Annotated[tuple[str, ...], "--label", "FILE=NAME"] = (),
    cluster: Annotated[str | None, "KEY"] = None,
) -> Any:
    """Return what the user says of logs, as `report.LogOptions`.

    Args:
        lower: Measure of another package's scorer of which a lower value is better.
        higher: Measure of another package's scorer of which a higher value is better.
        labels: Name of the system of a log, in place of its solver or model.
        cluster: Metadata key (or field) of samples that belong together, in place of company or
            document.

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
            raise InputError(f"--label gives two logs the name {name}; give each its own")
    if both := sorted({*lower} & {*higher}):
        raise InputError(f"{both[0]} is in --lower and in --higher; give it once")
    return LogOptions(tuple(lower), tuple(higher), dict(pairs), cluster)


class Writing(NamedTuple):
    """What a report has, and where it is written."""

    out: str
    primary: str | None
    criteria: "tuple[Criterion, ...]"
    viewer: str | None


def writing(
    *,
    out: Annotated[str, "-o --out", "FOLDER"] = "report",
    primary: Annotated[str | None, "NAME[,NAME2]"] = None,
    criteria: Annotated[str | None, "[FILE]"] = None,
    viewer: Annotated[str | None, "URL"] = None,
) -> Writing:
    """Return what the user says of a report.

    Args:
        out: Folder to write to, local or remote (s3://...).
        primary: Measures that decide which system is better, in place of the task's own.
        criteria: Judge success criteria: the package's own, or those of a YAML file.
        viewer: Address of a running `inspect view`, e.g. http://127.0.0.1:7575: the page then links
            samples to it.

    Raises:
        InputError: The criteria cannot be read.
    """
    from ..report import read_criteria

    chosen = () if criteria is None else read_criteria(Path(criteria) if criteria else None)
    return Writing(out, primary, chosen, viewer)


def write_and_print(report: "Report", to: Writing, refresh: int | None = None) -> None:
    """Write a report, and print its notices, findings and location."""
    from .._util.progress import bar
    from ..report import upload_report, write_report

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
    for notice in report.notices:
        echo(f"{notice.level}: {notice.text}", err=True)
    for item in report.benchmarks:
        echo(f"\n{item.benchmark.name}: {', '.join(item.benchmark.systems)}")
        for finding in item.findings:
            if not finding.unjudged:
                echo(f"  {finding.topic}: {finding.text}")
    echo("\n" + "\n".join(lines))
