"""Rows of an exported file as records: by known names, or by those that the user gives."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from unicodedata import category, normalize

from ...._util.errors import InputError, check_choice
from ...._util.files import digest
from ....benchmark.rows import SourceRow
from .names import BARE, IMPOSSIBLE, NO_ANSWER, ROLES, VOCABULARY, directness, known_name, normal
from .scores import Scores
from .shapes import read_table
from .values import (
    is_conversation,
    is_empty,
    json_in,
    number_of,
    pages_of,
    passages_of,
    text_of,
    texts_of,
)

Use = Literal["questions", "results"]
"""What a file is read for: in questions a bare `answer` is the reference, in results the system's."""

_MAPPED = ("question", "reference", "answer", "passages", "evidence", "id", "documents", "page")
"""Roles that the user may give a column for."""

_UNUSED: Mapping[Use, Collection[str]] = {
    "questions": ("answer", "passages", "input_tokens", "output_tokens", "cost_usd", "latency_ms"),
    "results": (),
}
_RUBRIC = "rubric"
"""Column with the criteria of the scorer `rubric`, which may be mappings."""

_LONGEST_METADATA = 2_000
"""Characters of a value in the metadata of a sample."""


@dataclass(slots=True)
class Record:
    """A question with what a file says of it."""

    record_id: str
    question: str
    row: SourceRow
    references: tuple[str, ...] = ()
    answer: str = ""
    passages: tuple[str, ...] = ()
    """What the system read."""

    evidence: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    """Pages of the documents that hold the evidence, from 1."""

    question_type: str = ""
    group: str = ""
    system: str = ""
    session: str = ""
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    """Scores that another tool gave, by origin and name; None where one is missing."""

    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """What answered: the system, or else the session."""
        return self.system or self.session

    @property
    def is_unanswerable(self) -> bool:
        """Whether the documents have no answer."""
        return self.question_type == "unanswerable"


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a file, and what of it was not used."""

    items: tuple[Record, ...]
    columns: Mapping[str, str]
    """Column of each role."""

    notes: tuple[str, ...]
    """What was left out or not used, a line each."""


def parse_columns(text: str) -> dict[str, str]:
    """Read `question=Frage,reference=Soll`: the column of each role.

    Raises:
        InputError: A part has another form, or names an unknown role.
    """
    columns: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        role, sign, column = (piece.strip() for piece in part.partition("="))
        if not (sign and column):
            raise InputError(f"--columns {part!r} is not ROLE=COLUMN, e.g. question=Frage")
        check_choice("role in --columns", role, _MAPPED)
        columns[role] = column
    return columns


def read_records(path: Path, *, use: Use, columns: str = "", split: str = "") -> Records:
    """Read a file of questions or results in the form of any tool with known names.

    Args:
        path: CSV, TSV, Parquet, JSON or JSON Lines.
        use: What the file is read for.
        columns: Columns of roles whose names are not known, as `parse_columns` reads them.
        split: Only records with this value in the column `split`; empty for all.

    Raises:
        InputError: The file cannot be read, no column with questions is recognised, or an id is repeated.
    """
    chosen = parse_columns(columns)
    table = _Table(path, read_table(path, chosen.get("question", "")), use, chosen)
    return Records(tuple(table.records(split)), table.columns, tuple(table.notes()))


class _Table:
    """The rows of a file with the column of each role."""

    def __init__(
        self, path: Path, rows: Sequence[SourceRow], use: Use, chosen: Mapping[str, str]
    ) -> None:
        self.path, self.rows, self.use = path, rows, use
        filled = Counter(
            name for row in rows for name, value in row.values.items() if not is_empty(value)
        )
        self.names = list(dict.fromkeys(name for row in rows for name in row.values))
        self._ids: Sequence[str] = ()
        self.columns = self._find_columns([name for name in self.names if filled[name]], chosen)
        roles = set(self.columns.values())
        self.scores = Scores([row.values for row in rows], [n for n in filled if n not in roles])
        self.dropped: Counter[str] = Counter()
        self._not_metadata: Counter[str] = Counter()

    def _find_columns(self, names: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
        """Return the column of each role: that of the user, or the best known name."""
        by_name: dict[str, str] = {}
        for name in names:
            by_name.setdefault(normal(name), name)
        for name in sorted(names, key=directness):
            by_name.setdefault(known_name(name), name)
        columns = {role: self._named(column) for role, column in chosen.items()}
        taken = set(columns.values())
        names_by_role = {role: list(names) for role, names in ROLES.items()}
        if any(normal(name).startswith("vars.") for name in names):  # `id` numbers the results
            names_by_role["id"] = [f"vars.{name}" for name in names_by_role["id"]]
        bare, other = (
            ("reference", "answer") if self.use == "questions" else ("answer", "reference")
        )
        order = [*names_by_role, bare, other]
        for role in order:
            candidates = names_by_role.pop(role, BARE)
            columns_of_role = [
                by_name[n] for n in candidates if by_name.get(n, "") not in {*taken, ""}
            ]
            if role == "id" and role not in columns:
                self._ids = columns_of_role
            if role not in columns and columns_of_role:
                columns[role] = columns_of_role[0]
                taken.add(columns_of_role[0])
        if self.use == "questions" and not columns.keys() & {"evidence", "answer"}:
            columns |= {"evidence": columns.pop("passages")} if "passages" in columns else {}
        if "question" not in columns:
            raise InputError(
                f"{self.path.name} has no column that is known to hold the question; name it, e.g. "
                f"--columns question=COLUMN,reference=COLUMN; it has {self._listed()}"
            )
        return columns

    def _named(self, column: str) -> str:
        """Return the column that the user names, in any case."""
        matches = [name for name in self.names if column in (name, normal(name))]
        matches = matches or [name for name in self.names if normal(name) == normal(column)]
        if not matches:
            raise InputError(f"{self.path.name} has no column {column!r}; it has {self._listed()}")
        return matches[0]

    def _listed(self) -> str:
        names = [name for name in self.names if name.strip()]
        return ", ".join([*names[:20], *(("...",) if len(names) > 20 else ())]) or "nothing"

    def records(self, split: str) -> Iterator[Record]:
        """Yield the records, each question once for each system or session."""
        seen: dict[tuple[str, str], Record] = {}
        splits: Counter[str] = Counter()
        for row in self.rows:
            if str(row.values.get("status", "")).upper() == "ARCHIVED":
                self.dropped["archived"] += 1
                continue
            record = self._record(row)
            if record is None:
                continue
            name = text_of(self._value(row, "split"))
            splits[name] += 1
            if split and name != split:
                self.dropped[f"of another split than {split}"] += 1
                continue
            record = self._distinct(record, seen)
            if record is not None:
                yield record
        if split and not splits[split]:
            choices = ", ".join(sorted(filter(None, splits))) or "no column split"
            raise InputError(f"{self.path.name} has no split {split!r}; it has {choices}")
        if not seen:
            reasons = ", ".join(f"{n} are {reason}" for reason, n in self.dropped.items())
            raise InputError(f"{self.path.name} holds no question ({reasons})")

    def _distinct(self, record: Record, seen: dict[tuple[str, str], Record]) -> Record | None:
        """Give a record without an id one; None if its question was read before."""
        if any(category(sign) == "Cc" for sign in record.record_id):
            raise record.row.error(f"id {record.record_id!r} holds a control character")
        if not record.record_id:
            words = " ".join(normalize("NFC", record.question).split())
            record.record_id = f"q-{digest(words)}"
            earlier = seen.get((record.source, record.record_id))
            if earlier is not None and earlier.references != record.references:
                record.record_id = f"q-{digest(words, *record.references)}"
        elif self.use == "questions" and (record.source, record.record_id) in seen:
            first = seen[record.source, record.record_id].row.place
            raise record.row.error(f"id {record.record_id!r} occurs twice, first in {first}")
        key = record.source, record.record_id
        if key in seen:
            self.dropped["repetitions of a question"] += 1
            return None
        seen[key] = record
        return record

    def _value(self, row: SourceRow, role: str) -> Any:
        column = self.columns.get(role)
        value = None if column is None else row.values.get(column)
        inside = json_in(value)
        return inside if is_conversation(inside) else value

    def _id(self, row: SourceRow) -> str:
        """Return the id of a row: of its columns with a known name, the first that is not empty."""
        columns = self._ids or filter(None, [self.columns.get("id")])
        return next(filter(None, (text_of(row.values.get(column)) for column in columns)), "")

    def _record(self, row: SourceRow) -> Record | None:
        """Return a row as a record; None if it has no question in results."""
        if self.use == "questions":
            _check_finite(row)
        question = text_of(self._value(row, "question"), "user")
        if not question:
            if self.use == "questions":
                raise row.error(f"{self.columns['question']!r} is empty; give the question")
            self.dropped["without a question"] += 1
            return None
        numbers = {role: number_of(self._value(row, role)) for role in _EFFORT}
        seconds = number_of(self._value(row, "latency_s"))
        if numbers["latency_ms"] is None and seconds is not None:
            numbers["latency_ms"] = seconds * 1000
        try:
            passages = passages_of(self._value(row, "passages"))
            evidence = passages_of(self._value(row, "evidence"))
        except ValueError as error:
            raise row.error(f"passages: {error}") from None
        record = Record(
            self._id(row),
            question,
            row,
            references=texts_of(self._value(row, "reference")),
            answer=self._answer(row),
            passages=passages,
            evidence=evidence,
            documents=texts_of(self._value(row, "documents")),
            pages=self._pages(row),
            question_type=text_of(self._value(row, "question_type")),
            group=text_of(self._value(row, "group")),
            system=text_of(self._value(row, "system")),
            session=text_of(self._value(row, "session")),
            scores=self.scores.of(row.values),
            metadata=self._metadata(row),
            **{
                role: number if number is None or number >= 0 else None
                for role, number in numbers.items()
            },
        )
        if _has_no_answer(record, row.values):
            record.question_type = "unanswerable"
            if record.evidence:  # it supports no answer, so that it is not gold
                record.metadata[self.columns["evidence"]] = list(record.evidence)
                record.evidence = ()
        return record

    def _answer(self, row: SourceRow) -> str:
        """Return the answer of a row, which may be the last message of its question."""
        answer = text_of(self._value(row, "answer"), "assistant")
        question = self._value(row, "question")
        return answer or (text_of(question, "assistant") if is_conversation(question) else "")

    def _pages(self, row: SourceRow) -> tuple[int, ...]:
        """Return the pages of a row, from 1; FinanceBench's column counts from 0."""
        value = self._value(row, "page")
        pages = () if is_empty(value) else pages_of(value)
        if not (pages or is_empty(value)):
            self.dropped["pages without a number"] += 1
        counts_from_0 = normal(self.columns.get("page", "")).endswith("evidence_page_num")
        return tuple(page + 1 for page in pages) if counts_from_0 else pages

    def _metadata(self, row: SourceRow) -> dict[str, Any]:
        """Return every other column that has a value, by its name without `metadata`."""
        used = {self.columns.get(role) for role in (*_MAPPED[:-1], "system", *_EFFORT, "latency_s")}
        used |= self.scores.columns
        metadata: dict[str, Any] = {}
        for name, value in row.values.items():
            if name in used or is_empty(value) or not is_metadata(name):
                continue
            if normal(name) == _RUBRIC:
                metadata[_RUBRIC] = json_in(value) or value
            elif _is_plain(value) and len(str(value)) <= _LONGEST_METADATA:
                metadata[_metadata_name(name)] = value
            elif name not in self.columns.values():
                self._not_metadata[name] += 1
        return metadata

    def notes(self) -> Iterator[str]:
        """Yield what was left out or not used."""
        for reason, count in self.dropped.items():
            if count:
                yield f"{count} {reason} left out"
        unused = [self.columns[role] for role in _UNUSED[self.use] if role in self.columns]
        unused += [name for name in self.names if name.startswith("__") and not is_metadata(name)]
        unused += self._not_metadata
        if self.use == "questions":
            unused += sorted(self.scores.columns)
        if unused:
            yield f"not used: {', '.join(dict.fromkeys(unused))}"


_EFFORT = ("input_tokens", "output_tokens", "cost_usd", "latency_ms")


def is_metadata(name: str) -> bool:
    """Return whether a column may become metadata: one that numbers rows or is reserved may not."""
    is_reserved = name.startswith("__") and not name.startswith("__metadata:")
    return not is_reserved and normal(name) not in VOCABULARY["positions"]


def _metadata_name(name: str) -> str:
    first, _, inner = name.partition(".")
    return (
        inner
        if inner and normal(first) in VOCABULARY["metadata"]
        else name.removeprefix("__metadata:")
    )


def _check_finite(row: SourceRow) -> None:
    """Raise if a value is infinite; NaN marks an empty cell."""
    for name, value in row.values.items():
        if isinstance(value, float) and math.isinf(value):
            raise row.error(f"{name}: must be a finite number, got {value}")


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str | int | float) for item in value)
    return not isinstance(value, Mapping)


def _has_no_answer(record: Record, values: Mapping[str, Any]) -> bool:
    """Return whether a row says that the documents have no answer."""
    references = [text.strip(" .!\"'[]()_*").replace("_", " ") for text in record.references]
    if references and all(NO_ANSWER.fullmatch(text) for text in references):
        return True
    if record.question_type.lower() in ("unanswerable", "not_answerable", "unanswered"):
        return True
    for name, value in values.items():
        expected = IMPOSSIBLE.get(normal(name).rpartition(".")[2])
        if expected is not None and str(value).strip().lower() == str(expected).lower():
            return True
    return False
