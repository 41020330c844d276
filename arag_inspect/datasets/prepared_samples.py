"""Read the samples of a prepared folder without giving them access to the machine."""

from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from ._io.records import read_models


class _SampleRow(BaseModel):
    """A line of the file; without the sandbox, files and setup of Inspect's samples."""

    model_config = ConfigDict(extra="forbid")

    id: str
    input: str
    target: str | list[str] = ""
    metadata: dict[str, Any] = {}


def read_samples(path: Path, remedy: str) -> list[Sample]:
    """Read samples: JSON Lines with `id`, `input`, `target` and `metadata`; none without a file.

    Args:
        path: JSON Lines.
        remedy: Command that recreates the file.

    Raises:
        InputError: A line cannot be read, holds anything else, or repeats an id.
    """
    rows = read_models(path, _SampleRow, remedy=f"run: {remedy}").values()
    return [Sample(**row.model_dump()) for row in rows]
