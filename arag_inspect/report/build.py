"""Content of a report, independent of its format."""

from collections.abc import Sequence
from dataclasses import dataclass

from .._util.errors import check_choice
from .._util.progress import Progress, silent
from .analysis.comparisons import (
    Comparison,
    PairFamily,
    compare_at_equal_budget,
    compare_systems,
    family_of,
)
from .analysis.correlations import correlations, overlap_against_judges
from .analysis.criteria import Criterion, judge_criteria, read_criteria
from .analysis.examples import Example, choose_examples, listed
from .analysis.findings import Finding, findings
from .analysis.human_labels import corrected_means, human_agreement
from .analysis.judges import agreement, length_bias, ratings, self_consistency
from .analysis.matrix import ScoreMatrix
from .analysis.primary import primary_measures
from .analysis.retest import Consistency, consistencies, noise_floors
from .load.records import Benchmark, Notice, Results
from .tables.cost import cost
from .tables.faithfulness import (
    bands,
    cases_by_judge,
    composite_by_judge,
    composite_cases,
    composite_correlations,
    ranking,
)
from .tables.leaderboard import Leaderboard, leaderboard, rank_systems
from .tables.quality import (
    attrition,
    by_question,
    comparisons,
    denominators,
    equal_budget,
    errors,
    failures,
    headline,
    power,
    reasons,
    stuffable,
)
from .tables.retrieval import recall_by_chunks, recall_by_loop, recall_by_tokens, retrieval
from .tables.sections import sections as sections_drawn_on
from .tables.summary import six_figures, success
from .tables.table import Table


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
    values: ScoreMatrix
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

    results: Results
    benchmarks: tuple[BenchmarkReport, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Omissions and warnings."""
        return self.results.notices

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
    results: Results,
    primary: Sequence[str] = (),
    criteria: Sequence[Criterion] | None = None,
    *,
    baseline: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Make all tables, comparisons and findings.

    Args:
        results: Results read from logs.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, in place of the package's list.
        baseline: System with which every other is compared, also those of another model.
        progress: Shows how many benchmarks are done.

    Raises:
        InputError: A primary measure, or the baseline, is not in the logs.
    """
    if baseline is not None:
        systems = dict.fromkeys(name for part in results.benchmarks for name in part.systems)
        check_choice("baseline", baseline, tuple(systems))
    measures = dict.fromkeys(
        name for benchmark in results.benchmarks for name in benchmark.measures
    )
    for name in primary:
        check_choice("primary measure", name, tuple(measures))
    if criteria is None:
        criteria = read_criteria()
    reports = []
    with progress(len(results.benchmarks)) as advance:
        for benchmark in results.benchmarks:
            reports.append(_report(benchmark, primary, criteria, baseline))
            advance()
    return Report(results, tuple(reports))


def _report(
    benchmark: Benchmark,
    declared: Sequence[str],
    criteria: Sequence[Criterion],
    baseline: str | None,
) -> BenchmarkReport:
    primary = primary_measures(benchmark, declared)
    values = ScoreMatrix(benchmark)
    retests = consistencies(benchmark)
    family = family_of(benchmark, baseline)
    pairs = compare_systems(benchmark, values, noise_floors(retests), primary, pairs=family.pairs)
    examples = choose_examples(benchmark, values, primary)
    board = rank_systems(benchmark, values, primary, pairs, by_model=family.partial)
    sections = (
        *_outcomes(benchmark, values, primary, family, pairs, board, criteria),
        *_judging(benchmark, values, retests),
        _section(
            "attrition",
            "Who is counted",
            attrition(benchmark),
            stuffable(benchmark),
            reasons(benchmark),
            denominators(benchmark),
        ),
        _section("runs", "Runs", runs(benchmark)),
        _section("examples", "Examples", listed(examples)),
    )
    return BenchmarkReport(
        benchmark=benchmark,
        values=values,
        primary=primary,
        leaderboard=board,
        findings=findings(benchmark, values, primary, pairs),
        family=family,
        comparisons=pairs,
        sections=tuple(section for section in sections if section.tables),
        examples=examples,
    )


def _outcomes(
    benchmark: Benchmark,
    values: ScoreMatrix,
    primary: tuple[str, ...],
    family: PairFamily,
    pairs: tuple[Comparison, ...],
    board: Leaderboard,
    criteria: Sequence[Criterion],
) -> tuple[Section, ...]:
    """Make the sections on the systems' results."""
    return (
        _section(
            "summary",
            "Summary",
            six_figures(benchmark, values, primary),
            success(judge_criteria(benchmark, values, criteria, primary)),
            first=True,
        ),
        _section(
            "quality",
            "Quality",
            leaderboard(board),
            headline(benchmark, values),
            by_question(benchmark, values),
            comparisons(pairs, family),
            equal_budget(compare_at_equal_budget(benchmark, values, benchmark.main, family.pairs)),
            power(pairs),
        ),
        _section("cost", "Cost", cost(benchmark)),
        _section(
            "retrieval",
            "Retrieval",
            retrieval(benchmark, values),
            recall_by_chunks(benchmark),
            recall_by_tokens(benchmark),
            recall_by_loop(benchmark),
        ),
        _section("sections", "What of the documents is used", sections_drawn_on(benchmark)),
        _section("errors", "Errors", errors(benchmark, values), failures(benchmark)),
    )


def _judging(
    benchmark: Benchmark, values: ScoreMatrix, retests: Sequence[Consistency]
) -> tuple[Section, ...]:
    """Make the sections on the agreement of judges and measures."""
    judge_ratings = ratings(benchmark)
    return (
        _section(
            "meta",
            "Judges and measures",
            agreement(judge_ratings),
            self_consistency(retests),
            human_agreement(benchmark, values),
            corrected_means(benchmark, values),
            length_bias(benchmark, judge_ratings),
            overlap_against_judges(benchmark, values),
            correlations(benchmark, values),
        ),
        _section(
            "pillars",
            "Faithfulness in parts",
            ranking(benchmark, values),
            bands(benchmark),
            composite_by_judge(benchmark, values),
            composite_cases(benchmark),
            cases_by_judge(benchmark),
            composite_correlations(benchmark, values),
        ),
    )


def runs(benchmark: Benchmark) -> Table:
    """List the reported runs."""
    return Table(
        "runs",
        "Runs",
        "One log a system.",
        ("system", "solver", "model", "graders", "samples", "status", "started", "log"),
        tuple(
            (
                run.system,
                run.solver,
                run.model,
                ", ".join(run.graders) or "-",
                len(run.samples),
                run.status,
                run.created,
                run.location.split("/")[-1],
            )
            for run in benchmark.runs
        ),
    )


def _section(section_id: str, title: str, *tables: Table | None, first: bool = False) -> Section:
    present = tuple(table for table in tables if table is not None)
    return Section(section_id, title, present, first)
