"""Rules that assign the codes of an error taxonomy, from the evidence about a summary."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from arag_inspect.figures import CheckedClaim
from arag_inspect.measure import DEFAULT_SCALE, Scale
from arag_inspect.types.evidence_read import EvidenceRead, evidence_read
from arag_inspect.types.sample import SECTION_STYLES, SampleMetadata
from arag_inspect.types.trace import TraceRecord

_TOO_LONG = 1.5
"""Longest answer, as a multiple of the requested length."""

_RECALL = 0.5
"""Share of the evidence below which retrieval has failed."""

_PRECISION = 0.2
"""Share of gold among the chunks read below which retrieval has failed."""

_FEW_LOOPS = 2
"""Rounds within which an agent that ends without all evidence gave up early."""

_LIMITS = ("max_loops", "token_budget", "limit", "error")


class Grade(NamedTuple):
    """A grade on its scale."""

    number: float
    scale: Scale = DEFAULT_SCALE

    def __str__(self) -> str:
        return f"{self.number:g}" + (f" of {self.scale}" if self.scale != DEFAULT_SCALE else "")

    def below(self, threshold: float) -> bool:
        """Return whether it is below a threshold on a scale from 1 to 5."""
        return self.scale.of_five(self.number) < threshold


@dataclass(frozen=True)
class SampleEvidence:
    """Evidence about a prediction."""

    answer: str
    cut_off: bool
    """Whether the model's last reply hit its token limit."""

    grades: Mapping[str, Grade]
    """The available scores of `faithfulness`, `coverage` and `severity`."""

    threshold: float
    """Threshold on a scale from 1 to 5."""

    trace: TraceRecord
    metadata: SampleMetadata
    wrong_figures: Sequence[CheckedClaim] = ()
    """Figures contradicted by the text that was read."""

    @property
    def words(self) -> int:
        """Length of the answer."""
        return len(self.answer.split())

    @property
    def evidence_read(self) -> EvidenceRead:
        """Share of the evidence that was read."""
        return evidence_read(self.metadata.gold, self.metadata.evidence, self.trace.passages)

    @property
    def is_retriever(self) -> bool:
        """Whether the system retrieves its passages."""
        trace = self.trace
        found_passages = trace.context == "unknown" and bool(trace.passages)
        return trace.context == "retrieved" or bool(trace.searches) or found_passages

    @property
    def could_retrieve_gold(self) -> bool:
        """Whether there was evidence to retrieve and a system that retrieves."""
        return self.is_retriever and bool(self.metadata.gold_chunk_ids)

    @property
    def ends_by_design(self) -> bool:
        """Whether the system reads once and then answers, so that it cannot end too early."""
        return self.trace.reads_once and not self.cut_off

    @property
    def has_sections(self) -> bool:
        """Whether the gold is whole sections, which no system needs to read completely."""
        return self.metadata.style in SECTION_STYLES

    def is_weak(self, dimension: str) -> bool:
        """Return whether a grade is below the threshold."""
        return dimension in self.grades and self.grades[dimension].below(self.threshold)

    @property
    def is_weak_summary(self) -> bool:
        """Whether faithfulness or coverage is below the threshold."""
        return any(map(self.is_weak, RULES_OF_GRADE))

    @property
    def has_named_error(self) -> bool:
        """Whether the severity judge found an error: only summaries without errors get 5."""
        return self.grades.get("severity", Grade(DEFAULT_SCALE.high)).number < DEFAULT_SCALE.high


def code_by_rules(evidence: SampleEvidence, codes: Mapping[str, str]) -> dict[str, str]:
    """Assign codes by rule.

    Low faithfulness gets its own code only if no wrong figure explains it.

    Args:
        evidence: Evidence about the prediction.
        codes: Code of each rule; a rule without a code is not applied.

    Returns:
        Reason by code, in the order of the rules.
    """
    reasons: dict[str, str] = {}
    for name, rule in RULES.items():
        is_explained = name == "faithfulness" and codes.get("figures") in reasons
        if name not in codes or is_explained:
            continue
        reason = rule(evidence)
        if reason:
            reasons.setdefault(codes[name], reason)
    return reasons


def _check_length(evidence: SampleEvidence) -> str | None:
    target_length = evidence.metadata.target_length
    if target_length is None or evidence.words <= _TOO_LONG * target_length:
        return None
    return f"{evidence.words} words; about {target_length} were requested"


def _check_ending(evidence: SampleEvidence) -> str | None:
    trace = evidence.trace
    if trace.stopped_by in _LIMITS:
        stopper = "a limit of Inspect" if trace.stopped_by == "limit" else trace.stopped_by
        return f"the system was stopped by {stopper} after {trace.loops} loops"
    if evidence.cut_off:
        return "the answer was cut off at its token limit"
    reading = evidence.evidence_read
    if (
        trace.decides_when_to_stop
        and trace.loops <= _FEW_LOOPS
        and evidence.could_retrieve_gold
        and reading.missed
        and not evidence.has_sections
    ):
        unread = f"{len(reading.missed)} {reading.unit}s unread"
        return f"the agent ended after {trace.loops} loops with {unread}"
    return None


def _check_retrieval(evidence: SampleEvidence) -> str | None:
    if not evidence.could_retrieve_gold:
        return None
    reading = evidence.evidence_read
    ids_read = [passage.chunk_id for passage in evidence.trace.passages]
    gold_ids_read = evidence.metadata.gold.all.intersection(ids_read)
    has_enough_recall = evidence.has_sections or reading.number_read / reading.total >= _RECALL
    if ids_read and has_enough_recall and len(gold_ids_read) / len(ids_read) >= _PRECISION:
        return None
    has_texts = reading.unit == "evidence text"
    texts_read = f"which hold {reading.number_read} of {reading.total} evidence texts"
    gold_read = f"among them {reading.number_read} of {reading.total} gold chunks"
    return f"{len(ids_read)} chunks were read, {texts_read if has_texts else gold_read}"


def _check_figures(evidence: SampleEvidence) -> str | None:
    contradicted = evidence.wrong_figures
    if not contradicted:
        return None
    differs = ", ".join(contradicted[0].differs)
    return (
        f"{len(contradicted)} figures are contradicted, first "
        f"{contradicted[0].figure.text} ({differs})"
    )


def _check_coverage(evidence: SampleEvidence) -> str | None:
    if not evidence.answer.strip():
        return "the answer is empty"
    if not evidence.is_weak("coverage"):
        return None
    return f"coverage is graded {evidence.grades['coverage']}"


def _check_faithfulness(evidence: SampleEvidence) -> str | None:
    if not evidence.is_weak("faithfulness") or not evidence.answer.strip():
        return None
    return f"faithfulness is graded {evidence.grades['faithfulness']}"


RULES: Mapping[str, Callable[[SampleEvidence], str | None]] = {
    "length": _check_length,
    "ending": _check_ending,
    "retrieval": _check_retrieval,
    "figures": _check_figures,
    "coverage": _check_coverage,
    "faithfulness": _check_faithfulness,
}
"""The function of each rule, which returns the reason, or None."""

RULES_OF_GRADE: Mapping[str, tuple[str, ...]] = {
    "faithfulness": ("figures", "faithfulness"),
    "coverage": ("coverage",),
}
"""Rules by the grade that they require."""


def agreed_codes(verdicts: Sequence[Sequence[str]]) -> list[str]:
    """Return the codes of at least half of the judges, else the most frequent codes."""
    times = Counter(chain.from_iterable(verdicts))
    if not times:
        return []
    min_votes = min(math.ceil(len(verdicts) / 2), max(times.values()))
    return [code for code, count in times.items() if count >= min_votes]
