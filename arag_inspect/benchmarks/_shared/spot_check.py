"""`spot_check.csv`: a tenth of the texts that a model wrote, for an annotator to mark."""

from collections.abc import Container, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator

from arag_inspect._util.encodable import cell_text, csv_text
from arag_inspect._util.errors import InputError
from arag_inspect._util.files import digest, replace_file
from arag_inspect.benchmark.rows import Filled, Text, read_models

SPOT_CHECK = "spot_check.csv"
REJECT = "reject"


class _Mark(BaseModel):
    """A row of the table."""

    id: Filled
    mark: Annotated[Literal["", "accept", "reject"], BeforeValidator(lambda m: m.strip().lower())]
    """Empty if not yet marked."""

    note: Annotated[Text, AfterValidator(cell_text)] = ""


class SpotCheck(NamedTuple):
    """A kind of `spot_check.csv`: one row per text to check."""

    columns: tuple[str, ...]
    """Columns shown, `id` first; `mark` and `note` follow."""

    texts: str
    """File beside it with all texts."""

    def read(self, folder: Path, ids: Container[str]) -> dict[str, str]:
        """Read an annotator's marks: `accept`, `reject` or empty, by id.

        Args:
            folder: Folder of the texts.
            ids: Ids of the texts.

        Raises:
            InputError: A row is unreadable, an id occurs twice, or a marked text is missing.
        """
        marks: dict[str, str] = {name: row.mark for name, row in _marks(folder).items()}
        for name, mark in marks.items():
            if mark and name not in ids:
                raise InputError(
                    f"{folder / SPOT_CHECK}: id {name!r} is not in {self.texts}; "
                    "correct it or remove the row"
                )
        return marks

    def write(
        self,
        folder: Path,
        rows: Sequence[tuple[str, ...]],
        *,
        changed: Container[str] = (),
        seed: int = 7,
    ) -> None:
        """Write a tenth of the rows and all marked rows; keep marks of unchanged texts.

        Args:
            folder: Folder made by `make_folder`.
            rows: All texts, each with a cell for each of `columns`.
            changed: Ids whose text has changed since it was marked.
            seed: Seed of the selection.
        """
        ids = [row[0] for row in rows]
        marks = _marks(folder)
        sampled_ids = tenth(ids, seed)
        table: list[tuple[str, ...]] = [(*self.columns, "mark", "note")]
        for row in rows:
            mark = None if row[0] in changed else marks.get(row[0])
            if mark or row[0] in sampled_ids:
                table.append((*row, mark.mark if mark else "", mark.note if mark else ""))
        replace_file(folder / SPOT_CHECK, csv_text(table))


def _marks(folder: Path) -> dict[str, _Mark]:
    rows = read_models(folder / SPOT_CHECK, _Mark)
    return {cell_text(name): row for name, row in rows.items()}


def tenth(ids: Sequence[str], seed: int) -> set[str]:
    """Return a reproducible random tenth of some ids, at least one."""
    ranked = sorted(ids, key=lambda name: digest(f"{seed}:{name}", length=64))
    return set(ranked[: max(1, round(len(ids) / 10))])


def make_folder(folder: Path) -> None:
    """Create a folder if missing, and check that files can be written to it.

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
