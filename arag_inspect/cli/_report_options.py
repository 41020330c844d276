"""Common parts of the commands that write a report."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._util.errors import echo

if TYPE_CHECKING:
    from ..report import Report

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


def report_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--out`, `--primary`, `--criteria` and `--viewer`."""
    return reduce(lambda function, option: option(function), reversed(_OPTIONS), command)


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
