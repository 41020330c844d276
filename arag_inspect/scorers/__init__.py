"""Measures, one module each; every one works in any Inspect suite."""

from .efficiency import efficiency
from .factual_consistency import factual_consistency
from .retrieval_pr import retrieval_pr
from .rouge import rouge

__all__ = ["efficiency", "factual_consistency", "retrieval_pr", "rouge"]
