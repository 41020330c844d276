"""Samples of the tasks that summarise filings, with their silver references."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Dataset as Samples
from inspect_ai.dataset import MemoryDataset, Sample

from ..._util.errors import InputError, check_choice
from ...benchmark import Dataset
from ...benchmark.samples import prepared_samples
from ...benchmark.scorers import Values
from .._shared.silver_references import Reference, read_marks, read_references, references_folder
from .._shared.spot_check import REJECT
from .reader import read_financebench
from .samples import QFS, SECTIONS, YOY
from .selection import REPOSITORY

Subset = Literal["seed", "all"]

DATASET = Dataset(
    name="financebench",
    title="FinanceBench",
    summary="SEC filings with questions and the pages that answer them "
    "(CC BY-NC 4.0, downloaded from its authors).",
    read=read_financebench,
    if_empty="no question is about one of its documents; prepare others",
    further_tasks={QFS: "financebench_qfs", SECTIONS: "section_summary", YOY: "yoy_change"},
    licence="CC BY-NC 4.0",
    citation="Islam et al., 2023",
    url=REPOSITORY,
)

_TASKS: Mapping[str, tuple[str, str]] = {
    "financebench_qfs": (QFS, "no filing in it has risk factors or tells how a year went"),
    "section_summary": (SECTIONS, "no section of its documents is long enough"),
    "yoy_change": (YOY, "no company has annual filings of two consecutive years in it"),
}
"""File of the corpus, and the error message if it is empty."""


def query_focused_samples(values: Values) -> Samples:
    """Return the samples of `financebench_qfs`, with their references."""
    return _load_with_references("financebench_qfs", values, values["subset"])


def section_samples(values: Values) -> Samples:
    """Return the samples of `section_summary` on one section or all, with their references."""
    samples = _load_with_references("section_summary", values)
    section = values["section"]
    if section is None:
        return samples
    sections = sorted({str(_section_title(sample)) for sample in samples})
    check_choice("section", section, sections)
    return samples.filter(lambda sample: _section_title(sample) == section)


def _section_title(sample: Sample) -> object:
    return (sample.metadata or {}).get("section")


def yoy_samples(values: Values) -> Samples:
    """Return the samples of `yoy_change`, with their references."""
    return _load_with_references("yoy_change", values)


def _load_with_references(task: str, values: Values, subset: str = "all") -> Samples:
    """Read the samples of a task on filings, with their references.

    Args:
        task: Name of the task.
        values: Its parameters.
        subset: `seed` for one fiscal year of each company, or `all`.

    Raises:
        InputError: The subset is unknown, or the corpus has no such samples.
    """
    check_choice("subset", subset, ("seed", "all"))
    file, if_empty = _TASKS[task]
    dataset = prepared_samples(
        DATASET,
        values["corpus"],
        target_length=values["target_length"],
        samples=file,
        if_empty=if_empty,
    )
    with_gold = [_with_section_gold(sample) for sample in dataset]
    dataset = MemoryDataset(with_gold, name=dataset.name, location=dataset.location)
    selected_samples = _one_year_each(dataset) if subset == "seed" else dataset
    return with_references(selected_samples, task, values["references"])


def _with_section_gold(sample: Sample) -> Sample:
    """Make the sections of a query-focused question its gold.

    A folder prepared by an earlier version has `reference_chunk_ids` without `partial_chunk_ids`,
    and names the evidence of other questions as gold.
    """
    metadata = sample.metadata or {}
    if "reference_chunk_ids" not in metadata or "partial_chunk_ids" in metadata:
        return sample
    gold = {
        "gold_chunk_ids": metadata["reference_chunk_ids"],
        "partial_chunk_ids": metadata.get("gold_chunk_ids", []),
    }
    return sample.model_copy(update={"metadata": {**metadata, **gold}})


def _one_year_each(dataset: Samples) -> Samples:
    """Keep one fiscal year of each company: of those with most questions, the latest."""
    companies: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in dataset:
        question = (sample.metadata or {})["question_type"]
        company, year = str(sample.id).removesuffix(f"_{question}").rsplit("_", 1)
        companies[company][year].append(sample)
    selected_samples = [
        max(years.items(), key=lambda item: (len(item[1]), item[0]))[1]
        for years in companies.values()
    ]
    samples = list(chain.from_iterable(selected_samples))
    return MemoryDataset(samples, name=dataset.name, location=dataset.location)


def with_references(dataset: Samples, task: str, folder: str | None) -> Samples:
    """Give samples their silver references as targets and facts, except rejected ones.

    Args:
        dataset: Samples made by `prepared_samples`.
        task: Name of the task.
        folder: Folder of the references; None for the default folder beside the corpus.

    Raises:
        InputError: A file cannot be read, or the named folder holds no references.
    """
    if not isinstance(folder, str | Path | None):
        raise InputError(f"references must be the path of a folder, got {folder!r}")
    default_folder = references_folder(Path(str(dataset.location)).parent, task)
    path = Path(folder).expanduser() if folder else default_folder
    references = read_references(path)
    marks = read_marks(path, references)
    if folder and not references:
        raise InputError(f"{path} holds no references; run: arag-inspect prepare references {task}")
    samples = []
    for sample in dataset:
        name = str(sample.id)
        samples.append(_with_reference(sample, references.get(name), marks.get(name, "")))
    return MemoryDataset(samples, name=dataset.name, location=dataset.location)


def _with_reference(sample: Sample, reference: Reference | None, mark: str) -> Sample:
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
