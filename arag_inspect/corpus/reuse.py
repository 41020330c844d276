"""A prepared folder with the chunks and vectors of another, and its own files."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from .builder import Extras, check_replaceable
from .chunk_store import DocumentChunks
from .chunking import Chunk
from .corpus import Corpus
from .document import Document, Section
from .embeddings import model_folder, model_prompts
from .manifest import COUNTED, STORED, Manifest, Source, check_files
from .swap import folder_lock, link, staged


class CorpusDocuments:
    """The documents of a prepared corpus, read one by one, each chunk a section."""

    def __init__(self, corpus: Corpus) -> None:
        """Read nothing yet.

        Args:
            corpus: The corpus; its own chunks and vectors are taken where they fit, see `fits`.
        """
        self.corpus = corpus

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.corpus.doc_ids)

    def __iter__(self) -> Iterator[Document]:
        """Read the documents, in order."""
        for name in self.corpus.doc_ids:
            chunks = self.corpus.document_chunks([name])
            sections = [
                Section(chunk.section, chunk.text, chunk.prefix, whole=True) for chunk in chunks
            ]
            yield Document(name, chunks[0].company, chunks[0].period, tuple(sections))

    def fits(self, *, lance: bool, model: str, dtype: str, embed_prefix: bool) -> bool:
        """Return whether the corpus is on this machine and has these settings.

        Args:
            lance: Whether Lance datasets are required.
            model: Name of the embedding model.
            dtype: Its arithmetic; `auto` accepts any.
            embed_prefix: Whether sentences are embedded with their chunk's prefix.
        """
        manifest, path = self.corpus.manifest, self.corpus.path
        embedding = manifest.embedding
        return (
            (manifest.lance is not None) == lance
            and all((path / name).exists() for name in _data(manifest))
            and (embedding.model, embedding.prefix_embedded) == (model, embed_prefix)
            and dtype in ("auto", embedding.dtype)
            and embedding.prompts == model_prompts(model, model_folder(model))
        )


def reuse_corpus(
    corpus: Corpus,
    out: Path,
    *,
    dataset: str,
    split: str,
    source: Source,
    annotate: Callable[[Mapping[str, Sequence[Chunk]]], Extras],
    command: str,
) -> Manifest:
    """Write a prepared folder with the chunks and vectors of another.

    These are linked, not copied.

    Args:
        corpus: A prepared folder on this machine.
        out: Folder to make; see `build_corpus`.
        dataset: Name of the data set.
        split: Part of the data set.
        source: Origin of the documents.
        annotate: Creates the further files; see `build_corpus`.
        command: Command that prepares this folder.

    Returns:
        The manifest of the new folder.

    Raises:
        InputError: The corpus is being replaced, `out` cannot be, or another process makes it.
    """
    out, original = out.resolve(), corpus.manifest
    check_replaceable(out)
    extras = annotate(DocumentChunks.of(corpus))
    with folder_lock(out), staged(out, "revised") as stage:
        link(corpus.path, stage, _data(original))
        manifest = original.model_copy(
            update={
                "dataset": dataset,
                "split": split,
                "source": source,
                "command": command,
                "files": {k: digest for k, digest in original.files.items() if k in STORED},
                "counts": {k: number for k, number in original.counts.items() if k in COUNTED},
                "lance": original.lance and original.lance.model_copy(update={"previous": None}),
            }
        ).with_files(stage, extras.files, extras.counts)
        check_files(stage, manifest)  # another process may have replaced the corpus
        manifest.write(stage)
    return manifest


def _data(manifest: Manifest) -> Sequence[str]:
    """Return the names of the files, or of the folder, with chunks and vectors."""
    if manifest.lance:
        return [manifest.lance.folder]
    return [name for name in STORED if name in manifest.files]
