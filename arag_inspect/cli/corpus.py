"""`arag-inspect corpus` and `retrieval`: convert, export, serve and search a prepared corpus."""

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import click

from .._util.errors import echo
from .._util.wording import format_count
from ._command import AT_LEAST_1, FOLDER, Count, command, split_names


@command()
def serve(
    corpus: str,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, click.IntRange(1, 65535)] = 8000,
    engine: Literal["local", "ray"] = "local",
    address: str | None = None,
    replicas: Annotated[int, AT_LEAST_1] = 1,
    allow_host: Annotated[tuple[str, ...], "NAME"] = (),
    token_env: Annotated[str | None, "NAME"] = None,
    with_samples: bool = False,
) -> None:
    """Serve a prepared folder to other machines, as `-T corpus=http://HOST:PORT`.

    With a token: -T 'corpus=http://${ARAG_TOKEN}@HOST:PORT'.

    Args:
        corpus: Name, path or address.
        host: Address to listen on.
        port: Port to listen on.
        engine: Serve from this process, or with Ray Serve.
        address: Ray cluster to serve on. [default: Ray on this machine]
        replicas: Processes that search, with --engine ray.
        allow_host: Host name that clients use; repeatable. [default: this machine's names]
        token_env: Environment variable with the token that clients must send; required if other
            machines can reach the address.
        with_samples: Also serve samples, facts and gold answers, which tasks need, to every client.
    """
    from ..run._access import make_access
    from ..run.serve_corpus import serve_here, serve_on_ray

    if engine == "local" and (address or replicas > 1):
        raise click.UsageError("--address and --replicas go with --engine ray")
    access = make_access(host, allow_host, token_env, with_samples)
    samples = "given to every client" if with_samples else "not given (--with-samples)"
    ready = partial(
        click.echo,
        f"{corpus} is served at http://{host}:{port}; Ctrl-C ends it\n"
        f"Samples and gold answers are {samples}",
    )
    service: dict[str, Any] = {"host": host, "port": port, "ready": ready, "access": access}
    if engine == "local":
        serve_here(corpus, **service)
    else:
        serve_on_ray(corpus, replicas=replicas, address=address, **service)


@click.group()
def corpus() -> None:
    """Convert, export or serve a prepared corpus."""


@command()
def convert(
    corpus: str, *, store: Literal["lance"], out: Annotated[str | None, "FOLDER|ADDRESS"] = None
) -> None:
    """Convert the prepared CORPUS to another store: Lance, for large corpora.

    Lance datasets are searched in place, on a disk or in an object store.

    Args:
        corpus: Name, path or address.
        store: Store to convert to.
        out: Folder or address (s3://...) to make. [default: CORPUS itself]
    """
    from ..corpus import Corpus
    from ..corpus.stores.lance.write import convert_to_lance

    source = Corpus.locate(corpus)
    out_option = ["--out", out] if out else []
    typed = shlex.join(["arag-inspect", "corpus", "convert", corpus, "--store", store, *out_option])
    target = out or str(corpus if "://" in corpus else source)
    if "://" not in target:
        target = str(Path(target).expanduser().absolute())
    manifest = convert_to_lance(source, target, command=typed)
    click.echo(f"Wrote {format_count(manifest.counts['chunks'], 'chunk')} to {target}")
    assert manifest.lance is not None
    click.echo(f"Recall@5 against exact search: {manifest.lance.recall_at_5:.3f}")


@command()
def export(
    name: str,
    *,
    form: Annotated[Literal["arag"], "--format"] = "arag",  # noqa: ARG001  # the only one
    out: Annotated[Path, FOLDER, "-o --out"],
) -> None:
    """Export the prepared corpus NAME to A-RAG's format.

    Args:
        name: Name, path or address.
        form: Format.
        out: Folder to make.
    """
    from ..benchmarks import export_arag

    export_arag(name, out)
    click.echo(f"Wrote {out}")


for subcommand in (convert, export, serve):
    corpus.add_command(subcommand)


@command()
def retrieval(
    corpus: tuple[str, ...],
    *,
    retrievers: str = "dense,bm25,hybrid",
    rerank: Annotated[str | None, "MODEL"] = None,
    gold: Literal["chunks", "documents"] = "chunks",
    scope: Literal["corpus", "sample_documents"] = "corpus",
    limit: Count = None,
    out: Annotated[Path | None, FOLDER, "-o --out"] = None,
) -> None:
    """Compare retrievers on the gold evidence of questions.

    No language model is asked.

    CORPUS is a prepared corpus with gold evidence; several with the same questions, prepared with
    other embedding models or chunk sizes, are compared with the first.

    Args:
        corpus: Prepared corpora.
        retrievers: Retrievers, separated by commas: dense, bm25, hybrid, keyword.
        rerank: Cross-encoder of sentence-transformers, by name or folder; each retriever is
            compared with and without it.
        gold: What a search should find: the chunks with the evidence, or a chunk of each document.
        scope: Search the whole corpus, or only the documents of the question.
        limit: Only N questions, spread over the groups.
        out: Folder for the tables as CSV.
    """
    from .._util.progress import bar
    from ..run.compare_retrievers import compare_retrievers

    compared = compare_retrievers(
        corpus,
        split_names(retrievers),
        rerank=rerank,
        gold=gold,
        scope=scope,
        limit=limit,
        progress=bar("Searching"),
    )
    left_out = f"; {compared.left_out} without gold evidence skipped" if compared.left_out else ""
    echo(f"{format_count(compared.questions, 'question')}{left_out}\n")
    for table in compared.tables:
        echo(f"{table.title}\n{table.as_text()}\n{click.wrap_text(table.text, 80)}\n")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{table.id}.csv").write_text(table.as_csv(), encoding="utf-8")
