"""Figures that a statement computes from figures of its source."""
