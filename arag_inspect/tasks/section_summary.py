"""Summaries of one section of a filing."""

from collections.abc import Sequence

from inspect_ai import Task, task

from arag_inspect._util.errors import check_choice
from arag_inspect.solvers import System, system_solver
from arag_inspect.tasks._build import SystemArgs, build_task, known_parameters
from arag_inspect.tasks._filings import filing_samples
from arag_inspect.tasks._scorer_sets import summary_scorers
from arag_inspect.tasks._silver_references import with_references


@task
@known_parameters
def section_summary(
    *,
    system: System = "arag",
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
    sections: `arag-inspect references section_summary --model M`. Without
    them, and where a person rejected one, overlap and coverage are unscored.
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
    return build_task(
        with_references(dataset, "section_summary", references),
        system_solver(system, system_args),
        summary_scorers(scorers),
    )
