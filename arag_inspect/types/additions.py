"""Additions of a benchmark to the layers below it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._util.provided import Provided


@dataclass(frozen=True, kw_only=True)
class Additions:
    """The part of a benchmark's record that reports and scorers use."""

    style: str = ""
    """Kind of answer, to which its prompt (`prompts/styles/STYLE.md`, beside the record or in the
    package) and `primary` apply. Empty if each sample has its own."""

    primary: Sequence[Sequence[str]] = ()
    """Groups of measures that decide, best first; the first group that was scored counts. Default:
    the package's for summaries and answers."""

    group: str = "company"
    """Noun for a sample's `company`; samples with the same value are not independent."""

    tables: Callable[[], Mapping[tuple[str, str], Sequence[Callable[..., Any]]]] | None = None
    """Returns tables of a report by the id and title of their section."""

    charts: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions that draw charts, by the id of the section whose tables they draw."""

    exports: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions that write records of a run, by file name in a report."""

    fact_reader: Callable[..., Any] | None = None
    """Reads the facts of known objects in a JSON answer."""


ADDITIONS: Provided[Sequence[Additions]] = Provided()
"""The additions of all benchmarks that can be imported."""
