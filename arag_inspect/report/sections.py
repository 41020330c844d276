"""Sections of a report, with their tables in reading order."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from .._util.errors import check_choice
from ..types.additions import additions
from .analyses import (
    agreement,
    cost,
    differences,
    errors,
    evidence,
    examples,
    facts,
    find_analyses,
    human,
    leaderboard,
    length,
    quality,
    retrieval,
    rubrics,
    runs,
    sections,
    sweeps,
)
from .analysis import Analysis
from .study import Study
from .table import Table


class SectionLayout(NamedTuple):
    """Title and tables of a section."""

    title: str
    analyses: tuple[Analysis, ...]


SECTIONS = {
    "overview": SectionLayout("Overview", (leaderboard.leaderboard, quality.success)),
    "quality": SectionLayout(
        "Quality",
        (
            quality.headline,
            quality.good_grades,
            quality.by_question,
            quality.by_part,
            differences.comparisons,
            sweeps.which_system,
            sweeps.which_model,
            differences.equal_budget,
            differences.power,
            differences.consistency,
            differences.beyond_chance,
            differences.mcnemar,
        ),
    ),
    "cost": SectionLayout("Cost", (cost.cost,)),
    "retrieval": SectionLayout(
        "Retrieval",
        (
            length.by_length,
            facts.paths,
            facts.fact_differences,
            facts.lost_facts,
            differences.bounds,
            retrieval.sufficiency,
            rubrics.criteria_met,
            rubrics.rubric_categories,
            retrieval.retrieval,
            retrieval.search_ranking,
            retrieval.recall_by_chunks,
            retrieval.recall_by_tokens,
            retrieval.recall_by_loop,
            sections.sections,
            evidence.evidence_levels,
        ),
    ),
    "errors": SectionLayout("Errors", (errors.errors, errors.failures)),
    "samples": SectionLayout("Samples", (examples.examples,)),
    "method": SectionLayout(
        "Method and details",
        (
            agreement.agreement,
            agreement.self_consistency,
            human.human_agreement,
            human.corrected_means,
            agreement.length_bias,
            agreement.correlations,
            runs.models,
            runs.runs,
        ),
    ),
    "appendix": SectionLayout(
        "Samples behind the figures", (runs.attrition, runs.reasons, runs.denominators)
    ),
}
"""Sections by id, in reading order; those of benchmarks follow quality."""

Tables = Mapping[tuple[str, str], Sequence[Callable[[Study], Table | None]]]
"""Analyses of a section, or functions that make its tables, by its id and title."""


def tables_by_section() -> Tables:
    """Return the analyses of a report, with those that other files and benchmarks add.

    Raises:
        InputError: An added analysis names no section, or an unknown one.
    """
    added = _added_analyses()
    tables: dict[tuple[str, str], Sequence[Callable[[Study], Table | None]]] = {}
    for name, section in SECTIONS.items():
        added_here = [analysis for analysis in added if analysis.section == name]
        tables[name, section.title] = [*section.analyses, *added_here]
        if name == "quality":
            for addition in additions():
                tables |= addition.tables() if addition.tables is not None else {}
    return tables


def _added_analyses() -> list[Analysis]:
    """Return the analyses that no section lists."""
    placed_analyses = {*chain.from_iterable(section.analyses for section in SECTIONS.values())}
    added = [analysis for analysis in find_analyses() if analysis not in placed_analyses]
    for analysis in added:
        check_choice(f"section of the analysis {analysis.id}", analysis.section, tuple(SECTIONS))
    return added
