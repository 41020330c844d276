"""Inspect tools: A-RAG's three retrieval tools, a compressing one, and two without an index."""

from .chunk_summarize import chunk_summarize
from .plain import grep, read
from .search import chunk_read, keyword_search, semantic_search

__all__ = ["chunk_read", "chunk_summarize", "grep", "keyword_search", "read", "semantic_search"]
