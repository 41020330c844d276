"""`arag-inspect convert`: a prepared corpus in another store."""

import shlex
from pathlib import Path

import click


@click.command()
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
    command = shlex.join(["arag-inspect", "convert", corpus, "--store", store, *to])
    target = out or str(corpus if "://" in corpus else source)
    if "://" not in target:
        target = str(Path(target).expanduser().absolute())
    manifest = convert_to_lance(source, target, command=command)
    click.echo(f"Wrote {manifest.counts['chunks']:,} chunks to {target}")
    assert manifest.lance is not None
    click.echo(f"Recall@5 against exact search: {manifest.lance.recall_at_5:.3f}")
