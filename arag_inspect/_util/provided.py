"""Values that layers below use and layers above make, each when it is first asked for.

`arag_inspect/__init__.py` connects the two, so that no layer imports one above it.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

Name = Literal["benchmark records", "declared measures"]

_MAKERS: dict[Name, Callable[[], Any]] = {}


def provide(name: Name, make: Callable[[], Any]) -> None:
    """Name the function that makes a value."""
    _MAKERS[name] = make


@cache
def get_provided(name: Name) -> Any:
    """Return a value, made at the first call."""
    return _MAKERS[name]()
