"""FinQA (Chen et al., EMNLP 2021): numeric questions about a page of an annual report.

https://github.com/czyssrs/FinQA, MIT.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import PositiveInt

from ..._util.errors import InputError
from ...corpus import Document, Section
from ...corpus.embeddings import file_digest
from .._io.download import Upstream, evict, fetch
from .._io.records import Row, distinct, plain_number, read_rows
from ..question_set import Question, QuestionSet
from ..spec import DatasetSpec

Split = Literal["test", "dev", "train"]

REPOSITORY = "https://github.com/czyssrs/FinQA"
COMMIT = "0f16e2867befa6840783e58be38c9efb9229d742"
FILES = f"https://raw.githubusercontent.com/czyssrs/FinQA/{COMMIT}/dataset"

_PAGE = re.compile(r"(?P<company>[^/]+)/(?P<year>(?:19|20)\d\d)/page_(?P<page>\d+)(?:\.pdf)?")
_INDEX = re.compile(r"(?P<kind>text|table)_(?P<number>\d{1,9})")


@dataclass(frozen=True, slots=True)
class _Page:
    """A page of a report, line by line."""

    before: tuple[str, ...]
    rows: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def text(self) -> str:
        lines = (*self.before, *self.rows, *self.after)
        return "\n".join(line for line in lines if line)

    def line(self, index: str) -> str | None:
        """Return the line of an index of FinQA, such as `text_3` or `table_1`."""
        match = _INDEX.fullmatch(index)
        if match is None:
            return None
        lines = self.rows if match["kind"] == "table" else (*self.before, *self.after)
        number = int(match["number"])
        return lines[number] or None if number < len(lines) else None


class _Name(NamedTuple):
    """Company, period and label of a page, from its file name."""

    company: str
    period: str
    prefix: str
    lead: str
    """Beginning of a question: names the page."""


def load_finqa(
    split: Split = "test",
    *,
    source: Path | None = None,
    url: str | None = None,
    limit: PositiveInt | None = None,
) -> QuestionSet:
    """Read a split of FinQA.

    Args:
        split: test (1,147 questions), dev (883) or train (6,251).
        source: Local copy of the repository, or of the file in it, instead of a download.
        url: Address of the folder to download from, if not GitHub's.
        limit: Only so many questions, from the first.

    Raises:
        InputError: The file cannot be downloaded, or a row of it is invalid.
    """
    url = url or FILES
    path, name = _file(split, source, url), f"dataset/{split}.json"
    rows = distinct(read_rows(path, name), "id")
    documents: dict[str, Document] = {}
    questions: list[Question] = []
    try:
        for row in rows:
            if limit is not None and len(questions) == limit:
                break
            questions.append(_read(row, documents))
    except InputError:
        evict(path)  # a damaged download is fetched again next time
        raise
    return QuestionSet(
        documents=documents.values(),
        questions=questions,
        source=Upstream(REPOSITORY, COMMIT, FILES).source(
            url if source is None else None, {name: file_digest(path)}
        ),
        split=split,
        total=len(documents),
    )


def _file(split: str, source: Path | None, url: str) -> Path:
    if source is None:
        return fetch(f"{url}/{split}.json", f"finqa-{COMMIT[:12]}-{split}.json", begins=(b"[",))
    if source.is_file():
        return source
    path = source / "dataset" / f"{split}.json"
    if not path.is_file():
        raise InputError(f"{path} is missing; --source is the root of a copy of {REPOSITORY}")
    return path


def _read(row: Row, documents: dict[str, Document]) -> Question:
    """Read a question; adds its page to the documents."""
    identity, filename = row.text("id"), row.text("filename")
    qa = _part(row, "qa")
    name = _name(filename)
    page = _page(row)
    if not page.text:
        raise row.error("'pre_text', 'table' and 'post_text' are all empty")
    doc_id = _add_page(filename, name, page.text, documents)
    gold = qa.values.get("gold_inds") or {}
    if not isinstance(gold, Mapping):
        raise row.error('\'gold_inds\' must be an object such as {"table_1": "..."}')
    evidence = [page.line(str(index)) or str(text) for index, text in gold.items()]
    expected = _expected(qa)
    return Question(
        question_id=identity,
        text=f"{name.lead}{qa.text('question')}",
        answers=(qa.optional_text("answer") or plain_number(expected),),
        doc_ids=(doc_id,),
        evidence=tuple(dict.fromkeys(evidence)),
        question_type=_type(gold),
        company=name.company,
        period=name.period,
        more={"exe_ans": expected, "program": str(qa.values.get("program") or "")},
    )


def _part(row: Row, name: str) -> Row:
    value = row.values.get(name)
    if not isinstance(value, Mapping):
        raise row.error(f"{name!r} must be an object with question, answer, exe_ans and gold_inds")
    return Row(f"{row.place}, {name}", value)


def _expected(qa: Row) -> str | float:
    """Return the result of the gold program: a number, `yes` or `no`."""
    value = qa.values.get("exe_ans")
    qa.check_finite("exe_ans")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("yes", "no"):
        return text
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise qa.error(f"'exe_ans' must be a number, yes or no, got {value!r}")
    return number


def _type(gold: Iterable[str]) -> str:
    """Return the kind of evidence: `text`, `table`, `table_and_text` or `other`."""
    kinds = {str(index).partition("_")[0] for index in gold}
    return "_and_".join(sorted(kinds & {"text", "table"})) or "other"


def _name(filename: str) -> _Name:
    match = _PAGE.fullmatch(filename)
    if match is None:
        return _Name("", "", f"[DOCUMENT: {filename}]", f"In {filename}: ")
    company, year, page = match["company"], match["year"], match["page"]
    return _Name(
        company=company,
        period=f"FY_{year}",
        prefix=f"[COMPANY: {company} | TYPE: ANNUAL_REPORT | PERIOD: FY_{year} | PAGE: {page}]",
        lead=f"In {company}'s {year} annual report, page {page}: ",
    )


def _add_page(filename: str, name: _Name, text: str, documents: dict[str, Document]) -> str:
    """Add a page and return its document's id; a changed text is another document."""
    doc_id, number = filename, 1
    while doc_id in documents and documents[doc_id].sections[0].text != text:
        number += 1
        doc_id = f"{filename}#{number}"
    section = Section(title="", text=text, prefix=name.prefix)
    documents.setdefault(doc_id, Document(doc_id, name.company, name.period, (section,)))
    return doc_id


def _page(row: Row) -> _Page:
    table = row.values.get("table") or []
    if not isinstance(table, list) or not all(isinstance(cells, list) for cells in table):
        raise row.error("'table' must be a list of rows, each a list of cells")
    return _Page(
        before=_lines(row, "pre_text"),
        rows=tuple(_table_lines(table)),
        after=_lines(row, "post_text"),
    )


def _lines(row: Row, name: str) -> tuple[str, ...]:
    """Return the sentences of a text as single lines; a lone full stop becomes empty."""
    value = row.values.get(name) or []
    if not isinstance(value, list):
        raise row.error(f"{name!r} must be a list of texts")
    lines = [" ".join(str(text).split()) for text in value]
    return tuple(line if re.search(r"\w", line) else "" for line in lines)


def _table_lines(table: Sequence[Sequence[Any]]) -> Iterable[str]:
    """Write each row of a table as a line: each value beside its row and column label."""
    cells = [[" ".join(str(cell).split()) for cell in row] for row in table]
    header = cells[0] if cells else []
    for number, row in enumerate(cells):
        if number == 0:
            yield " | ".join(cell for cell in row if cell)
            continue
        label, *values = row or [""]
        heads = [*header[1:], *[""] * len(values)]
        parts = [
            f"{head}: {value}" if head else value
            for head, value in zip(heads, values, strict=False)
            if value
        ]
        yield " | ".join(part for part in (label, *parts) if part)


DATASET = DatasetSpec(
    name="finqa",
    title="FinQA",
    summary="Numeric questions about a page of an annual report (MIT, downloaded from its authors).",
    read=load_finqa,
    evaluate="finqa -T split={split}",
    numeric=True,
    licence="MIT",
    citation="Chen et al., EMNLP 2021",
    url=REPOSITORY,
)
