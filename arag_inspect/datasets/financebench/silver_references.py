"""Silver references on disk: what a model wrote, and what a person marked."""

import json
from collections.abc import Container, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ..spot_check import Mark, SpotCheck, read_records, replace_file

REFERENCES = "references.jsonl"
_CHECK = SpotCheck(("id", "question", "reference"), REFERENCES)


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
    return read_records(folder / REFERENCES, Reference)


def read_marks(folder: Path, known: Container[str]) -> dict[str, Mark]:
    """Read what a person marked, by sample; see `SpotCheck.read`."""
    return _CHECK.read(folder, known)


def write_references(folder: Path, references: Sequence[Reference], *, seed: int = 7) -> None:
    """Write references, and a tenth of them for a person to check; marks of unchanged references stay.

    Args:
        folder: As `make_folder` left it.
        references: All of them, also those of samples that the corpus no longer has.
        seed: Of the choice of the tenth.
    """
    before = read_references(folder)
    lines = [json.dumps(one.model_dump(), ensure_ascii=False) for one in references]
    replace_file(folder / REFERENCES, "".join(f"{line}\n" for line in lines))
    changed = {
        one.id
        for one in references
        if one.id not in before or before[one.id].reference != one.reference
    }
    _CHECK.write(
        folder,
        [(one.id, one.question, one.reference) for one in references],
        changed=changed,
        seed=seed,
    )
