"""`arag-inspect meta-eval`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from .._util.errors import InputError
from ._options import MODELS

if TYPE_CHECKING:
    from ..meta_evaluation import Audit

_BY_SUFFIX = {".md": "markdown", ".json": "json"}


@click.command("meta-eval")
@click.argument("source", metavar="CORPUS|LOG")
@click.option(
    "--scorers",
    metavar="NAMES",
    help="Scorers, separated by commas. [default: those that need no key and no weights]",
)
@click.option(
    "-S",
    "arguments",
    multiple=True,
    metavar="SCORER.NAME=VALUE",
    help="Argument of a scorer, e.g. -S bertscore.model=PATH.",
)
@click.option(
    "--summaries",
    type=click.Choice(["evidence", "reference", "answers"]),
    help="What is taken for good. [default: evidence of a corpus, answers of a log]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Most summaries, drawn by chance.",
)
@click.option(
    "--grader",
    type=MODELS,
    metavar="MODEL",
    help="Who judges, several with commas. [default: offline/extractive, by rule]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw and the damages.")
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="KEY",
    help="A key of which less is better, should we not know it.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="What is printed.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write it to FILE.md or FILE.json.",
)
@click.option("--log-dir", metavar="DIR", help="Where the log goes. [default: Inspect's]")
def meta_evaluate(
    source: str,
    scorers: str | None,
    arguments: tuple[str, ...],
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Damage good summaries in known ways, and tell which scorer notices what."""
    written = _form_of(output) if output else None
    from ..meta_evaluation import meta_evaluate

    found = meta_evaluate(
        source,
        scorers=[name.strip() for name in (scorers or "").split(",") if name.strip()],
        arguments=by_scorer(arguments),
        display="none",  # what is printed is the audit
        **options,
    )
    if output and written:
        unfinished = output.with_name(f".{output.name}.partial")
        unfinished.write_text(_written(found, written), encoding="utf-8")
        unfinished.replace(output)
    _show(found, form)


def _form_of(output: Path) -> str:
    """Refuse a file that could not be written before anything runs."""
    if output.suffix not in _BY_SUFFIX:
        raise InputError(f"{output} must end in {' or '.join(_BY_SUFFIX)}")
    if not output.absolute().parent.is_dir():
        raise InputError(f"folder {output.absolute().parent} does not exist; make it first")
    return _BY_SUFFIX[output.suffix]


def by_scorer(arguments: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Group arguments of the form SCORER.NAME=VALUE by scorer."""
    found: dict[str, dict[str, Any]] = {}
    for argument in arguments:
        name, _, value = argument.partition("=")
        scorer, _, parameter = name.rpartition(".")
        if not (scorer and parameter and value):
            raise InputError(f"-S {argument} is not SCORER.NAME=VALUE, e.g. bertscore.model=PATH")
        try:
            found.setdefault(scorer, {})[parameter] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InputError(f"-S {argument}: {value!r} is no YAML value") from None
    return found


def _written(audit: "Audit", form: str) -> str:
    from ..meta_evaluation import markdown

    if form == "markdown":
        return markdown(audit)
    return json.dumps(audit.as_dict(), indent=1, allow_nan=False) + "\n"


def _show(audit: "Audit", form: str) -> None:
    from rich.console import Console

    from ..meta_evaluation import print_audit

    if form == "table":
        wide = None if sys.stdout.isatty() else 160
        print_audit(audit, Console(width=wide))
    else:
        click.echo(_written(audit, form), nl=False)
