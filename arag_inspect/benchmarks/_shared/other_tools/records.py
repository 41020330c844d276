"""Questions and results of a file that another tool exported."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, normalize

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest
from arag_inspect._util.wording import format_count, join_or_count
from arag_inspect.benchmark.rows import SourceRow, guessed_encoding
from arag_inspect.measures.answer_match import PARTS

from .amounts import Amounts
from .columns import SCORE_ROLE, Use, find_columns, parse_columns
from .metadata import is_metadata
from .names import ROLES, VOCABULARY, known_name, normal
from .numbered import join_numbered
from .record import Record
from .row_reader import RowReader
from .scores import Scores
from .shapes import read_table
from .values import is_empty, text_of

_MOST_ROWS = 3
"""Maximum rows with repeated questions that a note names."""


class RepeatedRow(NamedTuple):
    """An omitted row whose question was already read."""

    source: str
    """Its system or session; empty in a question set."""

    has_other_answer: bool
    place: str


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a file, and notes on unused parts."""

    items: tuple[Record, ...]
    columns: Mapping[str, str]
    """Column of each role."""

    metadata: tuple[str, ...]
    """Columns without a role that became metadata."""

    notes: tuple[str, ...]
    """Omitted or unused parts, a line each, except repeated questions."""

    repeated: tuple[RepeatedRow, ...] = ()
    scores: tuple[str, ...] = ()
    """Measures that the scores in results become, such as `ragas.faithfulness`."""

    has_passages: bool = False
    """Whether results have a column for the passages read, which may be empty."""

    def notes_on(self, system: str = "") -> Iterator[str]:
        """Yield notes on the rows of a system, or on all rows."""
        yield from self._notes_on_repeated(system)
        items = [item for item in self.items if system in ("", item.source)]
        unknown = [
            item
            for item in items
            if not (item.passages or item.has_read_nothing or item.has_failed)
        ]
        if self.has_passages and not any(item.passages for item in items):
            yield "passages: empty in all rows, so it is unknown what was read"
        elif self.has_passages and unknown:
            count = format_count(len(unknown), "row")
            yield f"passages: empty in {count}, so it is unknown what was read there"

    def _notes_on_repeated(self, system: str) -> Iterator[str]:
        """Yield notes on the omitted rows of a system, or of all, with the first of these rows."""
        has_systems = any(record.source for record in self.items)
        for has_other_answer in (True, False):
            row_names = [
                row.place.rpartition(", ")[2]
                for row in self.repeated
                if row.has_other_answer == has_other_answer and system in ("", row.source)
            ]
            if not row_names:
                continue
            more = ["..."] if len(row_names) > _MOST_ROWS else []
            examples = ", ".join([*row_names[:_MOST_ROWS], *more])
            text = f"left out: {format_count(len(row_names), 'row')} with "
            if not has_other_answer:
                yield f"{text}a repeated question ({examples})"
                continue
            text += f"another answer to a repeated question, of which the first counts ({examples})"
            advice = "; for answers of several systems: --columns system=COLUMN"
            yield text if has_systems else f"{text}{advice}"

    def describe_columns(self) -> str:
        """Describe the role of each column, and columns that became metadata."""
        names = [*ROLES, *(role for role in self.columns if SCORE_ROLE.fullmatch(role))]
        roles = [f'{role} from "{self.columns[role]}"' for role in names if role in self.columns]
        text = f"Read {', '.join(roles)}"
        if self.scores:
            text += f"; kept as scores: {', '.join(self.scores)}"
        quoted_names = ", ".join(f'"{name}"' for name in self.metadata)
        return f"{text}; kept as metadata: {quoted_names}" if quoted_names else text


def read_records(path: Path, *, use: Use, columns: str = "", split: str = "") -> Records:
    """Read a file of questions or results in any known tool's format.

    Args:
        path: CSV, TSV, Parquet, JSON or JSON Lines.
        use: Use of the file.
        columns: Columns of roles with unrecognised names, as `parse_columns` reads them.
        split: Only records with this value in the column `split`; empty for all.

    Raises:
        InputError: The file is unreadable, no column with questions is recognised, or an id is
            repeated.
    """
    table = _QuestionTable(path, use, parse_columns(columns))
    records = tuple(table.records(split))
    return Records(
        records,
        table.columns.by_role,
        tuple(table.metadata()),
        tuple(table.notes()),
        tuple(table.repeated),
        tuple(_measures_of(records)) if use == "results" else (),
        table.has_passages(),
    )


def _measures_of(records: Sequence[Record]) -> list[str]:
    """Return the measures that scores of other tools become."""
    measures: dict[str, None] = {}
    for record in records:
        for origin, scores in record.scores.items():
            measures |= dict.fromkeys(f"{origin}.{name}" for name in scores)
    return list(measures)


def _words_of(question: str) -> str:
    return " ".join(normalize("NFC", question).split())


def _made_id(question: str, *references: str) -> str:
    """Return an id that is the same for equal questions."""
    return f"q-{digest(_words_of(question), *references)}"


def _is_same_question(record: Record, other: Record) -> bool:
    is_same_text = _words_of(record.question) == _words_of(other.question)
    return is_same_text and record.references == other.references


def _is_step(row: SourceRow) -> bool:
    """Return whether a row is a call within another, according to exports of Braintrust."""
    return str(row.values.get("is_root")).lower() == "false"


class _QuestionTable:
    """The rows of a file with the column of each role."""

    def __init__(self, path: Path, use: Use, choices: Mapping[str, str]) -> None:
        self.path = path
        self.use = use
        rows = join_numbered(read_table(path, choices.get("question", "")), choices.values())
        self.rows = [row for row in rows if not _is_step(row)]
        self.names = list(dict.fromkeys(chain.from_iterable(row.values for row in self.rows)))
        filled: dict[str, None] = {}
        for row in self.rows:
            values = row.values.items()
            filled |= dict.fromkeys(name for name, value in values if not is_empty(value))
        self.columns = find_columns(path.name, self.names, filled, use, choices)
        used_columns = self.columns.columns_of(self.columns.by_role)
        self.without_role = [name for name in filled if name not in used_columns]
        values_by_row = [row.values for row in self.rows]
        self.scores = Scores(values_by_row, self.without_role, self.columns.score_names())
        self.amounts = Amounts(self.columns, self.rows)
        self.reader = RowReader(self.columns, self.scores, self.amounts, use)
        self.dropped = self.reader.dropped
        self.repeated: list[RepeatedRow] = []
        self.has_ids_of_answers = False
        self.shared_ids: set[str] = set()
        """Ids that several questions share."""

        steps = len(rows) - len(self.rows)
        if steps:
            self.dropped["of calls within other rows"] = steps

    def records(self, split: str) -> Iterator[Record]:
        """Yield the records, each question once for each system or session."""
        records = list(self._records_of_split(split))
        if self.use == "results":
            self._remove_ids_of_answers(records)
            self._replace_shared_ids(records)
        seen: dict[tuple[str, str], Record] = {}
        for record in records:
            distinct_record = self._distinct(record, seen)
            if distinct_record is not None:
                yield distinct_record
        if not seen:
            raise InputError(f"{self.path.name} has no question ({', '.join(self._left_out())})")

    def _records_of_split(self, split: str) -> Iterator[Record]:
        """Yield the records, except omitted ones."""
        splits: Counter[str] = Counter()
        for row in self.rows:
            if str(row.values.get("status", "")).upper() == "ARCHIVED":
                self.dropped["with the status ARCHIVED"] += 1
                continue
            record = self.reader.read(row)
            if record is None:
                continue
            name = text_of(self.columns.value(row, "split"))
            splits[name] += 1
            if split and name != split:
                self.dropped[f"of a split other than {split}"] += 1
                continue
            yield record
        if split and not splits[split]:
            choices = ", ".join(sorted(filter(None, splits))) or "no column split"
            raise InputError(f"{self.path.name} has no split {split!r}; it has {choices}")

    def _remove_ids_of_answers(self, records: Sequence[Record]) -> None:
        """Remove ids, such as those of traces, if systems with common questions share none."""
        sources_by_id: defaultdict[str, set[str]] = defaultdict(set)
        sources_by_question: defaultdict[str, set[str]] = defaultdict(set)
        for record in filter(lambda record: record.record_id, records):
            sources_by_id[record.record_id].add(record.source)
            sources_by_question[_words_of(record.question)].add(record.source)
        is_shared = any(len(sources) > 1 for sources in sources_by_id.values())
        is_asked_twice = any(len(sources) > 1 for sources in sources_by_question.values())
        self.has_ids_of_answers = is_asked_twice and not is_shared
        for record in records if self.has_ids_of_answers else ():
            record.metadata.setdefault("run_id", record.record_id)
            record.record_id = ""

    def _replace_shared_ids(self, records: Sequence[Record]) -> None:
        """Make ids that several questions share distinct, from the id and the question."""
        questions: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for record in records:
            questions[record.source, record.record_id].add(_words_of(record.question))
        for record in records:
            if record.record_id and len(questions[record.source, record.record_id]) > 1:
                self.shared_ids.add(record.record_id)
                record.record_id += f" {_made_id(record.question)}"

    def _distinct(self, record: Record, seen: dict[tuple[str, str], Record]) -> Record | None:
        """Give a record an id if it lacks one; return None if its question was already read."""
        source = record.source if self.use == "results" else ""
        if any(category(sign) == "Cc" for sign in record.record_id):
            raise record.row.error(f"id {record.record_id!r} holds a control character")
        if not record.record_id:
            record.record_id = _made_id(record.question)
            earlier = seen.get((source, record.record_id))
            if earlier is not None and earlier.references != record.references:
                record.record_id = _made_id(record.question, *record.references)
        key = source, record.record_id
        if key in seen:
            first = seen[key]
            if self.use == "questions" and not _is_same_question(record, first):
                where = f"first in {first.row.place}"
                raise record.row.error(f"id {record.record_id!r} occurs twice, {where}")
            has_other_answer = self.use == "results" and record.answer != first.answer
            self.repeated.append(RepeatedRow(source, has_other_answer, record.row.place))
            return None
        seen[key] = record
        return record

    def metadata(self) -> Iterator[str]:
        """Yield the columns without a role that became metadata."""
        used_otherwise = self.scores.columns | self.reader.not_metadata.keys()
        for name in self.without_role:
            if is_metadata(name) and name not in used_otherwise:
                yield name

    def has_passages(self) -> bool:
        """Return whether results have a column for the passages read, which may be empty."""
        has_column = not {*map(known_name, self.names)}.isdisjoint(ROLES["passages"])
        return self.use == "results" and ("passages" in self.columns.by_role or has_column)

    def notes(self) -> Iterator[str]:
        """Yield notes on omitted or unused parts."""
        encoding = guessed_encoding(self.path)
        if encoding:
            yield f"not UTF-8, so read as {encoding}; if letters are wrong, save it as UTF-8"
        left_out = [*self._left_out(), *self._unread_pages()]
        if left_out:
            yield f"left out: {', '.join(left_out)}"
        if self.has_ids_of_answers:
            yield "the systems share no id, so questions are matched by their text"
        if self.shared_ids:
            ids = join_or_count(sorted(self.shared_ids), "id")
            yield (
                f"several questions share an id ({ids}), so theirs are made of it and the question"
            )
        unused = self.columns.find_unused(self.use)
        unused += [name for name in self.names if name.startswith("__") and not is_metadata(name)]
        used_columns = self.columns.columns_of(self.columns.by_role)
        unused += [name for name in self.reader.not_metadata if name not in used_columns]
        if self.use == "questions":
            unused += sorted(self.scores.columns)
        if unused:
            yield f"not used: {', '.join(dict.fromkeys(unused))}"
        suggestion = ",".join(self._suggest_columns())
        if suggestion:
            yield f"if columns hold what their names say: --columns {shlex.quote(suggestion)}"
        if self._may_hold_references() and not suggestion.startswith("reference="):
            yield (
                "no column is known to hold the reference; if one does: --columns reference=COLUMN"
            )
        if self.use == "results":
            yield from self._latency_without_unit()
            yield from self.amounts.notes()
            yield from self._unread_scores()

    def _suggest_columns(self) -> Iterator[str]:
        """Yield `ROLE=COLUMN` for roles of questions that only an unknown column may have."""
        for role, names in VOCABULARY["suggestions"].items() if self.use == "questions" else ():
            columns = [name for name in self.metadata() if normal(name) in names]
            if role not in self.columns.by_role and columns:
                yield f"{role}={columns[0]}"

    def _may_hold_references(self) -> bool:
        """Return whether only an unknown column may contain references."""
        others = [name for name in self.without_role if is_metadata(name)]
        return bool(others) and self.columns.by_role.keys().isdisjoint(("reference", PARTS))

    def _left_out(self) -> list[str]:
        return [f"{format_count(count, 'row')} {reason}" for reason, count in self.dropped.items()]

    def _unread_pages(self) -> list[str]:
        pages = self.reader.unread_pages
        return [f"{format_count(pages, 'page')} without a number"] if pages else []

    def _latency_without_unit(self) -> Iterator[str]:
        """Yield advice on a column of answer times that does not state its unit."""
        if not self.columns.by_role.keys().isdisjoint(("latency_ms", "latency_s")):
            return
        for name in self.without_role:
            if normal(name) in VOCABULARY["unit_unknown"]:
                yield (
                    f"{name} has no unit and is metadata; "
                    f"name it: --columns latency_s={name} or latency_ms={name}"
                )

    def _unread_scores(self) -> Iterator[str]:
        """Yield how many values in each column of scores count as missing."""
        for name, count in self.scores.unread.items():
            if count:
                values = format_count(count, "value")
                yield f"{name}: left out {values}, neither numbers nor verdicts"
