"""Rows of the frames, from what was read of logs."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...types.scale import scale_of
from ..frames import ANSWERS, KEYS, RUNS, SCORES, VERDICTS, Frames, Notice, make_frame
from .records import Benchmark, Run, SampleResult


def to_frames(benchmarks: Sequence[Benchmark], notices: Sequence[Notice]) -> Frames:
    """Lay out what was read from logs as frames."""
    answers: list[dict[str, Any]] = []
    scores: list[dict[str, Any]] = []
    runs: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    for benchmark in benchmarks:
        for run in benchmark.runs:
            runs.append(_run(benchmark, run))
            for sample in run.samples:
                row = _answer(len(answers), benchmark, run, sample)
                answers.append(row)
                shared = {name: row[name] for name in KEYS}
                scores += [shared | score for score in _scores(run, sample)]
                verdicts += [shared | verdict for verdict in _verdicts(run, sample)]
    return Frames(
        make_frame(answers, ANSWERS),
        make_frame(scores, SCORES),
        make_frame(runs, RUNS),
        make_frame(verdicts, VERDICTS),
        tuple(notices),
    )


def _run(benchmark: Benchmark, run: Run) -> dict[str, Any]:
    names = ("eval_id", "system", "solver", "model", "graders", "parameters", "corpus")
    more = ("made_with", "location", "created", "status", "planned", "run_id", "measures")
    planned = ("asked", "limited", "invalidated", "impossible", "task_id")
    return {
        "benchmark": benchmark.name,
        "task": benchmark.task,
        "version": benchmark.version,
        "dataset": benchmark.dataset,
        "declared": run.declared,
        **{name: getattr(run, name) for name in (*names, *more, *planned)},
    }


def _answer(number: int, benchmark: Benchmark, run: Run, sample: SampleResult) -> dict[str, Any]:
    own = (
        *("id", "epoch", "company", "period", "style", "question_type", "question_reasoning"),
        *("source", "input", "target", "outcome", "error", "stopped_by", "context"),
        *("target_length", "loops", "input_tokens", "output_tokens", "tokens", "cost_usd"),
        *(
            "latency_ms",
            "wall_ms",
            "cached_calls",
            "searches",
            "passages",
            "gold",
            "evidence",
            "codes",
        ),
    )
    return {
        "answer": number,
        "eval_id": run.eval_id,
        "sample_id": sample.uuid,
        "benchmark": benchmark.name,
        "system": run.system,
        "model": run.model,
        "text": sample.answer,
        "answered_by": sample.system,
        "words": sample.word_count,
        "gold_missed": sample.missed,
        **{name: getattr(sample, name) for name in own},
    }


def _scores(run: Run, sample: SampleResult) -> Iterator[dict[str, Any]]:
    """Yield the value of every measure."""
    for name in run.measures:
        mark, scorer = sample.mark(name), name.split(".")[0]
        row: dict[str, Any] = {"measure": name, "scorer": scorer}
        row |= {"value": mark.value, "status": mark.status, "reason": mark.reason}
        if (scoring := sample.scorings.get(scorer)) is not None:
            row |= {"signature": scoring.signature, "text": scoring.explanation}
            row |= {"details": scoring.metadata, "scale": scale_of(scoring.metadata)}
        yield row


def _verdicts(run: Run, sample: SampleResult) -> Iterator[dict[str, Any]]:
    """Yield every value that was taken again, then every verdict of a judge."""
    for name in run.measures:
        scorer = name.split(".")[0]
        scoring = sample.scorings.get(scorer)
        for number, values in enumerate(scoring.repeats if scoring else (), start=1):
            if name in values:
                again = {"measure": name, "scorer": scorer, "judge": "", "repeat": number}
                yield again | {"value": values[name]}
    for judgement in sample.judgements:
        scoring = sample.scorings.get(judgement.scorer)
        yield {
            "measure": judgement.scorer,
            "scorer": judgement.scorer,
            "judge": judgement.grader or "unknown",
            "repeat": judgement.repeat,
            "value": judgement.verdict,
            "said": judgement.said,
            "reason": judgement.reason,
            "signature": scoring.signature if scoring else None,
            "text": judgement.reasoning,
            "details": judgement.criteria,
            "input_tokens": judgement.input_tokens,
            "output_tokens": judgement.output_tokens,
            "cost_usd": judgement.cost_usd,
        }
