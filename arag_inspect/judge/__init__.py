"""Grading by models: one call with a strict verdict, panels of graders, and `model_graded`."""

from .context import Context, resolve_context
from .parsing import StrictModel
from .scorer import model_graded
from .unscored import UnscoredError

__all__ = ["Context", "StrictModel", "UnscoredError", "model_graded", "resolve_context"]
