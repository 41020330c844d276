"""Compare the figures of two processes."""

import base64
import math
from collections import defaultdict
from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Any, NamedTuple

import numpy as np

from ..freeze import leaves

Result = Mapping[str, Any]
"""Content of a result file."""

EMBEDDING = "embeddings"


class Tolerance(NamedTuple):
    """Largest difference of some numbers between two instruction sets or numbers of threads."""

    numbers: str
    most: float
    places: tuple[str, ...] = ()
    """Patterns of the places of these numbers in `figures`."""


TOLERANCES = (
    Tolerance(EMBEDDING, 5e-7),
    Tolerance("scores of searches", 2e-6, ("searches/*/scores/*",)),
    Tolerance("BERTScore", 1e-6, ("samples/*/scores/bertscore/*", "report/scores/bertscore.*")),
    Tolerance("statistics", 5e-6, ("report/tables/*", "report/predictions/*")),
)
"""All numbers that may differ; every other figure is equal."""


class Comparison(NamedTuple):
    """How two results differ."""

    faults: list[str]
    """Figures that differ by more than allowed."""

    largest: dict[str, float]
    """Largest difference by name of a tolerance."""


def compare(reference: Result, other: Result, *, same_bits: bool) -> Comparison:
    """Compare two results.

    Args:
        reference: One of them.
        other: The other.
        same_bits: Whether no number may differ at all.
    """
    faults: list[str] = []
    largest: defaultdict[str, float] = defaultdict(float)
    largest[EMBEDDING] = vector_difference(reference, other)
    if same_bits and reference["vectors"] != other["vectors"]:
        faults.append(f"vectors: other bits, by {largest[EMBEDDING]:.2g} at most")
    before, after = (_by_place(result) for result in (reference, other))
    for place in sorted(before.keys() | after.keys()):
        old, new = (side.get(place, "nothing") for side in (before, after))
        if repr(old) == repr(new):  # so that a missing value, which is NaN, equals itself
            continue
        numbers = _numbers_at(place)
        if numbers and not same_bits and isinstance(old, float) and isinstance(new, float):
            largest[numbers] = max(largest[numbers], _distance(old, new))
        else:
            faults.append(f"{place}: {str(old)[:80]!r}, here {str(new)[:80]!r}")
    for tolerance in TOLERANCES:
        difference = largest[tolerance.numbers]
        if difference > tolerance.most:
            faults.append(f"{tolerance.numbers}: {difference:.2g} is more than {tolerance.most:g}")
    return Comparison(faults, dict(largest))


def vector_difference(reference: Result, other: Result) -> float:
    """Return the largest difference between two numbers of the vectors that were kept."""
    first, second = (_vectors(result) for result in (reference, other))
    if first.shape != second.shape:
        return math.inf
    return float(np.abs(first - second).max())


def changed_vectors(reference: Result, other: Result) -> int:
    """Return how many of the vectors that were kept differ in any bit."""
    first, second = (_vectors(result) for result in (reference, other))
    return int((first != second).any(axis=1).sum())


def _vectors(result: Result) -> np.ndarray[Any, np.dtype[np.float32]]:
    numbers = np.frombuffer(base64.b64decode(result["vectors"]["spread"]), "<f4")
    return numbers.reshape(result["vectors"]["kept"], -1)


def _by_place(result: Result) -> dict[str, Any]:
    """Return the figures of a result by their place."""
    return {"/".join(keys): value for keys, value in leaves(result["figures"], ())}


def _numbers_at(place: str) -> str | None:
    """Return the name of the tolerance for a place, if there is one."""
    for tolerance in TOLERANCES:
        if any(fnmatch(place, pattern) for pattern in tolerance.places):
            return tolerance.numbers
    return None


def _distance(old: float, new: float) -> float:
    """Return the difference of two numbers, relative where they are above 1.

    It is infinite where only one of them is missing, which is NaN.
    """
    difference = abs(old - new) / max(1.0, abs(old))
    return math.inf if math.isnan(difference) else difference
