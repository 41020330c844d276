"""Measures, one module each; every one works in any Inspect suite."""

from .efficiency import efficiency
from .retrieval_pr import retrieval_pr
from .rouge import rouge

__all__ = ["efficiency", "retrieval_pr", "rouge"]
