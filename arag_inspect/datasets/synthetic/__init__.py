"""Synthetic earnings calls of fictional companies, with typed facts and reference summaries."""

from .calls import generate_calls

__all__ = ["generate_calls"]
