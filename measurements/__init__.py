"""Measurements of speed and memory, against plain implementations in the same run."""
