"""The verdict on a judge, derived from the checks of its measures."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .judge_bounds import LEAST_READABLE, BoundViolation, MeasureCheck


class CheckedPart(NamedTuple):
    """One part of a validation."""

    name: str
    passed: bool | None
    """None if the measurements are missing or do not decide it."""

    text: str
    """The faults or open points; empty without any."""


class JudgeVerdict(NamedTuple):
    """Whether a judge distinguishes good texts from bad ones."""

    parts: tuple[CheckedPart, ...]
    measures: tuple[MeasureCheck, ...]
    passed: bool | None
    """None if there is too little evidence for or against the judge."""

    summary: str


_FIGURES = {
    "readable": "readable",
    "errors": "all_marked",
    "untouched": "untouched",
    "bias": "length",
    "retest": "retest",
}
"""Field of `MeasureCheck` on which each part is based."""

_REQUIRED = ("order", "readable", "errors")
"""Parts without which the verdict stays open."""


def verdict_of(checks: Sequence[MeasureCheck], *others: CheckedPart) -> JudgeVerdict:
    """Decide whether a judge distinguishes good texts from bad ones.

    Args:
        checks: Results on texts with known errors.
        others: Further parts.
    """
    parts = list(others)
    parts += [_part(name, checks) for name in _FIGURES]
    failed = [part for part in parts if part.passed is False]
    undecided = [part for part in parts if part.passed is None and part.name in _REQUIRED]
    if failed:
        passed: bool | None = False
    else:
        passed = None if undecided else True
    reasons = [text for fault, text in _faults(checks) if fault.is_evidence is bool(failed)]
    if not reasons:
        reasons = [_reason(part) for part in failed or undecided]
    summary = "; ".join(reasons[:2]) or _praise(checks)
    return JudgeVerdict(tuple(parts), tuple(checks), passed, summary)


def _faults(checks: Sequence[MeasureCheck]) -> Iterator[tuple[BoundViolation, str]]:
    """Yield the faults of all measures, each with a sentence that includes its measure."""
    for check in checks:
        for fault in check.faults:
            yield fault, f"{check.measure} {fault.text}"


def _part(name: str, checks: Sequence[MeasureCheck]) -> CheckedPart:
    """Return whether all measures pass a part; None if that is unknown."""
    faults = [(fault, text) for fault, text in _faults(checks) if fault.part == name]
    is_measured = any(getattr(check, _FIGURES[name]) is not None for check in checks)
    if name != "readable" and any(_is_unreadable(check) for check in checks):
        is_measured = False
    passed = True if is_measured and not faults else None
    if any(fault.is_evidence for fault, _ in faults):
        passed = False
    return CheckedPart(name, passed, "; ".join(text for _, text in faults))


def _is_unreadable(check: MeasureCheck) -> bool:
    return check.readable is not None and check.readable.value < LEAST_READABLE


def _reason(part: CheckedPart) -> str:
    """Return why a part is failed or undecided."""
    if part.passed is None and not part.text:
        return f"{part.name} could not be measured"
    return f"{part.name}: {part.text}"


def _praise(checks: Sequence[MeasureCheck]) -> str:
    shares = [check.all_marked for check in checks if check.all_marked]
    texts = sum(share.n for share in shares)
    marked = sum(share.value * share.n for share in shares) / max(texts, 1)
    counts = f"{marked:.0%} of {texts} texts with an inserted error"
    return f"distinguishes good from bad: marked down {counts}"
