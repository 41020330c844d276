"""Parse the weights of a score's components."""

import math
from collections.abc import Iterable, Mapping, Sequence

from arag_inspect._util.errors import InputError

Weights = str | Sequence[str] | Mapping[str, float]


def read_weights(weights: Weights, names: Sequence[str]) -> dict[str, float]:
    """Parse weights and normalise them to a sum of 1.

    Args:
        weights: A mapping, or text such as `a=1,b=0.5` (or the same split at its commas, as by
            Inspect's command line).
        names: Names of the components.

    Returns:
        Share of each component with a positive weight, in the order of `names`.

    Raises:
        InputError: A name is unknown or occurs twice, a weight is not a number of at least 0, or
            all are 0.
    """
    weight_by_name: dict[str, float] = {}
    for name, weight in _pairs(weights):
        if name not in names or name in weight_by_name:
            raise InputError(
                f"weights {weights!r}: {name!r} is unknown or occurs twice; give weights for "
                f"{', '.join(names)}, such as {names[0]}=0.5,{names[-1]}=0.5"
            )
        weight_by_name[name] = _number(name, weight)
    total = sum(weight_by_name.values())
    if not total:
        raise InputError(f"weights {weights!r} are all 0; give one above 0")
    return {name: weight_by_name[name] / total for name in names if weight_by_name.get(name)}


def _pairs(weights: Weights) -> Iterable[tuple[str, object]]:
    if isinstance(weights, Mapping):
        return [(str(name), weight) for name, weight in weights.items()]
    pieces = weights.split(",") if isinstance(weights, str) else [str(piece) for piece in weights]
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
