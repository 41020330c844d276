"""Benchmark harness for Inspect AI: retrieval systems that summarise long financial documents.

The names that a notebook needs are here, each imported when it is first used. Scorers, solvers,
tasks and tools are in submodules of these names, as in Inspect.
"""

import sys
from importlib import import_module
from typing import Any

if sys.flags.optimize > 1:
    raise SystemExit(
        "Error: arag-inspect, Inspect and transformers read docstrings, which python -OO and "
        "PYTHONOPTIMIZE=2 remove; use -O or neither"
    )

_PLACES = {
    "MEASURES": "scorers:MEASURES",
    "Corpus": "corpus:Corpus",
    "Options": "benchmarks:Options",
    "ask": "run.ask:ask",
    "compare": "report:compare",
    "estimate_cost": "run.budget:estimate_cost",
    "frames": "report:frames",
    "gate": "run.gate:check_rules",
    "make_report": "report:make_report",
    "meta_evaluate": "validity:meta_evaluate",
    "plan": "run.plan:plan_run",
    "prepare": "benchmarks:prepare_dataset",
    "read_rules": "run.gate:read_rules",
    "rejudge": "run.rejudge:rejudge",
    "run_systems": "run.run_systems:run_systems",
    "write_report": "report:write_report",
}
"""Module and object of each public name."""

__all__ = [*_PLACES]  # what `help(arag_inspect)` shows


def __getattr__(name: str) -> Any:
    """Import a public name from its module."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, source = _PLACES[name].partition(":")
    value = globals()[name] = getattr(import_module(f".{module}", __name__), source)
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return [*globals(), *_PLACES]
