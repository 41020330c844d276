"""A tenth of the texts that a model wrote, for an annotator to mark."""

from collections.abc import Container, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

from .._util.csv_cells import cell_text, csv_text
from .._util.errors import InputError
from .._util.hashing import digest
from ._io.records import read_csv

SPOT_CHECK = "spot_check.csv"
ACCEPT, REJECT = "accept", "reject"


class ReviewMark(NamedTuple):
    """An annotator's verdict on a text."""

    mark: str = ""
    """`accept`, `reject`, or empty if not yet marked."""

    note: str = ""


class SpotCheck(NamedTuple):
    """A kind of `spot_check.csv`: one row per text to check."""

    columns: tuple[str, ...]
    """Columns shown, `id` first; `mark` and `note` follow."""

    texts: str
    """File beside it with all texts."""

    def read(self, folder: Path, known: Container[str]) -> dict[str, ReviewMark]:
        """Read an annotator's marks, by id.

        Args:
            folder: Folder of the texts.
            known: Ids that have a text.

        Raises:
            InputError: The file is not a table with an id and a mark in each row, a mark is
                unknown, an id occurs twice, or a marked text is missing.
        """
        path = folder / SPOT_CHECK
        if not path.is_file():
            return {}
        columns, rows = read_csv(path, str(path), first=2)
        for name in ("id", "mark"):
            if name not in columns:
                needed = ", ".join(self._all_columns)
                raise InputError(f"{path} has no column {name}; it needs {needed}")
        marks: dict[str, ReviewMark] = {}
        for number, row in rows:
            location = f"{path}, row {number}"
            name, mark = cell_text(row["id"].strip()), row["mark"].strip().lower()
            if mark not in ("", ACCEPT, REJECT):
                raise InputError(
                    f"{location}: mark {mark!r} is unknown; write {ACCEPT} or {REJECT}"
                )
            if name in marks:
                raise InputError(f"{location}: id {name!r} occurs twice; remove one of the rows")
            if mark and name not in known:
                raise InputError(
                    f"{location}: id {name!r} is not in {self.texts}; correct it or remove the row"
                )
            marks[name] = ReviewMark(mark, cell_text(row.get("note", "").strip()))
        return marks

    def write(
        self,
        folder: Path,
        rows: Sequence[tuple[str, ...]],
        *,
        changed: Container[str] = (),
        seed: int = 7,
    ) -> None:
        """Write a tenth of the rows and all marked ones; keep marks of unchanged texts.

        Args:
            folder: Folder made by `make_folder`.
            rows: All texts, each with a cell for each of `columns`.
            changed: Ids whose text has changed since it was marked.
            seed: Seed of the selection.
        """
        ids = [row[0] for row in rows]
        marks, chosen = self.read(folder, ids), tenth(ids, seed)
        table: list[tuple[str, ...]] = [self._all_columns]
        for row in rows:
            mark = ReviewMark() if row[0] in changed else marks.get(row[0], ReviewMark())
            if row[0] in chosen or any(mark):
                table.append((*row, *mark))
        replace_file(folder / SPOT_CHECK, csv_text(table))

    @property
    def _all_columns(self) -> tuple[str, ...]:
        return (*self.columns, "mark", "note")


def tenth(ids: Sequence[str], seed: int) -> set[str]:
    """Return a reproducible random tenth of some ids, at least one."""
    ranked = sorted(ids, key=lambda name: digest(f"{seed}:{name}", length=64))
    return set(ranked[: max(1, round(len(ids) / 10))])


def make_folder(folder: Path, *files: str) -> None:
    """Create a folder if missing, and check that files can be written to it.

    Args:
        folder: Folder to make.
        files: Names of the files.

    Raises:
        InputError: It is not writable.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to ({error.strerror}); choose another folder"
        ) from error
    for path in (folder / name for name in (*files, SPOT_CHECK)):
        if path.is_dir():
            raise InputError(f"{path} is a folder; move it away")


def replace_file(path: Path, text: str) -> None:
    """Write a file atomically."""
    unfinished = path.with_suffix(f"{path.suffix}.tmp")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    unfinished.replace(path)
