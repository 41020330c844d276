"""Read samples and scores of logs, failing where there are none."""

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score


def samples_of(log: EvalLog) -> list[EvalSample]:
    """Return the samples of a log, which must have some."""
    assert log.samples, f"the log of {log.eval.task} has no samples"
    return log.samples


def scores_of(sample: EvalSample) -> dict[str, Score]:
    """Return the scores of a sample by scorer; the sample must have some."""
    assert sample.scores, f"sample {sample.id} has no scores"
    return sample.scores


def metrics_of(log: EvalLog, name: str) -> dict[str, float]:
    """Return the metrics of a score, those over samples and those over all epochs."""
    assert log.results, f"the log of {log.eval.task} has no results"
    metrics: dict[str, float] = {}
    for score in log.results.scores:
        if score.name == name:
            metrics |= {key.split("/")[-1]: metric.value for key, metric in score.metrics.items()}
    return metrics
