"""Files of silver references, which a model wrote from whole sections."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from arag_inspect._util.files import replace_file
from arag_inspect.benchmark.prepared_files import json_lines
from arag_inspect.benchmark.rows import read_models
from arag_inspect.types.sample import SampleFact

from .spot_check import SpotCheck

REFERENCES = "references.jsonl"
REFERENCE_CHECK = SpotCheck(("id", "question", "reference"), REFERENCES)
"""The references that an annotator marks."""


class Reference(BaseModel):
    """A reference with its origin."""

    model_config = ConfigDict(extra="forbid")

    id: str
    """Id of the sample."""

    question: str
    reference: str
    model: str
    date: str
    """Date of writing, ISO 8601."""

    prompt_sha256: str
    chunk_ids: list[int]
    """Chunks given to the model."""

    chunks_sha256: str
    """Digest of the corpus's chunks that the ids refer to."""

    facts: list[SampleFact] = []
    """Its sentences, with their chunks."""


def references_folder(corpus: Path, task: str) -> Path:
    """Return the default folder of a task's references.

    It is beside the corpus, so that preparing the corpus again does not lose them.
    """
    return corpus.with_name(f"{corpus.name}-references") / task


def read_references(folder: Path) -> dict[str, Reference]:
    """Read the references of a folder by sample; empty if there is no file.

    Raises:
        InputError: A line is unreadable, or an id occurs twice.
    """
    return read_models(folder / REFERENCES, Reference)


def write_references(folder: Path, references: Sequence[Reference]) -> None:
    """Write references, and a tenth of them for an annotator to check.

    Marks of unchanged references are kept.

    Args:
        folder: Folder made by `make_folder`.
        references: All references, including references of samples no longer in the corpus.
    """
    previous_references = read_references(folder)
    replace_file(folder / REFERENCES, json_lines(item.model_dump() for item in references))
    changed = {
        reference.id
        for reference in references
        if reference.id not in previous_references
        or previous_references[reference.id].reference != reference.reference
    }
    REFERENCE_CHECK.write(
        folder,
        [(reference.id, reference.question, reference.reference) for reference in references],
        changed=changed,
    )
