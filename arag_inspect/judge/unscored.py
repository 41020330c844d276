"""Samples that cannot be scored."""

import atexit
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from logging import LogRecord, getLogger
from typing import Any

from inspect_ai.hooks import Hooks, RunEnd, RunStart
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from .._util.errors import echo, printable
from .._util.untrusted import records_in
from .._util.wording import format_count
from ..models.hooks import register
from ..types.trace import read_record

OF_THE_SAMPLE = frozenset(
    {
        "answerable",
        "no_criteria",
        "no_documents",
        "no_evidence",
        "no_facts",
        "no_figure",
        "no_gold",
        "no_instruction",
        "no_other_evidence",
        "no_reference",
        "no_sections",
        "no_transcript",
        "not_a_question",
        "not_located",
        "nothing_changed",
        "rejected_reference",
        "unanswerable",
    }
)
"""Reasons that do not depend on the answer: the measure does not apply to the sample."""

_log = getLogger(__name__)
_Cause = tuple[str, str, str | None]
"""System, scorer and reason."""

_counts: Counter[_Cause] = Counter()
"""Counts of unreported scores without a value."""

_explanations: dict[_Cause, str] = {}
"""Explanation of the first such score."""


class UnscoredError(Exception):
    """A sample cannot be scored; the decorator of scorers makes its score.

    Args:
        reason: A word by which such samples are counted, e.g. `no_reference`.
        explanation: One sentence.
    """

    def __init__(self, reason: str, explanation: str) -> None:
        super().__init__(explanation)
        self.reason = reason

    def score(self) -> Score:
        """Return the score of the sample."""
        return Score.unscored(reason=self.reason, explanation=str(self))


def check_not_skipped(state: TaskState) -> None:
    """Raise if the system skipped the sample.

    Raises:
        UnscoredError: The system skipped it.
    """
    reason = read_record(state).skipped
    if reason is not None:
        raise UnscoredError("skipped", f"Skipped by the system: {reason}.")


def no_reference(state: TaskState) -> UnscoredError:
    """Return the error for a sample without a reference, or with a rejected one."""
    reference = state.metadata.get("reference")
    if isinstance(reference, Mapping) and reference.get("rejected"):
        text = f"The sample's reference was rejected by {reference['rejected']}."
        return UnscoredError("rejected_reference", text)
    return UnscoredError("no_reference", "The sample has no reference to compare with.")


def unread_by_judge(scores: Iterable[Mapping[str, Any] | None]) -> dict[str, list[str | None]]:
    """Return by judge, for each requested score, why its verdict could not be read.

    None if it could, even if another judge of the panel gave none. For several questions about one
    part of an answer, such as its claims, one readable reply suffices; the text read and the whole
    document are two parts.

    Args:
        scores: Metadata of the scores of one scorer, hostile data from a log.
    """
    by_judge: dict[str, list[str | None]] = defaultdict(list)
    for metadata in scores:
        for judge, by_part in _reasons_by_part(metadata).items():
            unread_reasons = (reasons[0] for reasons in by_part.values() if None not in reasons)
            by_judge[judge].append(next(unread_reasons, None))
    return by_judge


def _reasons_by_part(
    metadata: Mapping[str, Any] | None,
) -> dict[str, dict[str, list[str | None]]]:
    """Return by judge and part of the answer why each reply could not be read; None if it could."""
    by_judge: dict[str, dict[str, list[str | None]]] = defaultdict(lambda: defaultdict(list))
    for key in ("judges", "judges_context"):
        for entry in records_in(metadata, key):
            judge = str(entry.get("grader") or "unknown")
            part = f"{key} {entry.get('part')}"
            by_judge[judge][part].append(_reason_unread(entry))
    return by_judge


def _reason_unread(entry: Mapping[str, Any]) -> str | None:
    # `fact_match` has its rates in place of one verdict
    is_read = entry.get("verdict") is not None or entry.get("f1") is not None
    if is_read or entry.get("reason") is None:
        return None
    return str(entry["reason"])


def count_unscored(name: str, score: Score, system: str = "") -> None:
    """Count a score without a value, reported at the end of the run, or else of the process.

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
    """Report how many scores have no value and why, in one line for each system and cause.

    Sorted by system and scorer, because scorers finish in arbitrary order.
    """
    scorers: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for cause in sorted(_counts, key=str):
        system, name, _ = cause
        why = printable(" ".join(_explanations.pop(cause).split()), 300)
        scorers[system, _counts[cause], why].append(name)
    for (system, count, why), names in scorers.items():
        subject = f"{system}: {', '.join(names)}" if system else ", ".join(names)
        _log.warning("%s left %s unscored: %s", subject, format_count(count, "sample"), why)
    _counts.clear()


@contextmanager
def plain_lines() -> Iterator[None]:
    """Print the report of a run as lines of their own, not as entries of Inspect's log."""

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
