"""Options and output shared by the commands of the meta-evaluation."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from .._util.errors import InputError
from .._util.yaml_values import parse_yaml
from ._options import MODELS

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 200
"""Characters per line if the width of the terminal is unknown."""

ARGUMENTS = click.option(
    "-S",
    "arguments",
    multiple=True,
    metavar="SCORER.NAME=VALUE",
    help="Argument of a scorer, e.g. -S bertscore.model=PATH.",
)
GRADER = click.option(
    "--grader",
    type=MODELS,
    metavar="MODEL",
    help="Grader, several separated by commas. [default: offline/extractive, by rule]",
)
FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="What is printed.",
)
OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write it to FILE.md or FILE.json.",
)


def by_scorer(arguments: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Group arguments of the form SCORER.NAME=VALUE by scorer."""
    arguments_by_scorer: dict[str, dict[str, Any]] = {}
    for argument in arguments:
        name, _, value = argument.partition("=")
        scorer, _, parameter = name.rpartition(".")
        if not (scorer and parameter and value):
            raise InputError(f"-S {argument} is not SCORER.NAME=VALUE, e.g. bertscore.model=PATH")
        try:
            arguments_by_scorer.setdefault(scorer, {})[parameter] = parse_yaml(value)
        except yaml.YAMLError:
            raise InputError(f"-S {argument}: {value!r} is not a YAML value") from None
    return arguments_by_scorer


def check_output(output: Path | None) -> None:
    """Reject an output file that cannot be written, before anything runs."""
    if output is None:
        return
    if output.suffix not in (".md", ".json"):
        raise InputError(f"{output} must end in .md or .json")
    if not output.absolute().parent.is_dir():
        raise InputError(f"folder {output.absolute().parent} does not exist; create it first")


def show(
    document: Mapping[str, Any],
    markdown: Callable[[], str],
    table: Callable[["Console"], None],
    *,
    form: str,
    output: Path | None,
) -> None:
    """Print a result in the requested form, and write it to `output`.

    Args:
        document: All fields as JSON values.
        markdown: Returns the result as Markdown.
        table: Prints the result on a terminal.
        form: `table`, `markdown` or `json`.
        output: File that ends in `.md` or `.json`; None writes none.
    """
    from rich.console import Console

    text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    if output:
        unfinished = output.with_name(f".{output.name}.partial")
        unfinished.write_text(markdown() if output.suffix == ".md" else text, encoding="utf-8")
        unfinished.replace(output)
    if form == "table":
        table(Console(width=None if sys.stdout.isatty() else _WIDTH))
    else:
        click.echo(text if form == "json" else markdown(), nl=False)
