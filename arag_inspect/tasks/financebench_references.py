"""Silver references for the query-focused summaries, written as a task of its own."""

from inspect_ai import Task, task

from arag_inspect.datasets.financebench.samples import QFS
from arag_inspect.scorers import efficiency
from arag_inspect.solvers.reference import reference
from arag_inspect.tasks._build import assemble
from arag_inspect.tasks._dataset import prepared_dataset


@task
def financebench_references(
    *, corpus: str = "financebench", target_length: int = 200, prompt: str | None = None
) -> Task:
    """Write a reference for each sample of `financebench_qfs`, from the whole of the relevant sections.

    `arag-inspect references financebench_qfs --model M` runs this and keeps
    what it wrote.

    Args:
        corpus: Name or path of the prepared corpus.
        target_length: Words that a reference should have, about.
        prompt: System prompt to use instead of ours, as text or the path of a file.
    """
    dataset = prepared_dataset(
        corpus,
        dataset="financebench",
        split=None,
        prepare="arag-inspect prepare financebench",
        target_length=target_length,
        samples=QFS,
        without="no filing in it has risk factors or tells how a year went",
    )
    return assemble(corpus, dataset, reference(prompt=prompt), [efficiency()])
