"""Kills, a machine that lacks something, damaged and hostile files."""

import os

FULL = os.environ.get("ARAG_FAULTS") == "full"
"""Many tries, or a few of each."""
