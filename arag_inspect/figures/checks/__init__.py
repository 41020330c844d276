"""Checks of a text against its sources: statements, figures, facts and support."""
