"""`arag-inspect gate`: whether logs are good enough."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from .._util.errors import echo
from ._command import FILE, command
from .report import log_options

_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Environment variable with the file that GitHub shows as the summary of a job."""

_TERMINAL = 80
_FILE = 200
"""Widths of the table on a terminal and in a file, where each rule is a searchable line."""


@command()
def gate(
    new: tuple[str, ...],
    *,
    base: Annotated[tuple[str, ...], "--against", "LOGS"] = (),
    rules: Annotated[tuple[str, ...], "--rule", "RULE"] = (),
    file: Annotated[Path | None, FILE, "--rules"] = None,
    undecided: Literal["fail", "pass", "mean"] = "fail",
    allow_missing: Annotated[int, click.IntRange(min=0), "N"] = 0,
    junit: Annotated[Path | None, FILE] = None,
    markdown: Annotated[Path | None, FILE] = None,
    reading: Annotated[Any, log_options],
) -> None:
    """Check that logs are good enough, or no worse than before.

    A rule is decided by the 95 % interval of the report alone; compare names a winner only if the
    permutation test, corrected for all comparisons, agrees.

    Exit status: 0 if every rule is kept; 1 if a rule is broken, or the new run lacks samples that
    it was asked for; 2 if a rule is undecided (too few samples, missing values, an unfinished run,
    a different judge, corpus or question, a missing log); 3 if nothing can be checked (no readable
    log, or an invalid option). Prints a table and, last, which rules fail; in GitHub Actions it
    also adds them in Markdown to the summary of the job ($GITHUB_STEP_SUMMARY).

    Args:
        new: Files or folders.
        base: Earlier logs to compare with. Without them, rules apply to the mean itself.
        rules: Allowed change of a mean, such as 'geval_faithfulness >= -0.2', or without --against
            the allowed mean, such as 'match >= 0.7'.
        file: More rules, as a YAML list.
        undecided: Result of rules that are undecided because of too few samples. "pass" does not
            accept a run in which every sample breaks the rule; "mean" accepts only a mean, or a
            change of it, that keeps the rule.
        allow_missing: Samples per system and rule that may lack a value.
        junit: Also write JUnit XML to this file.
        markdown: Also write the table to this file, in Markdown.
        reading: Options for reading logs.
    """
    from .._util.progress import bar
    from ..report import check_labels, frames
    from ..run.gate import gate as gating
    from ..run.gate import output
    from ..run.gate.rules import read_rules

    check_labels(reading, [*new, *base])
    parsed_rules = read_rules(rules, file)
    checked = gating.gate(
        frames(new, reading=reading, progress=bar("Reading new logs")),
        frames(base, reading=reading, progress=bar("Reading earlier logs")) if base else None,
        parsed_rules,
        allow_missing=allow_missing,
    )
    if junit is not None:
        junit.write_text(output.to_junit(checked, undecided), encoding="utf-8")
    if markdown is not None:
        markdown.write_text(output.to_markdown(checked, undecided), encoding="utf-8")
    if os.environ.get(_SUMMARY):
        with Path(os.environ[_SUMMARY]).open("a", encoding="utf-8") as summary:
            summary.write(output.to_markdown(checked, undecided))
    width = _TERMINAL if sys.stdout.isatty() else _FILE
    for line in output.to_text(checked, undecided, width).splitlines():
        echo(line)
    for note in checked.notes:
        echo(note, err=True)
    sys.exit(gating.exit_code(checked, undecided))
