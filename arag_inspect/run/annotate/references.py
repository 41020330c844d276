"""Let a model write references for a task that takes them.

This is a task, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Dataset as Samples
from inspect_ai.log import EvalLog, EvalSample

from ... import tasks
from ..._util.errors import check_choice
from ..._util.progress import SampleProgress
from ...benchmark.build import build_task
from ...benchmarks._shared.reference_facts import reference_facts
from ...benchmarks._shared.silver_references import (
    REFERENCE_CHECK,
    Reference,
    read_references,
    references_folder,
    write_references,
)
from ...benchmarks._shared.spot_check import REJECT, make_folder
from ...corpus import Corpus, read_manifest
from ...models.run_task import run_task
from ...prompts import load_prompt
from ...scorers import efficiency
from ...solvers import reference
from ...systems.prompting import writing_instructions
from ...text.citations import without_marks
from ...types.trace import trace_of


class WrittenReferences(NamedTuple):
    """References of the samples of a corpus, with counts."""

    folder: Path
    new: int
    kept: int
    """References of an earlier run with the same model, prompt and corpus."""

    rejected: int
    """Rejected references among the kept ones."""

    failed: Mapping[str, str]
    """Samples without a reference, and why."""

    sentences: int
    """Sentences of all references, including the kept ones."""

    located: int
    """Sentences whose chunks are known."""


def make_references(
    model: str,
    *,
    task: str = "financebench_qfs",
    corpus: str = "financebench",
    subset: str = "seed",
    out: Path | None = None,
    limit: int | None = None,
    overwrite: bool = False,
    log_dir: str = "logs/references",
) -> WrittenReferences:
    """Write the missing references of a task that takes them.

    References of samples missing from the corpus are kept.

    Args:
        model: Model that writes.
        task: Task with a parameter `references`: financebench_qfs, section_summary or yoy_change.
        corpus: Name or path of the prepared corpus.
        subset: `seed` or `all` samples of financebench_qfs.
        out: Folder for `references.jsonl` and `spot_check.csv`; None puts it next to the corpus.
        limit: Maximum number of new references.
        overwrite: Overwrite existing references.
        log_dir: Folder of Inspect's log.

    Raises:
        InputError: The task takes no references, the corpus is not prepared, a file of an earlier
            run is unreadable, or `out` is not writable.
    """
    requests = _load_requests(task, corpus=corpus, subset=subset)
    writing = build_task(requests, reference(), [efficiency()], name="financebench_references")
    corpus_folder = Corpus.locate(corpus)
    folder = out or references_folder(corpus_folder, task)
    references = read_references(folder)
    marks = REFERENCE_CHECK.read(folder, references)
    settings = {
        "model": model,
        "prompt_sha256": _prompt_digest(writing.dataset[0].metadata or {}),
        "chunks_sha256": read_manifest(corpus_folder).chunks_sha256,
    }
    ids = [str(sample.id) for sample in writing.dataset]
    written_references = {
        name for name, reference in references.items() if _was_made_with(reference, settings)
    }
    done = [name for name in ids if name in written_references]
    todo = [name for name in ids if overwrite or name not in written_references][:limit]
    new: dict[str, Reference] = {}
    failed: dict[str, str] = {}
    if todo:
        make_folder(folder)
        log = _run(writing, model, todo, log_dir)
        new, failed = _read_written(log, settings, Corpus.open(corpus))
    if new:
        merged = {**references, **new}
        order = dict.fromkeys(name for name in (*ids, *merged) if name in merged)
        write_references(folder, [merged[name] for name in order])
    earlier = {*done} - {*new}
    rejected = sum(marks.get(name) == REJECT for name in earlier)
    current = [*(references[name] for name in earlier), *new.values()]
    facts = [*chain.from_iterable(entry.facts for entry in current)]
    located = sum(bool(fact.holders) for fact in facts)
    return WrittenReferences(folder, len(new), len(earlier), rejected, failed, len(facts), located)


def _load_requests(task: str, **options: str) -> Samples:
    """Return the samples of a task that takes references.

    Args:
        task: Name of the task.
        options: Task parameters, from which the task takes its own.
    """
    parameters = {name: signature(getattr(tasks, name)).parameters for name in tasks.__all__}
    check_choice("task", task, [name for name in parameters if "references" in parameters[name]])
    values = {name: value for name, value in options.items() if name in parameters[task]}
    built_task: Task = getattr(tasks, task)(**values, scorers="no_grader")
    return built_task.dataset


def _prompt_digest(metadata: Mapping[str, Any]) -> str:
    """Return the digest of the prompt without passages and request."""
    writing = writing_instructions(metadata["style"], metadata["target_length"], "document")
    parts = (load_prompt("systems/reference"), writing)
    return sha256("\0".join(parts).encode()).hexdigest()


def _was_made_with(reference: Reference, settings: Mapping[str, str]) -> bool:
    return settings.items() <= reference.model_dump().items()


def _run(task: Task, model: str, sample_ids: list[str], log_dir: str) -> EvalLog:
    """Run some samples; failed samples are reported, and the others keep their references."""
    with SampleProgress("References written") as progress:
        return run_task(
            task,
            model,
            "writing references",
            progress=progress,
            sample_id=sample_ids,
            log_dir=log_dir,
            fail_on_error=False,
            display="none",
        )


def _read_written(
    log: EvalLog, settings: Mapping[str, str], corpus: Corpus
) -> tuple[dict[str, Reference], dict[str, str]]:
    """Return the references in a log by sample, and why other samples have none."""
    new: dict[str, Reference] = {}
    failed: dict[str, str] = {}
    for sample in log.samples or []:
        fault = _fault(sample)
        if fault is None:
            new[str(sample.id)] = _reference(sample, settings, corpus)
        else:
            failed[str(sample.id)] = fault
    return new, failed


def _fault(sample: EvalSample) -> str | None:
    """Return why a sample has no reference; None if it has one."""
    if sample.error is not None:
        return sample.error.message
    skipped = trace_of(sample).skipped
    if skipped:
        return skipped
    if sample.output.stop_reason in ("content_filter", "max_tokens"):
        return f"the reply ended with {sample.output.stop_reason}"
    if not sample.output.completion.strip():
        return "the reply is empty"
    return None


def _reference(sample: EvalSample, settings: Mapping[str, str], corpus: Corpus) -> Reference:
    request = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    reply = sample.output.completion.strip()
    chunk_ids = [passage.chunk_id for passage in trace_of(sample).passages]
    return Reference(
        id=str(sample.id),
        question=str(sample.metadata.get("question") or request),
        reference=without_marks(reply).strip(),
        date=datetime.now(UTC).date().isoformat(),
        chunk_ids=chunk_ids,
        facts=reference_facts(str(sample.id), reply, list(map(corpus.chunk, chunk_ids))),
        **settings,
    )
