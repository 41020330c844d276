"""Synthetic earnings calls of fictional companies, with typed facts and reference summaries."""

from .calls import SyntheticCall, generate_calls

__all__ = ["SyntheticCall", "generate_calls"]
