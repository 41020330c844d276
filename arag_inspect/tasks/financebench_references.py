"""Silver references for the tasks on filings, written as a separate task."""

from inspect_ai import Task, task

from arag_inspect.scorers import efficiency
from arag_inspect.solvers import reference
from arag_inspect.tasks._build import build_task, known_parameters
from arag_inspect.tasks._filings import FilingTask, Subset, filing_samples


@task
@known_parameters
def financebench_references(
    *,
    summaries: FilingTask = "financebench_qfs",
    corpus: str | None = None,
    subset: Subset = "seed",
    target_length: int | None = None,
    prompt: str | None = None,
) -> Task:
    """Write a reference for each sample of a task on filings, from the whole relevant sections.

    `arag-inspect references TASK --model M` runs this and keeps what it wrote.

    Args:
        summaries: Task to write references for: financebench_qfs, section_summary or yoy_change.
        corpus: Name or path of the prepared corpus. Default `financebench`.
        subset: seed or all samples of financebench_qfs.
        target_length: Approximate words of a reference. Default: those of the task's summaries.
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    dataset = filing_samples(summaries, corpus, target_length, subset)
    return build_task(dataset, reference(prompt=prompt), [efficiency()])
