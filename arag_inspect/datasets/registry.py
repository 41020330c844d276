"""From a data set's source to its prepared folder, in one call each."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from .._util.errors import InputError
from ..corpus import Document, Source
from . import arag_format, custom, docfinqa, ectsum, financebench, finder, finqa, legal
from ._io.download import evict
from .advisor import samples as talks_folder
from .advisor.conversation import Conversation
from .earnings_calls import EarningsCall
from .financebench import samples
from .financebench.filings import ReadFiling, read_filings
from .prepare import Options, Prepared, check_name, prepare_calls, prepare_corpus, prepare_questions
from .synthetic import generate_calls

__all__ = [
    "Options",
    "Prepared",
    "prepare_advisor",
    "prepare_chunks",
    "prepare_custom",
    "prepare_docfinqa",
    "prepare_ectsum",
    "prepare_financebench",
    "prepare_finder",
    "prepare_finqa",
    "prepare_legal",
    "prepare_synthetic",
]


def prepare_ectsum(
    split: ectsum.Split = "test",
    *,
    limit: int | None = None,
    source: Path | None = None,
    url: str = ectsum.ARCHIVE,
    options: Options = Options(),
) -> Prepared:
    """Prepare a split of ECTSum.

    Args:
        split: Which split.
        limit: Only so many calls, in the order of names.
        source: Local copy of the repository; None downloads the pinned commit.
        url: Where to download the archive.
        options: How to chunk and embed.

    Raises:
        InputError: Something is wrong with the source, the download or the model.
    """
    files = ectsum.load_files(split, source, url)
    found = ectsum.read_calls(files, split, limit)
    return prepare_calls(found, "ectsum", split, ectsum.source_of(files), options)


def prepare_synthetic(
    documents: int = 40, seed: int = 7, *, options: Options = Options()
) -> Prepared:
    """Prepare synthetic earnings calls.

    Args:
        documents: How many.
        seed: Of the generator; the same seed gives the same calls.
        options: How to chunk and embed.
    """
    found = [
        EarningsCall(
            document=call.document,
            quarter=call.quarter,
            year=call.year,
            summary=call.summary,
            key_sentences=call.key_sentences,
            facts=call.facts,
            key_facts=call.key_facts,
        )
        for call in generate_calls(documents, seed)
    ]
    return prepare_calls(found, "synthetic", f"seed{seed}", Source(), options)


def prepare_advisor(
    talks: Sequence[Conversation], split: str, *, options: Options = Options()
) -> Prepared:
    """Prepare talks with a financial adviser.

    Args:
        talks: One sample each.
        split: Who wrote them, and from which seed.
        options: How to chunk and embed.
    """
    return prepare_corpus(
        map(talks_folder.document, talks),
        lambda chunks, name: talks_folder.annotate(talks, chunks, name),
        dataset="advisor",
        split=split,
        source=Source(),
        options=options,
        total=len(talks),
    )


def prepare_finqa(
    split: finqa.Split = "test",
    *,
    limit: int | None = None,
    source: Path | None = None,
    url: str = finqa.FILES,
    options: Options = Options(),
) -> Prepared:
    """Prepare a split of FinQA; see `load_finqa`."""
    found = finqa.load_finqa(split, source=source, url=url, limit=limit)
    return prepare_questions(found, "finqa", split, options)


def prepare_finder(
    *, limit: int | None = None, source: Path | None = None, options: Options = Options()
) -> Prepared:
    """Prepare FinDER; see `load_finder`."""
    found = finder.load_finder(source=source, limit=limit)
    return prepare_questions(found, "finder", "train", options)


def prepare_docfinqa(
    split: docfinqa.Split = "test",
    *,
    limit: int | None = None,
    source: Path | None = None,
    options: Options = Options(),
) -> Prepared:
    """Prepare a split of DocFinQA; see `load_docfinqa`."""
    found = docfinqa.load_docfinqa(split, source=source, limit=limit)
    return prepare_questions(found, "docfinqa", split, options)


def prepare_financebench(
    *,
    docs: Sequence[str] = (),
    choice: financebench.Choice | None = None,
    source: Path | None = None,
    limit: int | None = None,
    url: str = financebench.RAW,
    pdf_seconds: float = 120,
    options: Options = Options(),
) -> Prepared:
    """Prepare FinanceBench: PDFs with their sections, and the samples of four tasks.

    A broken PDF is left out.

    Args:
        docs: Only these documents.
        choice: Without `docs`: the documents of the open questions, or all. Default: open; with `source` all that are there.
        source: Local copy of the repository, perhaps with some PDFs only; None downloads the pinned commit.
        limit: Only the first so many questions, with the documents that they need.
        url: Where the repository's files are served.
        pdf_seconds: Longest time for one PDF.
        options: How to chunk and embed.

    Raises:
        InputError: Something is wrong with the source, the download or the model, or no PDF could be read.
    """
    found = financebench.load(source=source, docs=docs, choice=choice, limit=limit, url=url)
    read: list[ReadFiling] = []

    def documents() -> Iterator[Document]:
        for one in read_filings(found.filings, seconds=pdf_seconds):
            if one.problem is not None:
                evict(one.filing.path)  # a download, to be had anew
            read.append(replace(one, document=None))  # the corpus keeps its text
            if one.document is not None:
                yield one.document
        if all(one.problem for one in read):
            raise InputError(f"no PDF could be read; the first: {read[0].problem}")

    prepared = prepare_corpus(
        documents(),
        lambda chunks, name: samples.annotate(found, read, chunks, name),
        dataset="financebench",
        split="docs" if docs else choice or ("given" if source else "open"),
        source=found.source,
        options=options,
        total=len(found.filings),
    )
    skipped = tuple(
        custom.Skipped(one.filing.doc_id, one.problem.cause) for one in read if one.problem
    )
    return replace(prepared, skipped=skipped)


def prepare_custom(
    documents: Path, questions: Path, *, name: str = "custom", options: Options = Options()
) -> Prepared:
    """Prepare a user's own documents; see `load_custom`.

    Args:
        documents: Folder.
        questions: File.
        name: Name of the corpus.
        options: How to chunk and embed.
    """
    check_name(name)
    found, skipped = custom.load_custom(documents, questions)
    return replace(prepare_questions(found, "custom", name, options), skipped=tuple(skipped))


def prepare_legal(source: Path | None = None, *, options: Options = Options()) -> Prepared:
    """Prepare court opinions with human summaries; see `load_pairs`.

    Args:
        source: Folder of pairs; None takes the demo data of this package.
        options: How to chunk and embed.
    """
    found, skipped = legal.load_pairs(source or legal.DEMO)
    split = source.absolute().name if source else "demo"
    return replace(prepare_questions(found, "legal", split, options), skipped=tuple(skipped))


def prepare_chunks(
    chunks: Path,
    questions: Path,
    *,
    gold: Path | None = None,
    name: str = "custom",
    options: Options = Options(),
) -> Prepared:
    """Prepare a corpus in A-RAG's format; see `load_arag`.

    Args:
        chunks: `chunks.json`.
        questions: `questions.json`.
        gold: `gold_chunk_map.json`.
        name: Name of the corpus.
        options: How to embed; chunks stay as they are.
    """
    check_name(name)
    found = arag_format.load_arag(chunks, questions, gold)
    return prepare_questions(found, "custom", name, options)
