"""Reads logs into frames: the only room that knows the records of a log."""
