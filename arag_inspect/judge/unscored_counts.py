"""Counts of scores without a value, reported at the end of a run."""

import atexit
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from logging import LogRecord, getLogger

from inspect_ai.hooks import Hooks, RunEnd, RunStart
from inspect_ai.scorer import Score

from .._util.errors import echo, printable
from .._util.wording import format_count, join_names
from ..models.hooks import register

_log = getLogger(__name__)
_Cause = tuple[str, str, str | None]
"""System, scorer and reason."""

_counts: Counter[_Cause] = Counter()
"""Counts of unreported scores without a value."""

_explanations: dict[_Cause, str] = {}
"""Explanation of the first such score."""


def count_unscored(name: str, score: Score, system: str = "") -> None:
    """Count a score without a value, reported at the end of the run or of the process.

    Args:
        name: The scorer, or one of its parts.
        score: Score with the reason.
        system: System that answered; empty if it is not known.
    """
    register(_Unscored, "unscored", "Says how many scores have no value, and why.")
    key = system, name, score.reason
    _counts[key] += 1
    _explanations.setdefault(key, score.explanation or str(score.reason))


def _report() -> None:
    """Report how many scores have no value and why, in one line for each cause and count.

    Sorted by system and scorer, because scorers finish in arbitrary order.
    """
    scorers: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for cause in sorted(_counts, key=str):
        system, name, _ = cause
        reason = printable(" ".join(_explanations.pop(cause).split()), 300)
        scorers[system, _counts[cause], reason].append(name)
    systems: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for (system, count, reason), names in scorers.items():
        systems[", ".join(names), count, reason].append(system)
    for (names_text, count, reason), of_systems in systems.items():
        named_systems = [system for system in of_systems if system]
        subject = f"{join_names(named_systems)}: {names_text}" if named_systems else names_text
        extent = format_count(count, "sample") + (" of each" if len(of_systems) > 1 else "")
        _log.warning("%s left %s unscored: %s", subject, extent, reason)
    _counts.clear()


@contextmanager
def plain_lines() -> Iterator[None]:
    """Print the report of a run as separate lines, not as entries of Inspect's log."""

    def printed(record: LogRecord) -> bool:
        echo(record.getMessage(), err=True)
        return False

    _log.addFilter(printed)
    try:
        yield
    finally:
        _log.removeFilter(printed)


class _Unscored(Hooks):
    """Reports at the end of a run."""

    def enabled(self) -> bool:
        """Active once a score has no value."""
        return bool(_counts)

    async def on_run_start(self, data: RunStart) -> None:
        """Report scores computed earlier, outside a run."""
        _report()

    async def on_run_end(self, data: RunEnd) -> None:
        """Report the scores of the run."""
        _report()


atexit.register(_report)  # `inspect score` starts no run
