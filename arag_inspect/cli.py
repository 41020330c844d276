"""`arag-inspect` on the command line."""

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.table import Table

from ._cli_local import serve_local
from ._cli_report import report

F = TypeVar("F", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arag-inspect")
def main() -> None:
    """Benchmark retrieval systems that summarise long financial documents, on Inspect AI."""


main.add_command(serve_local)
main.add_command(report)


@main.group()
def prepare() -> None:
    """Turn a data set's source files into a corpus that tasks and tools can search."""


def _preparing(command: F) -> F:
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
@_preparing
def prepare_ectsum(
    split: Any, limit: int | None, source: Path | None, url: str | None, **options: Any
) -> None:
    """Earnings calls with Reuters-style summaries (GPL-3.0, downloaded from its authors)."""
    from .datasets import ectsum, prepare

    prepared = prepare.prepare_ectsum(
        split,
        limit=limit,
        source=source,
        url=url or ectsum.ARCHIVE,
        options=_options(**options),
    )
    _tell(prepared, f"inspect eval arag_inspect/ectsum -T split={split} --model MODEL")


@prepare.command("synthetic")
@click.option("--documents", type=click.IntRange(min=1), default=40, show_default=True)
@click.option("--seed", type=int, default=7, show_default=True)
@_preparing
def prepare_synthetic(documents: int, seed: int, **options: Any) -> None:
    """Earnings calls of fictional companies, generated here, with every fact known."""
    from .datasets import prepare

    prepared = prepare.prepare_synthetic(documents, seed, options=_options(**options))
    _tell(prepared, "inspect eval arag_inspect/earnings_synthetic --model MODEL")


@main.command()
@click.option("--documents", type=click.IntRange(min=4), default=24, show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=12, show_default=True)
@click.option("--log-dir", default="logs/demo", show_default=True)
def demo(documents: int, limit: int, log_dir: str) -> None:
    """Compare the three systems on a small synthetic corpus, offline and without a key."""
    from .demo import run_demo

    run_demo(documents=documents, limit=limit, log_dir=log_dir)


def _options(
    embedding_model: str | None, no_prefix_embedding: bool, out: Path | None, **others: Any
) -> Any:
    from .corpus import DEFAULT_MODEL
    from .datasets.prepare import Options

    return Options(
        embedding_model=embedding_model or DEFAULT_MODEL,
        embed_prefix=not no_prefix_embedding,
        out=out,
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        **others,
    )


def _tell(prepared: Any, then: str) -> None:
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
    click.echo(f"Prepared {prepared.folder}")
    click.echo(f"Next: {then}")


def _list_unaligned(folder: Path, most: int = 20) -> None:
    """Name the key sentences that stand in no chunk."""
    alignments = json.loads((folder / "alignment.json").read_text(encoding="utf-8"))
    lost = [
        f"  {sample}: {one['sentence']}"
        for sample, found in alignments.items()
        for one in found
        if one["match"] == "none"
    ]
    if lost:
        click.echo("Key sentences found in no chunk (all of them in alignment.json):")
        click.echo("\n".join(lost[:most]))


def _style(name: str, count: int) -> str | None:
    return "yellow" if count and name in ("unaligned", "samples_without_key_sentences") else None
