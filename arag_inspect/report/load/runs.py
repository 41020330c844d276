"""One log as rows: the run, its answers, scores and verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelConfig

from ...models.usage import usage_of_sample
from ...types.trace import TraceRecord
from ..frames import Level, LogOptions, Notice, Row
from ..labels import listed
from .measures import headline_of, redeclared
from .samples import answer_row, is_ours, read_trace, restore_traces
from .scores import LogScores
from .systems import parameters_of, solver_of
from .values import impossible

_SHOWN = 3
"""Values that cannot be, that a notice names."""

_COPIED = ("eval_id", "run_id", "task_id", "task", "model", "created")
"""Fields of Inspect's header that a run has as they are."""

_TAXONOMY = "error_taxonomy."


class Run(NamedTuple):
    """Rows of one log; each score and verdict has the row of its answer as `of`."""

    row: Row
    answers: list[Row]
    scores: list[Row]
    verdicts: list[Row]


def read_run(
    log: EvalLog,
    label: str | None,
    reading: LogOptions,
    notices: list[Notice],
) -> Run | None:
    """Turn a log into rows, without what is invalid, stands twice or cannot be.

    Args:
        log: A log with its samples.
        label: Name that the user gave to its system.
        reading: What else the user says of logs.
        notices: Takes what is left out or in doubt.

    Returns:
        The rows; None if there is no sample, or neither a score nor a trace.
    """

    lost, samples = restore_traces(log), log.samples or []
    left_out = [
        impossible(sample.id, "epoch", sample.epoch) for sample in samples if sample.epoch < 1
    ]
    valid = [sample for sample in samples if sample.invalidation is None and sample.epoch >= 1]
    kept = sorted({_key(sample): sample for sample in valid}.values(), key=_key)
    traces = [read_trace(sample, left_out) for sample in kept]
    scores = LogScores(log, kept, reading.lower, reading.higher)
    run = Run(_run_row(log, kept), [], [], [])
    for sample, trace in zip(kept, traces, strict=True):
        trace = trace or _usage(log, sample)
        answer = answer_row(sample, trace, reading.cluster)
        answer |= {"eval_id": log.eval.eval_id, "model": log.eval.model}
        rows, verdicts = list(scores.rows(sample, trace.skipped)), list(scores.verdicts(sample))
        answer["codes"] = _error_codes(rows)
        for row in (*rows, *verdicts):
            row["of"] = answer
        run.answers.append(answer)
        run.scores.extend(rows)
        run.verdicts.extend(verdicts)
    judges = dict.fromkeys(row["judge"] for row in run.verdicts if row["judge"])
    nouns = (row["cluster"] for row in run.answers if row["cluster"])
    run.row.update(
        label=label,
        measures=scores.measures,
        declared=scores.described.specs,
        headline=headline_of(log),
        solver=next((own.system for own in traces if own and own.system), solver_of(log)),
        graders=run.row["graders"] or tuple(judges),
        cluster=next(nouns, "sample"),
    )
    left_out += scores.impossible
    run.row["impossible"] = _impossible(left_out) if left_out else None
    doubts = list(_doubts(log, run, lost, len(valid) - len(kept), any(traces)))
    doubts += [("warning", text) for text in scores.described.notes]
    name = log.location.split("/")[-1]
    notices += [Notice(level, f"{name} {text}", log.location) for level, text in doubts]
    return None if "error" in dict(doubts) else run


def _doubts(
    log: EvalLog, run: Run, lost: int, again: int, traced: bool
) -> Iterator[tuple[Level, str]]:
    """Yield what is left out or in doubt of a log; an error if nothing of it is left.

    Args:
        log: The log.
        run: Its rows.
        lost: Answers without a trace, which they should have.
        again: Samples that stand in the log more than once.
        traced: Whether any sample has a trace.
    """
    samples = log.samples or []
    if not samples:
        state = "is still running and has" if log.status == "started" else f"({log.status}) has"
        yield "error", f"{state} no finished sample"
    elif not any(sample.scores for sample in samples) and not traced:
        yield "error", f"has no scores on its {len(samples)} samples; inspect score adds them"
    if lost:
        what = "their cost, latency, tokens and what was read are missing"
        yield "warning", f"has {lost} answers without a trace: {what}"
    if run.row["impossible"]:
        yield "warning", run.row["impossible"]
    counted = log.results.total_samples if log.results else 0
    if samples and counted > len(samples):
        count = f"holds {len(samples)} of the {counted} samples that its results are of"
        yield "warning", f"{count}; figures here are of these"
    if invalid := sum(sample.invalidation is not None for sample in samples):
        yield "warning", f"has {invalid} invalidated samples, left out"
    if again:
        yield "warning", f"holds {again} samples again; the last of each counts"
    if own := redeclared(log):
        yield "warning", f"declares {listed(own)} otherwise than this package does, which decides"


def _run_row(log: EvalLog, samples: Sequence[EvalSample]) -> Row:
    """Return what the header of a log says of its run, and which samples it has of those asked."""
    spec = log.eval
    epochs = range(1, (spec.config.epochs or 1) + 1)
    planned = {(str(name), epoch) for name in spec.dataset.sample_ids or [] for epoch in epochs}
    if not {name for name, _ in planned} & {str(sample.id) for sample in samples}:
        planned = set()  # another program numbered the samples there
    dataset, version = spec.dataset.name or "", str(spec.task_version)
    bound = (spec.model_roles or {}).get("grader", [])
    graders = [bound] if isinstance(bound, ModelConfig) else bound
    corpus = (spec.metadata or {}).get("corpus")
    digest = corpus.get("chunks_sha256") if isinstance(corpus, Mapping) else None
    return {
        **{name: getattr(spec, name) for name in _COPIED},
        "benchmark": f"{spec.task.split('/')[-1]}{dataset and f' ({dataset})'}, version {version}",
        "version": version,
        "dataset": dataset,
        "graders": tuple(grader.model for grader in graders),
        "parameters": parameters_of(log),
        "corpus": digest if isinstance(digest, str) else None,
        "made_with": _made_with(log),
        "location": log.location,
        "status": log.status,
        "planned": max(len(planned), len(samples)),
        "asked": frozenset(planned),
        "limited": spec.config.limit is not None or spec.config.sample_id is not None,
        "invalidated": frozenset(map(_key, log.samples or [])) - {*map(_key, samples)},
    }


def _made_with(log: EvalLog) -> dict[str, str]:
    prompts, revision = (log.eval.metadata or {}).get("prompts_sha256"), log.eval.revision
    versions = {f"version of {name}": version for name, version in log.eval.packages.items()}
    if isinstance(prompts, str):
        versions["prompts of the package"] = prompts[:12]
    if revision is not None:
        versions["commit"] = revision.commit + (" with changes" if revision.dirty else "")
    return versions


def _usage(log: EvalLog, sample: EvalSample) -> TraceRecord:
    """Return the effort of an answer without a trace, as far as Inspect's log has it."""
    return TraceRecord(cost_usd=None) if is_ours(log) else usage_of_sample(sample, log.eval.model)


def _error_codes(scores: Sequence[Row]) -> tuple[str, ...] | None:
    """Return a taxonomy's error codes; None if none was applied to the sample."""
    codes = {
        row["measure"].removeprefix(_TAXONOMY): row["value"]
        for row in scores
        if row["measure"].startswith(_TAXONOMY) and row["value"] is not None
    }
    return (
        tuple(code for code, value in codes.items() if value > 0 and code != "any")
        if codes
        else None
    )


def _impossible(left_out: Sequence[str]) -> str:
    values = (
        "1 value that cannot" if len(left_out) == 1 else f"{len(left_out):,} values that cannot"
    )
    more = f"; and {len(left_out) - _SHOWN:,} more" if len(left_out) > _SHOWN else ""
    return f"has {values} be, left out: {'; '.join(left_out[:_SHOWN])}{more}"


def _key(sample: EvalSample) -> tuple[str, int]:
    return str(sample.id), sample.epoch
