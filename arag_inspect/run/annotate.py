"""Let a model annotate a prepared corpus: facts of its documents, references of its tasks.

Both are tasks, so that Inspect handles retries, limits and costs.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai import Task
from inspect_ai.dataset import Dataset as Samples
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from .. import tasks
from .._util.errors import check_choice
from .._util.progress import SampleProgress
from ..benchmark.build import build_task
from ..benchmarks._shared.fact_bank import FactRecord, bank_fact, fact_id
from ..benchmarks._shared.generated import (
    REJECT,
    Reference,
    make_folder,
    read_marks,
    read_references,
    references_folder,
    write_references,
)
from ..benchmarks._shared.reference_facts import reference_facts
from ..corpus import Chunk, Corpus, read_manifest
from ..judge.panel import DEFAULT_GRADER
from ..measures._fact_lists import list_facts
from ..models.run_task import FAILED, results_of, run_task, write_samples
from ..prompts import load_prompt, prompt_file
from ..scorers import efficiency
from ..solvers import reference
from ..systems._run import writing_instructions
from ..text.citations import without_marks
from ..types.trace import trace_of

_TOKENS = 60_000
"""Maximum tokens of a document per call; a longer one is read in parts."""

_MOST = 20
"""Maximum number of facts per part."""

_FACTS = "facts"

_PROMPT = "judge/list_document_facts"
"""Prompt for styles without their own `judge/list_STYLE_facts`."""


@solver
def list_document_facts(style: str = "earnings_call") -> Solver:
    """Let the model list the facts that a summary or client file should have."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        facts_prompt = f"judge/list_{style}_facts"
        prompt, nuggets = (facts_prompt, False) if prompt_file(facts_prompt) else (_PROMPT, True)
        judgement = await list_facts(
            get_model(), state.input_text, prompt=prompt, nuggets=nuggets, most=_MOST
        )
        if judgement.verdict is None:
            state.store.set(FAILED, judgement.reason)
        else:
            state.store.set(_FACTS, [fact.model_dump() for fact in judgement.verdict])
        state.output.completion = judgement.replies[-1]
        return state

    return solve


class Listing(NamedTuple):
    """Facts listed by a grader."""

    location: str
    """Log of the grader."""

    facts: dict[str, list[FactRecord]]
    failed: dict[str, str]
    """Documents whose facts are not all listed, and why."""


def ask_for_facts(
    documents: Mapping[str, Sequence[Chunk]],
    model: str | None,
    *,
    style: str = "earnings_call",
    **options: Any,
) -> Listing:
    """Ask a grader once for the facts of each document.

    Args:
        documents: Chunks of each document.
        model: Model that lists. Default claude-haiku-4-5.
        style: Kind of answer, which determines what to list.
        options: Further options of `inspect_ai.eval`, e.g. `log_dir`.

    Raises:
        InputError: The run failed as a whole; its log has the reason.
    """
    samples = []
    for doc_id, chunks in documents.items():
        for number, text in enumerate(_parts(chunks), 1):
            samples.append(Sample(id=f"{doc_id}#{number}", input=text))
    solver = list_document_facts(style)
    grader = model or DEFAULT_GRADER
    options = {"display": "none", **options}
    with SampleProgress("Parts of documents listed") as progress:
        log = write_samples(
            "document_facts", samples, solver, grader, "listing facts", progress=progress, **options
        )
    parts, reasons = results_of(log, lambda sample: sample.store.get(_FACTS))
    failed = {name.rpartition("#")[0]: reason for name, reason in reasons.items()}
    facts: dict[str, list[FactRecord]] = {}
    for name, statements in parts.items():
        doc_id = name.rpartition("#")[0]
        if doc_id in failed:
            continue
        for fact in statements:
            document_facts = facts.setdefault(doc_id, [])
            record = bank_fact(
                fact_id(doc_id, "grader", len(document_facts) + 1),
                doc_id,
                fact["description"],
                "grader",
                documents[doc_id],
                kind=fact["type"],
            )
            importance = {"importance": fact.get("importance")}
            document_facts.append(record.model_copy(update=importance))
    return Listing(log.location, facts, failed)


def _parts(chunks: Sequence[Chunk]) -> list[str]:
    """Split a document into texts of at most `_TOKENS` tokens, if its chunks allow."""
    parts: list[list[str]] = [[]]
    tokens = 0
    for chunk in chunks:
        if parts[-1] and tokens + chunk.tokens > _TOKENS:
            parts.append([])
            tokens = 0
        parts[-1].append(chunk.text)
        tokens += chunk.tokens
    return ["\n".join(texts) for texts in parts]


class Written(NamedTuple):
    """Result of writing references."""

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
) -> Written:
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
        InputError: The task takes no references, the corpus is not prepared, files of an earlier
            run cannot be read, or `out` cannot be written to.
    """
    requests = _load_requests(task, corpus=corpus, subset=subset)
    writing = build_task(requests, reference(), [efficiency()], name="financebench_references")
    corpus_folder = Corpus.locate(corpus)
    folder = out or references_folder(corpus_folder, task)
    references = read_references(folder)
    marks = read_marks(folder, references)
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
        # a failed sample is reported; the others keep their references
        options: dict[str, Any] = {"sample_id": todo, "log_dir": log_dir, "fail_on_error": False}
        options["display"] = "none"
        with SampleProgress("References written") as progress:
            log = run_task(writing, model, "writing references", progress=progress, **options)
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
    return Written(folder, len(new), len(earlier), rejected, failed, len(facts), located)


def _load_requests(task: str, **chosen: str) -> Samples:
    """Return the samples of a task that takes references.

    Args:
        task: Name of the task.
        chosen: Task parameters; each task gets those it has.
    """
    parameters = {name: signature(getattr(tasks, name)).parameters for name in tasks.__all__}
    check_choice("task", task, [name for name in parameters if "references" in parameters[name]])
    values = {name: value for name, value in chosen.items() if name in parameters[task]}
    built_task: Task = getattr(tasks, task)(**values, scorers="no_grader")
    return built_task.dataset


def _was_made_with(reference: Reference, settings: Mapping[str, str]) -> bool:
    return settings.items() <= reference.model_dump().items()


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


def _prompt_digest(metadata: Mapping[str, Any]) -> str:
    """Return the digest of the prompt without passages and request."""
    writing = writing_instructions(metadata["style"], metadata["target_length"], "document")
    parts = (load_prompt("systems/reference"), writing)
    return sha256("\0".join(parts).encode()).hexdigest()
