"""Silver references for the query-focused summaries, written as a task of its own."""

from inspect_ai import Task, task

from arag_inspect.datasets.financebench.samples import QFS
from arag_inspect.scorers import efficiency
from arag_inspect.solvers import reference
from arag_inspect.tasks._build import build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset


@task
@known_parameters
def financebench_references(
    *, corpus: str | None = None, target_length: int = 200, prompt: str | None = None
) -> Task:
    """Write a reference for each sample of `financebench_qfs` from the whole relevant sections.

    `arag-inspect references financebench_qfs --model M` runs this and keeps
    what it wrote.

    Args:
        corpus: Name or path of the prepared corpus.
        target_length: Approximate words of a reference.
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    dataset = prepared_dataset(
        "financebench",
        corpus,
        target_length=target_length,
        samples=QFS,
        if_empty="no filing in it has risk factors or tells how a year went",
    )
    return build_task(dataset, reference(prompt=prompt), [efficiency()])
