"""Typed facts of a corpus and their edits."""
