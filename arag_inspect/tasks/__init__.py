"""Tasks, one module each: a data set, a system, the scorers, and how the log browser shows them."""

from .earnings_synthetic import earnings_synthetic
from .ectsum import ectsum

__all__ = ["earnings_synthetic", "ectsum"]
