"""A row of an exported file as a record."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from arag_inspect.benchmark.rows import SourceRow
from arag_inspect.measures.answer_match import PARTS
from arag_inspect.text.refusals import declines_in_other_language

from .amounts import Amounts
from .columns import KINDS, Columns, Use
from .metadata import RUBRIC, metadata_of
from .names import BOOLEANS, IMPOSSIBLE, NO_ANSWER, ROLES, VOCABULARY, normal
from .record import Record
from .scores import Scores
from .values import (
    is_conversation,
    is_empty,
    is_empty_list,
    json_in,
    list_in,
    pages_of,
    passages_of,
    text_of,
    texts_of,
)

_NO_METADATA = {*ROLES} - {
    "page", "question_type", "is_impossible", "group", "split", "session", "error",
}  # fmt: skip
"""Roles whose columns are not also metadata."""

_DEEPEVAL_BAR = re.compile(r"(?<![ |-])\|(?![ |-])")
"""Separator of passages in deepeval's CSV; a table has spaces or dashes beside it."""


_NO_BREAK = re.compile("[\u00a0\u202f]")


class RowReader:
    """Reads rows as records, and counts omissions."""

    def __init__(self, columns: Columns, scores: Scores, amounts: Amounts, use: Use) -> None:
        self._columns = columns
        self._amounts = amounts
        self._scores = scores
        self._use = use
        names = (normal(columns.by_role.get(role, "")) for role in ("question", "reference"))
        self._is_of_deepeval = (*names,) == ("input", "expected_output")
        self._no_metadata = columns.columns_of(_NO_METADATA) | scores.columns
        self.dropped: Counter[str] = Counter()
        """Omitted rows, by reason."""

        self.unread_pages = 0
        """Number of page values that are not numbers."""

        self.not_metadata: Counter[str] = Counter()
        """Values that are too long or nested for metadata, by column."""

    def read(self, row: SourceRow) -> Record | None:
        """Return a row as a record; None for results without a question.

        Raises:
            InputError: A row of a question set lacks a question or has a number that is not finite,
                or passages or numbers are malformed.
        """
        if self._use == "questions":
            _check_finite(row, self._scores.columns.union(self._columns.find_unused("questions")))
        question = text_of(self._columns.value(row, "question"), "user")
        question = _NO_BREAK.sub(" ", question)  # so that copies from spreadsheets are the same
        if not question:
            if self._use == "questions":
                column = self._columns.by_role["question"]
                raise row.error(f"{column!r} is empty; give the question")
            self.dropped["without a question"] += 1
            return None
        record = Record(
            self._columns.row_id(row),
            question,
            row,
            references=texts_of(_spoken(self._columns.value(row, "reference"))),
            answer=self._answer(row),
            passages=self._passages(row, "passages"),
            has_read_nothing=is_empty_list(self._columns.value(row, "passages")),
            evidence=self._passages(row, "evidence"),
            documents=texts_of(self._columns.value(row, "documents")),
            pages=self._pages(row),
            question_type=self._text(row, "question_type"),
            group=self._text(row, "group"),
            answer_parts=texts_of(self._columns.value(row, PARTS)),
            system=self._text(row, "system"),
            session=self._text(row, "session"),
            error=self._error(row),
            input_tokens=self._amount(row, "input_tokens"),
            output_tokens=self._amount(row, "output_tokens"),
            cost_usd=self._amount(row, "cost_usd"),
            latency_ms=self._latency_ms(row),
            scores=self._scores.scores_of(row.values),
            metadata={
                **metadata_of(row, self._no_metadata, self.not_metadata),
                **self._scores.labels_of(row.values),
                **self._kinds(row),
            },
        )
        accepts_none = is_empty_list(self._columns.value(row, "reference"))  # as in SQuAD 2
        if accepts_none or self._has_no_answer(record):
            self._mark_unanswerable(record)
        if record.has_failed:
            _leave_out_measurements(record)
        return record

    def _kinds(self, row: SourceRow) -> dict[str, Any]:
        """Return the company and the period of a row, whatever the names of their columns."""
        values = {role: self._columns.value(row, role) for role in KINDS}
        return {
            role: value
            for role, value in values.items()
            if isinstance(value, str | int | float) and not is_empty(value)
        }

    def _text(self, row: SourceRow, role: str) -> str:
        return text_of(self._columns.value(row, role))

    def _error(self, row: SourceRow) -> str:
        """Return the error of a row, which may be in one of several columns."""
        others = (value for name, value in row.values.items() if normal(name) in ROLES["error"])
        errors = (text_of(value) for value in (self._columns.value(row, "error"), *others))
        return next(filter(None, errors), "")

    def _answer(self, row: SourceRow) -> str:
        """Return the answer of a row, which may be the last message of its question."""
        answer = text_of(_spoken(self._columns.value(row, "answer")), "assistant")
        question = self._columns.value(row, "question")
        return answer or (text_of(question, "assistant") if is_conversation(question) else "")

    def _passages(self, row: SourceRow, role: str) -> tuple[str, ...]:
        value = self._columns.value(row, role)
        if self._is_of_deepeval and isinstance(value, str) and list_in(value) is None:
            value = _DEEPEVAL_BAR.split(value)
        try:
            return passages_of(value)
        except ValueError as error:
            raise row.error(f"passages: {error}") from None

    def _pages(self, row: SourceRow) -> tuple[int, ...]:
        """Return the pages of a row, from 1: from its column, else from its evidence."""
        column = self._columns.by_role.get("page")
        values = [(column, self._columns.value(row, "page"))] if column else []
        if column is None:
            evidence = self._columns.value(row, "evidence")
            values = _members_of(json_in(evidence) or evidence, ROLES["page"])
        pages = chain.from_iterable(self._page_numbers(name, value) for name, value in values)
        return tuple(dict.fromkeys(pages))

    def _page_numbers(self, name: str, value: object) -> tuple[int, ...]:
        """Return the pages in a value, from 1; FinanceBench counts from 0."""
        if is_empty(value):
            return ()
        pages = pages_of(value)
        if not pages:
            self.unread_pages += 1
        counts_from_0 = normal(name).endswith("evidence_page_num")
        return tuple(page + 1 for page in pages) if counts_from_0 else pages

    def _amount(self, row: SourceRow, role: str) -> float | None:
        """Return a number of tokens, dollars or milliseconds; None if it is missing or negative."""
        number = self._amounts.amount_of(row, role)
        return number if number is not None and number >= 0 else None

    def _latency_ms(self, row: SourceRow) -> float | None:
        milliseconds = self._amount(row, "latency_ms")
        seconds = self._amount(row, "latency_s")
        if milliseconds is not None or seconds is None:
            return milliseconds
        return seconds * 1000

    def _has_no_answer(self, record: Record) -> bool:
        """Return whether a row states that the documents lack an answer."""
        references = [text.strip(" .!\"'[]()_*").replace("_", " ") for text in record.references]
        if references and all(map(_is_no_answer, references)):
            return True
        if record.question_type.lower() in VOCABULARY["unanswerable"]:
            return True
        column = self._columns.by_role.get("is_impossible")
        for name, value in record.row.values.items():
            expected = IMPOSSIBLE.get(normal(name).rpartition(".")[2], name == column or None)
            if expected is not None and BOOLEANS.get(str(value).strip().lower()) is expected:
                return True
        return False

    def _mark_unanswerable(self, record: Record) -> None:
        """Keep evidence as metadata: it does not support an answer and is not gold."""
        record.question_type = "unanswerable"
        if record.evidence:
            record.metadata[self._columns.by_role["evidence"]] = list(record.evidence)
            record.evidence = ()


def _spoken(value: Any) -> Any:
    """Return a value, true and false as words: they may answer a question."""
    return str(value).lower() if isinstance(value, bool) else value


def _members_of(items: object, names: Collection[str]) -> list[tuple[str, Any]]:
    """Return the members of some names of each mapping in a list."""
    mappings = (
        [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    )
    members = chain.from_iterable(mapping.items() for mapping in mappings)
    return [(name, value) for name, value in members if normal(str(name)) in names]


def _check_finite(row: SourceRow, unused: Collection[str]) -> None:
    """Raise if a used number is not finite; NaN is allowed as a whole cell, which then is empty."""
    for name, value in row.values.items():
        if name in unused or is_empty(value):
            continue
        is_read_as_json = normal(name) == RUBRIC and isinstance(value, str)
        for number in _numbers_in(json_in(value) if is_read_as_json else value):
            if not math.isfinite(number):
                raise row.error(f"{name}: must be a finite number, got {number}")


def _numbers_in(value: object) -> Iterator[float]:
    """Yield the floating-point numbers in a value and in the lists and mappings within it."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, list | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers_in(item)


def _leave_out_measurements(record: Record) -> None:
    """Remove the scores and time of a failed call, and effort of 0, which promptfoo reports."""
    record.scores = {origin: dict.fromkeys(scores) for origin, scores in record.scores.items()}
    record.latency_ms = None
    record.input_tokens = record.input_tokens or None
    record.output_tokens = record.output_tokens or None
    record.cost_usd = record.cost_usd or None


def _is_no_answer(reference: str) -> bool:
    """Return whether a reference is a note that the documents do not answer."""
    return bool(NO_ANSWER.fullmatch(reference)) or declines_in_other_language(reference)
