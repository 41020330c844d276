"""Analyses of records."""
