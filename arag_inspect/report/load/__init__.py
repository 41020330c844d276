"""Logs to records."""
