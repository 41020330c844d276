"""Documents, chunks, keyword and dense index, and the corpus that opens them.

Independent of Inspect. A name is imported when it is first used, because scorers that open no corpus
need neither pyarrow nor scipy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .address import is_address
    from .alignment import Alignment, align
    from .builder import Extras, build_corpus
    from .chunking import Chunk, chunk_document
    from .corpus import Corpus, datasets_folder
    from .dense_index import DenseIndex, Hit
    from .document import Document, PageStart, Section
    from .embeddings import DEFAULT_MODEL, EmbeddingModel, embedding_model, packaged_weights
    from .keyword_index import KeywordIndex
    from .manifest import (
        EDITED_FACTS,
        FACTS,
        GRADER_FACTS,
        Manifest,
        Source,
        prepared_corpora,
        read_manifest,
    )
    from .reuse import CorpusDocuments, reuse_corpus
    from .revision import Revision, open_revision
    from .stores import Filter

__all__ = [
    "DEFAULT_MODEL",
    "EDITED_FACTS",
    "FACTS",
    "GRADER_FACTS",
    "Alignment",
    "Chunk",
    "Corpus",
    "CorpusDocuments",
    "DenseIndex",
    "Document",
    "EmbeddingModel",
    "Extras",
    "Filter",
    "Hit",
    "KeywordIndex",
    "Manifest",
    "PageStart",
    "Revision",
    "Section",
    "Source",
    "align",
    "build_corpus",
    "chunk_document",
    "datasets_folder",
    "embedding_model",
    "is_address",
    "open_revision",
    "packaged_weights",
    "prepared_corpora",
    "read_manifest",
    "reuse_corpus",
]

_MODULES = {
    "DEFAULT_MODEL": "embeddings",
    "EDITED_FACTS": "manifest",
    "FACTS": "manifest",
    "GRADER_FACTS": "manifest",
    "Alignment": "alignment",
    "Chunk": "chunking",
    "Corpus": "corpus",
    "CorpusDocuments": "reuse",
    "DenseIndex": "dense_index",
    "Document": "document",
    "EmbeddingModel": "embeddings",
    "Extras": "builder",
    "Filter": "stores",
    "Hit": "dense_index",
    "KeywordIndex": "keyword_index",
    "Manifest": "manifest",
    "PageStart": "document",
    "Revision": "revision",
    "Section": "document",
    "Source": "manifest",
    "align": "alignment",
    "build_corpus": "builder",
    "chunk_document": "chunking",
    "datasets_folder": "corpus",
    "embedding_model": "embeddings",
    "is_address": "address",
    "open_revision": "revision",
    "packaged_weights": "embeddings",
    "prepared_corpora": "manifest",
    "read_manifest": "manifest",
    "reuse_corpus": "reuse",
}


def __getattr__(name: str) -> Any:
    """Import a name from its module."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    return value
