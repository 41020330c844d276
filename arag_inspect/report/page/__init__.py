"""The report as one self-contained page."""

from .render import render_page

__all__ = ["render_page"]
