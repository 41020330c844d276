"""Inspect tools for agents: three of A-RAG, one that compresses chunks, and two plain ones."""

from .systems.tools import chunk_read, chunk_summarize, grep, keyword_search, read, semantic_search

__all__ = ["chunk_read", "chunk_summarize", "grep", "keyword_search", "read", "semantic_search"]
