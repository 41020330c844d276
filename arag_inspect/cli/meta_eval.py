"""`arag-inspect meta-eval`: do scorers notice errors?"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from .._util.errors import InputError, echo
from .._util.files import replace_file
from ._command import (
    AT_LEAST_1,
    FILE,
    Graders,
    ScorerOptions,
    command,
    forward,
    parse_scorer_options,
    split_names,
)

if TYPE_CHECKING:
    from ..report.table import Table

_LONGEST = 1_000_000
"""Maximum characters printed."""


@click.group("meta-eval")
def meta_eval() -> None:
    """Evaluate the scorers themselves."""


def _output_file(
    *, output: Annotated[Path | None, FILE, "-o --output", "FILE.md|FILE.json"] = None
) -> Path | None:
    """Check that a result can be written to a file.

    Args:
        output: Also write every figure to this file.

    Raises:
        InputError: It has another ending, or its folder does not exist.
    """
    if output is not None and output.suffix not in (".md", ".json"):
        raise InputError(f"{output} must end in .md or .json")
    if output is not None and not output.absolute().parent.is_dir():
        raise InputError(f"folder {output.absolute().parent} does not exist; create it first")
    return output


@command()
def audit(
    source: Annotated[str, "CORPUS|LOG"],
    *,
    scorers: Annotated[str | None, "NAMES"] = None,
    arguments: ScorerOptions = (),
    summaries: Literal["evidence", "reference", "answers"] | None = None,
    limit: Annotated[int, AT_LEAST_1] = 50,
    grader: Graders = None,
    seed: int = 0,
    lower_is_better: Annotated[tuple[str, ...], "KEY"] = (),
    to: Annotated[Path | None, _output_file],
    log_dir: Annotated[str, "DIR"] = "logs/audit",
) -> None:
    """Insert known errors into good summaries and measure which scorers detect them.

    The same command resumes an interrupted run.

    Args:
        source: Prepared corpus, or log.
        scorers: Scorers, separated by commas, also package/scorer or module:function. [default:
            those that need no weights, without --grader those that ask no grader]
        arguments: Argument of a scorer, e.g. -S bertscore.model=PATH.
        summaries: Texts taken as good. [default: evidence of a corpus, answers of a log]
        limit: Maximum number of summaries, sampled at random.
        grader: Grader of judged scorers, several separated by commas.
        seed: Seed of the sample and the errors.
        lower_is_better: A key for which lower is better, if not declared.
        to: File of the result.
        log_dir: Folder of the log.
    """
    from ..validity import meta_evaluate
    from ..validity.audit import notes, tables, title

    by_scorer = parse_scorer_options(arguments)
    # only the result is printed
    options = {"scorers": split_names(scorers), "arguments": by_scorer, "display": "none"}
    report = forward(meta_evaluate, **options)
    *printed, details = tables(report)
    _show(report.as_dict(), title(report), printed, notes(report), to, [details])


meta_eval.add_command(audit)


def _show(
    values: Mapping[str, Any],
    title: str,
    tables: Sequence["Table"],
    notes: Iterable[str],
    to: Path | None,
    details: Sequence["Table"] = (),
) -> None:
    """Print a result, and write it to a file.

    Args:
        values: All fields as JSON values.
        title: Heading.
        tables: Tables for the terminal and Markdown.
        notes: Lines below them.
        to: File to write, if any.
        details: Tables for Markdown alone.
    """
    lines = list(notes)
    if to is not None:
        text = json.dumps(values, indent=1, allow_nan=False)
        if to.suffix == ".md":
            blocks = [f"# {title}"]
            for table in (*tables, *details):
                blocks += [f"## {table.title}", table.text, table.as_markdown()]
            blocks.append("\n".join(f"- {note}" for note in lines))
            text = "\n\n".join(filter(None, blocks))
        replace_file(to, text + "\n")
    width = get_terminal_size((200, 0)).columns
    parts = [title, *(f"{table.text}\n\n{table.as_text(width)}".strip() for table in tables)]
    echo("\n\n".join([*parts, "\n".join(lines)]).strip(), longest=_LONGEST)
