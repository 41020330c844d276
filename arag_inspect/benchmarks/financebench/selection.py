"""Choose questions and filings of FinanceBench, and fetch their files."""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmark.rows import Filled, Text, read_models, read_rows
from arag_inspect.corpus import Source
from arag_inspect.corpus.evidence import Evidence

from .._shared.download import NotFoundError, Upstream, fetch, is_cached, local_file
from .._shared.filing_sections import FilingKind
from .filings import Filing, filing_label

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

_SAFE = re.compile(r"\w[\w.&-]*")


class _EvidenceRow(BaseModel):
    """A passage of a question."""

    evidence_text: Text
    evidence_page_num: int
    evidence_doc_name: Text = ""
    doc_name: Text = ""


class FilingQuestion(BaseModel):
    """A question of the benchmark."""

    financebench_id: Filled
    doc_name: Filled
    question: Filled
    answer: Filled
    question_type: Text = ""
    question_reasoning: Text = ""
    """For example `Numerical reasoning`; empty if missing."""

    evidence: list[_EvidenceRow] = []

    @property
    def passages(self) -> list[Evidence]:
        """The evidence with document and page."""
        passages = []
        for item in self.evidence:
            document = item.evidence_doc_name or item.doc_name or self.doc_name
            passages.append(Evidence(item.evidence_text, document, item.evidence_page_num))
        return passages


def _form(value: object) -> str:
    form = str(value).upper().partition("_")[0]
    return "10K" if form in ("10K405", "10K/A", "20F", "40F") else form


class FilingRow(BaseModel):
    """The authors' description of a document."""

    doc_name: Filled
    company: Filled
    doc_type: Annotated[FilingKind, BeforeValidator(_form)]
    doc_period: int


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions and filings to prepare."""

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
    open_only: bool | None = None,
    limit: int | None = None,
) -> Selection:
    """Read the questions and get the PDFs that they need.

    Args:
        source: Local copy of the repository, possibly with only some of the PDFs; None downloads.
        docs: Only these documents.
        open_only: Without `docs`: the documents of the open questions, or all 360. None: open; with
            `source`, all documents in it.
        limit: Only the first questions and, unless all are requested, only their documents.

    Raises:
        InputError: A file is missing or unreadable, a document is unknown, or no PDF is
            available.
    """
    if source is not None and not source.is_dir():
        raise InputError(f"source folder {source} does not exist")
    paths = {name: _data_file(name, source) for name in (QUESTIONS, DOCUMENTS)}
    descriptions = {}
    for row in read_rows(paths[DOCUMENTS]):
        description = row.parse(FilingRow)
        descriptions[description.doc_name] = description
    questions = list(read_models(paths[QUESTIONS], FilingQuestion, "financebench_id").values())
    unknown = [name for name in docs if name not in descriptions]
    if unknown:
        example = next(iter(descriptions), "none")
        raise InputError(f"document {unknown[0]!r} is unknown; names are like {example}")
    question_documents = [question.doc_name for question in questions[:limit]]
    names = list(
        dict.fromkeys(docs or (descriptions if open_only is False else question_documents))
    )
    questions = [question for question in questions if question.doc_name in names][:limit]
    candidates = [name for name in names if name in descriptions]
    if source is not None and open_only is None and not docs and limit is None:
        candidates += [name for name in descriptions if name not in candidates]
    pdfs = _find_local_pdfs(candidates, source) if source else _download_pdfs(candidates)
    if not pdfs:
        raise InputError(
            f"none of the {len(names)} PDFs is in {source}/pdfs; expected pdfs/<doc_name>.pdf"
        )
    inputs = {name: file_digest(path) for name, path in paths.items()}
    inputs |= {f"pdfs/{path.name}": file_digest(path) for path in pdfs.values() if path.is_file()}
    return Selection(
        filings=tuple(_filing(descriptions[name], path) for name, path in pdfs.items()),
        questions=tuple(question for question in questions if question.doc_name in pdfs),
        missing=tuple(name for name in names if name not in pdfs),
        left_out=sum(question.doc_name not in pdfs for question in questions),
        source=Upstream(REPOSITORY, COMMIT).source(inputs, is_pinned=source is None),
    )


def _find_local_pdfs(names: Sequence[str], source: Path) -> dict[str, Path]:
    """Return the PDFs of a copy, whose names may differ in case."""
    files = sorted((source / "pdfs").glob("*.[pP][dD][fF]"))
    paths = {path.stem.lower(): path for path in files}
    return {name: paths[name.lower()] for name in names if name.lower() in paths}


def _download_pdfs(names: Sequence[str]) -> dict[str, Path]:
    """Download PDFs, whose names may differ in case; return the existing ones."""
    pdfs: dict[str, Path] = {}
    for name in names:
        if not _SAFE.fullmatch(name):
            raise InputError(f"doc_name {name!r} is not a valid file name")
        head, _, suffix = name.partition("_")
        cached = f"financebench-{COMMIT[:12]}-{name}.pdf"
        spellings = dict.fromkeys((name, f"{head.upper()}_{suffix}", name.upper()))
        addresses = [f"{RAW}/pdfs/{spelling}.pdf" for spelling in spellings]
        for address in sorted(addresses, key=lambda address: not is_cached(address, cached)):
            with suppress(NotFoundError):
                pdfs[name] = fetch(address, cached, begins=(b"%PDF-",))
                break
    return pdfs


def _data_file(name: str, source: Path | None) -> Path:
    if source is None:
        cached = f"financebench-{COMMIT[:12]}-{Path(name).name}"
        return fetch(f"{RAW}/{name}", cached, DIGESTS.get(name))
    return local_file(source, name, REPOSITORY)


def _filing(row: FilingRow, path: Path) -> Filing:
    label = filing_label(row.doc_name, row.doc_period)
    return Filing(row.doc_name, row.company, row.doc_type, row.doc_period, label, path)
