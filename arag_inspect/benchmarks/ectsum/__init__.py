"""ECTSum: bullet summaries of earnings calls."""

from .reader import DATASET

__all__ = ["DATASET"]
