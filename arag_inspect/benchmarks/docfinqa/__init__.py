"""DocFinQA: numbers from a whole filing."""

from .reader import DATASET

__all__ = ["DATASET"]
