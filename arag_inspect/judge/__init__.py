"""Grading by models: one call with a strict verdict, panels of graders, and `model_graded`."""

from .context import Context, resolve_context
from .model_graded import model_graded
from .parsing import StrictModel
from .unscored import UnscoredError

__all__ = ["Context", "StrictModel", "UnscoredError", "model_graded", "resolve_context"]
