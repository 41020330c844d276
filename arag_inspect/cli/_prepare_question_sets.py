"""`arag-inspect prepare finqa | finder | docfinqa | legal | custom` and `arag-inspect export`."""

from pathlib import Path
from typing import Any

import click

from .prepare import build_options, prepare_options, print_summary

_FILE = click.Path(path_type=Path, dir_okay=False)

_limit = click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N questions."
)
_split = click.option(
    "--split", type=click.Choice(["test", "dev", "train"]), default="test", show_default=True
)
_source = click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Local copy of the repository, or of the file in it, instead of a download.",
)


def add_sets(prepare: click.Group) -> None:
    """Add the question sets to the group `prepare`."""
    for command in (finqa, finder, docfinqa, legal, custom):
        prepare.add_command(command)


@click.command()
@_split
@_limit
@_source
@prepare_options
def finqa(split: Any, limit: int | None, source: Path | None, **options: Any) -> None:
    """Numeric questions about a page of an annual report (MIT, downloaded from its authors)."""
    from ..datasets import registry

    prepared = registry.prepare_finqa(
        split, limit=limit, source=source, options=build_options(**options)
    )
    print_summary(prepared, f"inspect eval arag_inspect/finqa -T split={split} --model MODEL")


@click.command()
@_limit
@_source
@prepare_options
def finder(limit: int | None, source: Path | None, **options: Any) -> None:
    """Terse questions about 10-K filings (CC BY-NC 4.0, from the Hugging Face hub)."""
    from ..datasets import registry

    prepared = registry.prepare_finder(limit=limit, source=source, options=build_options(**options))
    print_summary(prepared, "inspect eval arag_inspect/finder --model MODEL")


@click.command()
@_split
@_limit
@_source
@prepare_options
def docfinqa(split: Any, limit: int | None, source: Path | None, **options: Any) -> None:
    """Numeric questions about whole filings (MIT, 0.6 GB from the Hugging Face hub)."""
    from ..datasets import registry

    prepared = registry.prepare_docfinqa(
        split, limit=limit, source=source, options=build_options(**options)
    )
    print_summary(prepared, f"inspect eval arag_inspect/docfinqa -T split={split} --model MODEL")


@click.command()
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of `<n> <name> full case.pdf` (or txt) and `<n> <name> summary.txt`. [default: six fictional cases]",
)
@prepare_options
def legal(source: Path | None, **options: Any) -> None:
    """Court opinions with human summaries: your own, or six fictional ones."""
    from ..datasets import registry

    prepared = registry.prepare_legal(source, options=build_options(**options))
    called = f" -T corpus={prepared.folder}" if options["out"] else ""
    print_summary(prepared, f"inspect eval arag_inspect/legal_cases{called} --model MODEL")


@click.command()
@click.option(
    "--documents",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of txt, md, html and pdf files.",
)
@click.option("--chunks", type=_FILE, help="Chunks in A-RAG's format, kept as they are.")
@click.option(
    "--questions",
    type=_FILE,
    required=True,
    help="JSON, JSON Lines or CSV: id, question, answer; perhaps evidence, doc_ids, question_type.",
)
@click.option("--gold", type=_FILE, help="With --chunks: gold_chunk_map.json.")
@click.option("--name", default="custom", show_default=True, help="Name of the corpus.")
@prepare_options
def custom(
    documents: Path | None,
    chunks: Path | None,
    questions: Path,
    gold: Path | None,
    name: str,
    **options: Any,
) -> None:
    """Your own documents and questions, or chunks and questions in A-RAG's format."""
    from ..datasets import registry

    if (documents is None) == (chunks is None):
        raise click.UsageError("give either --documents DIR or --chunks FILE")
    if gold is not None and chunks is None:
        raise click.UsageError("--gold goes with --chunks")
    made = build_options(**options)
    if chunks is not None:
        prepared = registry.prepare_chunks(chunks, questions, gold=gold, name=name, options=made)
    elif documents is not None:
        prepared = registry.prepare_custom(documents, questions, name=name, options=made)
    called = made.out if made.out else name
    print_summary(prepared, f"inspect eval arag_inspect/custom -T corpus={called} --model MODEL")


@click.command()
@click.argument("name")
@click.option("--format", "form", type=click.Choice(["arag"]), default="arag", show_default=True)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to make.",
)
def export(name: str, form: str, out: Path) -> None:
    """Write the prepared corpus NAME in the format of another program: A-RAG's."""
    from ..datasets import export_arag

    export_arag(name, out)
    click.echo(f"Wrote {out}")
    click.echo(
        "The format does not say which documents a question is about: there it is about all."
    )
