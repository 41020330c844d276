"""Scorers that benchmarks share, one module each; `arag_inspect.scorers` is their public name."""
