"""Figures of financial prose: reading them, comparing them, checking those of a summary."""

from arag_inspect.figures.figure import Figure
from arag_inspect.figures.reading import read_figures

__all__ = ["Figure", "read_figures"]
