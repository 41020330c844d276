"""The tools of agents, as Inspect tools: three of A-RAG, one that compresses, and two plain ones."""

from .systems.tools import chunk_read, chunk_summarize, grep, keyword_search, read, semantic_search

__all__ = ["chunk_read", "chunk_summarize", "grep", "keyword_search", "read", "semantic_search"]
