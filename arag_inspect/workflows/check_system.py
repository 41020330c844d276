"""Check which parts of a live system's answer to one question can be read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample, json_dataset

from .._util.errors import InputError
from ..corpus import Corpus
from ..solvers import external
from ..types.trace import RetrievalTrace

QUESTION = "What does the management expect for next year?"


class SystemCheck(NamedTuple):
    """Contents of an answer of a live system."""

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
    task = Task(dataset=[_sample(corpus, question)], solver=solver, name="check_system")
    (log,) = eval(task, model=model, log_dir=log_dir, display="none")
    if log.status != "success" or not log.samples:
        raise InputError(f"{log.error.message if log.error else log.status}; see {log.location}")
    sample = log.samples[0]
    trace = sample.store_as(RetrievalTrace)
    counts = (sample.output.metadata or {}).get("passages")
    understood, missing = _passages(counts, corpus)
    for name, value, effect in (
        ("tokens", trace.input_tokens + trace.output_tokens, "they have no value in the report"),
        ("cost_usd", trace.cost_usd, "cost has no value in the report"),
    ):
        if value is None or not value:
            missing.append(f"{name}: {effect}")
        else:
            understood.append(f"{name}: {value}")
    understood.append(f"loops: {trace.loops}")
    understood.append(f"latency: {trace.latency_ms:.0f} ms, {trace.wall_ms:.0f} ms with waits")
    sent = (sample.output.metadata or {})["sent"]
    return SystemCheck(sent, sample.output.completion, understood, missing, log.location)


def _sample(corpus: str | None, question: str | None) -> Sample:
    if corpus is None:
        return Sample(id="question", input=question or QUESTION)
    folder = Corpus.open(corpus).path
    sample = next(iter(json_dataset(str(folder / "samples.jsonl"), limit=1)))
    sample.metadata = {**(sample.metadata or {}), "corpus": str(folder)}
    if question is not None:
        sample.input = question
    return sample


def _passages(counts: Mapping[str, int] | None, corpus: str | None) -> tuple[list[str], list[str]]:
    """Return which passages were matched, and which were not."""
    if counts is None:
        return [], [
            "passages: retrieval has no scores, and faithfulness is judged against the whole document"
        ]
    ids, texts, unmatched = counts["by_id"], counts["by_text"], counts["unmatched"]
    understood = [f"passages: {ids} by chunk id, {texts} found in the corpus by their text"]
    if not unmatched:
        return understood, []
    of_all = f"{unmatched} of {ids + texts + unmatched} passages"
    if corpus is None:
        return understood, [f"{of_all} have no corpus to be found in; give --corpus"]
    return understood, [
        f"{of_all} occur nowhere in the corpus: they count as read and not as evidence"
    ]
