"""Damaged copies of a corpus, and the effect of the damage on each system."""
