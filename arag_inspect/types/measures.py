"""What is known of a measure: how to call it, how far it reaches, and which way is better."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from .scale import USUAL, Scale

Kind = Literal["judgement", "facts", "retrieval", "overlap", "errors", "effort", "human", "other"]
"""In the order in which a report shows them, but `effort`, which has tables of its own."""

Better = Literal["high", "low"] | None
Scales = Mapping[str, Sequence[Scale]]
"""The scales that a scorer's grades are on, by scorer; what is not there is from 1 to 5."""

_NO_SCALES: Scales = MappingProxyType({})
_GRADED = {"geval_faithfulness": "Faithfulness", "geval_coverage": "Coverage"}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure, by the name that it has in a log."""

    name: str
    """`scorer` or `scorer.key`."""

    label: str
    kind: Kind
    better: Better
    """None where neither end is the good one."""

    low: float | None = None
    high: float | None = None
    grades: bool = False
    """Whether its values are whole grades, or means of such."""

    @property
    def scorer(self) -> str:
        """The scorer that takes it."""
        return self.name.split(".")[0]

    @property
    def quality(self) -> bool:
        """Whether it says that an answer is good, so that a system can win by it."""
        return self.better is not None and self.kind != "effort"


def measure(name: str, scales: Scales = _NO_SCALES) -> Measure:
    """Look a measure up; what is not known is called as the log calls it, and nobody wins by it.

    Args:
        name: As the log has it.
        scales: Of the benchmark; a measure on several of them reaches over all.
    """
    if name in _KNOWN:
        return _KNOWN[name]
    scorer, _, key = name.partition(".")
    if scorer.startswith(("human", "precomputed_scores")):
        return Measure(name, f"Human {key}".strip(), "human", "high")
    if scorer.startswith("geval"):
        own = tuple(scales.get(scorer) or (USUAL,))
        low, high = min(one.low for one in own), max(one.high for one in own)
        label = _graded(name, scorer, own)
        return Measure(name, label, "judgement", "high", low, high, grades=True)
    if scorer == "error_taxonomy":
        return Measure(name, f"Error {key}", "errors", "low", 0, 1)
    return Measure(name, name, "other", None)


def ordered(names: tuple[str, ...], scales: Scales = _NO_SCALES) -> tuple[Measure, ...]:
    """Measures by kind, and within a kind as they were given."""
    kinds = list(_KINDS)
    found = [measure(name, scales) for name in names]
    return tuple(sorted(found, key=lambda one: kinds.index(one.kind)))


_KINDS: tuple[Kind, ...] = (
    "judgement",
    "facts",
    "retrieval",
    "overlap",
    "errors",
    "human",
    "other",
    "effort",
)


MAIN = (
    "geval_coverage",
    "fact_match.f1",
    "llm_accuracy.correct",
    "numeric_match",
    "geval_faithfulness",
    "composite_faithfulness",
    "severity_judge",
    "evidence_support",
    "perspective_validity.all",
    "factual_consistency.verified",
    "fact_coverage.fact_coverage",
    "citation_recall",
    "schema_validity.valid",
    "contain_match",
    "rouge.rouge2",
    "retrieval_pr.recall",
)
"""What a finding rests on: the first of these that both systems have, then the others."""


def _graded(name: str, scorer: str, scales: tuple[Scale, ...]) -> str:
    """What a measure of G-Eval is called, with its scale where that is in question."""
    shown = f"({' and '.join(map(str, scales))})"
    if name in _GRADED:
        return f"{_GRADED[name]} {shown}"
    label = scorer.removeprefix("geval").strip("_").replace("_", " ") or "other"
    return f"G-Eval {label}" + (f" {shown}" if scales != (USUAL,) else "")


def _share(name: str, label: str, kind: Kind, better: Better = "high") -> Measure:
    return Measure(name, label, kind, better, 0, 1)


_KNOWN = {
    one.name: one
    for one in (
        _share("llm_accuracy.correct", "Correct by judge", "judgement"),
        _share("llm_accuracy.incorrect", "Incorrect by judge", "judgement", "low"),
        _share("llm_accuracy.refusal", "Refused by judge", "judgement", None),
        _share("composite_faithfulness", "Composite faithfulness", "judgement"),
        Measure("severity_judge", "Free of grave errors", "judgement", "high", 0.2, 1),
        _share("evidence_support", "Perspectives supported", "judgement"),
        _share("factual_consistency.verified", "Figures verified", "facts"),
        _share("factual_consistency.contradicted", "Figures contradicted", "facts", "low"),
        _share("factual_consistency.numerical_precision", "Num-Prec", "facts"),
        _share("fact_match.precision", "Fact precision", "facts"),
        _share("fact_match.recall", "Fact recall", "facts"),
        _share("fact_match.f1", "Fact F1", "facts"),
        _share("fact_match_lenient.precision", "Fact precision, lenient", "facts"),
        _share("fact_match_lenient.recall", "Fact recall, lenient", "facts"),
        _share("fact_match_lenient.f1", "Fact F1, lenient", "facts"),
        _share("schema_validity.valid", "Fits the schema", "facts"),
        _share("schema_validity.failing_paths", "Paths that do not fit", "facts", "low"),
        _share("citation_check.verbatim", "Cited word for word", "facts"),
        _share("citation_check.found", "Cited", "facts"),
        _share("citation_check.at_call_time", "Cited at its time", "facts"),
        _share("estimate_flags.accuracy", "Estimate flags right", "facts"),
        _share("estimate_flags.vague", "Vague values flagged", "facts"),
        _share("estimate_flags.exact", "Exact values not flagged", "facts"),
        _share("perspective_validity.all", "Valid two-sided summary", "facts"),
        _share("perspective_validity.schema", "Fits the form", "facts"),
        _share("perspective_validity.two_sides", "Two sides", "facts"),
        _share("perspective_validity.ids_exist", "Documents exist", "facts"),
        _share("perspective_validity.each_used_once", "Documents used once", "facts"),
        _share("perspective_validity.sentence", "Whole sentences", "facts"),
        _share("perspective_validity.word_limit", "Within 30 words", "facts"),
        _share("citation_recall", "Relevant documents used", "facts"),
        _share("fact_coverage.fact_coverage", "Facts told", "facts"),
        _share("fact_coverage.figure_coverage", "Figures told", "facts"),
        _share("numeric_match", "Right number", "facts"),
        _share("contain_match", "Contains gold answer", "facts"),
        _share("retrieval_pr.recall", "Recall", "retrieval"),
        _share("retrieval_pr.precision", "Precision", "retrieval"),
        _share("retrieval_pr.search_recall", "Found recall", "retrieval"),
        _share("rouge.rouge1", "ROUGE-1", "overlap"),
        _share("rouge.rouge2", "ROUGE-2", "overlap"),
        _share("rouge.rougeL", "ROUGE-L", "overlap"),
        _share("rouge.rougeLsum", "ROUGE-Lsum", "overlap"),
        _share("bertscore.bertscore_precision", "BERTScore precision", "overlap"),
        _share("bertscore.bertscore_recall", "BERTScore recall", "overlap"),
        _share("bertscore.bertscore_f1", "BERTScore F1", "overlap"),
        _share("embedding_coverage", "Embedding coverage", "overlap"),
        _share("nli_contradiction", "Not contradicted (NLI)", "overlap"),
        _share("error_taxonomy.any", "Any error", "errors", "low"),
        Measure("efficiency.cost_usd", "Cost, USD", "effort", "low", 0),
        Measure("efficiency.latency_ms", "Latency, ms", "effort", "low", 0),
        Measure("efficiency.loops", "Loops", "effort", None, 0),
        Measure("efficiency.word_count", "Words", "effort", None, 0),
        Measure("efficiency.input_tokens", "Tokens in", "effort", "low", 0),
        Measure("efficiency.output_tokens", "Tokens out", "effort", "low", 0),
    )
}
