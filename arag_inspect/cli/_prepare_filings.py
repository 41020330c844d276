"""`arag-inspect prepare financebench`, `references` and `judge-agreement`."""

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from .._util.errors import InputError
from ._options import MODELS
from .prepare import build_options, prepare_options, print_summary


def add_filings(main: click.Group, prepare: click.Group) -> None:
    """Add the commands on filings."""
    prepare.add_command(financebench)
    main.add_command(references)
    main.add_command(judge_agreement)


@click.command()
@click.option("--docs", metavar="NAME,...", help="Only these documents, e.g. 3M_2018_10K.")
@click.option(
    "--open-only/--all",
    default=None,
    help="The 84 documents of the open questions, or all 360. [default: open; all that are there with --source]",
)
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Local copy of the FinanceBench repository, perhaps with some of the PDFs only.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N questions."
)
@click.option("--url", help="Address of the repository's files, if not GitHub's.")
@click.option(
    "--pdf-seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=120,
    show_default=True,
    help="Longest time for one PDF; one that takes longer is left out.",
)
@prepare_options
def financebench(
    docs: str | None,
    open_only: bool | None,
    source: Path | None,
    limit: int | None,
    url: str | None,
    pdf_seconds: float,
    **options: Any,
) -> None:
    """SEC filings with questions and the pages that answer them (CC BY-NC 4.0, downloaded from its authors)."""
    from ..datasets import financebench as source_of
    from ..datasets import registry

    names = [name.strip() for name in (docs or "").split(",") if name.strip()]
    if docs is not None and not names:
        raise click.BadParameter("names no document, e.g. 3M_2018_10K", param_hint="--docs")
    if not 0 < pdf_seconds <= 86_400:  # not a number is neither
        raise click.BadParameter("give seconds up to a day", param_hint="--pdf-seconds")
    prepared = registry.prepare_financebench(
        docs=names,
        choice=None if open_only is None else "open" if open_only else "all",
        source=source,
        limit=limit,
        url=url or source_of.RAW,
        pdf_seconds=pdf_seconds,
        options=build_options(**options),
    )
    _tell_sections(prepared.folder)
    print_summary(prepared, "inspect eval arag_inspect/financebench --model MODEL")


def _tell_sections(folder: Path) -> None:
    """Name the filings in which no sections, or no risk factors or MD&A, were found."""
    report = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
    bare = [name for name, one in report.items() if one.get("sections") == []]
    if bare:
        click.echo(f"No sections found, each taken as one: {', '.join(bare)}")
    for name, one in report.items():
        if one.get("lacks"):
            click.echo(f"{name} has no section {' or '.join(one['lacks'])}")


@click.command()
@click.argument("task", type=click.Choice(["financebench_qfs"]))
@click.option(
    "--model", type=MODELS, required=True, help="Who writes, e.g. anthropic/claude-sonnet-4-6."
)
@click.option("--corpus", default="financebench", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N new ones.")
@click.option("--again", is_flag=True, help="Write those anew that are there.")
@click.option("--prompt", metavar="FILE", help="System prompt to use instead of ours.")
@click.option("--target-length", type=click.IntRange(min=20), default=200, show_default=True)
@click.option(
    "--seed", type=int, default=7, show_default=True, help="Of the tenth chosen for a check."
)
@click.option("--log-dir", default="logs/references", show_default=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to. [default: CORPUS-references beside the corpus]",
)
def references(task: str, **options: Any) -> None:
    """Write silver references for TASK with a model that is given the whole of the relevant sections.

    A tenth of them goes to spot_check.csv: write accept or reject into its
    column `mark`. A rejected reference is left out from then on.
    """
    from ..workflows.silver_references import make_references

    written = make_references(**options)
    for name, why in written.failed.items():
        click.echo(f"no reference for {name}: {why}", err=True)
    rejected = f" ({written.rejected} rejected)" if written.rejected else ""
    click.echo(
        f"{written.new} references written, {written.kept} kept{rejected}, {len(written.failed)} failed"
    )
    if written.failed and not written.new:
        raise InputError(f"no reference was written: every sample failed; see {options['log_dir']}")
    click.echo(f"References: {written.folder / 'references.jsonl'}")
    click.echo(f"To check: {written.folder / 'spot_check.csv'} (write accept or reject under mark)")


@click.command("judge-agreement")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--scorer",
    "measure",
    type=click.Choice(["llm_accuracy", "contain_match"]),
    default="llm_accuracy",
    show_default=True,
)
@click.option(
    "--grader",
    type=MODELS,
    metavar="MODEL",
    help="Who judges. [default: offline/extractive, by rule]",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N answers.")
@click.option("--log-dir", default="logs/agreement", show_default=True)
def judge_agreement(results: tuple[Path, ...], **options: Any) -> None:
    """Compare a judge of answers with the labels that people gave (RESULTS: FinanceBench's results/*.jsonl)."""
    from ..workflows.judge_agreement import measure_agreement

    for path in results:
        _tell_agreement(path, measure_agreement(path, **options))


def _tell_agreement(path: Path, found: Any) -> None:
    from ..tasks.judge_agreement import LABELS

    interval = found.kappa_interval()
    kappa = "not defined" if found.kappa is None else f"{found.kappa:.3f}"
    spread = (
        "" if interval is None else f" (95 % interval {interval.low:.3f} to {interval.high:.3f})"
    )
    unscored = f", {found.unscored} unscored" if found.unscored else ""
    click.echo(f"\n{path.stem}, judged by {found.judge}: {found.answers} answers{unscored}")
    click.echo(f"  agreement      {found.agreement:.3f} (correct or not)")
    click.echo(f"  Cohen's kappa  {kappa}{spread}")
    table = Table(box=None)
    for heading in ("people \\ judge", *found.verdicts):
        table.add_column(heading, justify="left" if "\\" in heading else "right")
    for label in LABELS:
        counts = [found.confusion.get((label, verdict), 0) for verdict in found.verdicts]
        table.add_row(f"  {label}", *map(str, counts))
    Console().print(table)
    click.echo(f"  log: {found.log}")
