"""Content of a report, independent of its format."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._util.errors import check_choice
from .._util.progress import Progress, silent
from .._util.registry import SECTIONS, load_hook
from .benchmark import Benchmark, benchmarks
from .comparisons import (
    Comparison,
    PairFamily,
    compare_at_equal_budget,
    compare_systems,
    family_of,
)
from .criteria import Criterion, judge_criteria, read_criteria
from .examples import Example, choose_examples, listed
from .findings import Finding, findings
from .frames import Frames, Notice
from .primary import primary_measures
from .table import Table
from .tables.agreement import (
    agreement,
    cases_by_judge,
    consistencies,
    correlations,
    length_bias,
    noise_floors,
    overlap_against_judges,
    ratings,
    self_consistency,
)
from .tables.attrition import attrition, denominators, reasons, runs, stuffable
from .tables.cost import cost
from .tables.differences import comparisons, equal_budget, power
from .tables.human import corrected_means, human_agreement
from .tables.leaderboard import Leaderboard, leaderboard, rank_systems
from .tables.quality import by_question, errors, failures, headline
from .tables.retrieval import recall_by_chunks, recall_by_loop, recall_by_tokens, retrieval
from .tables.sections import sections as sections_used
from .tables.summary import six_figures, success
from .validity import cautions


@dataclass(frozen=True)
class Section:
    """Tables under one heading."""

    id: str
    title: str
    tables: tuple[Table, ...]
    first: bool = False
    """Whether it is on the first page of the Markdown, and open on the page."""


@dataclass(frozen=True)
class BenchmarkReport:
    """The report on one benchmark."""

    benchmark: Benchmark
    primary: tuple[str, ...]
    """Measures that decide the comparison."""

    leaderboard: Leaderboard
    findings: tuple[Finding, ...]
    family: PairFamily
    """Pairs of systems that are compared."""

    comparisons: tuple[Comparison, ...]
    sections: tuple[Section, ...]
    examples: tuple[Example, ...]

    def table(self, table_id: str) -> Table | None:
        """Return a table by its id; None if it was not made."""
        tables = (table for section in self.sections for table in section.tables)
        return next((table for table in tables if table.id == table_id), None)


@dataclass(frozen=True)
class Report:
    """The report on all benchmarks."""

    frames: Frames
    benchmarks: tuple[BenchmarkReport, ...]
    notices: tuple[Notice, ...]
    """Omissions and warnings."""

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Primary measures that could not be judged, by benchmark if there are several."""
        several = len(self.benchmarks) > 1
        return tuple(
            f"{part.benchmark.name}: {finding.text}" if several else finding.text
            for part in self.benchmarks
            for finding in part.findings
            if finding.unjudged
        )


def make_report(
    frames: Frames,
    primary: Sequence[str] = (),
    criteria: Sequence[Criterion] | None = None,
    *,
    baseline: str | None = None,
    cautious: bool = True,
    progress: Progress = silent,
) -> Report:
    """Make all tables, comparisons and findings.

    Args:
        frames: Frames of the logs.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, in place of the package's list.
        baseline: System with which every other is compared, also those of another model.
        cautious: Whether to add what puts a comparison in doubt to the notices.
        progress: Shows how many benchmarks are done.

    Raises:
        InputError: A primary measure, or the baseline, is not in the logs.
    """
    if baseline is not None:
        check_choice("baseline", baseline, tuple(dict.fromkeys(frames.runs["system"])))
    parts = benchmarks(frames)
    measures = dict.fromkeys(name for benchmark in parts for name in benchmark.measures)
    for name in primary:
        check_choice("primary measure", name, tuple(measures))
    if criteria is None:
        criteria = read_criteria()
    reports = []
    with progress(len(parts)) as advance:
        for benchmark in parts:
            reports.append(_report(benchmark, primary, criteria, baseline))
            advance()
    notices = (*frames.notices, *(cautions(parts) if cautious else ()))
    return Report(frames, tuple(reports), notices)


def _report(
    benchmark: Benchmark,
    declared: Sequence[str],
    criteria: Sequence[Criterion],
    baseline: str | None,
) -> BenchmarkReport:
    primary = primary_measures(benchmark, declared)
    retests, judges = consistencies(benchmark), ratings(benchmark)
    family = family_of(benchmark, baseline)
    pairs = compare_systems(benchmark, noise_floors(retests), primary, pairs=family.pairs)
    examples = choose_examples(benchmark, primary)
    board = rank_systems(benchmark, primary, pairs, by_model=family.partial)
    at_equal_budget = compare_at_equal_budget(benchmark, benchmark.main, family.pairs)
    outcomes = judge_criteria(benchmark, criteria, primary)
    sections = {
        ("summary", "Summary"): (six_figures(benchmark, primary), success(outcomes)),
        ("quality", "Quality"): (
            leaderboard(board),
            headline(benchmark),
            by_question(benchmark),
            comparisons(pairs, family),
            equal_budget(at_equal_budget),
            power(pairs),
        ),
        ("cost", "Cost"): (cost(benchmark),),
        ("retrieval", "Retrieval"): (
            retrieval(benchmark),
            recall_by_chunks(benchmark),
            recall_by_tokens(benchmark),
            recall_by_loop(benchmark),
        ),
        ("sections", "Document coverage by section"): (sections_used(benchmark),),
        ("errors", "Errors"): (errors(benchmark), failures(benchmark)),
        ("meta", "Judges and measures"): (
            agreement(judges),
            self_consistency(retests),
            human_agreement(benchmark),
            corrected_means(benchmark),
            length_bias(benchmark, judges),
            overlap_against_judges(benchmark),
            correlations(benchmark),
            cases_by_judge(benchmark),
        ),
        **{
            section: tables
            for hook in SECTIONS
            for section, tables in load_hook(hook)(benchmark).items()
        },
        ("attrition", "Attrition"): (
            attrition(benchmark),
            stuffable(benchmark),
            reasons(benchmark),
            denominators(benchmark),
        ),
        ("runs", "Runs"): (runs(benchmark),),
        ("examples", "Examples"): (listed(examples),),
    }
    made = [
        Section(
            name, title, tuple(table for table in tables if table is not None), name == "summary"
        )
        for (name, title), tables in sections.items()
    ]
    return BenchmarkReport(
        benchmark=benchmark,
        primary=primary,
        leaderboard=board,
        findings=findings(benchmark, primary, pairs),
        family=family,
        comparisons=pairs,
        sections=tuple(section for section in made if section.tables),
        examples=examples,
    )
