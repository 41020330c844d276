"""Analyses of a report: every `Analysis` in the modules of this package is shown."""

from importlib import import_module
from pkgutil import iter_modules

from ..analysis import Analysis


def find_analyses() -> tuple[Analysis, ...]:
    """Return every analysis of this package, by module."""
    analyses: dict[Analysis, None] = {}
    for module in iter_modules(__path__):
        values = vars(import_module(f".{module.name}", __package__)).values()
        analyses |= {value: None for value in values if isinstance(value, Analysis)}
    return tuple(analyses)
