"""Public sets of human labels: where they come from and how their labels are read."""

from collections.abc import Mapping
from types import MappingProxyType

from ...._util.errors import InputError
from ..labelled import HumanSet
from .answers import ANSWERS
from .faithfulness import FAITHFULNESS

__all__ = ["SETS", "find_set"]

SETS: Mapping[str, HumanSet] = MappingProxyType(
    {data.name: data for data in (*FAITHFULNESS, *ANSWERS)}
)


def find_set(name: str) -> HumanSet:
    """Return the set of that name.

    Raises:
        InputError: The name is unknown.
    """
    if name not in SETS:
        raise InputError(f"set {name!r} is unknown; choose from {', '.join(SETS)}")
    return SETS[name]
