"""`arag-inspect gate`: check a new run against an earlier one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click

from .._util.errors import InputError, echo, one_line
from ._report_options import read_options, reading_options

_NOTHING_CHECKED = 3
"""Exit code if there is no verdict."""


class _Gate(click.Command):
    """A command whose errors have an exit code of their own."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        with _own_exit_code():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _own_exit_code():
            return super().invoke(ctx)


@contextmanager
def _own_exit_code() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        error.show()
    except OSError as error:
        cause = error.strerror or one_line(error)
        InputError(f"{error.filename}: {cause}" if error.filename else cause).show()
    else:
        return
    sys.exit(_NOTHING_CHECKED)


@click.command(cls=_Gate)
@click.argument("new", nargs=-1, required=True)
@click.option(
    "--against",
    "base",
    multiple=True,
    metavar="LOGS",
    help="Earlier logs; without them a rule is about the mean itself.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="RULE",
    help="Allowed change of a mean, e.g. 'geval_faithfulness >= -0.2'; without --against the"
    " allowed mean, e.g. 'match >= 0.7'.",
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
    help="Result for rules that too few samples leave undecided.",
)
@click.option(
    "--allow-missing",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Samples without a value, by system and rule, that decide nothing.",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write JUnit XML to this file.",
)
@reading_options
def gate(
    new: tuple[str, ...],
    base: tuple[str, ...],
    rules: tuple[str, ...],
    file: Path | None,
    undecided: Literal["fail", "pass"],
    allow_missing: int,
    junit: Path | None,
    **said: Any,
) -> None:
    """Check that the NEW logs are good enough, or not worse than earlier ones.

    It goes by the report's own statistics.

    Exits with 0 if every rule is kept, 1 if one is broken (also by samples that the new run
    was asked for and lacks), 2 if one is undecided: too few samples, missing values, unfinished
    runs, another judge, corpus or question, a log that is not there; and with 3 if nothing can
    be checked: no log can be read, or an option is wrong. Prints a table, in Markdown where the
    output is no terminal.
    """
    from ..report import frames
    from ..workflows import gate as gating

    parsed_rules = gating.read_rules(rules, file)
    reading = read_options(**said)
    checked = gating.check_rules(
        frames(new, reading=reading),
        frames(base, reading=reading) if base else None,
        parsed_rules,
        allow_missing=allow_missing,
    )
    if junit is not None:
        junit.write_text(gating.to_junit(checked, undecided), encoding="utf-8")
    write = gating.to_text if sys.stdout.isatty() else gating.to_markdown
    for line in write(checked).splitlines():
        echo(line)
    for note in checked.notes:
        echo(note, err=True)
    sys.exit(gating.exit_code(checked, undecided))
