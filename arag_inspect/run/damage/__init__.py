"""Damaged copies of a corpus, and what the damage costs each system."""
