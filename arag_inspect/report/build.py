"""Content of a report, independent of its format."""

import html
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from .._util.errors import check_choice
from .._util.progress import Progress, no_progress
from ..measure import find_key
from .analysis import Analysis
from .chart import Chart
from .charts import charts
from .comparison.comparisons import Comparison, all_comparisons
from .comparison.examples import Example, choose_examples
from .comparison.ranking import Leaderboard, rank_systems
from .criterion import Criterion
from .findings.failures import Failure, most_frequent_failure
from .findings.findings import Finding, findings
from .findings.headline import headline
from .findings.key_finding import key_finding
from .findings.lost_facts import lost_facts_line
from .findings.notices import deciding_note, study_notices
from .frames import Frames, Notice
from .labels import label_of
from .sections import Tables, tables_by_section
from .study import Choices, Study, studies
from .table import Table


class ReportSection(NamedTuple):
    """Tables and charts under one heading."""

    id: str
    title: str
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...] = ()


FIRST = ("overview", "changes", "moves")
"""Sections on the first page of the Markdown, and in the overview of the page."""


@dataclass(frozen=True, repr=False)
class StudyReport:
    """The report on one study."""

    study: Study
    sections: tuple[ReportSection, ...]
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        """Return the leaderboard and what it shows."""
        lines = [self.study.title, self.headline]
        board = self.table("leaderboard")
        if board:
            lines.append(repr(board))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        texts = [self.study.title, self.headline]
        lines = [f"<p>{html.escape(text)}</p>" for text in texts]
        board = self.table("leaderboard")
        if board:
            lines.append(board._repr_html_())
        return "\n".join(lines)

    @property
    def headline(self) -> str:
        """One line on which system wins, and by how much."""
        return headline(self.study)

    @property
    def key_finding(self) -> str | None:
        """Sentence on what retrieval adds; None if no system retrieves or none reads everything."""
        return key_finding(self.study)

    @property
    def examples(self) -> tuple[Example, ...]:
        """Samples that show how the systems differ."""
        return choose_examples(self.study)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """Primary comparisons, then secondary ones."""
        return all_comparisons(self.study)

    @property
    def leaderboard(self) -> Leaderboard:
        """Systems by rank."""
        return rank_systems(self.study)

    @property
    def failure(self) -> Failure | None:
        """The most frequent failure; None if nothing failed, or it is not known."""
        return most_frequent_failure(self.study)

    @property
    def lost_facts(self) -> str:
        """Share of the facts that each system loses; empty if unknown."""
        return lost_facts_line(self.study)

    @property
    def tables(self) -> list[Table]:
        """Every table, in reading order."""
        return list(chain.from_iterable(section.tables for section in self.sections))

    @property
    def charts(self) -> list[Chart]:
        """Every chart, in reading order."""
        return list(chain.from_iterable(section.charts for section in self.sections))

    def table(self, name: str) -> Table | None:
        """Return a table by its id or title, see `tables`; None if it was not made."""
        return next((table for table in self.tables if name in (table.id, table.title)), None)


@dataclass(frozen=True, repr=False)
class Report:
    """The report on every study."""

    frames: Frames
    studies: tuple[StudyReport, ...]
    notices: tuple[Notice, ...]
    """Omissions and warnings."""

    def __repr__(self) -> str:
        """Return the findings of every study."""
        return "\n\n".join(map(repr, self.studies))

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return "".join(study._repr_html_() for study in self.studies)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Primary measures that could not be judged, by benchmark if there are several."""
        texts = []
        for part in self.studies:
            prefix = f"{part.study.name}: " if len(self.studies) > 1 else ""
            unjudged = [finding for finding in part.findings if finding.kind == "not judged"]
            texts += [f"{prefix}{finding.text}" for finding in unjudged]
        return tuple(texts)


def make_report(
    frames: Frames,
    primary: Sequence[str] = (),
    criteria: Sequence[Criterion] = (),
    *,
    baseline: str | None = None,
    is_change: bool = False,
    analyses: Sequence[Analysis] = (),
    progress: Progress = no_progress,
) -> Report:
    """Make all tables, comparisons and findings.

    Args:
        frames: Frames of the logs.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, e.g. those of `read_criteria`.
        baseline: System, or its solver, with which every other is compared, also those of another
            model.
        is_change: Whether each benchmark has two runs, the new one first. The caller is then
            responsible for warnings about their comparability.
        analyses: Analyses of your own, declared by `arag_inspect.report.analysis.analysis`.
        progress: Shows how many benchmarks are done.

    Raises:
        InputError: A primary measure, or the baseline, is not in the logs; or the section of an
            analysis is unknown.
    """
    if baseline is not None:
        systems = tuple(dict.fromkeys(frames.runs["system"]))
        baseline = baseline if baseline in systems else label_of(baseline)
        check_choice("baseline", baseline, systems)
    measures = tuple(dict.fromkeys(chain.from_iterable(frames.runs["measures"])))
    primary = tuple(find_key(name, measures, "primary measure") for name in primary)
    parts = studies(frames, Choices(primary, tuple(criteria), baseline, is_change))
    tables = tables_by_section(analyses)
    reports = []
    with progress(len(parts)) as advance:
        for study in parts:
            sections = draw(study, make_sections(study, tables))
            reports.append(StudyReport(study, sections, findings(study)))
            advance()
    notices = frames.notices
    if not is_change:
        notices += study_notices(parts)
    if not primary:
        notes = dict.fromkeys(deciding_note(study) for study in parts)
        notices += tuple(Notice("note", note) for note in notes if note)
    return Report(frames, tuple(reports), notices)


def make_sections(study: Study, tables: Tables) -> tuple[ReportSection, ...]:
    """Make the tables for which a benchmark has figures, by section."""
    sections = []
    for (name, title), makers in tables.items():
        section_tables = [make(study) for make in makers]
        with_rows = tuple(table for table in section_tables if table is not None)
        if with_rows:
            sections.append(ReportSection(name, title, with_rows))
    return tuple(sections)


def draw(study: Study, sections: Sequence[ReportSection]) -> tuple[ReportSection, ...]:
    """Add the charts of a benchmark to its sections."""
    by_section: dict[str, list[Chart]] = defaultdict(list)
    for chart in charts(study, {section.id: section.tables for section in sections}):
        by_section[chart.section].append(chart)
    return tuple(section._replace(charts=tuple(by_section[section.id])) for section in sections)
