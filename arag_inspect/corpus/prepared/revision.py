"""Change a prepared folder's small files, or link its chunks and vectors into another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ..chunking import Document, PageStart, Section
from ..chunks import Chunk, DocumentChunks
from ..corpus import Corpus
from ..embedding.model_files import model_folder, model_prompts
from .builder import Extras
from .indexing import Indexing
from .manifest import COUNTED, FACTS, STORED, Manifest, check_files, read_manifest
from .provenance import Provenance
from .replacement import check_replaceable
from .swap import folder_lock, link, recover, stage_folder


class Revision:
    """A locked prepared folder that can be read and changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = read_manifest(folder)
        check_files(folder, self.manifest, except_for=frozenset([FACTS]))

    def chunks(self) -> Mapping[str, Sequence[Chunk]]:
        """Return the chunks of each document."""
        if self.manifest.lance is None:
            return DocumentChunks.of_folder(self.folder)
        from ..stores.lance.store import LanceStore

        store = LanceStore(self.folder, self.manifest)
        return DocumentChunks(store.doc_ids, store.document_chunks)

    def write(self, files: Mapping[str, str], counts: Mapping[str, int]) -> Manifest:
        """Replace files and their digests in the manifest.

        The new folder is written beside the old one, with its other files linked, and replaces it
        when complete.

        Args:
            files: Text of each changed or further file, by its name.
            counts: Counts of the manifest to update.
        """
        with stage_folder(self.folder, "revised") as stage:
            unchanged = [name for name in self.manifest.files if name not in files]
            link(self.folder, stage, [*unchanged, *self.manifest.data_folders()])
            manifest = self.manifest.write_files(stage, files, counts)
            manifest.write(stage)
            stage.chmod(self.folder.stat().st_mode)
        return manifest


@contextmanager
def open_revision(folder: Path) -> Iterator[Revision]:
    """Lock a prepared folder for a change.

    Args:
        folder: The folder. Its fact bank may have been changed by users.

    Raises:
        InputError: It is not a prepared folder, another of its files has changed, or another
            process holds it.
    """
    folder = folder.resolve()
    recover(folder)
    read_manifest(folder)
    with folder_lock(folder):
        yield Revision(folder)


class CorpusDocuments:
    """The documents of a prepared corpus, read one by one, each chunk a section."""

    def __init__(self, corpus: Corpus) -> None:
        """Keep the corpus; documents are read on iteration.

        Args:
            corpus: The corpus; its chunks and vectors are reused where they fit, see `fits`.
        """
        self.corpus = corpus

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.corpus.doc_ids)

    def __iter__(self) -> Iterator[Document]:
        """Read the documents, in order."""
        for name in self.corpus.doc_ids:
            chunks = self.corpus.document_chunks([name])
            sections = tuple(map(_section, chunks))
            yield Document(name, chunks[0].company, chunks[0].period, sections)

    def fits(self, indexing: Indexing, *, lance: bool) -> bool:
        """Return whether the corpus is on this machine and has these settings.

        Args:
            indexing: Settings of chunks and vectors.
            lance: Whether Lance datasets are required.
        """
        manifest = self.corpus.manifest
        path = self.corpus.path
        model = indexing.embedding_model
        return (
            (manifest.lance is not None) == lance
            and all((path / name).exists() for name in _data(manifest))
            and manifest.indexing == indexing
            and manifest.embedding.prompts == model_prompts(model, model_folder(model))
        )


def _section(chunk: Chunk) -> Section:
    """Return a chunk as a section of its document."""
    return Section(
        chunk.section,
        chunk.text,
        chunk.prefix,
        whole=True,
        pages=_pages(chunk),
        period=chunk.period,
    )


def _pages(chunk: Chunk) -> tuple[PageStart, ...]:
    """Return the first and the last page of a chunk."""
    if chunk.first_page is None or chunk.last_page is None:
        return ()
    last = PageStart(max(0, len(chunk.text) - 1), chunk.last_page)
    return (PageStart(0, chunk.first_page), last)


def reuse_corpus(
    corpus: Corpus,
    out: Path,
    provenance: Provenance,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras],
) -> Manifest:
    """Write a prepared folder with the chunks and vectors of another.

    These are linked, not copied.

    Args:
        corpus: A prepared folder on this machine.
        out: Folder to make; see `build_corpus`.
        provenance: Where the documents of the new folder come from.
        annotate: Creates the further files; see `build_corpus`.

    Returns:
        The manifest of the new folder.

    Raises:
        InputError: The corpus is being replaced, `out` cannot be replaced, or another process is
            writing it.
    """
    out = out.resolve()
    original = corpus.manifest
    lance = original.lance
    check_replaceable(out)
    extras = annotate(DocumentChunks(corpus.doc_ids, corpus.document_chunks))
    with folder_lock(out), stage_folder(out, "revised") as stage:
        link(corpus.path, stage, _data(original))
        manifest = original.model_copy(
            update={
                "dataset": provenance.dataset,
                "split": provenance.split,
                "source": provenance.source,
                "command": provenance.command,
                "files": {k: digest for k, digest in original.files.items() if k in STORED},
                "counts": {k: number for k, number in original.counts.items() if k in COUNTED},
                "lance": lance.model_copy(update={"previous": None}) if lance else None,
            }
        ).write_files(stage, extras.files, extras.counts)
        check_files(stage, manifest)  # another process may have replaced the corpus
        manifest.write(stage)
    return manifest


def _data(manifest: Manifest) -> Sequence[str]:
    """Return the names of the files, or of the folder, with chunks and vectors."""
    if manifest.lance:
        return [manifest.lance.folder]
    return [name for name in STORED if name in manifest.files]
