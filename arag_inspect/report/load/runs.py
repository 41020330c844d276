"""One log as rows: the run, its answers, scores and verdicts; traces that a crashed log lost."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from sys import intern
from typing import NamedTuple

from inspect_ai.log import EvalConfig, EvalLog, EvalSample, EvalSpec, read_eval_log_sample
from inspect_ai.model import ChatMessage, ModelConfig
from pydantic import BaseModel, ValidationError

from ..._util.bounds import STEPS
from ..._util.registry import CLUSTERS
from ...corpus.probes import name_arithmetic
from ...models.usage import restated, usage_of_sample
from ...text.citations import without_marks
from ...text.model_marks import without_thoughts
from ...types.sample import SampleMetadata, group_of
from ...types.trace import TraceRecord, stored_trace, trace_fields
from ..frames import Level, LogOptions, Notice, Outcome, Row
from ..labels import counted, listed
from .measures import (
    MODEL_GRADED,
    clean_effort,
    first_line,
    headline_of,
    impossible,
    number,
    redeclared,
)
from .scores import LogScores
from .systems import is_ours, parameters_of, solver_of

_STOPS: dict[str, Outcome] = {
    "content_filter": "refused",
    "max_tokens": "truncated",
    "model_length": "truncated",
}
_METADATA = (
    *("period", "style", "question_type", "question_reasoning", "source"),
    *("target_length", "gold", "evidence", "doc_ids", "facts"),
)
_TRACE = ("stopped_by", "context", "cost_usd", "latency_ms", "wall_ms", "cached_calls")
_EFFORT = ("loops", "input_tokens", "output_tokens", "cost_usd", "latency_ms", "wall_ms")


def restore_traces(log: EvalLog) -> int:
    """Put the traces back that a crashed log lost, from the events of its samples.

    Returns:
        Answers of a system of this package whose trace is not in the log at all.
    """
    lost = 0
    for sample in (log.samples or []) if is_ours(log) else []:
        if sample.error is None and not trace_fields(sample.store):
            with suppress(Exception):  # events that another program wrote can raise any error
                whole = read_eval_log_sample(
                    log.location,
                    sample.id,
                    sample.epoch,
                    resolve_attachments=True,
                    exclude_fields={"messages", "timelines", "error_retries"},
                )
                sample.store |= stored_trace(whole.events)
            lost += not trace_fields(sample.store)
    return lost


def read_trace(sample: EvalSample, left_out: list[str]) -> TraceRecord | None:
    """Return a solver's trace, or what `efficiency` measured of a solver that keeps none.

    Args:
        sample: A sample of a log.
        left_out: Takes the fields that cannot be, in words.

    Returns:
        The trace; None if there is none.
    """
    fields = trace_fields(sample.store)
    wrong = dict(clean_effort(fields))
    searches = fields.get("searches")
    if isinstance(searches, list) and len(searches) > STEPS.most:
        fields["searches"] = searches[: STEPS.most]
        wrong["searches after the first"] = STEPS.most
    try:
        record = TraceRecord.model_validate(fields)
    except ValidationError as error:
        names = dict.fromkeys(str(item["loc"][0]) for item in error.errors())
        wrong |= {name: fields.pop(name) for name in names}
        unknown = {"cost_usd": None} if "cost_usd" in names else {}
        record = TraceRecord.model_validate(fields | unknown)
    if not record.system:
        score = (sample.scores or {}).get("efficiency")
        values = score.value if score and isinstance(score.value, dict) else {}
        measured = {name: values[name] for name in _EFFORT if number(values.get(name)) is not None}
        wrong |= dict(clean_effort(measured))
        record = record.model_copy(update={"cost_usd": None, **measured})
    left_out += [impossible(sample.id, name, value) for name, value in wrong.items()]
    has_effort = record.loops or record.input_tokens
    has_record = record.system or record.searches or record.passages or has_effort
    return record if has_record else None


def answer_row(sample: EvalSample, trace: TraceRecord, cluster: str | None = None) -> Row:
    """Return the answer to a sample, with what the system did for it.

    Args:
        sample: A sample of a log.
        trace: What the system did.
        cluster: Metadata key or field of the samples that belong together; None for the company,
            or else the only document.
    """
    for passage in trace.passages:
        passage.text = intern(passage.text)  # systems read the same passages
    try:
        metadata = SampleMetadata.model_validate(sample.metadata)
    except ValidationError:  # another package's data set may use a field differently
        metadata = SampleMetadata()
    answer, question = sample.output.completion, sample.input
    if not isinstance(question, str):
        question = "\n\n".join(map(_text_of, question))
    company, noun = _cluster(sample, metadata, cluster)
    tokens = trace.input_tokens or None, trace.output_tokens or None
    read = metadata.gold.found(passage.chunk_id for passage in trace.passages)
    return {
        "sample_id": sample.uuid,
        "id": str(sample.id),
        "epoch": sample.epoch,
        **{name: getattr(metadata, name) for name in _METADATA},
        "company": company,
        "cluster": noun,
        "input": question,
        "target": sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        "text": answer,
        "outcome": _outcome(sample, trace),
        "error": _error(sample, trace),
        "answered_by": trace.system,
        "words": len(without_marks(without_thoughts(answer)).split()),
        "loops": trace.loops or None,
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "tokens": sum(filter(None, tokens)) or None,
        **{name: getattr(trace, name) for name in _TRACE},
        "searches": tuple(trace.searches),
        "passages": tuple(trace.passages),
        "gold_missed": tuple(chunk for chunk in metadata.gold.chunk_ids if chunk not in read),
    }


def _text_of(message: ChatMessage) -> str:
    """Return the text of a message, and in brackets the kind of what else it holds."""
    parts = [] if isinstance(message.content, str) else message.content
    marks = (f"[{part.type}]" for part in parts if part.type != "text")
    return "\n".join(filter(None, (message.text, *marks)))


def _cluster(sample: EvalSample, metadata: SampleMetadata, key: str | None) -> tuple[str, str]:
    """Return the group of a sample, and the noun for such groups; both empty without one."""
    if key is not None:
        value = (sample.metadata or {}).get(key, getattr(sample, key, None))
        return "" if value is None else str(value), f"group by {key}"
    own = sample.metadata or {}
    nouns = {"group": "group", "company": CLUSTERS.get(metadata.style, "company")}
    noun = next((noun for key, noun in nouns.items() if group_of({key: own.get(key)})), "document")
    return (name, noun) if (name := group_of(own)) else ("", "")


def _outcome(sample: EvalSample, trace: TraceRecord) -> Outcome:
    if sample.error is not None:
        return "errored"
    if trace.skipped is not None:
        return "skipped"
    if sample.limit is not None:
        return "truncated"
    stopped = _STOPS.get(sample.output.stop_reason) if sample.output.choices else None
    return stopped or ("answered" if sample.output.completion.strip() else "empty")


def _error(sample: EvalSample, trace: TraceRecord) -> str | None:
    if sample.error is not None:
        return first_line(sample.error.message)
    if sample.limit is not None:
        return f"{sample.limit.type} limit of {sample.limit.limit:g}"
    return trace.skipped


_BY_VECTORS = {"semantic_search", "hybrid_search"}
"""Searches that compare vectors."""

_EPOCHS = range(1, 1_000_000)
"""Epochs that can be; no more answers were planned."""

_SHOWN = 3
"""Values that cannot be, that a notice names."""

_COPIED = ("eval_id", "run_id", "task_id", "task", "model", "created")
"""Fields of Inspect's header that a run has as they are."""

_TAXONOMY = "error_taxonomy."

PROMPTS = "prompts of the package"
"""Name of the digest of the prompts in `made_with`."""

EMBEDDING, FILE = "embedding of the corpus", "file "
"""Names in `made_with` of how the corpus was embedded, and before the path of a prompt or rubric."""


class Run(NamedTuple):
    """Rows of one log; each score and verdict has the row of its answer as `of`."""

    row: Row
    answers: list[Row]
    scores: list[Row]
    verdicts: list[Row]


def read_run(
    log: EvalLog, label: str | None, reading: LogOptions, notices: list[Notice]
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
        impossible(sample.id, "epoch", sample.epoch)
        for sample in samples
        if sample.epoch not in _EPOCHS
    ]
    valid = [own for own in samples if own.invalidation is None and own.epoch in _EPOCHS]
    kept = sorted({_key(sample): sample for sample in valid}.values(), key=_key)
    traces = [read_trace(sample, left_out) for sample in kept]
    scores = LogScores(log, kept, reading.lower, reading.higher)
    run = Run(run_row(log, kept), [], [], [])
    solver = next((own.system for own in traces if own and own.system), solver_of(log))
    asks_none = solver == "external" and not run.row["parameters"].get("bridge")
    model = "none/none" if asks_none else log.eval.model
    for sample, trace in zip(kept, traces, strict=True):
        if trace is None and is_ours(log):
            trace = TraceRecord(cost_usd=None)
        elif trace is None:  # as far as Inspect's log has its effort
            trace = usage_of_sample(sample, log.eval.model)
            effort = {name: getattr(trace, name) for name in _EFFORT}
            left_out += [impossible(sample.id, *own) for own in clean_effort(effort)]
            trace = trace.model_copy(update=effort)
        answer = answer_row(sample, trace, reading.cluster)
        answer |= {"eval_id": log.eval.eval_id, "task_id": log.eval.task_id, "model": model}
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
        solver=solver,
        model=model,
        arithmetic=_arithmetic_of_searches(run.row["arithmetic"], traces),
        graders=run.row["graders"] or tuple(judges),
        cluster=next(nouns, "sample"),
    )
    left_out += scores.impossible
    run.row["impossible"] = _impossible(left_out) if left_out else None
    doubts = list(_doubts(log, run, lost, len(valid) - len(kept), any(traces)))
    doubts += [("warning", text) for text in scores.notes]
    doubts += [("error", text) for text in _mixture(run.row["corpus"], traces)]
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
    config = log.eval.config
    if not samples and config.log_samples is False:
        yield "error", "was made with --no-log-samples, and figures need the samples"
    elif not samples:
        state = "is still running and has" if log.status == "started" else f"({log.status}) has"
        yield "error", f"{state} no finished sample"
    elif not any(sample.scores for sample in samples) and not traced:
        yield "error", _without_scores(samples)
    models = {name for sample in samples for name in sample.model_usage}
    others = sorted(models - {log.eval.model, *run.row["graders"]})
    if others and not is_ours(log):
        yield "note", f"asked {listed(others)} too, which its tokens and cost are without"
    usages = [sample.model_usage.get(log.eval.model) for sample in samples]
    unclear = sum(usage is not None and restated(usage) is None for usage in usages)
    if unclear and not is_ours(log):
        of = f"of {unclear} of {len(samples)} samples"
        yield "note", f"has tokens {of} whose total does not show what they mean: left out"
    if lost:
        what = "their cost, latency, tokens and what was read are missing"
        yield "warning", f"has {lost} answers without a trace: {what}"
    if run.row["impossible"]:
        yield "warning", run.row["impossible"]
    total = log.results.total_samples if log.results else 0
    if samples and total > len(samples):
        count = f"holds {len(samples)} of the {total} samples that its results are of"
        yield "warning", f"{count}; figures here are of these"
    reducers = [name for name in config.epochs_reducer or [] if name != "mean"]
    if reducers and (config.epochs or 1) > 1:
        yield "note", f"reduces epochs by {listed(reducers)} in its results; figures here are means"
    if invalid := sum(sample.invalidation is not None for sample in samples):
        yield "warning", f"has {invalid} invalidated samples, left out"
    if again:
        yield "warning", f"holds {again} samples again; the last of each counts"
    if own := redeclared(log):
        yield "warning", f"declares {listed(own)} otherwise than this package does, which decides"


def _without_scores(samples: Sequence[EvalSample]) -> str:
    """Say that no sample has scores, and how to get them: by scoring, or by running again."""
    failed_with = [first_line(sample.error.message) for sample in samples if sample.error]
    errors = Counter(reason or "no message" for reason in failed_with)
    if errors.total() < len(samples):
        failed = f", {errors.total()} of which failed" if errors else ""
        return f"has no scores on its {len(samples)} samples{failed}; inspect score adds them"
    reason, count = errors.most_common(1)[0]
    return (
        f"has no scores: all of its {len(samples)} samples failed, {count} with {reason[:200]!r}; "
        "remove the cause and run them again with inspect eval-retry"
    )


def _mixture(corpus: str | None, traces: Sequence[TraceRecord | None]) -> Iterator[str]:
    """Yield that the answers of a log are of several corpora, or of another one than it names.

    Args:
        corpus: Digest of the corpus that the log names, or None.
        traces: What the systems did.
    """
    digests = [trace.corpus_sha256 for trace in traces if trace and trace.corpus_sha256]
    counts = Counter(digests)
    is_named = not corpus or not counts or corpus in counts
    if len(counts) > 1 or not is_named:
        parts = [f"{number} of corpus {digest[:12]}" for digest, number in counts.items()]
        if corpus and not is_named:
            parts.append(f"none of corpus {corpus[:12]}, which the log names")
        text = f"mixes corpora and is left out: it holds answers {listed(parts)}"
        yield f"{text}; run its samples in another folder"


def _graders(spec: EvalSpec) -> tuple[str, ...]:
    """Return the models of role `grader`, or else those that Inspect's model-graded scorers ask.

    Without the role or a `model` of their own they ask the model that answered.
    """
    if bound := (spec.model_roles or {}).get("grader"):
        return tuple(own.model for own in ([bound] if isinstance(bound, ModelConfig) else bound))
    graders: list[str] = []
    for scorer in spec.scorers or []:
        if MODEL_GRADED.match(scorer.name):
            named = (scorer.options or {}).get("model") or spec.model  # of a log: anything
            graders += map(str, named if isinstance(named, list) else [named])
    return tuple(dict.fromkeys(graders))


def run_row(log: EvalLog, samples: Sequence[EvalSample]) -> Row:
    """Return what the header of a log says of its run, and which samples it has of those asked.

    Args:
        log: A log, or its header.
        samples: The samples that count.
    """
    spec = log.eval
    epochs = range(1, (spec.config.epochs or 1) + 1)
    answers = ((str(name), epoch) for name in spec.dataset.sample_ids or [] for epoch in epochs)
    planned = set(islice(answers, _EPOCHS.stop))
    if not {name for name, _ in planned} & {str(sample.id) for sample in samples}:
        planned = set()  # another program numbered the samples there
    dataset, version = spec.dataset.name or "", str(spec.task_version)
    parameters = parameters_of(log)
    corpus = (spec.metadata or {}).get("corpus")
    digest = corpus.get("chunks_sha256") if isinstance(corpus, Mapping) else None
    return {
        **{name: getattr(spec, name) for name in _COPIED},
        "benchmark": benchmark_name(spec.task.split("/")[-1], version, dataset),
        "version": version,
        "dataset": dataset,
        "graders": _graders(spec),
        "parameters": parameters,
        "arguments": tuple(name for name in spec.task_args if name in parameters),
        "corpus": digest if isinstance(digest, str) else None,
        "arithmetic": _arithmetic(corpus.get("embedding")) if isinstance(corpus, Mapping) else None,
        "made_with": _made_with(log),
        "location": log.location,
        "logs": (log.location,),
        "status": log.status,
        "planned": max(len(planned), len(samples)),
        "asked": frozenset(planned),
        "answered": frozenset(map(_key, samples)),
        "part": "",
        "slice": _slice(spec.config),
        "limited": spec.config.limit is not None or spec.config.sample_id is not None,
        "invalidated": frozenset(map(_key, log.samples or [])) - {*map(_key, samples)},
    }


class _Embedding(BaseModel):
    """What a log says of the embedding of its corpus, as far as it decides about vectors."""

    class _Machine(BaseModel):
        device: str = "cpu"

    dtype: str
    machine: _Machine | None = None


def _arithmetic(embedding: object) -> str | None:
    """Return what a corpus was embedded in; None if the log does not say."""
    try:
        read = _Embedding.model_validate(embedding)
    except ValidationError:
        return None
    return name_arithmetic(read.dtype, read.machine.device if read.machine else "cpu")


def _arithmetic_of_searches(corpus: str | None, traces: Iterable[TraceRecord | None]) -> str | None:
    """Return what the searches of a run were computed in; None if they had no model.

    Args:
        corpus: What the corpus was embedded in.
        traces: What the system did.
    """
    records = [trace for trace in traces if trace is not None]
    tools = {search.tool for trace in records for search in trace.searches}
    names = {trace.reranked_in for trace in records}
    if tools & _BY_VECTORS:
        names.add(corpus)
    unusual = sorted(filter(None, names - {"float32"}))
    return " and ".join(unusual) or ("float32" if "float32" in names else None)


def benchmark_name(task: str, version: str, dataset: str) -> str:
    """Name comparable runs."""
    return f"{task}{dataset and f' ({dataset})'}, version {version}"


def _slice(config: EvalConfig) -> str:
    """Name the samples that a run was asked for; empty for all, or the first."""
    if config.sample_id is not None:
        return str(config.sample_id)
    is_range = isinstance(config.limit, tuple | list)
    return str(config.limit) if is_range or (config.limit and config.sample_shuffle) else ""


def _made_with(log: EvalLog) -> dict[str, str]:
    prompts, revision = (log.eval.metadata or {}).get("prompts_sha256"), log.eval.revision
    versions = {f"version of {name}": version for name, version in log.eval.packages.items()}
    if isinstance(prompts, str):
        versions[PROMPTS] = prompts[:12]
    versions |= _embedding(log.eval) | _named_files(log.eval)
    if revision is not None:
        versions["commit"] = revision.commit + (" with changes" if revision.dirty else "")
    return versions


def _embedding(spec: EvalSpec) -> dict[str, str]:
    """Return how the corpus was embedded, in words; empty if the log does not say."""
    corpus = (spec.metadata or {}).get("corpus")
    settings = corpus.get("embedding") if isinstance(corpus, Mapping) else None
    if not isinstance(settings, Mapping):
        return {}
    names = ("model", "digest", "dtype", "prefix_embedded", "prompts")
    stated = {name: str(settings[name]) for name in names if settings.get(name)}
    stated["digest"] = stated.get("digest", "")[:12]
    return {EMBEDDING: ", ".join(f"{name} {value}" for name, value in stated.items())}


def _named_files(spec: EvalSpec) -> dict[str, str]:
    """Return the digests of the files that parameters of the task name, by path."""
    files = (spec.metadata or {}).get("files_sha256")
    if not isinstance(files, Mapping):
        return {}
    return {f"{FILE}{path}": str(digest)[:12] for path, digest in files.items()}


def _error_codes(scores: Sequence[Row]) -> tuple[str, ...] | None:
    """Return a taxonomy's error codes; None if none was applied to the sample."""
    codes = {
        row["measure"].removeprefix(_TAXONOMY): row["value"]
        for row in scores
        if row["measure"].startswith(_TAXONOMY) and row["value"] is not None
    }
    applying = tuple(code for code, value in codes.items() if value > 0 and code != "any")
    return applying if codes else None


def _impossible(left_out: Sequence[str]) -> str:
    values = counted(len(left_out), "value")
    more = f"; and {len(left_out) - _SHOWN:,} more" if len(left_out) > _SHOWN else ""
    return f"has {values} that cannot be, left out: {'; '.join(left_out[:_SHOWN])}{more}"


def _key(sample: EvalSample) -> tuple[str, int]:
    return str(sample.id), sample.epoch
