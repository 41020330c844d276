"""FinanceBench (Islam et al., 2023): questions on SEC filings, with the pages that answer them.

https://github.com/patronus-ai/financebench, CC BY-NC 4.0. Not distributed with this package.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ...._util.errors import InputError
from ....corpus import Source
from ....corpus.embeddings import file_digest
from ....corpus.evidence import Evidence
from ..._io.download import NotFoundError, Upstream, fetch, is_cached
from ..._io.records import SourceRow, distinct, read_rows
from .filings import Filing, filing_label
from .sec_sections import Kind

Choice = Literal["open", "all"]
"""The documents of the open questions, or all."""

REPOSITORY = "https://github.com/patronus-ai/financebench"
COMMIT = "cc39aeb4afdf33909ee1412188bf89035950c2eb"
RAW = f"https://raw.githubusercontent.com/patronus-ai/financebench/{COMMIT}"
QUESTIONS = "data/financebench_open_source.jsonl"
DOCUMENTS = "data/financebench_document_information.jsonl"
DIGESTS = {
    QUESTIONS: "a5a2aa673e573e55675fc3c0f9aa38c1cf59d2abc91edb077534f71f10a71877",
    DOCUMENTS: "1c69127783879de8cdadb159d2181f39bc3123b8e0ebf74031c3969d69189575",
}
"""SHA-256 of the files at that commit. PDFs are checked against the digest of their first download,
see `fetch`.
"""

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("10k", "10k_annualreport", "10k405", "10k/a", "20f", "40f"), "10K"),
    "10q": "10Q",
    "8k": "8K",
    "earnings": "EARNINGS",
}
_SAFE = re.compile(r"\w[\w.&-]*")


@dataclass(frozen=True, slots=True)
class FilingQuestion:
    """A question of the benchmark."""

    question_id: str
    doc_id: str
    company: str
    question: str
    answer: str
    question_type: str
    reasoning: str
    """Type of reasoning, e.g. `Numerical reasoning`; `not stated` if the authors give none."""

    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Material:
    """Input of a preparation."""

    filings: tuple[Filing, ...]
    questions: tuple[FilingQuestion, ...]
    """Questions whose document is among the filings."""

    missing: tuple[str, ...] = ()
    """Requested documents that are unavailable."""

    left_out: int = 0
    """Questions whose document is missing."""

    source: Source = field(default_factory=Source)


def load(
    *,
    source: Path | None = None,
    docs: Collection[str] = (),
    choice: Choice | None = None,
    limit: int | None = None,
    url: str = RAW,
) -> Material:
    """Read the questions and get the PDFs that they need.

    Args:
        source: Local copy of the repository, possibly with only some of the PDFs; None downloads.
        docs: Only these documents, case-insensitive.
        choice: Without `docs`: the documents of the open questions, or all 360. Default: open; with
            `source`, all that it holds.
        limit: Only the first questions and, except for `all`, only their documents.
        url: Where the repository's files are served.

    Raises:
        InputError: A file is missing or cannot be read, a document is unknown, or no PDF is
            available.
    """
    if source is not None and not source.is_dir():
        raise InputError(f"source folder {source} does not exist")
    paths = {name: _data_file(name, source, url) for name in (QUESTIONS, DOCUMENTS)}
    rows = read_documents(paths[DOCUMENTS])
    questions = read_questions(paths[QUESTIONS])
    names = _document_names(rows, questions, docs, choice or "open", limit)
    questions = [question for question in questions if _key(question.doc_id) in names][:limit]
    known_names = {key: name for key, name in names.items() if key in rows}
    if source is not None and choice is None and not docs and limit is None:
        known_names |= {key: row.text("doc_name") for key, row in rows.items()}
    pdfs = _pdfs(known_names, source, url)
    filings = tuple(_filing(rows[key], path) for key, path in pdfs.items())
    if not filings:
        raise InputError(
            f"none of the {len(names)} PDFs is in {source}/pdfs; expected pdfs/<doc_name>.pdf"
        )
    inputs = {name: file_digest(path) for name, path in paths.items()}
    inputs |= {
        f"pdfs/{filing.path.name}": digest for filing in filings if (digest := _digest(filing.path))
    }
    return Material(
        filings=filings,
        questions=tuple(question for question in questions if _key(question.doc_id) in pdfs),
        missing=tuple(name for key, name in names.items() if key not in pdfs),
        left_out=sum(_key(question.doc_id) not in pdfs for question in questions),
        source=Upstream(REPOSITORY, COMMIT, RAW).source(url if source is None else None, inputs),
    )


def read_questions(path: Path) -> list[FilingQuestion]:
    """Read the questions of the benchmark.

    Raises:
        InputError: A row is not an object, lacks a field, or repeats an id.
    """
    return [_question(row) for row in distinct(read_rows(path), "financebench_id")]


def read_documents(path: Path) -> dict[str, SourceRow]:
    """Read the metadata of the documents, by lower-case name.

    Raises:
        InputError: A row is not an object or has no name.
    """
    return {_key(row.text("doc_name")): row for row in read_rows(path)}


def _question(row: SourceRow) -> FilingQuestion:
    doc_id = row.text("doc_name")
    items = row.values.get("evidence") or []
    try:
        evidence = tuple(
            Evidence(
                text=str(item["evidence_text"] or ""),
                doc_id=str(item.get("evidence_doc_name") or item.get("doc_name") or doc_id),
                page=int(item["evidence_page_num"]),
            )
            for item in items
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise row.error(f"evidence needs evidence_text and evidence_page_num ({error})") from None
    values = row.values
    return FilingQuestion(
        question_id=row.text("financebench_id"),
        doc_id=doc_id,
        company=str(values.get("company") or ""),
        question=row.text("question"),
        answer=row.text("answer"),
        question_type=str(values.get("question_type") or "not stated"),
        reasoning=str(values.get("question_reasoning") or "not stated"),
        evidence=evidence,
    )


def _document_names(
    rows: dict[str, SourceRow],
    questions: Sequence[FilingQuestion],
    docs: Collection[str],
    choice: Choice,
    limit: int | None,
) -> dict[str, str]:
    """Return the names of the documents to get, by lower-case name."""
    if docs:
        unknown = [name for name in docs if _key(name) not in rows]
        if unknown:
            raise InputError(
                f"document {unknown[0]!r} is unknown; names are like {next(iter(rows.values())).text('doc_name')}"
            )
        names = [rows[_key(name)].text("doc_name") for name in docs]
    elif choice == "all":
        names = [row.text("doc_name") for row in rows.values()]
    else:
        names = [question.doc_id for question in questions[:limit]]
    return {_key(name): name for name in names}


def _pdfs(names: dict[str, str], source: Path | None, url: str) -> dict[str, Path]:
    """Return the available PDFs, by lower-case name."""
    if source is not None:
        paths = sorted((source / "pdfs").glob("*.[pP][dD][fF]"))
        files = {_key(path.stem): path for path in paths}
        exact = {path.name: path for path in paths}
        return {
            key: exact.get(f"{name}.pdf", files[key]) for key, name in names.items() if key in files
        }
    fetched = {key: _download(name, url) for key, name in names.items()}
    return {key: path for key, path in fetched.items() if path is not None}


def _download(name: str, url: str) -> Path | None:
    """Get a PDF; the file's name may differ in case."""
    if not _SAFE.fullmatch(name):
        raise InputError(f"doc_name {name!r} cannot be the name of a file")
    head, _, rest = name.partition("_")
    cached = f"financebench-{COMMIT[:12]}-{name}.pdf"
    spellings = dict.fromkeys((name, f"{head.upper()}_{rest}", name.upper()))
    addresses = [f"{url}/pdfs/{spelling}.pdf" for spelling in spellings]
    for address in sorted(addresses, key=lambda address: not is_cached(address, cached)):
        try:
            return fetch(address, cached, begins=(b"%PDF-",))
        except NotFoundError:
            continue
    return None


def _digest(path: Path) -> str | None:
    """Return the SHA-256 of a PDF, or None if unreadable (`read_filings` reports why)."""
    try:
        return file_digest(path) if path.is_file() else None
    except OSError:
        return None


def _data_file(name: str, source: Path | None, url: str) -> Path:
    if source is None:
        sha256 = DIGESTS[name] if url == RAW else None
        return fetch(f"{url}/{name}", f"financebench-{COMMIT[:12]}-{Path(name).name}", sha256)
    if not (source / name).is_file():
        raise InputError(f"{name} is missing in {source}; is it a copy of {REPOSITORY}?")
    return source / name


def _filing(row: SourceRow, path: Path) -> Filing:
    name, form, period = row.text("doc_name"), row.text("doc_type"), row.text("doc_period")
    kind = _KINDS.get(form.lower())
    if kind is None or not period.isdecimal():
        raise row.error(f"doc_type {form!r} or doc_period {period!r} is unknown")
    year = int(period)
    return Filing(name, row.text("company"), kind, year, filing_label(name, year), path)


def _key(name: str) -> str:
    return name.lower()
