"""`arag-inspect prepare references`: silver references, written by a model."""

from pathlib import Path
from typing import Any

import click

from .._util.errors import InputError, echo
from ._options import MODELS


@click.command()
@click.argument("task", type=click.Choice(["financebench_qfs", "section_summary", "yoy_change"]))
@click.option(
    "--model",
    type=MODELS,
    required=True,
    help="Model that writes, e.g. anthropic/claude-sonnet-4-6.",
)
@click.option("--corpus", default="financebench", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N new ones.")
@click.option(
    "--subset",
    type=click.Choice(["seed", "all"]),
    default="seed",
    show_default=True,
    help="financebench_qfs: one fiscal year of each company, or all.",
)
@click.option("--overwrite", is_flag=True, help="Overwrite existing references.")
@click.option("--prompt", metavar="FILE", help="System prompt to use instead of ours.")
@click.option(
    "--target-length",
    type=click.IntRange(min=20),
    help="Approximate words of a reference. [default: the task's]",
)
@click.option(
    "--seed", type=int, default=7, show_default=True, help="Seed of the tenth chosen for a check."
)
@click.option("--log-dir", default="logs/references", show_default=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write to. [default: CORPUS-references/TASK beside the corpus]",
)
def references(**options: Any) -> None:
    """Write silver references for TASK with a model that is given all relevant sections.

    A tenth of them goes to spot_check.csv: write accept or reject into its
    column `mark`. A rejected reference is left out from then on.
    """
    from ..workflows.silver_references import make_references

    result = make_references(**options)
    for name, why in result.failed.items():
        echo(f"no reference for {name}: {why}", err=True)
    rejected = f" ({result.rejected} rejected)" if result.rejected else ""
    echo(
        f"{result.new} references written, {result.kept} kept{rejected}, "
        f"{len(result.failed)} failed"
    )
    if result.failed and not result.new:
        raise InputError(f"no reference was written: every sample failed; see {options['log_dir']}")
    echo(f"References: {result.folder / 'references.jsonl'}")
    echo(f"To check: {result.folder / 'spot_check.csv'} (write accept or reject under mark)")
