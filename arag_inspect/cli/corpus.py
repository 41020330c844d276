"""`arag-inspect corpus`: a prepared corpus in another store, in another format, or over HTTP."""

import shlex
from pathlib import Path

import click

from .serve import serve


@click.group()
def corpus() -> None:
    """Convert, export or serve a prepared corpus."""


corpus.add_command(serve)


@corpus.command()
@click.argument("corpus")
@click.option("--store", type=click.Choice(["lance"]), required=True, help="Store to convert to.")
@click.option(
    "--out",
    metavar="FOLDER|ADDRESS",
    help="Folder or address (s3://...) to make. [default: CORPUS itself]",
)
def convert(corpus: str, store: str, out: str | None) -> None:
    """Write the prepared CORPUS again in another store: Lance, for large corpora.

    Lance datasets are searched in place, on a disk or in an object store.
    """
    from ..corpus import Corpus
    from ..corpus.stores.lance.write import convert_to_lance

    source = Corpus.locate(corpus)
    to = ["--out", out] if out else []
    command = shlex.join(["arag-inspect", "corpus", "convert", corpus, "--store", store, *to])
    target = out or str(corpus if "://" in corpus else source)
    if "://" not in target:
        target = str(Path(target).expanduser().absolute())
    manifest = convert_to_lance(source, target, command=command)
    click.echo(f"Wrote {manifest.counts['chunks']:,} chunks to {target}")
    assert manifest.lance is not None
    click.echo(f"Recall@5 against exact search: {manifest.lance.recall_at_5:.3f}")


@corpus.command()
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
