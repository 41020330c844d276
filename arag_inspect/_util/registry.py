"""What this package registers with Inspect, and what its benchmarks add to the core."""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

PRIMARY: dict[str, tuple[tuple[str, ...], ...]] = {}
"""Groups of primary measures by style of answer, best first, of benchmarks."""

CLUSTERS: dict[str, str] = {}
"""What a sample's `company` is, by style of answer, of benchmarks: a noun."""

SECTIONS: list[str] = []
"""Tables of a report by section, as `module:name`, of benchmarks."""

CHARTS: dict[str, str] = {}
"""Functions that draw charts of a report, as `module:function`, of benchmarks, by the section of
tables that they draw."""

EXPORTS: dict[str, str] = {}
"""Functions that write records of a run, as `module:function`, by file name in a report."""


@cache
def load_registry() -> tuple[ModuleType, ...]:
    """Import this package's registry as Inspect does, with every benchmark in it."""
    entries = entry_points(group="inspect_ai", name="arag_inspect")
    return tuple(entry.load() for entry in entries)


def load_hook(name: str) -> Any:
    """Import what a benchmark adds, by `module:name`."""
    module, _, own = name.partition(":")
    return getattr(import_module(module), own)


def of_benchmark(module: str, name: str) -> Any:
    """Return a task, solver or scorer of a benchmark, for `__getattr__` of a core package.

    Raises:
        AttributeError: No benchmark has it.
    """
    for own in load_registry() if not name.startswith("_") else ():
        for benchmark in own.BENCHMARKS:
            if name in benchmark.__all__:
                return getattr(benchmark, name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")
