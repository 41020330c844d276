"""Samples from a results file, each with the answer to replay."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Dataset as Samples
from inspect_ai.dataset import MemoryDataset, Sample

from arag_inspect._util.errors import InputError
from arag_inspect.benchmark.samples import read_corpus_samples
from arag_inspect.benchmarks._shared.other_tools.record import Record
from arag_inspect.benchmarks._shared.other_tools.results import read_results, systems_of
from arag_inspect.benchmarks._shared.question_file import sample_metadata_of
from arag_inspect.corpus import Corpus, read_manifest
from arag_inspect.systems.replay import RECORDED

ORIGIN_SCORES = "origin_scores"
"""Metadata key of the scores given by other tools, by origin and name."""


def read_answers(
    *,
    file: str | None,
    columns: str,
    split: str,
    corpus: str | None,
    answered_by: str,
    label: str,
) -> Samples:
    """Make the samples from the parameters of the task `replayed`.

    Raises:
        InputError: The file is unreadable, or holds answers of several systems.
    """
    if not isinstance(file, str):
        raise InputError("replayed needs a file of results: -T file=PATH")
    path = Path(file).expanduser()
    records = read_results(path, columns, split)
    systems = systems_of(records)
    selected_system = str(answered_by or "")
    if systems and selected_system not in systems:
        raise InputError(
            f"{path.name} holds answers of {', '.join(systems[:10])}; choose one: -T "
            "answered_by=NAME"
        )
    items = [item for item in records.items if not systems or item.source == selected_system]
    prepared = _prepared_samples(corpus)
    system_label = label or selected_system or path.stem
    samples = [_sample(item, system_label, prepared) for item in items]
    return MemoryDataset(samples, name="replayed", location=str(path))


def _prepared_samples(corpus: str | None) -> Mapping[str, Sample]:
    """Return a prepared corpus's samples by id and by question, and an empty sample under `""`."""
    if corpus is None:
        return {}
    empty_sample = Sample(id="", input="", metadata={"corpus": corpus})
    Corpus.open(corpus)
    try:
        samples = list(read_corpus_samples(corpus, read_manifest(Corpus.locate(corpus))))
    except InputError:  # a corpus may have no questions
        samples = []
    samples_by_name = {"": empty_sample}
    for sample in samples:
        samples_by_name[str(sample.input)] = sample
        samples_by_name[str(sample.id)] = sample
    return samples_by_name


def _sample(record: Record, label: str, prepared: Mapping[str, Sample]) -> Sample:
    """Return a sample with its answer, and with the corpus's gold if it has the same question."""
    names = (record.record_id, record.question, "")
    counterpart = next((prepared[name] for name in names if name in prepared), None)
    gold: Mapping[str, Any] = (counterpart.metadata or {}) if counterpart is not None else {}
    target: str | Sequence[str] = record.references
    if len(target) == 1:
        target = target[0]
    elif not target:
        target = "" if counterpart is None else counterpart.target
    metadata = {
        **sample_metadata_of(record),
        "style": "qa",
        "question_type": record.question_type or None,
        "evidence": list(record.evidence),
        ORIGIN_SCORES: record.scores,
        **gold,
        RECORDED: _answer(record, label),
    }
    known_id = "" if counterpart is None else counterpart.id
    return Sample(
        id=known_id or record.record_id,
        input=record.question,
        target=target if isinstance(target, str) else list(target),
        metadata=metadata,
    )


def _answer(record: Record, label: str) -> dict[str, Any]:
    """Return the answer of a record for `replay_recorded`."""
    return {
        "id": record.record_id,
        "predicted": record.answer,
        "error": record.error if record.has_failed else None,
        "input_tokens": int(record.input_tokens or 0),
        "output_tokens": int(record.output_tokens or 0),
        "cost_usd": record.cost_usd,
        "latency_ms": record.latency_ms,
        "replay": {"system": label, "context": "retrieved" if record.has_read_nothing else None},
        "passage_texts": list(record.passages),
    }
