"""Where scorers find `judge.context`."""

from ...judge.context import Context, SourceTexts, check_context, resolve_context, whole_document

__all__ = ["Context", "SourceTexts", "check_context", "resolve_context", "whole_document"]
