"""Questions or requests of the user about documents of the user."""

from .reader import DATASET

__all__ = ["DATASET"]
