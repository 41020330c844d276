"""How the documents of a prepared folder are cut into chunks and embedded."""

from dataclasses import dataclass

from ..embedding.model_files import DEFAULT_MODEL
from ..embedding.models import DType


@dataclass(frozen=True, slots=True)
class Indexing:
    """Settings of chunks and vectors."""

    chunk_tokens: int = 1000
    """Longest chunk, in tokens of the embedding model's tokenizer."""

    embedding_model: str = DEFAULT_MODEL
    """Sentence-transformers name or folder."""

    embed_prefix: bool = True
    """Embed each sentence with its chunk's prefix before it."""

    dtype: DType = "float32"
    """Arithmetic of the embedding model."""
