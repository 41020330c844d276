"""`arag-inspect gate`: check a new run against an earlier one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click

from .._util.errors import InputError, echo, one_line

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
def gate(
    new: tuple[str, ...],
    base: tuple[str, ...],
    rules: tuple[str, ...],
    file: Path | None,
    undecided: Literal["fail", "pass"],
    allow_missing: int,
    junit: Path | None,
) -> None:
    """Check that the NEW logs are not worse than earlier ones, by the report's own statistics.

    Exits with 0 if every rule is kept, 1 if one is broken (also by samples that the new run
    was asked for and lacks), 2 if one is undecided: too few samples, missing values, unfinished
    runs, another judge, corpus or question, a log that is not there; and with 3 if nothing can
    be checked: no log can be read, or an option is wrong. Prints a table in Markdown.
    """
    from ..report import frames
    from ..workflows import gate as gating

    parsed_rules = gating.read_rules(rules, file)
    checked = gating.check_rules(
        frames(new), frames(base), parsed_rules, allow_missing=allow_missing
    )
    if junit is not None:
        junit.write_text(gating.to_junit(checked, undecided), encoding="utf-8")
    for line in gating.to_markdown(checked).splitlines():
        echo(line)
    for note in checked.notes:
        echo(note, err=True)
    sys.exit(gating.exit_code(checked, undecided))
