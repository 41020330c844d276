"""Documents, sentences, chunks, keyword index, dense index, and the corpus that opens them.

Independent of Inspect.
"""

from .._util.progress import bar
from ..text.sentences import Span, split_sentences
from .address import is_address
from .alignment import Alignment, align
from .builder import Extras, build_corpus
from .chunking import Chunk, chunk_document
from .corpus import Corpus, datasets_folder
from .cross_encoder import cross_encoder
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
    "Span",
    "align",
    "bar",
    "build_corpus",
    "chunk_document",
    "cross_encoder",
    "datasets_folder",
    "embedding_model",
    "is_address",
    "open_revision",
    "packaged_weights",
    "prepared_corpora",
    "read_manifest",
    "split_sentences",
]
