"""Notices of what is left out of a log, or in doubt."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from inspect_ai.log import EvalLog, EvalSample

from ..._util.wording import format_count, join_names
from ...models.usage import restate
from ...types.sample import known_styles
from ...types.trace import TraceRecord
from ..frames import Level
from ..labels import MOST_NAMED
from ..rows import RunRow
from .measures import redeclared_measures
from .systems import is_ours
from .values import first_line


def log_notices(
    log: EvalLog, row: RunRow, lost: int, duplicates: int, traced: bool
) -> Iterator[tuple[Level, str]]:
    """Yield notices of what is left out of a log or in doubt; errors if nothing is left.

    Args:
        log: The log.
        row: The row of its run.
        lost: Number of answers without the trace that they should have.
        duplicates: Number of samples that are in the log more than once.
        traced: Whether any sample has a trace.
    """
    samples = log.samples or []
    config = log.eval.config
    yield from _missing_content(log, traced)
    yield from _notices_of_models(log, row)
    if lost:
        missing_data = "their cost, latency, tokens and what was read are missing"
        yield "warning", f"has {format_count(lost, 'answer')} without a trace: {missing_data}"
    if row.impossible:
        yield "warning", row.impossible
    total = log.results.total_samples if log.results else 0
    if samples and total > len(samples):
        count = f"holds {len(samples)} of the {total} samples that its results cover"
        yield "warning", f"{count}; figures here cover these only"
    reducers = [name for name in config.epochs_reducer or [] if name != "mean"]
    if reducers and (config.epochs or 1) > 1:
        text = f"reduces epochs by {join_names(reducers)} in its results"
        yield "note", f"{text}; figures here are means"
    invalid_count = sum(sample.invalidation is not None for sample in samples)
    if invalid_count:
        yield "warning", f"has {invalid_count} invalidated samples, which are ignored"
    if duplicates:
        count = format_count(duplicates, "duplicate sample")
        yield "warning", f"holds {count}; the last of each counts"
    yield from _unknown_styles(samples, row)
    measures = redeclared_measures(log)
    if measures:
        yield (
            "warning",
            f"declares {join_names(measures)} differently; this package's declaration is used",
        )
    timed = [sample for sample in samples if sample.working_time]
    if timed and not (traced or is_ours(log) or any(sample.events for sample in timed)):
        yield (
            "note",
            "does not record answer time separately from scoring time, so latency is omitted",
        )


def _missing_content(log: EvalLog, traced: bool) -> Iterator[tuple[Level, str]]:
    """Yield an error if a log has no samples, or neither scores nor traces."""
    samples = log.samples or []
    if not samples and log.eval.config.log_samples is False:
        yield "error", "has no samples, which the report needs: it was made with --no-log-samples"
    elif not samples:
        state = "is still running and has" if log.status == "started" else f"({log.status}) has"
        yield "error", f"{state} no finished sample"
    elif not any(sample.scores for sample in samples) and not traced:
        yield "error", _without_scores(samples)


def _notices_of_models(log: EvalLog, row: RunRow) -> Iterator[tuple[Level, str]]:
    """Yield notices of models and tokens that do not count, in a log of another package."""
    if is_ours(log):
        return
    samples = log.samples or []
    models = set(chain.from_iterable(sample.model_usage for sample in samples))
    other_models = sorted(models - {log.eval.model, *row.graders})
    if other_models:
        yield "note", f"also called {join_names(other_models)}, not counted in its tokens and cost"
    usages = [sample.model_usage.get(log.eval.model) for sample in samples]
    unclear_count = sum(usage is not None and restate(usage) is None for usage in usages)
    if unclear_count:
        share_text = f"{unclear_count} of {format_count(len(samples), 'sample')}"
        yield "note", f"has ambiguous token counts on {share_text}, which are ignored"


def _unknown_styles(samples: Sequence[EvalSample], row: RunRow) -> Iterator[tuple[Level, str]]:
    """Yield a notice if samples state an unknown style, and a measure decides by style."""
    if not any(spec.decides for spec in row.declared.values()):
        return
    styles = dict.fromkeys((sample.metadata or {}).get("style") for sample in samples)
    unknown = [str(style) for style in styles if style and style not in known_styles()]
    if unknown:
        text = f"has samples of unknown style {join_names(unknown)}, which count as summaries"
        yield "note", f"{text}; known are {join_names(known_styles())}"


def trace_notices(row: RunRow, traces: Sequence[TraceRecord]) -> Iterator[tuple[Level, str]]:
    """Yield notices of what the traces of a log show, given the row of its run."""
    for text in _unused_tools(row.parameters.get("tools"), traces):
        yield "warning", text
    for text in _mixture(row.corpus, traces):
        yield "error", text


def _mixture(corpus: str | None, traces: Sequence[TraceRecord]) -> Iterator[str]:
    """Yield a notice if a log's answers come from several corpora, or not from the log's corpus."""
    digests = [trace.corpus_sha256 for trace in traces if trace.corpus_sha256]
    counts = Counter(digests)
    is_named = not corpus or not counts or corpus in counts
    if len(counts) > 1 or not is_named:
        parts = [f"{number} of corpus {digest[:12]}" for digest, number in counts.items()]
        if corpus and not is_named:
            parts.append(f"none of corpus {corpus[:12]}, which the log records")
        text = f"mixes corpora and is left out: it holds answers from {join_names(parts)}"
        yield f"{text}; run its samples in another folder"


def _unused_tools(tools: object, traces: Sequence[TraceRecord]) -> Iterator[str]:
    """Yield a notice if an agent got tools of the user's (`file.py:function`) that it never used.

    Args:
        tools: The agent's parameter, as logged.
        traces: What the agent did.
    """
    names = [name for name in tools if isinstance(name, str)] if isinstance(tools, list) else []
    searches = chain.from_iterable(trace.searches for trace in traces)
    used_tools = {search.tool for search in searches}
    unused = [name for name in names if ":" in name and name.rpartition(":")[2] not in used_tools]
    if unused:
        yield f"gave the agent {join_names(unused)}, which was never used"


def impossible_values(left_out: Sequence[str]) -> str:
    """Return a notice with the number of impossible values left out, naming the first values."""
    values = format_count(len(left_out), "impossible value")
    more = f"; and {len(left_out) - MOST_NAMED:,} more" if len(left_out) > MOST_NAMED else ""
    return f"has {values}, left out: {'; '.join(left_out[:MOST_NAMED])}{more}"


def _without_scores(samples: Sequence[EvalSample]) -> str:
    """Report that no sample has scores, and how to get them: by scoring, or by rerunning."""
    failed_with = [first_line(sample.error.message) for sample in samples if sample.error]
    errors = Counter(reason or "no message" for reason in failed_with)
    if errors.total() < len(samples):
        samples_text = format_count(len(samples), "sample")
        failed = f", {errors.total()} of which failed" if errors else ""
        return f"has no scores on its {samples_text}{failed}; add them with inspect score"
    reason, count = errors.most_common(1)[0]
    return (
        f"has no scores: all of its {len(samples)} samples failed, {count} with {reason[:200]!r}; "
        "fix the cause and rerun them with inspect eval-retry"
    )
