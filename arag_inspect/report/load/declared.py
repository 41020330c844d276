"""Measures declared in a log."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from inspect_ai.log import EvalLog

from ..._util.registry import load_registry
from ...types.measures import MeasureSpec, read_measures


def read_declared(log: EvalLog) -> dict[str, MeasureSpec]:
    """Return measures by key: this package's, and those declared in the log.

    Logs older than `tie` declare none, so the larger one counts.
    """
    installed = _installed()
    own = {
        spec.key: replace(spec, tie=max(spec.tie, installed.get(spec.key, spec).tie))
        for scorer in log.eval.scorers or []
        for spec in read_measures((scorer.metadata or {}).get("measures"))
    }
    return {**installed, **own}


@cache
def _installed() -> Mapping[str, MeasureSpec]:
    """Return the measures of this package, for logs older than declared measures.

    The report is below the scorers' siblings, so it finds them as Inspect does.
    """
    return {key: spec for own in load_registry() for key, spec in own.scorers.MEASURES.items()}
