"""The manifest of a prepared folder, and checks against it."""

import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..._util.errors import InputError, first_error
from ..._util.files import file_digest
from ..embedding.probes import Machine, unpack_vectors
from .indexing import Indexing
from .provenance import Provenance, Source
from .swap import is_recoverable

FORMAT_VERSION = 2
LANCE_VERSION = 2
MANIFEST = "manifest.json"
CHUNKS = "chunks.jsonl"
INDEX = "sentences.faiss"
STORED = (CHUNKS, INDEX)
"""Files of the local store."""

COUNTED = ("documents", "chunks", "sentences", "sentences_cut")
"""Counts of the chunks; the last is omitted where it is zero."""

FACTS = "facts.jsonl"
"""The one file of a prepared folder that users may edit."""

EDITED_FACTS = "edited_facts"
"""Count of that file's entries that were edited by hand."""

GRADER_FACTS = "grader_facts"
"""Count of that file's entries that a grader listed."""


def _safe_command(command: str) -> str:
    """Return a folder's command if it is safe to suggest: a single command of this package."""
    is_ours = command.startswith("arag-inspect ") and command.isprintable() and len(command) < 2_000
    with suppress(ValueError):
        if is_ours and shlex.join(shlex.split(command)) == command:
            return command
    return "arag-inspect prepare"


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

    prompts: dict[str, str] = Field(default_factory=dict)
    """Texts prepended to a `query` and a `document`; empty in earlier versions."""

    machine: Machine | None = None
    """Hardware and arithmetic that computed the vectors; earlier versions did not record it."""

    probes: str | None = None
    """Vectors of the texts in `PROBES` as that machine embeds passages, base64 of little-endian
    float32."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return the settings, other than texts and machine, that the vectors depend on."""
        return self.model_dump(exclude={"machine", "probes"})

    @model_validator(mode="after")
    def _probes_fit(self) -> "Embedding":
        if self.probes is not None:
            unpack_vectors(self.probes, self.dimension)
        return self


class LanceData(BaseModel):
    """Location and search settings of a folder's Lance datasets."""

    model_config = ConfigDict(extra="forbid")

    format_version: int

    folder: str = Field(pattern=r"^data-[0-9a-f]{1,32}$")
    """Name of the folder with the datasets; each preparation makes a new one."""

    previous: str | None = Field(default=None, pattern=r"^data-[0-9a-f]{1,32}$")
    """Folder of the previous preparation, kept for its readers."""

    chunks_sha256: str
    """SHA-256 that identifies the chunks in logs."""

    index: Literal["none", "IVF_RQ"]
    """Vector index; `none` if every vector is compared."""

    nprobes: int | None = None
    """Partitions that a search visits."""

    refine_factor: int | None = None
    """Candidates per result whose full vectors are compared."""

    recall_at_5: float
    """Share of the five best chunks by exact search that the default search finds."""


class Manifest(BaseModel):
    """Contents of `manifest.json`."""

    model_config = ConfigDict(extra="forbid")

    format_version: int
    dataset: str
    """Name of the data set, e.g. `ectsum`."""

    split: str
    command: Annotated[str, AfterValidator(_safe_command)]
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

    lance: LanceData | None = None
    """Set where chunks and vectors are in Lance datasets."""

    @property
    def chunks_sha256(self) -> str:
        """SHA-256 that identifies the chunks."""
        return self.lance.chunks_sha256 if self.lance else self.files[CHUNKS]

    @property
    def provenance(self) -> Provenance:
        """Origin of the folder's contents."""
        return Provenance(self.dataset, self.split, self.source, self.command)

    @property
    def indexing(self) -> Indexing:
        """Settings of its chunks and vectors."""
        embedding = self.embedding
        return Indexing(
            self.chunk_tokens, embedding.model, embedding.prefix_embedded, embedding.dtype
        )

    def data_folders(self) -> list[str]:
        """Return the names of the folders with Lance datasets."""
        folders = (self.lance.folder, self.lance.previous) if self.lance else ()
        return [name for name in folders if name]

    def write_files(
        self, folder: Path, texts: Mapping[str, str], counts: Mapping[str, int]
    ) -> "Manifest":
        """Write files of a data set, and return the manifest with their digests and counts.

        Args:
            folder: Folder to write into.
            texts: Text of each file, by its name.
            counts: Counts to add or to update.
        """
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        files = self.files | {name: file_digest(folder / name) for name in texts}
        return self.model_copy(update={"files": files, "counts": {**self.counts, **counts}})

    def write(self, folder: Path) -> None:
        """Write `manifest.json`."""
        (folder / MANIFEST).write_text(self.dump(), encoding="utf-8")

    def dump(self) -> str:
        """Return the contents of `manifest.json`."""
        excluded: dict[str, Any] = {} if self.lance else {"lance": True}
        if not self.embedding.prompts:
            excluded["embedding"] = {"prompts"}
        return self.model_dump_json(indent=2, exclude=excluded)


def is_prepared(folder: Path) -> bool:
    """Return whether a prepared folder exists, or will once it is opened."""
    return (folder / MANIFEST).is_file() or is_recoverable(folder)


def read_manifest(folder: Path, *, outdated: bool = False) -> Manifest:
    """Read the manifest of a prepared folder.

    Args:
        folder: The folder.
        outdated: Also read a manifest of an earlier format, whose other files are not read.

    Raises:
        InputError: It is missing, unreadable or of another version.
    """
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
        _check_version(text, path, outdated)
        manifest = Manifest.model_validate_json(text)
    except FileNotFoundError:
        names = ", ".join(prepared_corpora(folder.parent))
        neighbours = f"; prepared beside it: {names}" if names else ""
        raise InputError(
            f"no prepared corpus at {folder} ({MANIFEST} is missing){neighbours}; "
            "make one with: arag-inspect prepare"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        reason = first_error(error)
        raise InputError(f"{path} cannot be read ({reason}); prepare the corpus again") from error
    return manifest


def _check_version(text: bytes, path: Path, outdated: bool) -> None:
    """Refuse a folder that another version of the package wrote.

    Raises:
        InputError: States both versions and what to do.
    """
    try:
        versions = _Versions.model_validate_json(text)
    except ValidationError:
        return  # reading the entire manifest reports the error
    lance_version = versions.lance.format_version if versions.lance else LANCE_VERSION
    for version, own_version, subject in (
        (versions.format_version, FORMAT_VERSION, ""),
        (lance_version, LANCE_VERSION, " of Lance data"),
    ):
        if version > own_version:
            advice = "update it with: pip install --upgrade arag-inspect"
        elif version < own_version and not outdated:
            advice = f"prepare the corpus again with: {versions.command}"
        else:
            continue
        raise InputError(
            f"{path} has format version {version}{subject}, this package reads {own_version}; "
            f"{advice}"
        )


class _LanceVersion(BaseModel):
    format_version: int


class _Versions(BaseModel):
    format_version: int
    command: Annotated[str, AfterValidator(_safe_command)] = "arag-inspect prepare"
    lance: _LanceVersion | None = None


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
        InputError: A file is missing or has changed; the message says which, and how to repair it.
    """
    for name, digest in manifest.files.items():
        if name in except_for:
            continue
        path = folder / name
        if Path(name).name != name or not path.is_file():
            problem = "is missing"
        elif file_digest(path) != digest:
            problem = "has changed since it was prepared (SHA-256 differs)"
        else:
            continue
        if name == FACTS:
            raise InputError(
                f"{path} {problem}; settle it with: arag-inspect prepare facts {folder}"
            )
        raise InputError(f"{path} {problem}; prepare the corpus again with: {manifest.command}")


def unfit(path: Path, manifest: Manifest, why: str) -> InputError:
    """Return the error for a folder whose parts do not fit together."""
    return InputError(
        f"the parts of corpus {path} do not match ({why}); "
        f"prepare it again with: {manifest.command}"
    )


def missing_document(path: Path | str, doc_id: str) -> InputError:
    """Return the error for a document that is not in a corpus."""
    return InputError(f"corpus {path} has no document {doc_id!r}")
