"""Checks of an answer against a gold answer."""
