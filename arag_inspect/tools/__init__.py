"""The three retrieval tools of A-RAG and one that compresses, as Inspect tools."""

from .chunk_read import chunk_read
from .chunk_summarize import chunk_summarize
from .search import keyword_search, semantic_search

__all__ = ["chunk_read", "chunk_summarize", "keyword_search", "semantic_search"]
