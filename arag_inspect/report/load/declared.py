"""Measures declared in a log."""

from collections.abc import Iterable, Mapping
from functools import cache

from inspect_ai.log import EvalLog

from ..._util.registry import load_registry
from ...types.measures import MeasureSpec, declared_measure, read_measures


def read_declared(log: EvalLog) -> dict[str, MeasureSpec]:
    """Return measures by key: this package's, and others that the log declares.

    A log declares nothing about a measure that this package knows.
    """
    package = _installed()
    own = {spec.key: spec for spec in _own(log) if declared_measure(spec.key, package) is None}
    return {**package, **own}


def redeclared(log: EvalLog) -> list[str]:
    """Return the measures of this package whose direction or range a log declares otherwise."""
    pairs = [(spec, declared_measure(spec.key, _installed())) for spec in _own(log)]
    return [spec.key for spec, ours in pairs if ours and spec.rules != ours.rules]


def _own(log: EvalLog) -> Iterable[MeasureSpec]:
    for scorer in log.eval.scorers or []:
        yield from read_measures((scorer.metadata or {}).get("measures"))


@cache
def _installed() -> Mapping[str, MeasureSpec]:
    """Return the measures of this package, for logs older than declared measures.

    The report is below the scorers' siblings, so it finds them as Inspect does.
    """
    return {key: spec for own in load_registry() for key, spec in own.scorers.MEASURES.items()}
