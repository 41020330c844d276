"""`arag-inspect meta-eval human`."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from .._util.errors import InputError
from ._options import MODELS
from .meta_eval import by_scorer


@click.command("meta-eval human")
@click.argument("name", metavar="SET")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="Scorer of this package or another (package/scorer); may be repeated. [default: baselines alone]",
)
@click.option(
    "-S",
    "arguments",
    multiple=True,
    metavar="SCORER.NAME=VALUE",
    help="Argument of a scorer, e.g. -S factual_consistency.judge=false.",
)
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
@click.option("--limit", type=click.IntRange(min=1), help="Only the first labels of each subset.")
@click.option("--any-copy", is_flag=True, help="Accept files with another digest than recorded.")
@click.option(
    "--grader",
    type=MODELS,
    metavar="MODEL",
    help="Model that judges. [default: offline/extractive, by rule]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write it to FILE.md or FILE.json.",
)
@click.option("--log-dir", default="logs/human", show_default=True, metavar="DIR")
def human(
    name: str,
    arguments: tuple[str, ...],
    source: Path | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Hold scorers against a public set of human labels.

    A run that was broken off is taken up again by the same command.
    """
    from rich.console import Console

    from ..meta_evaluation.human import as_markdown, evaluate_human, print_evaluation

    if output and (output.suffix not in (".md", ".json") or not output.absolute().parent.is_dir()):
        raise InputError(f"{output} must be FILE.md or FILE.json in a folder that exists")
    evaluation = evaluate_human(
        name,
        source=source or Path("datasets") / "human" / name,
        arguments=by_scorer(arguments),
        **options,
    )
    document = json.dumps(evaluation.as_dict(), indent=1, allow_nan=False) + "\n"
    if output:
        text = as_markdown(evaluation) if output.suffix == ".md" else document
        unfinished = output.with_name(f".{output.name}.partial")
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(output)
    if form == "table":
        print_evaluation(evaluation, Console(width=None if sys.stdout.isatty() else 200))
    else:
        click.echo(document if form == "json" else as_markdown(evaluation), nl=False)
