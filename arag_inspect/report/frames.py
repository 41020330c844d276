"""Logs as tidy pandas frames, which join with the frames of Inspect."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .._util.extras import extra
from .load.logs import read_runs
from .load.records import Benchmark, Run, SampleResult

if TYPE_CHECKING:
    import pandas as pd


class Frames(NamedTuple):
    """Three frames with the keys of `evals_df` and `samples_df`.

    `eval_id` and `sample_id`.
    """

    answers: "pd.DataFrame"
    """One row per answer: question, outcome, tokens, dollars, milliseconds."""

    scores: "pd.DataFrame"
    """One row per answer and measure: value, status, reason, signature."""

    steps: "pd.DataFrame"
    """One row per search or passage of an answer, by loop."""


def frames(logs: str | Path | Sequence[str | Path]) -> Frames:
    """Read logs into tidy frames, the same runs that the report would compare.

    Args:
        logs: Log files and folders, local or any address that Inspect can read.

    Raises:
        InputError: There is nothing to read.
    """
    with extra("report"):
        import pandas as pd

    paths = [logs] if isinstance(logs, str | Path) else list(logs)
    answers: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    steps: list[dict[str, Any]] = []
    for benchmark in read_runs(paths).benchmarks:
        for run, sample in benchmark.samples():
            key = _key(benchmark, run, sample)
            answers.append(key | _answer(sample))
            scores += [key | row for row in _scores(run, sample)]
            steps += [key | row for row in _steps(sample)]
    keys = list(answers[0])[: len(_KEY)]
    return Frames(
        pd.DataFrame(answers),
        pd.DataFrame(scores, columns=[*keys, *_SCORE]),
        pd.DataFrame(steps, columns=[*keys, *_STEP]),
    )


_KEY = ("eval_id", "sample_id", "benchmark", "system", "model", "id", "epoch", "company")
_SCORE = ("measure", "value", "status", "reason", "signature")
_STEP = ("loop", "kind", "tool", "query", "chunk_id", "gold")


def _key(benchmark: Benchmark, run: Run, sample: SampleResult) -> dict[str, Any]:
    values = (run.eval_id, sample.uuid, benchmark.name, run.system, run.model)
    return dict(zip(_KEY, (*values, sample.id, sample.epoch, sample.company), strict=True))


def _answer(sample: SampleResult) -> dict[str, Any]:
    return {
        "period": sample.period,
        "question_type": sample.question_type,
        "outcome": sample.outcome,
        "stopped_by": sample.stopped_by,
        "words": sample.word_count,
        "loops": sample.loops,
        "input_tokens": sample.input_tokens,
        "output_tokens": sample.output_tokens,
        "cost_usd": sample.cost_usd,
        "latency_ms": sample.latency_ms,
        "wall_ms": sample.wall_ms,
        "passages": len(sample.passages),
        "gold": len(sample.gold.chunk_ids),
        "gold_missed": len(sample.missed),
    }


def _scores(run: Run, sample: SampleResult) -> Iterator[dict[str, Any]]:
    for name in run.measures:
        mark, scoring = sample.mark(name), sample.scorings.get(name.split(".")[0])
        signature = scoring.signature if scoring else None
        values = (name, mark.value, mark.status, mark.reason, signature)
        yield dict(zip(_SCORE, values, strict=True))


def _steps(sample: SampleResult) -> Iterator[dict[str, Any]]:
    """Yield the searches with their query, then the passages, each with its loop."""
    for search in sample.searches:
        query = search.query if isinstance(search.query, str) else "; ".join(search.query)
        yield dict(zip(_STEP, (search.loop, "search", search.tool, query, None, None), strict=True))
    gold = sample.gold.all
    for passage in sample.passages:
        values = (passage.loop, "passage", None, None, passage.chunk_id, passage.chunk_id in gold)
        yield dict(zip(_STEP, values, strict=True))
