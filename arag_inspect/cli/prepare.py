"""`arag-inspect prepare`: options that every preparation has, and the data sets of calls."""

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table

F = TypeVar("F", bound=Callable[..., Any])


@click.group()
def prepare() -> None:
    """Turn a data set's source files into a corpus that tasks and tools can search."""


def prepare_options(command: F) -> F:
    """Options that every preparation has."""
    options = [
        click.option(
            "--chunk-tokens",
            type=click.IntRange(min=32),
            default=1000,
            show_default=True,
            help="Longest chunk, in tokens of the embedding model.",
        ),
        click.option(
            "--embedding-model",
            metavar="M",
            help="Sentence-transformers name or local folder. [default: all-MiniLM-L6-v2]",
        ),
        click.option(
            "--no-prefix-embedding",
            is_flag=True,
            help="Embed sentences bare, without the prefix that names company and period.",
        ),
        click.option(
            "--dtype",
            type=click.Choice(["auto", "float32", "bfloat16"]),
            default="auto",
            show_default=True,
            help="Arithmetic of the embedding model; auto is bfloat16 where the processor has it.",
        ),
        click.option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder to make. [default: $ARAG_DATASETS or ./datasets, by name]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@prepare.command("ectsum")
@click.option(
    "--split", type=click.Choice(["test", "val", "train"]), default="test", show_default=True
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N calls.")
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Local copy of the ECTSum repository, instead of a download.",
)
@click.option("--url", help="Address of the archive, if not GitHub's.")
@prepare_options
def prepare_ectsum(
    split: Any, limit: int | None, source: Path | None, url: str | None, **options: Any
) -> None:
    """Earnings calls with Reuters-style summaries (GPL-3.0, downloaded from its authors)."""
    from ..datasets import ectsum, registry

    prepared = registry.prepare_ectsum(
        split,
        limit=limit,
        source=source,
        url=url or ectsum.ARCHIVE,
        options=build_options(**options),
    )
    print_summary(prepared, f"inspect eval arag_inspect/ectsum -T split={split} --model MODEL")


@prepare.command("synthetic")
@click.option("--documents", type=click.IntRange(min=1), default=40, show_default=True)
@click.option("--seed", type=int, default=7, show_default=True)
@prepare_options
def prepare_synthetic(documents: int, seed: int, **options: Any) -> None:
    """Earnings calls of fictional companies, generated here, with every fact known."""
    from ..datasets import registry

    prepared = registry.prepare_synthetic(documents, seed, options=build_options(**options))
    print_summary(prepared, "inspect eval arag_inspect/earnings_synthetic --model MODEL")


def build_options(
    embedding_model: str | None, no_prefix_embedding: bool, out: Path | None, **others: Any
) -> Any:
    """The `Options` of a preparation, from those of the command line."""
    from ..corpus import DEFAULT_MODEL
    from ..datasets.registry import Options

    return Options(
        embedding_model=embedding_model or DEFAULT_MODEL,
        embed_prefix=not no_prefix_embedding,
        out=out,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        **others,
    )


def print_summary(prepared: Any, then: str) -> None:
    """Print what was prepared, and what to do with it."""
    table = Table(show_header=False, box=None)
    for name, count in prepared.manifest.counts.items():
        table.add_row(name.replace("_", " "), f"{count:,}", style=_style(name, count))
    embedding = prepared.manifest.embedding
    table.add_row("embedding", f"{embedding.model} ({embedding.dtype})")
    table.add_row("time", f"{prepared.seconds:.1f} s")
    console = Console()
    console.print(table)
    _list_unaligned(prepared.folder)
    _list_skipped(prepared.skipped)
    click.echo(f"Prepared {prepared.folder}")
    out = click.get_current_context().params.get("out")
    if out and "corpus=" not in then:
        then = then.replace(" --model", f" -T corpus={shlex.quote(str(out))} --model")
    click.echo(f"Next: {then}")


def _list_unaligned(folder: Path, most: int = 20) -> None:
    """Name the evidence that stands in no chunk."""
    path = folder / "alignment.json"
    alignments = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    lost = [
        f"  {sample}: {_one_line(one['sentence'])}"
        for sample, found in alignments.items()
        for one in found
        if one["match"] == "none"
    ]
    if lost:
        click.echo("Evidence found in no chunk (all of it in alignment.json):")
        click.echo("\n".join(lost[:most]))


def _list_skipped(skipped: Sequence[Any], most: int = 20) -> None:
    """Name the files that were left out."""
    if skipped:
        click.echo("Skipped:")
        click.echo("\n".join(f"  {_one_line(f'{one.name}: {one.why}')}" for one in skipped[:most]))
    if len(skipped) > most:
        click.echo(f"  and {len(skipped) - most} more")


def _one_line(text: str, most: int = 160) -> str:
    """Text of a document for a terminal: one line without control characters."""
    flat = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())
    return flat if len(flat) <= most else f"{flat[: most - 3]}..."


def _style(name: str, count: int) -> str | None:
    return "yellow" if count and name in _FAULTS else None


_FAULTS = frozenset(
    {
        "unaligned",
        "samples_without_key_sentences",
        "samples_without_answer",
        "documents_missing",
        "documents_skipped",
        "documents_without_sections",
        "questions_left_out",
    }
)
"""Counts that a user should look into."""
