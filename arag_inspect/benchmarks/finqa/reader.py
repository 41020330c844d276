"""FinQA (Chen et al., EMNLP 2021): numeric questions about a page of an annual report.

https://github.com/czyssrs/FinQA, MIT.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, PositiveInt

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import file_digest
from arag_inspect.benchmark.rows import SourceRow, finite, plain_number, read_rows
from arag_inspect.corpus import Document, Section

from .._shared.download import Upstream, evict, fetch, local_file
from .._shared.question_set import Question, QuestionSet

FinQASplit = Literal["test", "dev", "train"]

REPOSITORY = "https://github.com/czyssrs/FinQA"
COMMIT = "0f16e2867befa6840783e58be38c9efb9229d742"
FILES = f"https://raw.githubusercontent.com/czyssrs/FinQA/{COMMIT}/dataset"

_PAGE = re.compile(r"(?P<company>[^/]+)/(?P<year>(?:19|20)\d\d)/page_(?P<page>\d+)(?:\.pdf)?")
_INDEX = re.compile(r"(?P<kind>text|table)_(?P<number>\d{1,9})")


class _Answer(BaseModel):
    """The part `qa` of a row."""

    question: Annotated[str, Field(min_length=1)]
    answer: str | int | float | None = None
    exe_ans: Annotated[float | Literal["yes", "no"], AfterValidator(finite)]
    """Result of the gold program."""

    program: str | None = None
    gold_inds: dict[str, Any] | None = None
    """Texts of the evidence by their index: `text_3` or `table_1`."""


class _FinQARow(BaseModel):
    """A question with its page, line by line."""

    id: str
    filename: str
    pre_text: list[Any] | None = None
    table: list[list[Any]] | None = None
    post_text: list[Any] | None = None
    qa: _Answer

    @property
    def rows(self) -> list[str]:
        """Rows of the table, a line each."""
        return list(_table_lines(self.table or []))

    @property
    def sentences(self) -> list[str]:
        """Sentences before and after the table as single lines; a lone full stop becomes empty."""
        return [*_lines(self.pre_text), *_lines(self.post_text)]

    @property
    def text(self) -> str:
        """The page without its empty lines."""
        lines = [*_lines(self.pre_text), *self.rows, *_lines(self.post_text)]
        return "\n".join(filter(None, lines))

    def line(self, index: str) -> str | None:
        """Return the line of an index of `gold_inds`."""
        match = _INDEX.fullmatch(index)
        if match is None:
            return None
        lines = self.rows if match["kind"] == "table" else self.sentences
        number = int(match["number"])
        return lines[number] or None if number < len(lines) else None


class _PageName(NamedTuple):
    """Company, period and label of a page, from its file name."""

    company: str
    period: str
    prefix: str
    lead: str
    """Beginning of a question, with the page."""


def read_finqa(
    split: FinQASplit = "test",
    *,
    source: Path | None = None,
    limit: PositiveInt | None = None,
) -> QuestionSet:
    """Read a split of FinQA.

    Args:
        split: test (1,147 questions), dev (883) or train (6,251).
        source: Local copy of the repository, or of the file in it, instead of a download.
        limit: Read only the first `limit` questions.

    Raises:
        InputError: The file cannot be downloaded, or a row of it is invalid.
    """
    name = f"dataset/{split}.json"
    if source is None:
        cached_name = f"finqa-{COMMIT[:12]}-{split}.json"
        path = fetch(f"{FILES}/{split}.json", cached_name, begins=(b"[",))
    else:
        path = source if source.is_file() else local_file(source, name, REPOSITORY)
    digests = {name: file_digest(path)}
    origin = Upstream(REPOSITORY, COMMIT).source(digests, is_pinned=source is None)
    try:
        return QuestionSet.read(read_rows(path, name), _read_question, limit, origin, split)
    except InputError:
        evict(path)  # a damaged download is fetched again next time
        raise


def _read_question(row: SourceRow, documents: dict[str, Document]) -> Question:
    """Read a question and add its page to the documents."""
    item = row.parse(_FinQARow)
    qa = item.qa
    name = _name(item.filename)
    text = item.text
    if not text:
        raise row.error("'pre_text', 'table' and 'post_text' are all empty")
    gold = qa.gold_inds or {}
    evidence = [item.line(index) or str(quote) for index, quote in gold.items()]
    answer = "" if qa.answer is None else plain_number(qa.answer).strip()
    return Question(
        question_id=item.id,
        text=f"{name.lead}{qa.question}",
        answers=(answer or plain_number(qa.exe_ans),),
        doc_ids=(_add_page(item.filename, name, text, documents),),
        evidence=tuple(dict.fromkeys(evidence)),
        question_type=_answer_type(gold),
        company=name.company,
        period=name.period,
        extra_metadata={"exe_ans": qa.exe_ans, "program": qa.program or ""},
    )


def _answer_type(gold: Iterable[str]) -> str:
    """Return the kind of evidence: `text`, `table`, `table_and_text` or `other`."""
    kinds = {str(index).partition("_")[0] for index in gold}
    return "_and_".join(sorted(kinds & {"text", "table"})) or "other"


def _name(filename: str) -> _PageName:
    match = _PAGE.fullmatch(filename)
    if match is None:
        return _PageName("", "", f"[DOCUMENT: {filename}]", f"In {filename}: ")
    company = match["company"]
    year = match["year"]
    page = match["page"]
    return _PageName(
        company=company,
        period=f"FY_{year}",
        prefix=f"[COMPANY: {company} | TYPE: ANNUAL_REPORT | PERIOD: FY_{year} | PAGE: {page}]",
        lead=f"In {company}'s {year} annual report, page {page}: ",
    )


def _add_page(filename: str, name: _PageName, text: str, documents: dict[str, Document]) -> str:
    """Add a page and return its document's id; a changed text is another document."""
    doc_id = filename
    number = 1
    while doc_id in documents and documents[doc_id].sections[0].text != text:
        number += 1
        doc_id = f"{filename}#{number}"
    section = Section(title="", text=text, prefix=name.prefix)
    documents.setdefault(doc_id, Document(doc_id, name.company, name.period, (section,)))
    return doc_id


def _lines(texts: Sequence[Any] | None) -> list[str]:
    lines = [" ".join(str(text).split()) for text in texts or ()]
    return [line if re.search(r"\w", line) else "" for line in lines]


def _table_lines(table: Sequence[Sequence[Any]]) -> Iterable[str]:
    """Write each row of a table as a line: each value beside its row and column label."""
    cells = [_cells(row) for row in table]
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


def _cells(row: Sequence[Any]) -> list[str]:
    """Return the cells of a row with plain spaces."""
    return [" ".join(str(cell).split()) for cell in row]
