"""Datasheets of sets of human labels, and how a row of their files is read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from ..._util.errors import InputError
from ..._util.yaml_text import parse_yaml
from ...datasets._io.records import SourceRow

LabelKind = Literal["binary", "graded", "pairs"]
"""`binary`: 1 is good and 0 is bad; `graded`: more is better; `pairs`: which of two answers is
better.
"""

_PLACEHOLDER = re.compile(r"\{([^{}:]+)(?::([^{}]+))?\}")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Columns(_Model):
    """Templates of the fields of a labelled answer; `sets.yaml` explains their placeholders."""

    id: str
    answer: str | tuple[str, str]
    """Two of them for a pair, of which the label prefers the first if negative."""

    label: str
    labels: Mapping[str, float] = {}
    """Number by label, in any case; none: the label is a number from 0 to 1."""

    source: str = ""
    reference: str = ""
    question: str = ""
    group: str = ""
    """Document; by default answers with the same source or reference are of one document."""

    subset: str = ""
    """Domain; by default the name of the set."""

    each: str = ""
    only: Mapping[str, str] = {}
    key: str = ""


class Published(_Model):
    """Published statistics."""

    where: str
    statistic: str
    values: Mapping[str, float]
    """By measure."""


class HumanSet(_Model):
    """A set of human labels."""

    name: str
    title: str
    origin: str
    """Repository and folder of the published files."""

    licence: str
    kind: LabelKind
    rule: str
    """Conversion of a label to a number."""

    size: int | None = None
    """Labels in the published files: answers, insights or pairs; None if unknown."""

    files: Sequence[str]
    """Patterns of the files that hold labels."""

    digests: Mapping[str, str] = {}
    """SHA-256 of the known files."""

    sources: Sequence[str] = ()
    """Patterns of files with the texts that the labelled rows lack."""

    columns: Columns | None = None
    reader: Literal["qags", "summhay"] | None = None
    """Function for rows that columns cannot describe."""

    several_annotators: bool = False
    """Whether an answer may occur once per annotator; otherwise a repeated id is an error."""

    may_be_empty: bool = False
    """Whether answers may be empty; otherwise an empty one is an error."""

    note: str = ""
    published: Published | None = None


def _parse(text: str, origin: str) -> dict[str, Any]:
    """Return the top-level values of a YAML text."""
    try:
        values = parse_yaml(text)
    except yaml.YAMLError as error:
        raise InputError(f"{origin} is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(values, dict):
        raise InputError(f"{origin} holds no mapping of names to values")
    return values


SETS: Mapping[str, HumanSet] = {
    name: HumanSet(name=name, **sheet)
    for name, sheet in _parse(
        files(__package__).joinpath("sets.yaml").read_text(encoding="utf-8"), "sets.yaml"
    ).items()
}


def find_set(name: str) -> HumanSet:
    """Return the set of that name, or the one that a YAML file describes.

    Raises:
        InputError: The name is unknown, or the file is no datasheet.
    """
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        if name not in SETS:
            raise InputError(
                f"set {name!r} is unknown; choose from {', '.join(SETS)}, or name a YAML file"
            )
        return SETS[name]
    try:
        sheet = _parse(path.read_text(encoding="utf-8"), name)
        data = HumanSet(**{"name": path.stem, **sheet})
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8 text") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(f"{name}: {where}: {first['msg']}") from None
    if (data.columns is None) == (data.reader is None):
        raise InputError(f"{name}: give columns")
    return data


def items(row: SourceRow, columns: Columns) -> Iterator[SourceRow]:
    """Yield the row, or one for each item of its list."""
    if any(name in row.values and row.values[name] != v for name, v in columns.only.items()):
        return
    if not columns.each:
        yield row
        return
    for item in row.values[columns.each]:
        yield SourceRow(row.place, {**row.values, **item})


def fill(template: str, row: SourceRow, file: str) -> str:
    """Return a template with the row's values.

    Args:
        template: Text with placeholders.
        row: The row.
        file: Name of its file, without suffix.

    Raises:
        InputError: The row lacks a value, or it does not match its pattern.
    """
    return _PLACEHOLDER.sub(partial(_value, row=row, file=file), template)


def _value(match: re.Match[str], row: SourceRow, file: str) -> str:
    names, pattern = match.groups()
    text = _text(row, names.split("|"), file)
    if pattern is None:
        return text
    matched = re.fullmatch(pattern, text, re.DOTALL)
    if matched is None:
        raise row.error(f"{names} {text!r} does not match {pattern!r}")
    return matched[1]


def _text(row: SourceRow, names: Sequence[str], file: str) -> str:
    """Return the first of several values that the row has."""
    built_in = {"file": file, "row": row.place.rpartition(" ")[2]}
    for name in names:
        value: Any = built_in if name in built_in else row.values
        for part in name.split("."):
            value = value.get(part, ...) if isinstance(value, Mapping) else ...
        if isinstance(value, list):
            return "\n".join(map(str, value))
        if isinstance(value, Mapping):
            return json.dumps(value, ensure_ascii=False, indent=1)
        if value is not ...:
            return SourceRow(row.place, {name: value}).optional_text(name) or ""
    return row.text(*names)  # says which columns there are


def read_label(row: SourceRow, file: str, columns: Columns) -> tuple[str, float]:
    """Return the label of a row as text and as a number.

    Raises:
        InputError: The label is of another vocabulary, or no number from 0 to 1.
    """
    value = row.values.get(columns.label.strip("{}"))
    text = fill(columns.label, row, file)
    if isinstance(value, list):
        text = "[...]" if value else "[]"
    if columns.labels:
        numbers = {label.lower(): number for label, number in columns.labels.items()}
        return text, label_number(row, numbers, text.lower())
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise row.error(f"{columns.label.strip('{}')!r} must be a number from 0 to 1, got {text}")
    return text, number


def label_number(row: SourceRow, labels: Mapping[str, float], label: str) -> float:
    """Return the number that a label stands for.

    Raises:
        InputError: The label is of another vocabulary.
    """
    if label not in labels:
        raise row.error(f"label {label!r} is unknown; expected {', '.join(labels)}")
    return labels[label]
