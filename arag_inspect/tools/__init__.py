"""The three retrieval tools of A-RAG, as Inspect tools over a prepared corpus."""

from .chunk_read import chunk_read
from .keyword_search import keyword_search
from .semantic_search import semantic_search

__all__ = ["chunk_read", "keyword_search", "semantic_search"]
