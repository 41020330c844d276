"""How the log browser shows a run."""

from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

_SHARES = ("recall", "precision", "found_recall", "rouge1", "rouge2", "rougeL", "rougeLsum", "verified")

_LABELS = {
    "geval_faithfulness": "Faithful",
    "geval_coverage": "Coverage",
    "verified": "Verified",
    "contradicted": "Contradicted",
    "numerical_precision": "Num-Prec",
    "recall": "Recall",
    "precision": "Precision",
    "found_recall": "Found",
    "rouge1": "R-1",
    "rouge2": "R-2",
    "rougeL": "R-L",
    "rougeLsum": "R-Lsum",
    "loops": "Loops",
    "word_count": "Words",
    "cost_usd": "USD",
    "latency_ms": "ms",
    "input_tokens": "Tokens in",
    "output_tokens": "Tokens out",
}

_COLUMNS = (
    ("retrieval_pr", "recall", True),
    ("retrieval_pr", "precision", True),
    ("retrieval_pr", "found_recall", True),
    ("rouge", "rouge1", True),
    ("rouge", "rouge2", True),
    ("rouge", "rougeL", True),
    ("rouge", "rougeLsum", False),
    ("efficiency", "loops", True),
    ("efficiency", "word_count", True),
    ("efficiency", "cost_usd", True),
    ("efficiency", "latency_ms", True),
    ("efficiency", "input_tokens", True),
    ("efficiency", "output_tokens", False),
)


_JUDGED = (
    ("geval_faithfulness", "geval_faithfulness", True),
    ("geval_coverage", "geval_coverage", True),
    ("factual_consistency", "verified", True),
    ("factual_consistency", "contradicted", True),
    ("factual_consistency", "numerical_precision", False),
)


def summary_viewer(judged: bool = False) -> ViewerConfig:
    """Sample list and score panel of a summarisation task.

    One row a sample, score columns in the order judgement, retrieval,
    overlap, effort; shares coloured on 0 to 1 (a mediocre run does not look good because
    it holds the best values of its own log), effort without judgement.
    """
    columns = (*(_JUDGED if judged else ()), *_COLUMNS)
    scores = [TaskSamplesColumn.score(scorer, key, visible=shown) for scorer, key, shown in columns]
    share = ScoreColorScale(palette="good-high", min=0, max=1)
    grade = ScoreColorScale(palette="good-high", min=1, max=5)
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Systems",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *scores,
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="error"),
                TaskSamplesColumn(id="answer", visible=False),
                TaskSamplesColumn(id="input", visible=False),
                TaskSamplesColumn(id="target", visible=False),
                TaskSamplesColumn(id="tokens", visible=False),
            ],
            multiline=False,
            compact_scores=False,
            score_labels=_LABELS,
            score_color_scales={
                **dict.fromkeys(_SHARES, share),
                "geval_faithfulness": grade,
                "geval_coverage": grade,
                "contradicted": ScoreColorScale(palette="good-low", min=0, max=1),
                "loops": "neutral",
                "word_count": "neutral",
                "cost_usd": "good-low",
                "latency_ms": "good-low",
            },
            color_scales_enabled=True,
        ),
        sample_score_view=SampleScoreView(default="grid"),
    )
