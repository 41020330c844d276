"""Codes of errors by rule, for when no judge gives one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...quantities import CheckedClaim
from ...types.sample import SampleMetadata
from ...types.scale import USUAL, Scale
from ...types.trace import TraceRecord

_TOO_LONG = 1.5
"""Words beyond what was asked for, as a multiple of it."""

_RECALL, _PRECISION = 0.5, 0.2
"""Shares of gold chunks read, and of chunks read that are gold, below which retrieval has failed."""

_FEW_LOOPS = 2
"""An agent that ends within so many rounds without all gold chunks gave up early."""

_LIMITS = ("max_loops", "token_budget", "limit", "error")


@dataclass(frozen=True)
class SampleEvidence:
    """All that is known of a prediction."""

    answer: str
    cut_off: bool
    """The model's last reply hit its token limit."""

    grades: Mapping[str, float]
    """What there is of `faithfulness`, `coverage` and `severity`."""

    threshold: float
    """On a scale from 1 to 5."""

    trace: TraceRecord
    about: SampleMetadata
    claims: Sequence[CheckedClaim]
    scales: Mapping[str, Scale] = field(default_factory=dict)
    """Of the grades; one that names none is from 1 to 5."""

    @property
    def words(self) -> int:
        """Length of the answer."""
        return len(self.answer.split())

    @property
    def gold_read(self) -> int:
        """Gold chunks that were read."""
        return len({p.chunk_id for p in self.trace.passages} & set(self.about.gold_chunk_ids))

    @property
    def retrieves(self) -> bool:
        """Whether there was anything to retrieve, and a system that had to."""
        retrieved = self.trace.context == "retrieved" or bool(self.trace.searches)
        return retrieved and bool(self.about.gold_chunk_ids)

    @property
    def wrong_figures(self) -> list[CheckedClaim]:
        """Figures that what was read contradicts."""
        return [claim for claim in self.claims if claim.verdict == "contradicted"]

    def low(self, dimension: str) -> bool:
        """Whether a grade is below the threshold."""
        if dimension not in self.grades:
            return False
        scale = self.scales.get(dimension, USUAL)
        return scale.of_five(self.grades[dimension]) < self.threshold

    @property
    def weak(self) -> bool:
        """Whether faithfulness or coverage is below the threshold."""
        return any(self.low(name) for name in RESTS_ON)

    @property
    def error_named(self) -> bool:
        """Whether the judge of errors has named one: only a summary without any is graded 5."""
        return self.grades.get("severity", USUAL.high) < USUAL.high

    def grade(self, dimension: str) -> str:
        """A grade, with its scale where that is not from 1 to 5."""
        scale = self.scales.get(dimension, USUAL)
        return f"{self.grades[dimension]:g}" + (f" of {scale}" if scale != USUAL else "")


def code_by_rules(case: SampleEvidence, codes: Mapping[str, str]) -> dict[str, str]:
    """Give codes by rule.

    Low faithfulness is a code of its own only where no wrong figure explains it.

    Args:
        case: What is known of the prediction.
        codes: Code that each rule gives; a rule without one is not asked.

    Returns:
        Reason by code, in the order of the rules.
    """
    found: dict[str, str] = {}
    for name, rule in RULES.items():
        if name not in codes or (name == "faithfulness" and codes.get("figures") in found):
            continue
        reason = rule(case)
        if reason is not None:
            found.setdefault(codes[name], reason)
    return found


def _length(case: SampleEvidence) -> str | None:
    asked = case.about.target_length
    if asked is None or case.words <= _TOO_LONG * asked:
        return None
    return f"{case.words} words where about {asked} were asked for"


def _ending(case: SampleEvidence) -> str | None:
    trace = case.trace
    if trace.stopped_by in _LIMITS:
        by = "a limit of Inspect" if trace.stopped_by == "limit" else trace.stopped_by
        return f"the system was stopped by {by} after {trace.loops} loops"
    if case.cut_off:
        return "the answer was cut off at its token limit"
    missing = len(case.about.gold_chunk_ids) - case.gold_read
    if trace.system == "arag" and trace.loops <= _FEW_LOOPS and case.retrieves and missing > 0:
        return f"the agent ended after {trace.loops} loops with {missing} gold chunks unread"
    return None


def _retrieval(case: SampleEvidence) -> str | None:
    if not case.retrieves:
        return None
    gold, read = len(case.about.gold_chunk_ids), len(case.trace.passages)
    if read and case.gold_read / gold >= _RECALL and case.gold_read / read >= _PRECISION:
        return None
    return f"{read} chunks were read, among them {case.gold_read} of {gold} gold chunks"


def _figures(case: SampleEvidence) -> str | None:
    wrong = case.wrong_figures
    if not wrong:
        return None
    first = wrong[0]
    return f"{len(wrong)} figures are contradicted, first {first.figure.text} ({', '.join(first.differs)})"


def _coverage(case: SampleEvidence) -> str | None:
    if not case.answer.strip():
        return "the answer is empty"
    return f"coverage is graded {case.grade('coverage')}" if case.low("coverage") else None


def _faithfulness(case: SampleEvidence) -> str | None:
    if not case.low("faithfulness") or not case.answer.strip():
        return None
    return f"faithfulness is graded {case.grade('faithfulness')}"


RULES: Mapping[str, Callable[[SampleEvidence], str | None]] = {
    "length": _length,
    "ending": _ending,
    "retrieval": _retrieval,
    "figures": _figures,
    "coverage": _coverage,
    "faithfulness": _faithfulness,
}
"""What each rule finds: the reason, or None where it has nothing to say."""

RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "faithfulness": ("figures", "faithfulness"),
    "coverage": ("coverage",),
}
"""Rules by the grade without which nobody looked for what they name."""
