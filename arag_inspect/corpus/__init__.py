"""Text at rest: sentences, chunks, a keyword index, a dense index, and the corpus that opens them.

Knows nothing of Inspect.
"""

from .align import Alignment, align
from .build import Extras, build_corpus
from .chunks import Chunk, chunk_document
from .corpus import Corpus, datasets_folder
from .dense import DenseIndex, Hit
from .document import Document, PageStart, Section
from .embedding import DEFAULT_MODEL, EmbeddingModel, embedding_model, packaged_weights
from .keyword import KeywordIndex
from .manifest import (
    EDITED_FACTS,
    FACTS,
    GRADER_FACTS,
    Manifest,
    Source,
    prepared_corpora,
    read_manifest,
)
from .progress import bar
from .revise import Revision, revising
from .sentences import Span, split_sentences

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
    "datasets_folder",
    "embedding_model",
    "packaged_weights",
    "prepared_corpora",
    "read_manifest",
    "revising",
    "split_sentences",
]
