"""Tests of killed processes, resource shortages, and damaged or hostile files."""

import os

FULL = os.environ.get("ARAG_FAULTS") == "full"
"""Whether to make many tries or only a few of each."""
