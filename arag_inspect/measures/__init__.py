"""Scorers that benchmarks share, a module per scorer or group; public in `arag_inspect.scorers`."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from inspect_ai.scorer import Scorer

from .._util.discovery import registered_kind


@cache
def shared_scorers() -> Mapping[str, Callable[..., Scorer]]:
    """Return the scorers of all modules here, by name."""
    scorers: dict[str, Callable[..., Scorer]] = {}
    for info in iter_modules(__path__, f"{__name__}."):
        module = import_module(info.name)
        for name, value in vars(module).items():
            is_its_own = getattr(value, "__module__", "") == module.__name__
            if is_its_own and registered_kind(value) == "scorer":
                scorers[name] = value
    return scorers
