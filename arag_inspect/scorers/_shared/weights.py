"""Parse the weights of a score's components."""

import math
from collections.abc import Iterable, Mapping, Sequence

from ..._util.errors import InputError

Weights = str | Sequence[str] | Mapping[str, float]


def read_weights(weights: Weights, known: Sequence[str]) -> dict[str, float]:
    """Parse weights and normalise them to a sum of 1.

    Args:
        weights: A mapping, or text such as `a=1,b=0.5` (or the same split at its commas, as by
            Inspect's command line).
        known: Names of the components.

    Returns:
        Share of each component with a positive weight, in the order of `known`.

    Raises:
        InputError: A name is unknown or occurs twice, a weight is not a number of at least 0, or
            all are 0.
    """
    given: dict[str, float] = {}
    for name, weight in _pairs(weights):
        if name not in known or name in given:
            raise InputError(
                f"weights {weights!r}: {name!r} is unknown or occurs twice; give weights for "
                f"{', '.join(known)}, such as {known[0]}=0.5,{known[-1]}=0.5"
            )
        given[name] = _number(name, weight)
    total = sum(given.values())
    if not total:
        raise InputError(f"weights {weights!r} are all 0; give one above 0")
    return {name: given[name] / total for name in known if given.get(name)}


def _pairs(weights: Weights) -> Iterable[tuple[str, object]]:
    if isinstance(weights, Mapping):
        return [(str(name), weight) for name, weight in weights.items()]
    pieces = weights.split(",") if isinstance(weights, str) else [str(one) for one in weights]
    pairs = [piece.partition("=") for piece in pieces]
    return [(name.strip(), weight.strip()) for name, _, weight in pairs]


def _number(name: str, weight: object) -> float:
    try:
        number = float(str(weight))
    except ValueError:
        number = math.nan
    if isinstance(weight, bool) or not math.isfinite(number) or number < 0:
        raise InputError(f"weight of {name} must be a number of at least 0, got {weight!r}")
    return number
