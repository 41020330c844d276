"""Query-focused summaries of filings."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._filings import Subset, filing_samples
from arag_inspect.tasks._scorer_sets import summary_scorers
from arag_inspect.tasks._silver_references import with_references


@task
@known_parameters
def financebench_qfs(
    *,
    system: System = "arag",
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
    sections: `arag-inspect references financebench_qfs --model M`. Without
    them, and where a person rejected one, overlap and coverage are unscored.
    Gold for retrieval is partial: the evidence of the benchmark's questions on
    the same filings.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        subset: seed for one fiscal year of each company, the latest with both questions (about 80
            samples of the 360 filings), or all for every fiscal year.
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/financebench_qfs` beside the corpus.
    """
    dataset = filing_samples("financebench_qfs", corpus, target_length, subset)
    return build_task(
        with_references(dataset, "financebench_qfs", references),
        system_solver(system, system_args),
        summary_scorers(scorers),
    )
