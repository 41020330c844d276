"""Write silver references: run the task, keep its answers."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.log import EvalSample

from ..corpus import Corpus, read_manifest
from ..datasets.generated import (
    REJECT,
    Reference,
    make_folder,
    read_marks,
    read_references,
    references_folder,
    write_references,
)
from ..prompts import custom_prompt, load_prompt
from ..scorers import efficiency
from ..solvers import reference
from ..tasks._build import build_task
from ..tasks.summaries import Subset, filing_samples
from ..types.trace import trace_of
from ._run_task import run_task


class Written(NamedTuple):
    """Result of a run."""

    folder: Path
    new: int
    kept: int
    """References of an earlier run with the same model, prompt and corpus."""

    rejected: int
    """Rejected references among the kept ones."""

    failed: Mapping[str, str]
    """Samples without a reference, and why."""


def make_references(
    model: str,
    *,
    task: str = "financebench_qfs",
    corpus: str = "financebench",
    subset: Subset = "seed",
    out: Path | None = None,
    limit: int | None = None,
    overwrite: bool = False,
    prompt: str | None = None,
    target_length: int | None = None,
    seed: int = 7,
    log_dir: str = "logs/references",
) -> Written:
    """Write the missing references of a task on filings.

    References of samples missing from the corpus are kept.

    Args:
        model: Model that writes.
        task: financebench_qfs, section_summary or yoy_change.
        corpus: Name or path of the prepared corpus.
        subset: `seed` or `all` samples of financebench_qfs.
        out: Folder for `references.jsonl` and `spot_check.csv`; None for beside the corpus.
        limit: Most new references.
        overwrite: Overwrite existing references.
        prompt: System prompt to use instead of ours, as text or the path of a file.
        target_length: Approximate words of a reference; None uses the task's.
        seed: Seed of the tenth for an annotator to check.
        log_dir: Folder of Inspect's log.

    Raises:
        InputError: The corpus is not prepared, files of an earlier run cannot be read, or `out`
            cannot be written to.
    """
    dataset = filing_samples(task, corpus, target_length, subset)
    writing = build_task(
        dataset, reference(prompt=prompt), [efficiency()], name="financebench_references"
    )
    corpus_folder = Corpus.locate(corpus)
    folder = out or references_folder(corpus_folder, task)
    references = read_references(folder)
    marks = read_marks(folder, references)
    settings = {
        "model": model,
        "prompt_sha256": _prompt_digest(prompt, writing.dataset[0].metadata or {}),
        "chunks_sha256": read_manifest(corpus_folder).chunks_sha256,
    }
    ids = [str(sample.id) for sample in writing.dataset]
    done = [
        name
        for name in ids
        if name in references and settings.items() <= references[name].model_dump().items()
    ]
    todo = [name for name in ids if overwrite or name not in done][:limit]
    failed: dict[str, str] = {}
    new: dict[str, Reference] = {}
    if todo:
        make_folder(folder)
        # a failed sample is reported; the others keep their references
        options = {"sample_id": todo, "log_dir": log_dir, "fail_on_error": False}
        for sample in run_task(writing, model, "writing references", **options).samples or []:
            if (why := _fault(sample)) is not None:
                failed[str(sample.id)] = why
            else:
                new[str(sample.id)] = _reference(sample, settings)
    if new:
        merged = {**references, **new}
        order = dict.fromkeys(name for name in (*ids, *merged) if name in merged)
        write_references(folder, [merged[name] for name in order], seed=seed)
    kept = {*done} - {*new}
    rejected = sum(marks.get(name) == REJECT for name in kept)
    return Written(folder, len(new), len(kept), rejected, failed)


def _reference(sample: EvalSample, settings: Mapping[str, str]) -> Reference:
    request = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    return Reference(
        id=str(sample.id),
        question=str(sample.metadata.get("question") or request),
        reference=sample.output.completion.strip(),
        date=datetime.now(UTC).date().isoformat(),
        chunk_ids=[passage.chunk_id for passage in trace_of(sample).passages],
        **settings,
    )


def _fault(sample: EvalSample) -> str | None:
    """Return why a sample has no reference; None if it has one."""
    if sample.error is not None:
        return sample.error.message
    if skipped := trace_of(sample).skipped:
        return skipped
    if sample.output.stop_reason in ("content_filter", "max_tokens"):
        return f"the reply ended with {sample.output.stop_reason}"
    return None if sample.output.completion.strip() else "the reply is empty"


def _prompt_digest(prompt: str | None, metadata: Mapping[str, Any]) -> str:
    """Return the digest of the prompt without passages and request."""
    style = load_prompt(f"styles/{metadata['style']}")
    parts = (custom_prompt(prompt, "systems/reference"), style, str(metadata["target_length"]))
    return sha256("\0".join(parts).encode()).hexdigest()
