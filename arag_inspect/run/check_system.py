"""Send one question to a live system, and report how its answer was read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Sample, json_dataset

from .._util.errors import InputError
from .._util.log_files import PURPOSE
from .._util.wording import format_count
from ..corpus import Corpus
from ..models.run_task import run_task
from ..solvers import external
from ..types.trace import RetrievalTrace

_QUESTION = "What does the management expect for next year?"

_MOST_SHOWN = 3
"""Maximum passages outside the corpus that are quoted."""

_LONGEST_BEGINNING = 60
"""Characters quoted of such a passage."""


class SystemCheck(NamedTuple):
    """Contents of a live system's answer."""

    sent: str
    """The question, or the request to an endpoint, as it was sent."""

    answer: str
    understood: list[str]
    missing: list[str]
    """Missing fields, and the measures that need them."""

    log: str


def check_system(
    target: str,
    parameters: Mapping[str, Any],
    *,
    corpus: str | None = None,
    question: str | None = None,
    model: str = "none",
    log_dir: str = "logs/check-system",
) -> SystemCheck:
    """Send one question to a live system.

    Args:
        target: Target of the solver `external`.
        parameters: Further parameters of the solver.
        corpus: Prepared corpus; its first sample is asked, and passages are found in it.
        question: Question to ask instead.
        model: Model behind an agent bridge.
        log_dir: Folder of the log.

    Raises:
        InputError: The target is invalid, or gave no usable answer.
    """
    try:
        solver = external(target=target, **parameters)
    except TypeError as error:
        raise InputError(f"external: {error}") from None
    sample = Sample(id="question", input=_QUESTION)
    if corpus is not None:
        folder = Corpus.open(corpus).path
        sample = next(iter(json_dataset(str(folder / "samples.jsonl"), limit=1)))
        sample.metadata = {**(sample.metadata or {}), "corpus": str(folder)}
    sample.input = question or sample.input
    purpose = {PURPOSE: "the check of doctor --system"}
    task = Task(dataset=[sample], solver=solver, name="check_system", metadata=purpose)
    log = run_task(task, model, "the question", log_dir=log_dir, display="none")
    (answered_sample,) = log.samples or []
    trace = answered_sample.store_as(RetrievalTrace)
    facts = answered_sample.output.metadata or {}
    passages = facts.get("passages")
    unmatched_texts = [passage.text for passage in trace.passages if not passage.is_chunk]
    understood = [*_matched_passages(passages), *facts["notes"]]
    missing = [*_unmatched_passages(passages, unmatched_texts, corpus)]
    usage = {"tokens": trace.input_tokens + trace.output_tokens, "cost_usd": trace.cost_usd}
    for name, value in usage.items():
        if value:
            understood.append(f"{name}: {value}")
        else:
            missing.append(f"{name}: no value in the report")
    understood.append(f"loops: {trace.loops}")
    understood.append(f"latency: {trace.latency_ms:.0f} ms, {trace.wall_ms:.0f} ms with waits")
    if trace.returned:
        given_id = trace.returned[0].given_id
        number = 1 if given_id is None else given_id
        understood.append(f"citations: [{number}] in an answer is the first passage")
    return SystemCheck(
        facts["sent"], answered_sample.output.completion, understood, missing, log.location
    )


def _matched_passages(counts: Mapping[str, int] | None) -> Iterator[str]:
    """Yield how many passages were found in the corpus, if the answer has passages."""
    if counts is not None:
        yield (
            f"passages: {counts['by_id']} by chunk id, {counts['by_text']} found in the corpus by "
            "their text"
        )


def _unmatched_passages(
    counts: Mapping[str, int] | None, unmatched_texts: Sequence[str], corpus: str | None
) -> Iterator[str]:
    """Yield what measures lack without passages, or how many passages are not in the corpus."""
    if counts is None:
        yield (
            "passages: retrieval has no scores, and faithfulness is judged against the "
            "whole document"
        )
        return
    unmatched = counts["unmatched"]
    if not unmatched:
        return
    total = format_count(counts["by_id"] + counts["by_text"] + unmatched, "passage")
    verb, pronoun = ("does", "it counts") if unmatched == 1 else ("do", "they count")
    if corpus is None:
        detail = "name it with --corpus"
    else:
        detail = ", ".join(map(_beginning, unmatched_texts[:_MOST_SHOWN]))
        detail += ", ..." if unmatched > _MOST_SHOWN else ""
    yield (
        f"{unmatched} of {total} {verb} not occur in the corpus ({detail}): {pronoun} as read, but "
        "not as gold"
    )


def _beginning(text: str) -> str:
    """Return the first characters of a text in one line, in quotes."""
    line = " ".join(text.split())
    ellipsis = " ..." if len(line) > _LONGEST_BEGINNING else ""
    return f'"{line[:_LONGEST_BEGINNING]}"{ellipsis}'
