"""Atomic changes of the small files of a prepared folder."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .chunk_store import ChunkFile, DocumentChunks, read_chunks
from .chunking import Chunk
from .embeddings import file_digest
from .manifest import CHUNKS, Manifest, check_files, read_manifest
from .swap import folder_lock, staged


class Revision:
    """A locked prepared folder that can be read and changed."""

    def __init__(self, folder: Path, edited: frozenset[str]) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        check_files(folder, self.manifest, except_for=edited)

    def chunks(self) -> Mapping[str, Sequence[Chunk]]:
        """Return the chunks of each document."""
        if CHUNKS in self.manifest.files:
            return ChunkFile(self.folder / CHUNKS)
        if self.manifest.lance is None:
            chunks: dict[str, list[Chunk]] = {}
            for chunk in read_chunks(self.folder, self.manifest):
                chunks.setdefault(chunk.doc_id, []).append(chunk)
            return chunks
        from .stores.lance.store import LanceStore

        return DocumentChunks(LanceStore(self.folder, self.manifest))

    def write(self, files: Mapping[str, str], counts: Mapping[str, int]) -> Manifest:
        """Replace files and their digests in the manifest.

        The new folder is written beside the old one, with its other files linked, and
        replaces it when complete.

        Args:
            files: Text of each changed or further file, by its name.
            counts: Counts of the manifest to update.
        """
        with staged(self.folder, "revised") as stage:
            for name in self.manifest.files:
                if name not in files:
                    link(self.folder / name, stage / name)
            for name in self.manifest.data_folders():
                shutil.copytree(self.folder / name, stage / name, copy_function=link)
            for name, text in files.items():
                (stage / name).write_text(text, encoding="utf-8")
            digests = {name: file_digest(stage / name) for name in files}
            manifest = self.manifest.model_copy(
                update={
                    "files": {**self.manifest.files, **digests},
                    "counts": {**self.manifest.counts, **counts},
                }
            )
            manifest.write(stage)
            stage.chmod(self.folder.stat().st_mode)
        return manifest


@contextmanager
def open_revision(folder: Path, *, edited: frozenset[str] = frozenset()) -> Iterator[Revision]:
    """Lock a prepared folder for a change.

    Args:
        folder: The folder.
        edited: Names of files that a person may have changed.

    Raises:
        InputError: It is not a prepared folder, another of its files has changed, or another
            process holds it.
    """
    folder = folder.resolve()
    read_manifest(folder)
    with folder_lock(folder):
        yield Revision(folder, edited)


def link(source: str | Path, target: str | Path) -> None:
    """Make a second name for a file, or a copy where the file system has no links."""
    try:
        os.link(source, target)
    except OSError:  # another file system, or one without links
        shutil.copy2(source, target)
