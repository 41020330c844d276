"""Files of results: answers of one or several systems."""

from collections import Counter
from itertools import chain
from pathlib import Path

from arag_inspect._util.errors import InputError

from .columns import match_column, parse_columns
from .names import BARE, ROLES, known_name
from .records import Records, read_records
from .shapes import read_table

_MOST_SESSIONS = 20
"""Maximum sessions with separate logs; more sessions are groups of samples."""


def systems_of(records: Records) -> list[str]:
    """Return the systems, else the sessions, with answers in a file; empty for a single one."""
    systems = Counter(record.source for record in records.items)
    return list(systems) if len(systems) > 1 else []


def has_any_column(path: Path, columns: str) -> bool:
    """Return whether a file has any column of the user's.

    Raises:
        InputError: The file is unreadable, or the names are malformed.
    """
    choices = parse_columns(columns)
    rows = read_table(path, choices.get("question", ""))
    names = list(dict.fromkeys(chain.from_iterable(row.values for row in rows)))
    return any(match_column(names, column) for column in choices.values())


def read_results(path: Path, columns: str, split: str) -> Records:
    """Read a file of results.

    Raises:
        InputError: The file is unreadable, or no row has an answer.
    """
    records = read_records(path, use="results", columns=columns, split=split)
    if not any(record.answer for record in records.items):
        names = dict.fromkeys(chain.from_iterable(item.row.values for item in records.items))
        empty = [name for name in names if known_name(name) in {*ROLES["answer"], *BARE}]
        if empty:
            raise InputError(f"{path.name} has no answers: {empty[0]} is empty in all rows")
        others = f"; it has {', '.join(records.metadata)}" if records.metadata else ""
        raise InputError(
            f"{path.name} has no answers; name their column, e.g. --columns answer=COLUMN"
            f"{others}; a question set is read by: arag-inspect prepare custom --questions FILE "
            "--documents DIR"
        )
    retrieving = {record.source for record in records.items if record.passages}
    for record in records.items:
        record.has_read_nothing = record.has_read_nothing and record.source in retrieving
    if len({record.session for record in records.items}) > _MOST_SESSIONS:
        for record in records.items:
            record.group = record.group or record.session
            record.session = ""
    return records
