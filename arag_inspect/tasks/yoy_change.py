"""Two annual filings of a company, compared."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._filings import filing_samples
from arag_inspect.tasks._scorer_sets import summary_scorers
from arag_inspect.tasks._silver_references import with_references


@task
@known_parameters
def yoy_change(
    *,
    system: System = "arag",
    corpus: str | None = None,
    references: str | None = None,
    target_length: int = 250,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """What changed materially between two annual filings of a company, of consecutive years.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    References are silver, written by a model that was given the whole
    sections: `arag-inspect references yoy_change --model M`. Without
    them, and where a person rejected one, overlap and coverage are unscored.
    Gold for retrieval are both discussions by management. By default only the two
    filings are searched, for ten results, and naive RAG searches each of them.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        references: Folder with `references.jsonl` and `spot_check.csv`. Default
            `<corpus>-references/yoy_change` beside the corpus.
    """
    dataset = filing_samples("yoy_change", corpus, target_length)
    return build_task(
        with_references(dataset, "yoy_change", references),
        system_solver(system, system_args, top_k=10, scope="sample_documents"),
        summary_scorers(scorers, comparison=True),
    )
