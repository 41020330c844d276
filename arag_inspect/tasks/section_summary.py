"""Summaries of one section of a filing."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect._util.errors import check_choice
from arag_inspect.datasets.financebench.samples import SECTIONS
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._dataset import prepared_dataset
from arag_inspect.tasks._scorer_sets import summary_scorers


@task
@known_parameters
def section_summary(
    *,
    system: System = "arag",
    corpus: str | None = None,
    section: str | None = None,
    target_length: int = 300,
    system_args: SystemArgs = None,
    scorers: str | Sequence[str] = "default",
) -> Task:
    """Summaries of one named section of a filing, in 200 to 400 words.

    Prepare the corpus first: `arag-inspect prepare financebench`.

    There is no reference: overlap and coverage are unscored. Gold for
    retrieval are all chunks of the section.

    Common parameters and model roles: see `arag_inspect.tasks`.

    Args:
        section: Only this section, e.g. `Risk Factors`; None takes each that is long enough.
    """
    dataset = prepared_dataset(
        "financebench",
        corpus,
        target_length=target_length,
        samples=SECTIONS,
        if_empty="no section of its documents is long enough to be summarized",
    )
    if section is not None:
        sections = sorted({str((sample.metadata or {}).get("section")) for sample in dataset})
        check_choice("section", section, sections)
        dataset = dataset.filter(lambda sample: (sample.metadata or {}).get("section") == section)
    return build_task(dataset, system_solver(system, system_args), summary_scorers(scorers))
