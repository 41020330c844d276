"""Datasheets of sets of human labels, and their answers, read from a local copy."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple, Self

import pandas as pd
from pydantic import BaseModel, ConfigDict, model_validator

from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest
from arag_inspect._util.yaml_text import parse_yaml
from arag_inspect.benchmark.rows import SourceRow, plain_number, read_rows

LabelKind = Literal["binary", "graded", "pairs"]
"""`binary`: 1 is good and 0 is bad; `graded`: more is better; `pairs`: which of two answers is
better.
"""


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
    """List in the row, each item of which is a row of its own."""

    only: Mapping[str, str] = {}
    """Rows with another value in one of these columns are left out."""


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
    """Patterns of files with values that the labelled rows lack."""

    key: str = ""
    """Template of the value that a labelled row and its row of `sources` share."""

    columns: Columns | None = None
    reader: Literal["qags", "summhay"] | None = None
    """Function for rows that columns cannot describe."""

    note: str = ""
    published: Published | None = None

    @model_validator(mode="after")
    def _check_columns(self) -> Self:
        if (self.columns is None) == (self.reader is None):
            raise ValueError("give columns")
        if bool(self.sources) != bool(self.key):
            raise ValueError("give sources and key, or neither")
        return self


SETS: Mapping[str, HumanSet] = {
    name: HumanSet(name=name, **sheet)
    for name, sheet in parse_yaml(
        files(__package__).joinpath("sets.yaml").read_text(encoding="utf-8")
    ).items()
}


Split = Literal["development", "test", "all"]

_PLACEHOLDER = re.compile(r"\{([^{}:]+)(?::([^{}]+))?\}")


class LabelledAnswer(NamedTuple):
    """An answer with its human label."""

    id: str
    answer: str
    label: float
    group: str
    """Document or question; answers of a group are resampled together."""

    subset: str
    """Domain; statistics are computed within each and averaged over all."""

    reference: str
    """Text for reference-based scorers; the source if the set has no other."""

    source: str = ""
    """Text from which the answer was written; empty if the set has none."""

    question: str = ""
    unit: str = ""
    """Id of the labelled pair to which the answer belongs; by default the answer's own."""

    sign: int = 1
    """1, or -1 for the first answer of a pair."""


class Copy(NamedTuple):
    """Contents of a local copy of a set."""

    answers: pd.DataFrame
    """The fields of `LabelledAnswer`, by id; `label` is the mean of the annotators, `disputed`
    whether they differ, and `split` the half of the group, by digest.
    """

    digests: dict[str, str]
    """SHA-256 by file."""

    missing: list[str]
    """Recorded files of the set that the folder lacks."""


def read_copy(data: HumanSet, source: Path) -> Copy:
    """Read every file of a set that a local copy has.

    Args:
        data: The set.
        source: Folder with its files, or one of them.

    Raises:
        InputError: No file exists, a row is not one of the set, or an id stands for two answers.
    """
    paths = [source] if source.is_file() else _find(data, data.files, source)
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    texts = _texts(data, source.parent if source.is_file() else source)
    answers = (answer for path in paths for answer in _answers(path, data, texts))
    merged = _merged(pd.DataFrame(answers, columns=LabelledAnswer._fields), source)
    return Copy(merged, digests, [name for name in data.digests if name not in digests])


def _find(data: HumanSet, patterns: Sequence[str], folder: Path) -> list[Path]:
    if paths := sorted({path for pattern in patterns for path in folder.glob(pattern)}):
        return paths
    raise InputError(f"{folder} has no file of {data.name}; expected {', '.join(patterns)}")


def _texts(data: HumanSet, folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return the rows of `sources` by key."""
    return {
        _fill(data.key, row): row.values
        for path in (_find(data, data.sources, folder) if data.sources else ())
        for row in read_rows(path)
    }


def _merged(answers: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Average the labels of several annotators of an answer."""
    by_id = answers.groupby("id", sort=False)
    several = (by_id[["answer", "reference"]].nunique() > 1).any(axis=1)
    if several.any():
        raise InputError(f"{folder}: id {several.idxmax()!r} occurs twice")
    labels = by_id["label"]
    answers = answers.drop_duplicates("id").set_index("id")
    return answers.assign(
        label=labels.mean(),
        disputed=labels.nunique() > 1,
        unit=answers["unit"].where(answers["unit"] != "", answers.index),
        split=answers["group"].map(_half),
    )


def _half(group: str) -> Split:
    first_byte = hashlib.sha256(group.encode()).digest()[0]
    return "development" if first_byte % 2 == 0 else "test"


def _answers(
    path: Path, data: HumanSet, texts: Mapping[str, Mapping[str, Any]]
) -> Iterator[LabelledAnswer]:
    read = _READERS[data.reader] if data.reader else _read_columns
    for number, plain in enumerate(read_rows(path), start=1):
        key = _fill(data.key, plain)
        if key and key not in texts:
            raise plain.error(f"{key!r} has no row in {', '.join(data.sources)}")
        values = {**texts.get(key, {}), **plain.values, "file": path.stem, "row": number}
        row = SourceRow(plain.place, values)
        try:
            for answer in read(row, data):
                if not answer.reference.strip():
                    raise row.error("the source or reference is empty")
                yield answer
        except (KeyError, TypeError, AttributeError) as error:
            raise row.error(f"not a row of this set ({type(error).__name__}: {error})") from None


def _read_columns(row: SourceRow, data: HumanSet) -> Iterator[LabelledAnswer]:
    columns = data.columns
    assert columns is not None
    if any(row.values.get(name, value) != value for name, value in columns.only.items()):
        return
    items = [{}] if not columns.each else row.values[columns.each]
    for item in (SourceRow(row.place, {**row.values, **item}) for item in items):
        label = _label(item, columns)
        fields = {
            name: _fill(getattr(columns, name), item)
            for name in ("source", "reference", "question", "group", "subset")
        }
        fields["reference"] = fields["reference"] or fields["source"]
        fields["group"] = fields["group"] or digest(fields["source"] or fields["reference"])
        fields["subset"] = fields["subset"] or data.name
        unit = _fill(columns.id, item)
        pair = columns.answer
        templates = {"": pair} if isinstance(pair, str) else {"/1": pair[0], "/2": pair[1]}
        for suffix, template in templates.items():
            yield LabelledAnswer(
                unit + suffix,
                _fill(template, item),
                label,
                unit=unit,
                sign=-1 if suffix == "/1" else 1,
                **fields,
            )


def _fill(template: str, row: SourceRow) -> str:
    """Return a template with the row's values.

    Raises:
        InputError: The row lacks a value, or it does not match its pattern.
    """

    def value(match: re.Match[str]) -> str:
        names, pattern = match.groups()
        text = _text(row, names.split("|"))
        matches = re.fullmatch(pattern or "(.*)", text, re.DOTALL)
        if matches is None:
            raise row.error(f"{names} {text!r} does not match {pattern!r}")
        return matches[1]

    return _PLACEHOLDER.sub(value, template)


def _text(row: SourceRow, names: list[str]) -> str:
    """Return the first of several values that the row has; `a.b` is the value b of a.

    A list gives its lines, an object its JSON, true 1 and false 0.
    """
    for name in names:
        value: Any = row.values
        for part in name.split("."):
            value = value.get(part, ...) if isinstance(value, Mapping) else ...
        if isinstance(value, list):
            return "\n".join(map(str, value))
        if isinstance(value, Mapping):
            return json.dumps(value, ensure_ascii=False, indent=1)
        if value is not ...:
            value = int(value) if isinstance(value, bool) else value
            return "" if value is None else plain_number(value).strip()
    columns = ", ".join(map(str, row.values))
    raise row.error(f"column {' or '.join(map(repr, names))} is missing; it has {columns}")


def _label(row: SourceRow, columns: Columns) -> float:
    text = _fill(columns.label, row)
    if columns.labels:
        return _number(row, columns.labels, text)
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise row.error(f"{columns.label.strip('{}')!r} must be a number from 0 to 1, got {text}")
    return number


def _number(row: SourceRow, labels: Mapping[str, float], label: str) -> float:
    """Return the number that a label stands for, in any case."""
    numbers = {name.lower(): number for name, number in labels.items()}
    if label.lower() not in numbers:
        raise row.error(f"label {label!r} is unknown; expected {', '.join(labels)}")
    return numbers[label.lower()]


def _qags(row: SourceRow, data: HumanSet) -> Iterator[LabelledAnswer]:
    parts = row.values["summary_sentences"]
    votes = [
        fmean(_number(row, {"no": 0.0, "yes": 1.0}, vote["response"]) for vote in part["responses"])
        for part in parts
    ]
    name, article = _fill("{file}/{row}", row), _text(row, ["article"])
    yield LabelledAnswer(
        id=name,
        answer=" ".join(part["sentence"] for part in parts),
        label=fmean(vote > 0.5 for vote in votes),
        group=name,
        subset=_text(row, ["file"]).removeprefix("mturk_"),
        reference=article,
        source=article,
    )


_COVERAGE = {"not_covered": 0.0, "partially_covered": 0.5, "fully_covered": 1.0}


def _summhay(row: SourceRow, data: HumanSet) -> Iterator[LabelledAnswer]:
    subtopic = _text(row, ["subtopic_id"])
    insights = {item["insight_id"]: item["insight"] for item in row.values["reference_insights"]}
    for annotation in row.values["annotation"]:
        yield LabelledAnswer(
            id=f"{subtopic}/{_text(row, ['summkey'])}/{annotation['insight_id']}",
            answer=_text(row, ["summary"]),
            label=_number(row, _COVERAGE, annotation["coverage"]),
            group=subtopic,
            subset=data.name,
            reference=insights[annotation["insight_id"]],
            question=_text(row, ["subtopic"]),
        )


_READERS = {"qags": _qags, "summhay": _summhay}
