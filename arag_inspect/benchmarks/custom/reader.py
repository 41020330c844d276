"""A user's own documents and questions."""

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Literal

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmark.prepare import check_name
from arag_inspect.corpus import Corpus, CorpusDocuments, Document, Section, Source
from arag_inspect.corpus.document_names import plain_name
from arag_inspect.corpus.documents.paging import Pages, add_pages
from arag_inspect.corpus.documents.text import SUFFIXES, Skipped, read_texts
from arag_inspect.corpus.prepared.manifest import CHUNKS

from .._shared.arag_format import read_arag
from .._shared.filing_sections import filing_form, split_filing
from .._shared.question_file import read_question_file
from .._shared.question_set import Question, QuestionSet
from .tagged_questions import tagged_questions


def read_custom(
    questions: Path | None = None,
    documents: Path | None = None,
    chunks: Path | None = None,
    corpus: str | None = None,
    name: str = "custom",
    exhibits: str = "",
    columns: str = "",
    split: str = "",
    xbrl: Literal["questions"] | None = None,
) -> QuestionSet:
    """Read questions about a user's own documents, chunks or prepared corpus.

    Args:
        questions: JSON, JSON Lines, CSV, XLSX or Parquet: question; optionally id, answer,
            evidence, doc_ids, question_type, group; the names of ragas, deepeval, promptfoo,
            Langfuse and Phoenix work too.
        documents: Folder of text, Markdown, HTML, PDF, office and transcript files.
        chunks: Instead of documents: chunks in A-RAG's format, used as they are.
        corpus: Instead of documents: name or path of a prepared corpus, whose chunks are used as
            they are.
        name: Name of the corpus.
        exhibits: Exhibits of EDGAR full submissions to read with the form, e.g. EX-13,EX-99.
        columns: Columns with other names, e.g. question=Frage,reference=Soll; also evidence, id,
            documents, page, question_type, group and others.
        split: Only questions with this value in the column split.
        xbrl: Instead of a file of questions: at most 40 per filing, about figures tagged in inline
            XBRL.

    Raises:
        InputError: The arguments do not fit together, or a file is unreadable.
    """
    check_name(name)
    if sum(origin is not None for origin in (documents, chunks, corpus)) != 1:
        raise InputError("give one of --documents DIR, --chunks FILE and --corpus NAME")
    if (questions is None) == (xbrl is None):
        raise InputError("give one of --questions FILE and --xbrl questions")
    if documents is not None:
        question_set = read_documents(documents, questions, exhibits, columns, split)
    elif questions is None:
        raise InputError("--xbrl questions needs --documents DIR")
    elif chunks is not None:
        question_set = read_arag(chunks, questions, columns, split)
    else:
        question_set = _read_corpus(str(corpus), questions, columns, split)
    return replace(question_set, split=name)


def _read_corpus(corpus: str, questions: Path, columns: str, split: str) -> QuestionSet:
    """Read a file of questions about the documents of a prepared corpus."""
    opened_corpus = Corpus.open(corpus)
    items, reading = read_question_file(
        questions, opened_corpus.doc_ids, columns=columns, split=split
    )
    inputs = {questions.name: file_digest(questions), CHUNKS: opened_corpus.manifest.chunks_sha256}
    documents = CorpusDocuments(opened_corpus)
    return QuestionSet(documents, items, Source(inputs=inputs), reading=reading)


def read_documents(
    documents: Path, questions: Path | None, exhibits: str = "", columns: str = "", split: str = ""
) -> QuestionSet:
    """Read a folder of documents and a file of questions about them.

    An unreadable document is skipped; a question is left out only if
    all of its documents are skipped.

    Args:
        documents: Folder of files, at any depth. A document's id is its path in the folder.
        questions: JSON, JSON Lines, CSV, XLSX or Parquet with `question`, and optionally `id`,
            `answer`, `evidence` (texts), `doc_ids` (paths, with or without suffix), `question_type`
            and `group`; None for questions about the figures that filings tag, see
            `tagged_questions`.
        exhibits: Exhibit types to read from EDGAR's full submissions, comma-separated.
        columns: Columns of roles with unrecognised names.
        split: Only questions of this split; empty for all.

    Raises:
        InputError: No document can be read, or a question is invalid; no question is skipped.
    """
    paths, skipped = _list_files(documents, questions)
    items: list[Question] = []
    notes: list[Skipped] = []
    reading: Sequence[str] = ()
    if questions is not None:
        names = [*paths, *_unread_names(paths, skipped)]
        items, reading = read_question_file(questions, names, columns=columns, split=split)
    exhibit_types = [name.strip() for name in exhibits.split(",") if name.strip()]
    texts, unreadable, pages = read_texts(paths, exhibit_types)
    skipped += unreadable
    if not texts:
        raise InputError(
            f"none of the {len(paths)} documents in {documents} can be read: {skipped[0]}"
        )
    if questions is None:
        items, notes = tagged_questions({name: paths[name] for name in texts})
    answerable = list(_select_readable(items, texts))
    if not answerable:
        raise InputError(f"all documents that {questions} asks about were skipped: {skipped[0]}")
    sectioned = [_document(name, text, pages.get(name, ())) for name, text in texts.items()]
    questions_left_out = len(items) - len(answerable)
    inputs = {questions.name: file_digest(questions)} if questions is not None else {}
    inputs |= {name: file_digest(path) for name, path in paths.items() if name in texts}
    return QuestionSet(
        documents=[
            add_pages(document, texts[document.doc_id], _shown_pages(document.doc_id, pages))
            for document in sectioned
        ],
        questions=answerable,
        source=Source(inputs=inputs),
        counts=_counts(skipped, questions_left_out, sectioned),
        skipped=[*skipped, *notes],
        reading=reading,
    )


def _unread_names(paths: Iterable[str], skipped: Iterable[Skipped]) -> list[str]:
    """Return the unread files of a folder whose names do not fit a readable file too."""
    stems = {PurePath(name).stem for name in paths}
    return [file.name for file in skipped if PurePath(file.name).stem not in stems]


def _select_readable(questions: Iterable[Question], doc_ids: Container[str]) -> Iterator[Question]:
    """Yield the questions about documents that were read, each with only these documents."""
    for question in questions:
        readable = tuple(doc_id for doc_id in question.doc_ids if doc_id in doc_ids)
        if readable or not question.doc_ids:
            yield replace(question, doc_ids=readable)


def _counts(
    skipped: Sequence[Skipped], questions_left_out: int, documents: Sequence[Document]
) -> dict[str, int]:
    """Return the counts for the manifest; two of them are omitted if zero."""
    read_in_part = sum(file.partly for file in skipped)
    unsectioned = sum(
        not document.sections[0].title and filing_form(document.sections[0].text) is not None
        for document in documents
    )
    counts = {"documents_skipped": len(skipped) - read_in_part}
    if read_in_part:
        counts["documents_read_in_part"] = read_in_part
    counts["questions_left_out"] = questions_left_out
    if unsectioned:
        counts["filings_without_sections"] = unsectioned
    return counts


def _list_files(folder: Path, questions: Path | None) -> tuple[dict[str, Path], list[Skipped]]:
    """Return readable files by their path in the folder, and other visible files."""
    if not folder.is_dir():
        raise InputError(f"folder {folder} does not exist; --documents takes a folder")
    files: dict[str, Path] = {}
    left_out: list[Skipped] = []
    suffixes = ", ".join(suffix[1:] for suffix in SUFFIXES)
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        is_link = path.is_symlink() and not path.is_file()
        if not (is_link or path.is_file()) or any(part.startswith(".") for part in parts):
            continue
        raw = os.fsencode("/".join(parts))
        name = raw.decode(errors="backslashreplace")
        plain = plain_name(name)
        if not is_link and _is_same_file(path, questions):
            continue
        if is_link:
            left_out.append(Skipped(name, "is a link to a folder, or broken; copy the files"))
        elif path.suffix.lower() not in SUFFIXES:
            left_out.append(Skipped(name, f"is not one of {suffixes}"))
        elif name.encode() != raw:
            left_out.append(Skipped(name, "has a name that is not UTF-8"))
        elif plain in files:
            left_out.append(
                Skipped(name, "has the same name as another file, in different characters")
            )
        else:
            files[plain] = path
    if not files:
        raise InputError(f"{folder} has no {suffixes} file")
    return files, left_out


def _is_same_file(path: Path, other: Path | None) -> bool:
    return other is not None and other.exists() and path.samefile(other)


def _shown_pages(name: str, pages: Mapping[str, Pages]) -> Pages:
    """Return the visible pages of a document; HTML page breaks do not count."""
    return pages.get(name, ()) if name.lower().endswith(".pdf") else ()


def _document(name: str, text: str, pages: Pages) -> Document:
    """Return a document, split into sections if it is an SEC form whose parts are found."""
    label = " ".join(name.replace("[", "(").replace("]", ")").split())
    whole_section = Section(title="", text=text, prefix=f"[DOCUMENT: {label}]", pages=pages)
    form = filing_form(text)
    parts = split_filing(whole_section, form) if form else []
    sections = [
        Section(title, part, f"[DOCUMENT: {label} | SECTION: {title}]") for title, part in parts
    ]
    sections = sections or [replace(whole_section, pages=())]
    return Document(doc_id=name, company="", period="", sections=tuple(sections))
