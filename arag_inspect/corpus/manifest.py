"""The manifest of a prepared folder, and checks against it."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .._util.errors import InputError
from .embeddings import file_digest
from .swap import recover

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
FACTS = "facts.jsonl"
"""The one file of a prepared folder that users may edit."""

EDITED_FACTS, GRADER_FACTS = "edited_facts", "grader_facts"
"""Counts of that file's entries that preparation does not reproduce."""


class Source(BaseModel):
    """Origin of the documents."""

    model_config = ConfigDict(extra="forbid")

    url: str | None = None
    """Address of the source; None if generated here."""

    commit: str | None = None
    """Revision of the source."""

    inputs: dict[str, str] = Field(default_factory=dict)
    """SHA-256 of each input file, by its path in the source."""


class Embedding(BaseModel):
    """Settings with which the sentences were embedded."""

    model_config = ConfigDict(extra="forbid")

    model: str
    """Sentence-transformers name or folder."""

    digest: str
    """SHA-256 of the weights."""

    dimension: int
    dtype: Literal["float32", "bfloat16"]
    """Data type of the forward pass; the vectors are float32."""

    prefix_embedded: bool
    """Whether each sentence was embedded after its chunk's prefix."""


class Manifest(BaseModel):
    """Contents of `manifest.json`."""

    model_config = ConfigDict(extra="forbid")

    format_version: int
    dataset: str
    """Name of the data set, e.g. `ectsum`."""

    split: str
    command: str
    """Command that prepares this folder."""

    package_version: str
    source: Source
    chunk_tokens: int
    tokenizer: str
    embedding: Embedding
    counts: dict[str, int]
    """Counts of documents, chunks, sentences, samples and others of the data set."""

    files: dict[str, str]
    """SHA-256 of each file of the folder, by name."""


def is_prepared(folder: Path) -> bool:
    """Return whether a prepared folder exists."""
    recover(folder)
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a prepared folder; complete an interrupted change first.

    Raises:
        InputError: It is missing, unreadable or of another version.
    """
    recover(folder)
    path = folder / MANIFEST
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        there = ", ".join(prepared_corpora(folder.parent))
        beside = f"; prepared beside it: {there}" if there else ""
        raise InputError(
            f"no prepared corpus at {folder} ({MANIFEST} is missing){beside}"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = f"{place}: {first['msg']}" if place else first["msg"]
        raise InputError(f"{path} cannot be read ({reason}); prepare the corpus again") from error
    if manifest.format_version != FORMAT_VERSION:
        raise InputError(
            f"{path} has format version {manifest.format_version}, this package reads "
            f"{FORMAT_VERSION}; prepare the corpus again with: {manifest.command}"
        )
    return manifest


def prepared_corpora(folder: Path) -> list[str]:
    """Return the names of the prepared folders in a folder."""
    return sorted(path.parent.name for path in folder.glob(f"[!.]*/{MANIFEST}"))


def check_files(
    folder: Path, manifest: Manifest, *, except_for: frozenset[str] = frozenset()
) -> None:
    """Compare every file of a prepared folder with its digest.

    Args:
        folder: The folder.
        manifest: Its manifest.
        except_for: Names of files that may have changed.

    Raises:
        InputError: A file is missing or has changed; the message names the file and the command
            that repairs it.
    """
    for name, digest in manifest.files.items():
        if name in except_for:
            continue
        path = folder / name
        if Path(name).name != name or not path.is_file():
            wrong = "is missing"
        elif file_digest(path) != digest:
            wrong = "has changed since it was prepared (SHA-256 differs)"
        else:
            continue
        if name == FACTS:
            raise InputError(f"{path} {wrong}; settle it with: arag-inspect facts {folder}")
        raise InputError(f"{path} {wrong}; prepare the corpus again with: {manifest.command}")
