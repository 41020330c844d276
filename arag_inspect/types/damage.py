"""Damage to a copy of a corpus."""

from typing import Literal, NamedTuple

Damage = Literal["typos", "ocr", "false-premise", "missing-evidence", "poisoned"]
"""Kind of damage; see docs/robustness.md."""


class DamageSettings(NamedTuple):
    """A kind of damage with its seed and share."""

    kind: Damage
    seed: int
    share: float
