"""Kinds of damage to a copy of a corpus."""

from typing import Literal

Damage = Literal["typos", "ocr", "false-premise", "missing-evidence", "poisoned"]
"""Kind of damage; see docs/robustness.md."""
