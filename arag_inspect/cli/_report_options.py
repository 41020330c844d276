"""Common parts of the commands that write a report."""

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._util.errors import InputError, echo

if TYPE_CHECKING:
    from ..report import LogOptions, Report

_OPTIONS = (
    click.option(
        "-o",
        "--out",
        default="report",
        show_default=True,
        metavar="FOLDER",
        help="Folder to write to, local or remote (s3://...).",
    ),
    click.option(
        "--primary",
        metavar="NAME[,NAME2]",
        help="Measures that decide which system is better, in place of the task's own.",
    ),
    click.option(
        "--criteria",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Success criteria (YAML), in place of the package's list.",
    ),
    click.option(
        "--viewer",
        metavar="URL",
        default="http://127.0.0.1:7575",
        show_default=True,
        help="Address of `inspect view`, for links from the page to samples.",
    ),
)

_READING = (
    click.option(
        "--lower",
        multiple=True,
        metavar="NAME",
        help="Measure of another package's scorer of which a lower value is better.",
    ),
    click.option(
        "--higher",
        multiple=True,
        metavar="NAME",
        help="Measure of another package's scorer of which a higher value is better.",
    ),
    click.option(
        "--label",
        "labels",
        multiple=True,
        metavar="FILE=NAME",
        help="Name of the system of a log, in place of its solver or model.",
    ),
    click.option(
        "--cluster",
        metavar="KEY",
        help="Metadata key (or field) of samples that belong together, in place of company or"
        " document.",
    ),
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that `read_options` reads."""
    return reduce(lambda function, option: option(function), reversed(_READING), command)


def read_options(
    lower: Sequence[str], higher: Sequence[str], labels: Sequence[str], cluster: str | None
) -> "LogOptions":
    """Return what the user says of logs.

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


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of what is written, and those that `read_options` reads."""
    options = (*_OPTIONS, *_READING)
    return reduce(lambda function, option: option(function), reversed(options), command)


def write_and_print(report: "Report", out: str, viewer: str, refresh: int | None = None) -> None:
    """Write a report, and print its notices, findings and location."""
    from .._util.progress import bar
    from ..report import upload_report, write_report

    drawing = bar("Drawing charts")

    if "://" in out:
        lines = [
            f"Page:     {upload_report(report, out, viewer=viewer, refresh=refresh, progress=drawing)}"
        ]
    else:
        files = write_report(report, Path(out), viewer=viewer, refresh=refresh, progress=drawing)
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
