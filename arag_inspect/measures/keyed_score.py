"""Scores of several keys, some of which may lack a value."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from inspect_ai.scorer import Score


class NoValue(NamedTuple):
    """Marks the missing value of a key."""

    reason: str
    """A word by which such samples are counted, as in `UnscoredError`."""


def keyed_score(
    values: Mapping[str, float | NoValue], explanation: str | None, metadata: Mapping[str, Any]
) -> Score:
    """Return a score: a key without a value is NaN, its reason in `unscored` of the metadata."""
    reasons: dict[str, str] = {}
    numbers: dict[str, float] = {}
    for key, value in values.items():
        if isinstance(value, NoValue):
            reasons[key] = value.reason
            numbers[key] = math.nan
        else:
            numbers[key] = value
    return Score(
        value={**numbers},
        explanation=explanation,
        metadata={**metadata, "unscored": reasons} if reasons else dict(metadata),
    )
