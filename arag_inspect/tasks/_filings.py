"""Samples of the three tasks that summarise filings."""

from collections import defaultdict
from typing import Literal, NamedTuple

from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from .._util.errors import check_choice
from ..datasets.sources.financebench.samples import QFS, SECTIONS, YOY
from ._dataset import prepared_dataset

FilingTask = Literal["financebench_qfs", "section_summary", "yoy_change"]
Subset = Literal["seed", "all"]


class _FilingSamples(NamedTuple):
    samples: str
    """File of the corpus."""

    target_length: int
    if_empty: str


_TASKS: dict[str, _FilingSamples] = {
    "financebench_qfs": _FilingSamples(
        QFS, 200, "no filing in it has risk factors or tells how a year went"
    ),
    "section_summary": _FilingSamples(
        SECTIONS, 300, "no section of its documents is long enough to be summarized"
    ),
    "yoy_change": _FilingSamples(
        YOY, 250, "no company has annual filings of two consecutive years in it; prepare others"
    ),
}


def filing_samples(
    task: str, corpus: str | None, target_length: int | None = None, subset: str = "all"
) -> Dataset:
    """Read the samples of a task on filings.

    Args:
        task: Name of the task.
        corpus: Name or path of the corpus. Default `financebench`.
        target_length: Approximate words of each summary; None takes the task's.
        subset: `seed` for one fiscal year of each company (query-focused summaries only), or
            `all`.

    Raises:
        InputError: The task or subset is unknown, or the corpus has no such samples.
    """
    check_choice("task", task, tuple(_TASKS))
    check_choice("subset", subset, ("seed", "all"))
    samples, usual_length, if_empty = _TASKS[task]
    dataset = prepared_dataset(
        "financebench",
        corpus,
        target_length=usual_length if target_length is None else target_length,
        samples=samples,
        if_empty=if_empty,
    )
    seed = subset == "seed" and task == "financebench_qfs"
    return _one_year_each(dataset) if seed else dataset


def _one_year_each(dataset: Dataset) -> Dataset:
    """Keep one fiscal year of each company: of those with most questions, the latest."""
    companies: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in dataset:
        question = (sample.metadata or {})["question_type"]
        company, year = str(sample.id).removesuffix(f"_{question}").rsplit("_", 1)
        companies[company][year].append(sample)
    chosen = [
        max(years.items(), key=lambda item: (len(item[1]), item[0]))[1]
        for years in companies.values()
    ]
    samples = [sample for year in chosen for sample in year]
    return MemoryDataset(samples, name=dataset.name, location=dataset.location)
