"""The three retrieval tools of A-RAG, one that compresses, and two plain ones, as Inspect tools."""

from .chunk_summarize import chunk_summarize
from .plain import grep, read
from .search import chunk_read, keyword_search, semantic_search

__all__ = ["chunk_read", "chunk_summarize", "grep", "keyword_search", "read", "semantic_search"]
