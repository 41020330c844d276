"""`arag-inspect meta-eval`."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from ._options import split_names
from ._results import ARGUMENTS, FORMAT, GRADER, OUTPUT, by_scorer, check_output, show


@click.command("meta-eval")
@click.argument("source", metavar="CORPUS|LOG")
@click.option(
    "--scorers",
    metavar="NAMES",
    help="Scorers, separated by commas, also package/scorer or module:function. [default: those that need no key and no weights]",
)
@ARGUMENTS
@click.option(
    "--summaries",
    type=click.Choice(["evidence", "reference", "answers"]),
    help="Texts taken as good. [default: evidence of a corpus, answers of a log]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Most summaries, sampled at random.",
)
@GRADER
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the sample and the errors."
)
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="KEY",
    help="A key for which lower is better, if not declared.",
)
@FORMAT
@OUTPUT
@click.option("--log-dir", metavar="DIR", help="Folder of the log. [default: Inspect's]")
def meta_evaluate(
    source: str,
    scorers: str | None,
    arguments: tuple[str, ...],
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Insert known errors into good summaries, and measure which scorers detect them."""
    check_output(output)
    from ..meta_evaluation import markdown, meta_evaluate, print_audit

    audit = meta_evaluate(
        source,
        scorers=split_names(scorers),
        arguments=by_scorer(arguments),
        display="none",  # only the result is printed
        **options,
    )
    show(
        audit.as_dict(), partial(markdown, audit), partial(print_audit, audit),
        form=form, output=output,
    )  # fmt: skip
