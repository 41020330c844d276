"""Read the samples of the tasks that summarise filings, with their silver references."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

from inspect_ai.dataset import Dataset as Samples
from inspect_ai.dataset import MemoryDataset, Sample

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.benchmark.samples import prepared_samples

from .._shared.silver_references import (
    REFERENCE_CHECK,
    Reference,
    read_references,
    references_folder,
)
from .._shared.spot_check import REJECT
from .reader import DATASET
from .samples import QFS, SECTIONS, YOY

Subset = Literal["seed", "all"]


def query_focused_samples(
    *, corpus: str | None, subset: Subset, references: str | None, target_length: int
) -> Samples:
    """Return the samples of `financebench_qfs`, with their references."""
    check_choice("subset", subset, get_args(Subset))
    if_empty = "no filing in it has risk factors or tells how a year went"
    samples = _load(QFS, if_empty, corpus, target_length)
    samples = _replace_samples(samples, map(_use_section_gold, samples))
    if subset == "seed":
        samples = _replace_samples(samples, _one_year_each(samples))
    return add_references(samples, "financebench_qfs", references)


def section_samples(
    *, corpus: str | None, section: str | None, references: str | None, target_length: int
) -> Samples:
    """Return the samples of `section_summary` on one section or all, with their references."""
    if_empty = "no section of its documents is long enough"
    samples = _load(SECTIONS, if_empty, corpus, target_length)
    if section is not None:
        titles = sorted({str(_section_title(sample)) for sample in samples})
        check_choice("section", section, titles)
        samples = samples.filter(lambda sample: _section_title(sample) == section)
    return add_references(samples, "section_summary", references)


def _section_title(sample: Sample) -> object:
    return (sample.metadata or {}).get("section")


def yoy_samples(*, corpus: str | None, references: str | None, target_length: int) -> Samples:
    """Return the samples of `yoy_change`, with their references."""
    if_empty = "no company has annual filings of two consecutive years in it"
    samples = _load(YOY, if_empty, corpus, target_length)
    return add_references(samples, "yoy_change", references)


def _load(file: str, if_empty: str, corpus: str | None, target_length: int) -> Samples:
    return prepared_samples(
        DATASET, corpus, target_length=target_length, samples=file, if_empty=if_empty
    )


def _replace_samples(dataset: Samples, samples: Iterable[Sample]) -> Samples:
    """Return a dataset with other samples."""
    return MemoryDataset(list(samples), name=dataset.name, location=dataset.location)


def _use_section_gold(sample: Sample) -> Sample:
    """Make the sections of a query-focused question its gold.

    A folder prepared by an earlier version has `reference_chunk_ids` without `partial_chunk_ids`,
    and the evidence of other questions as gold.
    """
    metadata = sample.metadata or {}
    if "reference_chunk_ids" not in metadata or "partial_chunk_ids" in metadata:
        return sample
    gold = {
        "gold_chunk_ids": metadata["reference_chunk_ids"],
        "partial_chunk_ids": metadata.get("gold_chunk_ids", []),
    }
    return sample.model_copy(update={"metadata": {**metadata, **gold}})


def _one_year_each(dataset: Samples) -> Iterator[Sample]:
    """Yield the samples of one year of each company: the latest year with most questions."""
    companies: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in dataset:
        question = (sample.metadata or {})["question_type"]
        company, year = str(sample.id).removesuffix(f"_{question}").rsplit("_", 1)
        companies[company][year].append(sample)
    for years in companies.values():
        yield from max(years.items(), key=lambda item: (len(item[1]), item[0]))[1]


def add_references(dataset: Samples, task: str, folder: str | None) -> Samples:
    """Give samples their silver references as targets and facts, except rejected ones.

    Args:
        dataset: Samples made by `prepared_samples`.
        task: Name of the task.
        folder: Folder of the references; None for the default folder beside the corpus.

    Raises:
        InputError: A file is unreadable, or the given folder has no references.
    """
    if not isinstance(folder, str | Path | None):
        raise InputError(f"references must be the path of a folder, got {folder!r}")
    default_folder = references_folder(Path(str(dataset.location)).parent, task)
    path = Path(folder).expanduser() if folder else default_folder
    references = read_references(path)
    marks = REFERENCE_CHECK.read(path, references)
    if folder and not references:
        raise InputError(f"{path} has no references; run: arag-inspect prepare references {task}")
    samples = []
    for sample in dataset:
        name = str(sample.id)
        samples.append(_add_reference(sample, references.get(name), marks.get(name, "")))
    return _replace_samples(dataset, samples)


def _add_reference(sample: Sample, reference: Reference | None, mark: str) -> Sample:
    reference_origin = {"origin": "none"}
    target = sample.target
    facts = {}
    if reference is not None and mark == REJECT:
        reference_origin = {"origin": "none", "rejected": reference.model}
    elif reference is not None:
        target = reference.reference
        sentences = [fact.model_dump(exclude_defaults=True) for fact in reference.facts]
        facts = {"facts": sentences} if sentences else {}
        reference_origin = {
            "origin": "silver",
            "model": reference.model,
            "date": reference.date,
            "prompt_sha256": reference.prompt_sha256,
            "mark": mark or "unchecked",
        }
    metadata = {**(sample.metadata or {}), **facts, "reference": reference_origin}
    return sample.model_copy(update={"target": target, "metadata": metadata})
