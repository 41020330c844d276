"""`arag-inspect corpus`: a prepared corpus in another store, in another format, or over HTTP."""

import shlex
from pathlib import Path
from typing import Annotated, Literal

import click

from ._command import command
from ._options import FOLDER
from .serve import serve


@click.group()
def corpus() -> None:
    """Convert, export or serve a prepared corpus."""


@command()
def convert(
    corpus: str, *, store: Literal["lance"], out: Annotated[str | None, "FOLDER|ADDRESS"] = None
) -> None:
    """Write the prepared CORPUS again in another store: Lance, for large corpora.

    Lance datasets are searched in place, on a disk or in an object store.

    Args:
        corpus: Name, path or address.
        store: Store to convert to.
        out: Folder or address (s3://...) to make. [default: CORPUS itself]
    """
    from ..corpus import Corpus
    from ..corpus.stores.lance.write import convert_to_lance

    source = Corpus.locate(corpus)
    to = ["--out", out] if out else []
    typed = shlex.join(["arag-inspect", "corpus", "convert", corpus, "--store", store, *to])
    target = out or str(corpus if "://" in corpus else source)
    if "://" not in target:
        target = str(Path(target).expanduser().absolute())
    manifest = convert_to_lance(source, target, command=typed)
    click.echo(f"Wrote {manifest.counts['chunks']:,} chunks to {target}")
    assert manifest.lance is not None
    click.echo(f"Recall@5 against exact search: {manifest.lance.recall_at_5:.3f}")


@command()
def export(
    name: str,
    *,
    form: Annotated[Literal["arag"], "--format"] = "arag",
    out: Annotated[Path, FOLDER, "-o --out"],
) -> None:
    """Write the prepared corpus NAME in the format of another program: A-RAG's.

    Args:
        name: Name, path or address.
        form: Format.
        out: Folder to make.
    """
    from ..datasets import export_arag

    export_arag(name, out)
    click.echo(f"Wrote {out}")


for added in (convert, export, serve):
    corpus.add_command(added)
