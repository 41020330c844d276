"""FinQA: numbers from a page of an annual report."""

from .reader import DATASET

__all__ = ["DATASET"]
