"""`arag-inspect prepare references`: silver references, written by a model."""

from pathlib import Path
from typing import Annotated, Literal

import click

from .._util.errors import InputError, echo
from ._command import command, forward
from ._options import FOLDER, MODELS, Count


@command()
def references(
    task: Literal["financebench_qfs", "section_summary", "yoy_change"],
    *,
    model: Annotated[str, MODELS],
    corpus: str = "financebench",
    limit: Count = None,
    subset: Literal["seed", "all"] = "seed",
    overwrite: bool = False,
    prompt: Annotated[str | None, "FILE"] = None,
    target_length: Annotated[int | None, click.IntRange(min=20)] = None,
    seed: int = 7,
    log_dir: str = "logs/references",
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Write silver references for TASK with a model that is given all relevant sections.

    A tenth of them goes to spot_check.csv: write accept or reject into its
    column `mark`. A rejected reference is left out from then on.

    Args:
        task: Task whose references are written.
        model: Model that writes, e.g. anthropic/claude-sonnet-4-6.
        corpus: Prepared corpus.
        limit: Only N new ones.
        subset: financebench_qfs: one fiscal year of each company, or all.
        overwrite: Overwrite existing references.
        prompt: System prompt to use instead of ours.
        target_length: Approximate words of a reference. [default: the task's]
        seed: Seed of the tenth chosen for a check.
        log_dir: Folder of the log.
        out: Folder to write to. [default: CORPUS-references/TASK beside the corpus]
    """
    from ..workflows.silver_references import make_references

    result = forward(make_references)
    for name, why in result.failed.items():
        echo(f"no reference for {name}: {why}", err=True)
    rejected = f" ({result.rejected} rejected)" if result.rejected else ""
    kept = f"{result.kept} kept{rejected}"
    echo(f"{result.new} references written, {kept}, {len(result.failed)} failed")
    if result.failed and not result.new:
        raise InputError(f"no reference was written: every sample failed; see {log_dir}")
    echo(f"References: {result.folder / 'references.jsonl'}")
    echo(f"To check: {result.folder / 'spot_check.csv'} (write accept or reject under mark)")
