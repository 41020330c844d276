"""`arag-inspect retrieval`: retrievers compared without a language model."""

from pathlib import Path
from typing import Annotated, Literal

import click

from .._util.errors import echo
from ._command import FOLDER, Count, command, forward, split_names


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
        rerank: Cross-encoder of sentence-transformers, by name or folder; each retriever is compared with and without it.
        gold: What is to be found: the chunks with the evidence, or a chunk of each document.
        scope: Search the whole corpus, or only the documents of the question.
        limit: Only N questions, spread over the groups.
        out: Folder for the tables as CSV.
    """
    from .._util.progress import bar
    from ..workflows.compare_retrievers import compare_retrievers

    options = {"retrievers": split_names(retrievers), "progress": bar("Searching")}
    compared = forward(compare_retrievers, corpora=corpus, **options)
    left_out = f"; {compared.left_out} without gold left out" if compared.left_out else ""
    echo(f"{compared.questions} questions{left_out}\n")
    for table in compared.tables:
        echo(f"{table.title}\n{table.as_text()}\n{click.wrap_text(table.text, 80)}\n")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{table.id}.csv").write_text(table.as_csv(), encoding="utf-8")
