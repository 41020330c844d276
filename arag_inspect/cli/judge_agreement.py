"""`arag-inspect judge-agreement`: a judge of answers against human labels."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from .._util.errors import echo
from ._options import MODELS


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
    help="Grader. [default: offline/extractive, by rule]",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N answers.")
@click.option("--log-dir", default="logs/agreement", show_default=True)
def judge_agreement(results: tuple[Path, ...], **options: Any) -> None:
    """Compare a judge of answers with the labels that people gave (RESULTS: FinanceBench's
    results/*.jsonl).
    """
    from ..workflows.judge_agreement import measure_agreement

    for path in results:
        _print_agreement(path, measure_agreement(path, **options))


def _print_agreement(path: Path, result: Any) -> None:
    from ..workflows.judge_agreement import LABELS

    interval = result.kappa_interval()
    kappa = "not defined" if result.kappa is None else f"{result.kappa:.3f}"
    if interval is not None:
        kappa += f" (95 % interval {interval.low:.3f} to {interval.high:.3f})"
    unscored = f", {result.unscored} unscored" if result.unscored else ""
    echo(f"\n{path.stem}, judged by {result.judge}: {result.answers} answers{unscored}")
    echo(f"  agreement      {result.agreement:.3f} (correct or not)")
    echo(f"  Cohen's kappa  {kappa}")
    table = Table(box=None)
    for heading in ("people \\ judge", *result.verdicts):
        table.add_column(heading, justify="left" if "\\" in heading else "right")
    for label in LABELS:
        counts = [result.confusion.get((label, verdict), 0) for verdict in result.verdicts]
        table.add_row(f"  {label}", *map(str, counts))
    Console().print(table)
    echo(f"  log: {result.log}")
