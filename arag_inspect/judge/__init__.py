"""Grading by models: one call with a strict verdict, panels of graders, and `model_graded`."""

from .context import Context, resolve_context
from .model_graded import model_graded
from .parsing import StrictModel, choice_form, integer_form, json_form
from .unscored import UnscoredError

__all__ = [
    "Context",
    "StrictModel",
    "UnscoredError",
    "choice_form",
    "integer_form",
    "json_form",
    "model_graded",
    "resolve_context",
]
