"""Silver references on disk: what a model wrote, and what a person marked."""

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InputError

REFERENCES, SPOT_CHECK = "references.jsonl", "spot_check.csv"
ACCEPT, REJECT = "accept", "reject"
_COLUMNS = ("id", "question", "reference", "mark", "note")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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


def references_folder(corpus: Path) -> Path:
    """Where the references of a corpus are, unless the user says otherwise: beside it, for a new preparation not to lose them."""
    return corpus.with_name(f"{corpus.name}-references")


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


def read_marks(folder: Path) -> dict[str, str]:
    """Read what a person marked, by sample: `accept`, `reject` or nothing yet.

    Raises:
        InputError: The file lacks a column, or a mark is unknown.
    """
    path = folder / SPOT_CHECK
    if not path.is_file():
        return {}
    rows = csv.DictReader(io.StringIO(_text(path)))
    lacking = [name for name in ("id", "mark") if name not in (rows.fieldnames or ())]
    if lacking:
        raise InputError(f"{path} has no column {lacking[0]}; it needs {', '.join(_COLUMNS)}")
    marks: dict[str, str] = {}
    for number, row in enumerate(rows, start=2):
        mark = (row["mark"] or "").strip().lower()
        if mark not in ("", ACCEPT, REJECT):
            raise InputError(
                f"{path}, row {number}: mark {mark!r} is unknown; write {ACCEPT} or {REJECT}"
            )
        marks[str(row["id"])] = mark
    return marks


def write_references(folder: Path, references: Sequence[Reference], *, seed: int = 7) -> None:
    """Write references, and a tenth of them for a person to check; marks that were made stay.

    Args:
        folder: Made where it is not there.
        references: All of them.
        seed: Of the choice of the tenth.
    """
    marks = _rows(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(one.model_dump(), ensure_ascii=False) for one in references]
    _replace(folder / REFERENCES, "".join(f"{line}\n" for line in lines))
    chosen = spot_check([one.id for one in references], seed)
    table = io.StringIO()
    writer = csv.DictWriter(table, _COLUMNS)
    writer.writeheader()
    for one in references:
        old = marks.get(one.id, {})
        same = old.get("reference") == _plain(one.reference)
        if one.id in chosen or (old.get("mark") and same):
            kept = {name: old.get(name, "") if same else "" for name in ("mark", "note")}
            shown = {"id": one.id, "question": _plain(one.question)}
            writer.writerow({**shown, "reference": _plain(one.reference), **kept})
    _replace(folder / SPOT_CHECK, table.getvalue())


def spot_check(ids: Sequence[str], seed: int) -> set[str]:
    """A tenth of some ids, at least one, at random and yet the same each time."""
    ranked = sorted(ids, key=lambda one: hashlib.sha256(f"{seed}:{one}".encode()).hexdigest())
    return set(ranked[: max(1, round(len(ids) / 10))])


def _rows(folder: Path) -> dict[str, Mapping[str, str]]:
    if not read_marks(folder):
        return {}
    return {row["id"]: row for row in csv.DictReader(io.StringIO(_text(folder / SPOT_CHECK)))}


def _plain(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_suffix(f"{path.suffix}.tmp")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    unfinished.replace(path)
