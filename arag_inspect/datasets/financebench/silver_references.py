"""Silver references on disk: what a model wrote, and what a person marked."""

import csv
import io
import json
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ..._util.csv_cells import cell_text, csv_text
from ..._util.errors import InputError
from ..._util.hashing import digest

REFERENCES, SPOT_CHECK = "references.jsonl", "spot_check.csv"
ACCEPT, REJECT = "accept", "reject"
_COLUMNS = ("id", "question", "reference", "mark", "note")


class Reference(BaseModel):
    """A reference with where it comes from."""

    model_config = ConfigDict(extra="forbid")

    id: str
    """Of the sample."""

    question: str
    reference: str
    model: str
    date: str
    """Day on which it was written, ISO 8601."""

    prompt_sha256: str
    chunk_ids: list[int]
    """Chunks that the model was given."""

    chunks_sha256: str
    """Of the corpus's `chunks.parquet`: what the ids mean."""


class Mark(NamedTuple):
    """What a person made of a reference."""

    mark: str = ""
    """`accept`, `reject` or nothing yet."""

    note: str = ""


def references_folder(corpus: Path, task: str) -> Path:
    """Return the default folder of a task's references.

    It is beside the corpus, so that preparing the corpus again does not lose them.
    """
    return corpus.with_name(f"{corpus.name}-references") / task


def read_references(folder: Path) -> dict[str, Reference]:
    """Read the references of a folder, by sample; none where there is no file.

    Raises:
        InputError: A line cannot be read, or an id occurs twice.
    """
    path = folder / REFERENCES
    if not path.is_file():
        return {}
    found: dict[str, Reference] = {}
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            one = Reference.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "line"
            raise InputError(f"{path}, line {number}: {place}: {first['msg']}") from None
        if one.id in found:
            raise InputError(f"{path}, line {number}: id {one.id!r} occurs twice")
        found[one.id] = one
    return found


def read_marks(folder: Path, known: Container[str]) -> dict[str, Mark]:
    """Read what a person marked, by sample.

    Args:
        folder: Of the references.
        known: Samples that have a reference.

    Raises:
        InputError: The file is no table with an id and a mark in each row, a mark is unknown, an id occurs twice, or what is marked has no reference.
    """
    path = folder / SPOT_CHECK
    if not path.is_file():
        return {}
    marks: dict[str, Mark] = {}
    for place, row in _rows(path):
        name, mark = cell_text(row["id"]), row["mark"].lower()
        if mark not in ("", ACCEPT, REJECT):
            raise InputError(f"{place}: mark {mark!r} is unknown; write {ACCEPT} or {REJECT}")
        if name in marks:
            raise InputError(f"{place}: id {name!r} occurs twice; take one of the rows out")
        if mark and name not in known:
            raise InputError(
                f"{place}: id {name!r} has no reference in {REFERENCES}; correct it or take the row out"
            )
        marks[name] = Mark(mark, cell_text(row.get("note", "")))
    return marks


def make_folder(folder: Path) -> None:
    """Make the folder of references where it is not there, and see that they can be written to it.

    Raises:
        InputError: They cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to ({error.strerror}); choose another folder"
        ) from error
    for path in (folder / REFERENCES, folder / SPOT_CHECK):
        if path.is_dir():
            raise InputError(f"{path} is a folder; move it away")


def write_references(folder: Path, references: Sequence[Reference], *, seed: int = 7) -> None:
    """Write references, and a tenth of them for a person to check; marks of unchanged references stay.

    Args:
        folder: As `make_folder` left it.
        references: All of them, also those of samples that the corpus no longer has.
        seed: Of the choice of the tenth.
    """
    before = read_references(folder)
    lines = [json.dumps(one.model_dump(), ensure_ascii=False) for one in references]
    _replace(folder / REFERENCES, "".join(f"{line}\n" for line in lines))
    ids = [one.id for one in references]
    marks, chosen = read_marks(folder, ids), spot_check(ids, seed)
    rows: list[tuple[str, ...]] = [_COLUMNS]
    for one in references:
        same = one.id in before and before[one.id].reference == one.reference
        kept = marks.get(one.id, Mark()) if same else Mark()
        if one.id in chosen or any(kept):
            rows.append((one.id, one.question, one.reference, *kept))
    _replace(folder / SPOT_CHECK, csv_text(rows))


def spot_check(ids: Sequence[str], seed: int) -> set[str]:
    """A tenth of some ids, at least one, at random and yet the same each time."""
    ranked = sorted(ids, key=lambda name: digest(f"{seed}:{name}", length=64))
    return set(ranked[: max(1, round(len(ids) / 10))])


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Rows of a table that are not empty, each with its place; cells are without spaces around them."""
    text = _text(path)
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 1
    try:
        columns = _columns(path, [cell.strip() for cell in next(table, [])])
        for number, row in enumerate(table, start=2):
            cells = [cell.strip() for cell in row]
            if any(cells[len(columns) :]):
                raise InputError(
                    f"{path}, row {number}: more cells than columns; put a text with {delimiter!r} in quotes"
                )
            if any(cells):
                named = dict(zip(columns, cells, strict=False))
                yield f"{path}, row {number}", {**dict.fromkeys(columns, ""), **named}
    except csv.Error as error:
        raise InputError(
            f"{path}, row {number + 1}: {error}; close each quote, and double those within a text"
        ) from None


def _columns(path: Path, names: list[str]) -> list[str]:
    """Names of columns, as long as those that are read are there once."""
    for name in ("id", "mark"):
        if name not in names:
            raise InputError(f"{path} has no column {name}; it needs {', '.join(_COLUMNS)}")
    for name in _COLUMNS:
        if names.count(name) > 1:
            raise InputError(f"{path}, row 1: column {name} occurs twice; take one out")
    return names


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8") from None


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_suffix(f"{path.suffix}.tmp")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    unfinished.replace(path)
