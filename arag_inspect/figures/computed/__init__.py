"""Figures that a statement computes from those of its source."""
