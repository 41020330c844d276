"""How the log browser shows a run."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info
from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

from ..scorers._error_taxonomy.taxonomy import load_taxonomy
from ..scorers._geval import scale_of_scorer

Scale = Literal["share", "grade", "fault", "less", "neutral"]


class _Column(NamedTuple):
    scorer: str
    key: str
    """Key of its value, or the scorer's name where the value is one number."""

    label: str
    scale: Scale | None = None


_COLUMNS = (
    _Column("llm_accuracy", "correct", "Correct", "share"),
    _Column("llm_accuracy", "refusal", "Refused", "neutral"),
    _Column("numeric_match", "numeric_match", "Number", "share"),
    _Column("contain_match", "contain_match", "Contains", "share"),
    _Column("geval_faithfulness", "geval_faithfulness", "Faithful", "grade"),
    _Column("geval_coverage", "geval_coverage", "Coverage", "grade"),
    _Column("error_taxonomy", "any", "Errors", "fault"),
    _Column("perspective_validity", "all", "Valid", "share"),
    _Column("evidence_support", "evidence_support", "Supported", "share"),
    _Column("citation_recall", "citation_recall", "Used", "share"),
    _Column("factual_consistency", "verified", "Verified", "share"),
    _Column("factual_consistency", "contradicted", "Contradicted", "fault"),
    _Column("fact_match", "f1", "F1", "share"),
    _Column("fact_match_lenient", "f1", "F1", "share"),
    _Column("fact_coverage", "figure_coverage", "Told", "share"),
    _Column("nli_contradiction", "nli_contradiction", "NLI", "share"),
    _Column("embedding_coverage", "embedding_coverage", "Embedded", "share"),
    _Column("severity_judge", "severity_judge", "Severity", "share"),
    _Column("composite_faithfulness", "composite_faithfulness", "Composite", "share"),
    _Column("trend_consistency", "borne_out", "Direction", "share"),
    _Column("trend_consistency", "contradicted", "Contradicted", "fault"),
    _Column("document_recall", "document_recall", "Documents", "share"),
    _Column("retrieval_pr", "recall", "Recall", "share"),
    _Column("retrieval_pr", "precision", "Precision", "share"),
    _Column("retrieval_pr", "search_recall", "Found", "share"),
    _Column("schema_validity", "valid", "Valid", "share"),
    _Column("schema_validity", "failing_paths", "Failing", "fault"),
    _Column("citation_check", "verbatim", "Verbatim", "share"),
    _Column("citation_check", "found", "Cited", "share"),
    _Column("citation_check", "at_call_time", "In time", "share"),
    _Column("estimate_flags", "accuracy", "Flags", "share"),
    _Column("rouge", "rouge1", "R-1", "share"),
    _Column("rouge", "rouge2", "R-2", "share"),
    _Column("rouge", "rougeL", "R-L", "share"),
    _Column("bertscore", "bertscore_f1", "BERTScore", "share"),
    _Column("efficiency", "loops", "Loops", "neutral"),
    _Column("efficiency", "word_count", "Words", "neutral"),
    _Column("efficiency", "cost_usd", "USD", "less"),
    _Column("efficiency", "latency_ms", "ms", "less"),
    _Column("efficiency", "input_tokens", "Tokens in"),
)
"""In the order judgement, retrieval, overlap, effort. The log browser knows labels and scales by key alone: scorers that share a key share them. What is not listed can be had from its menu of columns; what is listed as hidden it shows all the same, and a key named as its scorer it takes for the whole value."""

_OF_ANSWERS = ("llm_accuracy", "numeric_match", "contain_match")
"""What counts for short answers, and stands last where summaries are judged."""

_SCALES = {
    "share": ScoreColorScale(palette="good-high", min=0, max=1),
    "fault": ScoreColorScale(palette="good-low", min=0, max=1),
    "less": ScoreColorScale(palette="good-low"),
    "neutral": ScoreColorScale(palette="neutral"),
}
"""Shares and grades are coloured on their whole range: a mediocre run does not look good because it holds the best values of its own log."""


def task_viewer(scorers: Sequence[Scorer], taxonomy: str = "financial") -> ViewerConfig:
    """Sample list and score panel of a task: one row a sample, its scores as columns.

    Args:
        scorers: Those of the task; each has the columns that are known of it.
        taxonomy: Of `error_taxonomy`; its codes have the last columns.
    """
    names = {registry_info(scorer).name.split("/")[-1]: scorer for scorer in scorers}
    columns = [column for column in _COLUMNS if column.scorer in names]
    if "geval_coverage" in names:
        columns.sort(key=lambda column: column.scorer in _OF_ANSWERS)
    if "error_taxonomy" in names:
        codes = load_taxonomy(taxonomy).codes
        columns += [_Column("error_taxonomy", code, code, "fault") for code in codes]
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Systems",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *(TaskSamplesColumn.score(column.scorer, column.key) for column in columns),
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="error"),
            ],
            multiline=False,
            compact_scores=False,
            score_labels={column.key: column.label for column in columns},
            score_color_scales={
                c.key: _grades(names[c.scorer]) if c.scale == "grade" else _SCALES[c.scale]
                for c in columns
                if c.scale
            },
            color_scales_enabled=True,
        ),
        sample_score_view=SampleScoreView(default="grid"),
    )


def _grades(scorer: Scorer) -> ScoreColorScale:
    scale = scale_of_scorer(scorer)
    return ScoreColorScale(palette="good-high", min=scale.low, max=scale.high)
