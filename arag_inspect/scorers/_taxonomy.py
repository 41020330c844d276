"""Error taxonomies: kinds of error with their codes, and rules that give them."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .._util.errors import InputError
from .._util.hashing import digest
from ..prompts import load_doc
from ..quantities import CheckedClaim
from ..types.sample import SampleMetadata
from ..types.scale import USUAL, Scale
from ..types.trace import TraceRecord

_ITEM = re.compile(
    r"^[-*]\s+\*\*(?P<code>[A-Za-z][A-Za-z0-9_]*)\*\*\s+(?P<name>[^:\n]+):\s+(?P<definition>.+?)"
    r"(?=\n[-*]\s|\Z)",
    re.MULTILINE | re.DOTALL,
)
_RESERVED = ("any", "none")

_TOO_LONG = 1.5
"""Longest answer, as a multiple of the requested length."""

_RECALL, _PRECISION = 0.5, 0.2
"""Shares of gold chunks read, and of read chunks that are gold, below which retrieval has failed.
"""

_FEW_LOOPS = 2
"""An agent that ends within this many rounds without all gold chunks gave up early."""

_LIMITS = ("max_loops", "token_budget", "limit", "error")


@dataclass(frozen=True)
class SampleEvidence:
    """Evidence about a prediction."""

    answer: str
    cut_off: bool
    """Whether the model's last reply hit its token limit."""

    grades: Mapping[str, float]
    """The available scores of `faithfulness`, `coverage` and `severity`."""

    threshold: float
    """Threshold on a scale from 1 to 5."""

    trace: TraceRecord
    about: SampleMetadata
    claims: Sequence[CheckedClaim]
    scales: Mapping[str, Scale] = field(default_factory=dict)
    """Scales of the grades; the default is 1 to 5."""

    @property
    def words(self) -> int:
        """Length of the answer."""
        return len(self.answer.split())

    @property
    def gold_read(self) -> int:
        """Number of gold chunks that were read, themselves or a copy."""
        return len(self.about.gold.found(p.chunk_id for p in self.trace.passages))

    @property
    def retrieves(self) -> bool:
        """Whether there was evidence to retrieve and a system that retrieves."""
        retrieved = self.trace.context == "retrieved" or bool(self.trace.searches)
        return retrieved and bool(self.about.gold_chunk_ids)

    @property
    def wrong_figures(self) -> list[CheckedClaim]:
        """Figures contradicted by the text that was read."""
        return [claim for claim in self.claims if claim.verdict == "contradicted"]

    def low(self, dimension: str) -> bool:
        """Return whether a grade is below the threshold."""
        if dimension not in self.grades:
            return False
        scale = self.scales.get(dimension, USUAL)
        return scale.of_five(self.grades[dimension]) < self.threshold

    @property
    def below_threshold(self) -> bool:
        """Whether faithfulness or coverage is below the threshold."""
        return any(self.low(name) for name in RESTS_ON)

    @property
    def error_named(self) -> bool:
        """Whether the severity judge named an error: only summaries without errors get 5."""
        return self.grades.get("severity", USUAL.high) < USUAL.high

    def grade(self, dimension: str) -> str:
        """Return a grade as text, with its scale if that is not 1 to 5."""
        scale = self.scales.get(dimension, USUAL)
        return f"{self.grades[dimension]:g}" + (f" of {scale}" if scale != USUAL else "")


def code_by_rules(case: SampleEvidence, codes: Mapping[str, str]) -> dict[str, str]:
    """Assign codes by rule.

    Low faithfulness gets its own code only if no wrong figure explains it.

    Args:
        case: Evidence about the prediction.
        codes: Code of each rule; a rule without a code is not applied.

    Returns:
        Reason by code, in the order of the rules.
    """
    reasons: dict[str, str] = {}
    for name, rule in RULES.items():
        if name not in codes or (name == "faithfulness" and codes.get("figures") in reasons):
            continue
        reason = rule(case)
        if reason is not None:
            reasons.setdefault(codes[name], reason)
    return reasons


def _length(case: SampleEvidence) -> str | None:
    target_length = case.about.target_length
    if target_length is None or case.words <= _TOO_LONG * target_length:
        return None
    return f"{case.words} words; about {target_length} were requested"


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
    right = len(case.about.gold.all.intersection(p.chunk_id for p in case.trace.passages))
    if read and case.gold_read / gold >= _RECALL and right / read >= _PRECISION:
        return None
    return f"{read} chunks were read, among them {case.gold_read} of {gold} gold chunks"


def _figures(case: SampleEvidence) -> str | None:
    wrong = case.wrong_figures
    if not wrong:
        return None
    claim = wrong[0]
    differs = ", ".join(claim.differs)
    return f"{len(wrong)} figures are contradicted, first {claim.figure.text} ({differs})"


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
"""The finding of each rule: the reason, or None."""

RESTS_ON: Mapping[str, tuple[str, ...]] = {
    "faithfulness": ("figures", "faithfulness"),
    "coverage": ("coverage",),
}
"""Rules by the grade that they require."""


class Code(NamedTuple):
    """One kind of error."""

    code: str
    name: str
    definition: str


class Taxonomy(NamedTuple):
    """Kinds of error by code."""

    name: str
    codes: dict[str, Code]

    rules: dict[str, str]
    """Code of each rule of `code_by_rules`, used if no judge gives one."""

    severity: str | None = None
    """Rubric of the severity judge whose errors get codes for any grades."""

    @property
    def text(self) -> str:
        """Return the kinds as a list, for a prompt."""
        return "\n".join(
            f"- **{kind.code}** {kind.name}: {kind.definition}" for kind in self.codes.values()
        )

    @property
    def digest(self) -> str:
        """Digest that identifies the taxonomy."""
        return digest(self.text, str(self.rules), *([self.severity] if self.severity else []))


def load_taxonomy(taxonomy: str) -> Taxonomy:
    """Read a taxonomy.

    A Markdown file whose list has one line per kind, `- **H** hallucination:
    definition`, and whose front matter may map under `rules` each rule of
    `RULES` to a code, and name under `severity` the rubric with which
    `severity_judge` looks for errors too.

    Args:
        taxonomy: `financial`, `legal`, or the path of a file.

    Raises:
        InputError: The file cannot be read, has no kinds, has a code twice, or names an unknown
            rule or no rubric.
    """
    sheet = load_doc("taxonomies", taxonomy)
    kinds = [
        Code(match["code"], match["name"].strip(), " ".join(match["definition"].split()))
        for match in _ITEM.finditer(sheet.body)
    ]
    if not kinds:
        raise InputError(
            f"{sheet.place} has no kinds of error; write lines such as `- **H** hallucination: ...`"
        )
    lowered = [kind.code.lower() for kind in kinds]
    for code in lowered:
        if lowered.count(code) > 1 or code in _RESERVED:
            raise InputError(f"{sheet.place}: code {code!r} occurs twice or has another meaning")
    rules = sheet.front.get("rules") or {}
    codes = {kind.code: kind for kind in kinds}
    if not isinstance(rules, dict) or not all(
        rule in RULES and code in codes for rule, code in rules.items()
    ):
        raise InputError(
            f"{sheet.place}: `rules` must map rules ({', '.join(RULES)}) to codes of the list, "
            f"got {rules!r}"
        )
    severity = sheet.front.get("severity")
    if severity is not None and not isinstance(severity, str):
        raise InputError(f"{sheet.place}: `severity` must name a rubric, got {severity!r}")
    return Taxonomy(sheet.place, codes, rules, severity)


def agreed_codes(verdicts: Sequence[Sequence[str]]) -> list[str]:
    """Return the codes of at least half of the judges, else the most frequent codes."""
    times = Counter(code for verdict in verdicts for code in verdict)
    if not times:
        return []
    needed = min(math.ceil(len(verdicts) / 2), max(times.values()))
    return [code for code, count in times.items() if count >= needed]
