"""`arag-inspect meta-eval`: do scorers notice errors?"""

import json
from collections.abc import Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Literal

import click

from .._util.errors import echo
from .._util.files import replace_file
from ._command import (
    AT_LEAST_1,
    FILE,
    Graders,
    ScorerOptions,
    command,
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
    output: Annotated[Path | None, FILE, "-o --output", "FILE.md|FILE.json"] = None,
    log_dir: Annotated[str, "DIR"] = "logs/audit",
) -> None:
    """Insert known errors into good summaries and measure which scorers detect them.

    The same command resumes an interrupted run.

    Args:
        source: Prepared corpus, or log.
        scorers: Scorers, separated by commas, including package/scorer and module:function.
            [default: scorers that need no downloaded model, and no grader without --grader]
        arguments: Argument of a scorer, e.g. -S bertscore.model=PATH.
        summaries: Texts taken as good. [default: evidence of a corpus, answers of a log]
        limit: Maximum number of summaries, sampled at random.
        grader: Grader of judged scorers, several separated by commas.
        seed: Random seed for the sample and the errors.
        lower_is_better: Key for which lower is better, if its scorer does not declare this.
        output: Also write every figure to this file.
        log_dir: Folder of the log.
    """
    from ..validity import meta_evaluate
    from ..validity.audit import notes, tables, title

    report = meta_evaluate(
        source,
        scorers=split_names(scorers),
        arguments=parse_scorer_options(arguments),
        summaries=summaries,
        limit=limit,
        grader=grader,
        seed=seed,
        lower_is_better=lower_is_better,
        log_dir=log_dir,
        display="none",  # only the result is printed
    )
    *printed, comparisons = tables(report)
    remarks = list(notes(report))
    if output is not None:
        text = json.dumps(report.as_dict(), indent=1, allow_nan=False)
        if output.suffix != ".json":
            text = _format_markdown(title(report), [*printed, comparisons], remarks)
        replace_file(output, f"{text}\n")
    width = get_terminal_size((200, 0)).columns
    blocks = [f"{table.text}\n\n{table.as_text(width)}" for table in printed]
    parts = [title(report), *blocks, "\n".join(remarks)]
    echo("\n\n".join(parts).strip(), longest=_LONGEST)


meta_eval.add_command(audit)


def _format_markdown(title: str, tables: Sequence["Table"], notes: Sequence[str]) -> str:
    blocks = [f"# {title}"]
    for table in tables:
        blocks += [f"## {table.title}", table.text, table.as_markdown()]
    blocks.append("\n".join(f"- {note}" for note in notes))
    return "\n\n".join(filter(None, blocks))
