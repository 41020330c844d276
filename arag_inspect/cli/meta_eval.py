"""`arag-inspect meta-eval`: do scorers notice errors, and do they agree with people?"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import click

from .._util.errors import InputError, echo
from ._command import command
from ._options import (
    AT_LEAST_1,
    FILE,
    Graders,
    ScorerOptions,
    parse_scorer_options,
    split_names,
)

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


class Printing(NamedTuple):
    """What is printed and written of a result."""

    form: str
    output: Path | None


def printing(
    *,
    form: Annotated[Literal["table", "markdown", "json"], "--format"] = "table",
    output: Annotated[Path | None, FILE, "-o --output", "FILE"] = None,
) -> Printing:
    """Return what is printed and written, after checking that it can be.

    Args:
        form: What is printed.
        output: Also write it to FILE.md or FILE.json.

    Raises:
        InputError: The file cannot be written.
    """
    if output is not None and output.suffix not in (".md", ".json"):
        raise InputError(f"{output} must end in .md or .json")
    if output is not None and not output.absolute().parent.is_dir():
        raise InputError(f"folder {output.absolute().parent} does not exist; create it first")
    return Printing(form, output)


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
    to: Annotated[Printing, printing],
    log_dir: Annotated[str, "DIR"] = "logs/audit",
) -> None:
    """Insert known errors into good summaries, and measure which scorers detect them.

    The same command resumes an interrupted run.

    Args:
        source: Prepared corpus, or log.
        scorers: Scorers, separated by commas, also package/scorer or module:function. [default:
            those that need no key and no weights]
        arguments: Argument of a scorer, e.g. -S bertscore.model=PATH.
        summaries: Texts taken as good. [default: evidence of a corpus, answers of a log]
        limit: Most summaries, sampled at random.
        grader: Grader, several separated by commas. [default: offline/extractive, by rule]
        seed: Seed of the sample and the errors.
        lower_is_better: A key for which lower is better, if not declared.
        to: What is printed.
        log_dir: Folder of the log.
    """
    from ..meta_evaluation import meta_evaluate
    from ..meta_evaluation.tables import notes, tables, title

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
    *printed, details = tables(report)
    _show(report.as_dict(), title(report), printed, notes(report), to, [details])


@command()
def human(
    name: Annotated[str, "SET"],
    *,
    scorers: Annotated[tuple[str, ...], "--scorer", "NAME"] = (),
    arguments: ScorerOptions = (),
    source: Annotated[Path | None, "DIR|FILE"] = None,
    split: Literal["development", "test", "all"] = "test",
    limit: Annotated[int | None, AT_LEAST_1] = None,
    grader: Graders = None,
    to: Annotated[Printing, printing],
    log_dir: Annotated[str, "DIR"] = "logs/human",
) -> None:
    """Compare scorers with a set of human labels.

    SET is a public set, or a YAML file that names the columns of your own. The
    same command resumes an interrupted run.

    Args:
        name: Set of labels.
        scorers: Scorer of this package, another (package/scorer) or a file (module:function); may
            be repeated. [default: baselines alone]
        arguments: Argument of a scorer, e.g. -S bertscore.model=PATH.
        source: Folder with the set's files, or one of them. [default: datasets/human/SET]
        split: Half that is reported; `all` fits thresholds on other subsets or folds.
        limit: Most labels of each subset, spread over its documents.
        grader: Grader, several separated by commas. [default: offline/extractive, by rule]
        to: What is printed.
        log_dir: Folder of the log.
    """
    from ..meta_evaluation.human import evaluate_human
    from ..meta_evaluation.human.tables import agreement, notes, title

    result = evaluate_human(
        name,
        scorers=scorers,
        arguments=parse_scorer_options(arguments),
        source=source or Path("datasets") / "human" / Path(name).stem,
        split=split,
        limit=limit,
        grader=grader,
        log_dir=log_dir,
    )
    _show(result.as_dict(), title(result), [agreement(result)], notes(result), to)


@command()
def compare(
    runs: Annotated[tuple[Path, ...], "RUN..."], *, to: Annotated[Printing, printing]
) -> None:
    """Tell which judge agrees most with people, and at what price.

    RUN is a file that `arag-inspect meta-eval human SET -o RUN.json` wrote: one
    for each model, prompt, number of criteria or temperature to choose from.
    """
    from ..meta_evaluation.human.compare import compare_runs
    from ..meta_evaluation.human.tables import comparison

    rows = compare_runs(runs)
    table = comparison(rows)
    _show({"compared": rows}, table.title, [table], (), to)


for added in (audit, human, compare):
    meta_eval.add_command(added)


def _show(
    values: Mapping[str, Any],
    title: str,
    tables: Sequence["Table"],
    notes: Iterable[str],
    to: Printing,
    details: Sequence["Table"] = (),
) -> None:
    """Print a result in the requested form, and write it to a file.

    Args:
        values: All fields as JSON values.
        title: Heading.
        tables: Tables for the terminal and Markdown.
        notes: Lines below them.
        to: What is printed and written.
        details: Tables for Markdown alone.
    """
    form, output = to
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
