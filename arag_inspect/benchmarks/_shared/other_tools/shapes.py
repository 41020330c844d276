"""Find the rows of an exported file: a table, a list, or a list deep within nested JSON."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from arag_inspect._util.errors import InputError
from arag_inspect._util.json_values import parse_json
from arag_inspect.benchmark.rows import SourceRow, read_rows
from arag_inspect.types.calls import from_calls

from .names import KNOWN, ROLES, known_name, normal
from .promptfoo import name_systems, rows_by_output
from .spans import is_span, is_trace, rows_of_spans, spans_of_trace, with_info_of_trace
from .values import flatten, json_in

_LARGEST = 512 << 20
"""Largest file read as one JSON value, in bytes; a larger file must have a row per line."""

_DEEPEST = 5
"""Maximum depth of nested mappings around the rows."""

_QUESTIONS = frozenset(ROLES["question"])


def read_table(path: Path, question: str = "") -> list[SourceRow]:
    """Read the rows of a file, with nested members under dotted names; a trace is one row.

    Args:
        path: CSV, TSV, Parquet, JSON or JSON Lines.
        question: Column of the questions, if the user gives it.

    Raises:
        InputError: The file is missing, damaged or empty.
    """
    value = _read_document(path)
    questions = {*_QUESTIONS, normal(question)} - {""}
    if value is None:
        rows = list(read_rows(path))
    else:
        records = _find_rows(value, questions)
        if not any(_has_question(row, questions) for row in records):
            _check_inner_json(path.name, records)
        run = value.get("testRunData")  # of deepeval
        run = json_in(run) or run
        name = run.get("identifier") if isinstance(run, Mapping) else None
        if name:
            records = [{"testRunData.identifier": name, **row} for row in records]
        rows = [SourceRow(f"{path.name}, row {n}", row) for n, row in enumerate(records, start=1)]
    if not rows:
        raise InputError(f"{path.name} has no rows")
    rows = list(_open_envelopes(rows))
    spans = [row.values for row in rows if is_span(row.values)]
    for row in rows:
        if is_trace(row.values):
            spans += spans_of_trace(row.values)
    if spans:
        others = [row for row in rows if not is_span(row.values) and not is_trace(row.values)]
        trace_rows = [SourceRow(f"{path.name}, trace {n}", row) for n, row in rows_of_spans(spans)]
        return [*trace_rows, *others]
    flat_rows = [SourceRow(row.place, flatten(_with_passages_read(row.values))) for row in rows]
    return name_systems(list(chain.from_iterable(map(rows_by_output, flat_rows))))


def _with_passages_read(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row of `predictions.jsonl` with the passages that its tool calls read.

    Other rows are returned as they are.
    """
    calls = row.get("trace")
    if "passages" in row or not isinstance(calls, list):
        return row
    try:
        searches, passages = from_calls(calls)
    except (KeyError, OverflowError, TypeError, ValueError):
        return row  # not tool calls
    if not (searches or passages):
        return row
    others = {name: value for name, value in row.items() if name != "trace"}
    return {**others, "passages": [passage.text for passage in passages]}


def _read_document(path: Path) -> Any:
    """Return the JSON object that is a whole file; None for a table, a list or lines."""
    if not path.is_file() or path.suffix.lower() in (".csv", ".tsv", ".parquet", ".xlsx"):
        return None
    with path.open("rb") as file:
        if not file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            return None
    if path.stat().st_size > _LARGEST:
        return None
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"))
    except ValueError:
        return None  # lines, or damage that their reader reports


def _find_rows(value: Mapping[str, Any], questions: set[str]) -> Sequence[Mapping[str, Any]]:
    """Return the rows within nested JSON: the first rows with a question, else the longest list."""
    level: list[Any] = [value]
    lists: list[Sequence[Mapping[str, Any]]] = []
    for _ in range(_DEEPEST):
        for item in level:
            rows = _read_rows(item)
            if rows and any(_has_question(row, questions) for row in rows[:20]):
                return rows
            lists += [rows] if rows else []
        mappings = [item for item in level if isinstance(item, Mapping)]
        members = chain.from_iterable(mapping.values() for mapping in mappings)
        level = [json_in(member) if isinstance(member, str) else member for member in members]
    nested_rows = (_rows_within(rows, questions) for rows in lists)
    return next(filter(None, nested_rows), max(lists, key=len, default=[value]))


def _check_inner_json(file: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raise if a text in rows begins like a JSON object but is damaged.

    deepeval stores its results as such a text.
    """
    for name, value in chain.from_iterable(row.items() for row in rows):
        if isinstance(value, str) and value.startswith('{"') and json_in(value) is None:
            raise InputError(f"{file}: the JSON in {name} is damaged; export the results again")


def _rows_within(
    rows: Sequence[Mapping[str, Any]], questions: set[str], depth_left: int = 3
) -> Sequence[Mapping[str, Any]]:
    """Return the rows with questions in lists within rows, as `qas` in `paragraphs` of SQuAD.

    Each has the texts and numbers of the rows around it, such as the paragraph's `context`.
    """
    if any(_has_question(row, questions) for row in rows[:20]):
        return rows
    inner_rows: list[Mapping[str, Any]] = []
    for row in rows if depth_left else ():
        around = {
            name: value for name, value in row.items() if not isinstance(value, list | Mapping)
        }
        for member in row.values():
            if isinstance(member, list):
                inner_rows += [{**around, **item} for item in member if isinstance(item, Mapping)]
    return _rows_within(inner_rows, questions, depth_left - 1) if inner_rows else ()


def _read_rows(value: object) -> Sequence[Mapping[str, Any]]:
    """Return a value as rows: a list, columns, rows by name, or one row; else empty."""
    if isinstance(value, list):
        return value if value and all(isinstance(item, Mapping) for item in value) else ()
    if not isinstance(value, Mapping) or not value:
        return ()
    columns = value.get("columns")
    data = value.get("data")
    if isinstance(columns, list) and isinstance(data, list):  # pandas, orient="split"
        return [
            dict(zip(columns, cells, strict=False)) for cells in data if isinstance(cells, list)
        ]
    members = list(value.values())
    if all(isinstance(member, list) for member in members) and len({*map(len, members)}) == 1:
        return [dict(zip(value, cells, strict=True)) for cells in zip(*members, strict=True)]
    if not all(isinstance(member, Mapping) for member in members):
        return [value]
    if not any(normal(name) in KNOWN for name in value):
        return [_named_row(name, member) for name, member in value.items()]
    have_same_keys = all(member.keys() == members[0].keys() for member in members)
    return _rows_of_columns(value) if have_same_keys else [value]


def _named_row(name: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row with its name as id, unless it has an id or the name is a number."""
    return row if name.isdecimal() or "id" in row else {"id": name, **row}


def _rows_of_columns(columns: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of columns whose cells have the same row numbers."""
    first_column = next(iter(columns.values()))
    rows = []
    for number in first_column:
        rows.append({name: column[number] for name, column in columns.items()})
    return rows


def _has_question(row: Mapping[str, Any], questions: set[str]) -> bool:
    """Return whether a row has a question, is a trace, or contains spans."""
    if is_span(row) or is_trace(row) or _enveloped_rows(row) is not None:
        return True
    return any({normal(name), known_name(name)} & questions for name in flatten(row))


def _enveloped_rows(row: Mapping[str, Any]) -> list[Any] | None:
    """Return the spans or traces wrapped in an OTLP export or a session; None if there are none."""
    names = ("resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "spans", "traces")
    data = row.get("data") if "info" in row else None  # of a trace of MLflow
    row = data if isinstance(data, Mapping) else row
    lists = [row[name] for name in names if isinstance(row.get(name), list)]
    return lists[0] if lists else None


def _open_envelopes(rows: Sequence[SourceRow], depth_left: int = 4) -> Iterator[SourceRow]:
    """Yield rows, with every envelope replaced by the spans within it, and their resource."""
    for row in rows:
        enveloped = _enveloped_rows(row.values) if depth_left else None
        if enveloped is None:
            yield row
            continue
        resource = row.values.get("resource")
        around = {"resource": resource} if resource else {}
        items: list[Mapping[str, Any]] = [
            {**around, **item} for item in enveloped if isinstance(item, Mapping)
        ]
        info = row.values.get("info")
        items = with_info_of_trace(items, info) if isinstance(info, Mapping) else items
        yield from _open_envelopes([SourceRow(row.place, item) for item in items], depth_left - 1)
