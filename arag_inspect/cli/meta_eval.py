"""`arag-inspect meta-eval`: do scorers notice errors, and do they agree with people?"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import click

from .._util.errors import InputError, echo
from ._options import MODELS, parse_scorer_options, split_names

if TYPE_CHECKING:
    from ..report.table import Table

_WIDTH = 200
"""Characters per line if the width of the terminal is unknown."""

_LONGEST = 1_000_000
"""Most characters printed."""


class _MetaEval(click.Group):
    """Commands, and the old spelling without `audit`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise InputError(f"`meta-eval SOURCE` is now: arag-inspect meta-eval audit {args[0]}")
        return super().resolve_command(ctx, args)


@click.group("meta-eval", cls=_MetaEval)
def meta_eval() -> None:
    """Evaluate the scorers themselves."""


_ARGUMENTS = click.option(
    "-S",
    "arguments",
    multiple=True,
    metavar="SCORER.NAME=VALUE",
    help="Argument of a scorer, e.g. -S bertscore.model=PATH.",
)
_GRADER = click.option(
    "--grader",
    type=MODELS,
    metavar="MODEL",
    help="Grader, several separated by commas. [default: offline/extractive, by rule]",
)
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "json"]),
    default="table",
    show_default=True,
    help="What is printed.",
)
_OUTPUT = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also write it to FILE.md or FILE.json.",
)


@meta_eval.command()
@click.argument("source", metavar="CORPUS|LOG")
@click.option(
    "--scorers",
    metavar="NAMES",
    help="Scorers, separated by commas, also package/scorer or module:function. [default: those that need no key and no weights]",
)
@_ARGUMENTS
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
@_GRADER
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of the sample and the errors."
)
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="KEY",
    help="A key for which lower is better, if not declared.",
)
@_FORMAT
@_OUTPUT
@click.option("--log-dir", metavar="DIR", help="Folder of the log. [default: Inspect's]")
def audit(
    source: str,
    scorers: str | None,
    arguments: tuple[str, ...],
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Insert known errors into good summaries, and measure which scorers detect them."""
    _check_output(output)
    from ..meta_evaluation import meta_evaluate
    from ..meta_evaluation.tables import comparisons, notes, tables, title

    report = meta_evaluate(
        source,
        scorers=split_names(scorers),
        arguments=parse_scorer_options(arguments),
        display="none",  # only the result is printed
        **options,
    )
    _show(
        report.as_dict(), title(report), tables(report), notes(report), form, output,
        details=[comparisons(report)],
    )  # fmt: skip


@meta_eval.command()
@click.argument("name", metavar="SET")
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    metavar="NAME",
    help="Scorer of this package, another (package/scorer) or a file (module:function); may be repeated. [default: baselines alone]",
)
@_ARGUMENTS
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="DIR|FILE",
    help="Folder with the set's files, or one of them. [default: datasets/human/SET]",
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
@_GRADER
@_FORMAT
@_OUTPUT
@click.option("--log-dir", default="logs/human", show_default=True, metavar="DIR")
def human(
    name: str,
    arguments: tuple[str, ...],
    source: Path | None,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Compare scorers with a set of human labels.

    SET is a public set, or a YAML file that names the columns of your own. The
    same command resumes an interrupted run.
    """
    _check_output(output)
    from ..meta_evaluation.human import evaluate_human
    from ..meta_evaluation.human.tables import notes, tables, title

    result = evaluate_human(
        name,
        source=source or Path("datasets") / "human" / Path(name).stem,
        arguments=parse_scorer_options(arguments),
        **options,
    )
    _show(result.as_dict(), title(result), tables(result), notes(result), form, output)


@meta_eval.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@_FORMAT
@_OUTPUT
def compare(runs: tuple[Path, ...], form: str, output: Path | None) -> None:
    """Tell which judge agrees most with people, and at what price.

    RUN is a file that `arag-inspect meta-eval human SET -o RUN.json` wrote: one
    for each model, prompt, number of criteria or temperature to choose from.
    """
    _check_output(output)
    from ..meta_evaluation.human.compare import as_dict, compare_runs
    from ..meta_evaluation.human.tables import comparison

    rows = compare_runs(runs)
    table = comparison(rows)
    _show(as_dict(rows), table.title, [table], (), form, output)


def _check_output(output: Path | None) -> None:
    """Reject an output file that cannot be written, before anything runs."""
    if output is None:
        return
    if output.suffix not in (".md", ".json"):
        raise InputError(f"{output} must end in .md or .json")
    if not output.absolute().parent.is_dir():
        raise InputError(f"folder {output.absolute().parent} does not exist; create it first")


def _show(
    values: Mapping[str, Any],
    title: str,
    tables: Sequence["Table"],
    notes: Iterable[str],
    form: str,
    output: Path | None,
    *,
    details: Sequence["Table"] = (),
) -> None:
    """Print a result in the requested form, and write it to `output`.

    Args:
        values: All fields as JSON values.
        title: Heading.
        tables: Tables for the terminal and Markdown.
        notes: Lines below them.
        form: `table`, `markdown` or `json`.
        output: File that ends in `.md` or `.json`; None writes none.
        details: Tables for Markdown alone.
    """
    lines = list(notes)
    texts = {
        "json": json.dumps(values, indent=1, allow_nan=False) + "\n",
        "markdown": "\n\n".join(_markdown(title, tables, details, lines)) + "\n",
    }
    if output:
        unfinished = output.with_name(f".{output.name}.partial")
        text = texts["json" if output.suffix == ".json" else "markdown"]
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(output)
    if form != "table":
        click.echo(texts[form], nl=False)
        return
    width = get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
    parts = [title, *(f"{table.text}\n\n{table.as_text(width)}".strip() for table in tables)]
    echo("\n\n".join([*parts, "\n".join(lines)]).strip(), longest=_LONGEST)


def _markdown(
    title: str, tables: Sequence["Table"], details: Sequence["Table"], notes: Sequence[str]
) -> Iterator[str]:
    yield f"# {title}"
    for table in (*tables, *details):
        if table.title != title:
            yield f"## {table.title}"
        if table.text:
            yield table.text
        yield table.as_markdown()
    if notes:
        yield "\n".join(f"- {note}" for note in notes)
