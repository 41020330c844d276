"""FinDER: terse questions on 10-K filings."""

from .reader import DATASET

__all__ = ["DATASET"]
