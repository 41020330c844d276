"""Atomic changes of the small files of a prepared folder."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from .chunk_store import DocumentChunks
from .chunking import Chunk
from .manifest import CHUNKS, Manifest, check_files, read_manifest
from .swap import folder_lock, link, staged


class Revision:
    """A locked prepared folder that can be read and changed."""

    def __init__(self, folder: Path, edited: frozenset[str]) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        check_files(folder, self.manifest, except_for=edited)

    def chunks(self) -> Mapping[str, Sequence[Chunk]]:
        """Return the chunks of each document."""
        if self.manifest.lance is None:
            return DocumentChunks.of_file(self.folder / CHUNKS)
        from .stores.lance.store import LanceStore

        return DocumentChunks.of(LanceStore(self.folder, self.manifest))

    def write(self, files: Mapping[str, str], counts: Mapping[str, int]) -> Manifest:
        """Replace files and their digests in the manifest.

        The new folder is written beside the old one, with its other files linked, and
        replaces it when complete.

        Args:
            files: Text of each changed or further file, by its name.
            counts: Counts of the manifest to update.
        """
        with staged(self.folder, "revised") as stage:
            kept = [name for name in self.manifest.files if name not in files]
            link(self.folder, stage, [*kept, *self.manifest.data_folders()])
            manifest = self.manifest.with_files(stage, files, counts)
            manifest.write(stage)
            stage.chmod(self.folder.stat().st_mode)
        return manifest


@contextmanager
def open_revision(folder: Path, *, edited: frozenset[str] = frozenset()) -> Iterator[Revision]:
    """Lock a prepared folder for a change.

    Args:
        folder: The folder.
        edited: Names of files that users may have changed.

    Raises:
        InputError: It is not a prepared folder, another of its files has changed, or another
            process holds it.
    """
    folder = folder.resolve()
    read_manifest(folder)
    with folder_lock(folder):
        yield Revision(folder, edited)
