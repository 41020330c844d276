"""`arag-inspect gate`: check a new run against an earlier one."""

import sys
from pathlib import Path
from typing import Literal

import click

from .._util.errors import echo


@click.command()
@click.argument("new", nargs=-1, required=True)
@click.option(
    "--against", "base", multiple=True, required=True, metavar="LOGS", help="Earlier logs."
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Allowed change of a mean, e.g. 'geval_faithfulness >= -0.2'.",
)
@click.option(
    "--rules",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="More rules, as a YAML list.",
)
@click.option(
    "--undecided",
    type=click.Choice(["fail", "pass"]),
    default="fail",
    show_default=True,
    help="Result for rules that the samples do not decide.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write JUnit XML to this file.",
)
def gate(
    new: tuple[str, ...],
    base: tuple[str, ...],
    rules: tuple[str, ...],
    file: Path | None,
    undecided: Literal["fail", "pass"],
    junit: Path | None,
) -> None:
    """Check that the NEW logs are not worse than earlier ones, by the report's own statistics.

    Exits with 0 if every rule is kept, 1 if one is broken, and 2 if there are too few
    samples to decide one. Prints a table in Markdown.
    """
    from ..report import read_runs
    from ..workflows import gate as gating

    parsed_rules = gating.read_rules(rules, file)
    checks = gating.check_rules(read_runs(new), read_runs(base), parsed_rules)
    if junit is not None:
        junit.write_text(gating.to_junit(checks, undecided), encoding="utf-8")
    for line in gating.to_markdown(checks).splitlines():
        echo(line)
    sys.exit(gating.exit_code(checks, undecided))
