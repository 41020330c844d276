"""Asking a model for a verdict."""
