"""`arag-inspect meta-eval human`."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from ._results import ARGUMENTS, FORMAT, GRADER, OUTPUT, by_scorer, check_output, show


@click.command("meta-eval human")
@click.argument("name", metavar="SET")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="Scorer of this package, another (package/scorer) or a file (module:function); may be repeated. [default: baselines alone]",
)
@ARGUMENTS
@click.option(
    "--source",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder with the set's files. [default: datasets/human/SET]",
)
@click.option(
    "--split",
    type=click.Choice(["development", "test", "all"]),
    default="test",
    show_default=True,
    help="Half that is reported; `all` fits thresholds on other subsets or folds.",
)
@click.option("--subset", "subsets", multiple=True, metavar="NAME", help="Only this domain.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Most labels of each subset, spread over its documents.",
)
@click.option("--any-copy", is_flag=True, help="Accept files with another digest than recorded.")
@GRADER
@FORMAT
@OUTPUT
@click.option("--log-dir", default="logs/human", show_default=True, metavar="DIR")
def human(
    name: str,
    arguments: tuple[str, ...],
    source: Path | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Compare scorers with a public set of human labels.

    The same command resumes an interrupted run.
    """
    check_output(output)
    from ..meta_evaluation.human import as_markdown, evaluate_human, print_evaluation

    result = evaluate_human(
        name,
        source=source or Path("datasets") / "human" / name,
        arguments=by_scorer(arguments),
        **options,
    )
    show(
        result.as_dict(), partial(as_markdown, result), partial(print_evaluation, result),
        form=form, output=output,
    )  # fmt: skip
