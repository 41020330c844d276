"""Grading by models: one call with a strict verdict, panels of graders, and `model_graded`."""

from .context import Context, resolve_context
from .scorer import model_graded

__all__ = ["Context", "model_graded", "resolve_context"]
