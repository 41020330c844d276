"""Analyses of a report: every `Analysis` in the modules of this package is shown."""

from importlib import import_module
from pkgutil import iter_modules

from ..analysis import Analysis, in_order


def find_analyses() -> tuple[Analysis, ...]:
    """Return every analysis of this package, in report order within each section."""
    modules = [import_module(f".{module.name}", __package__) for module in iter_modules(__path__)]
    values = (value for module in modules for value in vars(module).values())
    return in_order(dict.fromkeys(value for value in values if isinstance(value, Analysis)))
