"""Tasks that summarise earnings calls and filings."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from inspect_ai import Task, task
from inspect_ai.dataset import Dataset, MemoryDataset, Sample

from ..._util.errors import InputError, check_choice
from ...solvers import system_solver
from ..financebench.samples import QFS, SECTIONS, YOY
from .generated import REJECT, Reference, read_marks, read_references, references_folder
from .scorer_sets import summary_scorers
from .task import SystemArgs, build_task, known_parameters, prepared_dataset


@task
@known_parameters
def ectsum(
    *,
    split: str = "test",
    system: str = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of earnings calls (ECTSum, Mukherjee et al., EMNLP 2022).

    Prepare the corpus first: `arag-inspect prepare ectsum --split test`.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        split: test (495 calls), val (249) or train (1,681).
    """
    dataset = prepared_dataset("ectsum", corpus, split=split, target_length=target_length)
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))


@task
@known_parameters
def earnings_synthetic(
    *,
    system: str = "arag",
    corpus: str | None = None,
    target_length: int = 75,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of synthetic earnings calls, whose every fact is known.

    Prepare the corpus first: `arag-inspect prepare synthetic`.

    Common parameters and model roles: see `arag_inspect.tasks`.
    """
    dataset = prepared_dataset("synthetic", corpus, target_length=target_length)
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))


FilingTask = Literal["financebench_qfs", "section_summary", "yoy_change"]
Subset = Literal["seed", "all"]


_TASKS: dict[str, tuple[str, int, str]] = {
    "financebench_qfs": (QFS, 200, "no filing in it has risk factors or tells how a year went"),
    "section_summary": (SECTIONS, 300, "no section of its documents is long enough"),
    "yoy_change": (YOY, 250, "no company has annual filings of two consecutive years in it"),
}
"""File of the corpus, usual words of a summary, and what is wrong if the file is empty."""


@task
@known_parameters
def financebench_qfs(
    *,
    system: str = "arag",
    corpus: str | None = None,
    subset: Subset = "seed",
    references: str | None = None,
    target_length: int = 200,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Query-focused summaries of filings: key risk factors, operational highlights.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole
    sections: `arag-inspect prepare references financebench_qfs --model M`. Without
    them, and where an annotator rejected one, overlap and coverage are unscored.
    Gold for retrieval are all chunks of the sections from which a reference is
    written; precision and the share of reference facts read decide, not recall.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        subset: seed for one fiscal year of each company, the latest with both questions (about 80
            samples of the 360 filings), or all for every fiscal year.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/financebench_qfs` beside the corpus.
    """
    dataset = filing_samples("financebench_qfs", corpus, target_length, subset)
    dataset = with_references(dataset, "financebench_qfs", references)
    chosen = summary_scorers(scorers, "section_retrieval")
    return build_task(dataset, system_solver(system, system_args), chosen)


@task
@known_parameters
def section_summary(
    *,
    system: str = "arag",
    corpus: str | None = None,
    section: str | None = None,
    references: str | None = None,
    target_length: int = 300,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of one named section of a filing, in 200 to 400 words.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole
    sections: `arag-inspect prepare references section_summary --model M`. Without
    them, and where an annotator rejected one, overlap and coverage are unscored.
    Gold for retrieval are all chunks of the section.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        section: Only this section, e.g. `Risk Factors`; None takes each that is long enough.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/section_summary` beside the corpus.
    """
    dataset = filing_samples("section_summary", corpus, target_length)
    if section is not None:
        sections = sorted({str((sample.metadata or {}).get("section")) for sample in dataset})
        check_choice("section", section, sections)
        dataset = dataset.filter(lambda sample: (sample.metadata or {}).get("section") == section)
    dataset = with_references(dataset, "section_summary", references)
    chosen = summary_scorers(scorers, "section_retrieval")
    return build_task(dataset, system_solver(system, system_args), chosen)


@task
@known_parameters
def yoy_change(
    *,
    system: str = "arag",
    corpus: str | None = None,
    references: str | None = None,
    target_length: int = 250,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """What changed materially between two annual filings of a company, of consecutive years.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole
    sections: `arag-inspect prepare references yoy_change --model M`. Without
    them, and where an annotator rejected one, overlap and coverage are unscored.
    Gold for retrieval are both discussions by management, and unknown where one
    was not found. By default only the two
    filings are searched, for ten results, and naive RAG searches each of them.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/yoy_change` beside the corpus.
    """
    dataset = with_references(
        filing_samples("yoy_change", corpus, target_length), "yoy_change", references
    )
    solver = system_solver(system, system_args, top_k=10, scope="sample_documents")
    return build_task(dataset, solver, summary_scorers(scorers, "section_retrieval"))


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
    length = usual_length if target_length is None else target_length
    dataset = prepared_dataset(
        "financebench", corpus, target_length=length, samples=samples, if_empty=if_empty
    )
    with_gold = [_with_section_gold(sample) for sample in dataset]
    dataset = MemoryDataset(with_gold, name=dataset.name, location=dataset.location)
    seed = subset == "seed" and task == "financebench_qfs"
    return _one_year_each(dataset) if seed else dataset


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


def with_references(dataset: Dataset, task: str, folder: str | None) -> Dataset:
    """Give samples their silver references as targets and facts, except rejected ones.

    Args:
        dataset: Samples made by `prepared_dataset`.
        task: Name of the task.
        folder: Folder of the references; None for the default folder beside the corpus.

    Raises:
        InputError: A file cannot be read, or the named folder holds no references.
    """
    if not isinstance(folder, str | Path | None):
        raise InputError(f"references must be the path of a folder, got {folder!r}")
    beside = references_folder(Path(str(dataset.location)).parent, task)
    path = Path(folder).expanduser() if folder else beside
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
    about = {"origin": "none"}
    target, facts = sample.target, {}
    if reference is not None and mark == REJECT:
        about = {"origin": "none", "rejected": reference.model}
    elif reference is not None:
        target = reference.reference
        sentences = [fact.model_dump(exclude_defaults=True) for fact in reference.facts]
        facts = {"facts": sentences} if sentences else {}
        about = {
            "origin": "silver",
            "model": reference.model,
            "date": reference.date,
            "prompt_sha256": reference.prompt_sha256,
            "mark": mark or "unchecked",
        }
    metadata = {**(sample.metadata or {}), **facts, "reference": about}
    return sample.model_copy(update={"target": target, "metadata": metadata})
