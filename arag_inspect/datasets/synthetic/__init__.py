"""Synthetic earnings calls of fictional companies, with typed facts and reference summaries."""

from arag_inspect.datasets.synthetic.calls import SyntheticCall, generate_calls

__all__ = ["SyntheticCall", "generate_calls"]
