"""Tables of answer quality, with all denominators."""

from collections import Counter
from typing import get_args

import numpy as np

from ...stats.estimates import Estimate, samples_needed
from ...types.measures import Family, MeasureSpec
from ..analysis.comparisons import Comparison, EqualBudget, PairFamily
from ..analysis.matrix import ScoreMatrix
from ..load.records import Benchmark, Outcome, Run, SampleResult, Status
from .table import Cell, P, Share, Signed, Table, mean_over

_HEADLINE: tuple[Family, ...] = ("judgement", "facts", "retrieval", "overlap", "human", "other")
_DIRECTIONS = {True: "high", False: "low", None: "-"}
_STEPS, _GRADE_STEPS = (0.01, 0.02, 0.05, 0.1), (0.025, 0.05, 0.075, 0.125)
"""Differences of interest, for measures from 0 to 1 and as shares of a scale of grades."""


def headline(benchmark: Benchmark, values: ScoreMatrix) -> Table:
    """Return every measure by system: mean and 95 % interval."""
    return Table(
        "headline",
        "Scores",
        "Mean with its 95 % interval over companies (Wilson's with the design effect if the "
        "measure has bounds, else Student's). Epochs of a sample are averaged first. An "
        "interval without width means that all values are equal, not that the mean is certain. "
        "Samples: scored / unscored / skipped, system by system if these differ; all of them "
        "are in the table of denominators.",
        ("measure", "better", *benchmark.systems, "samples"),
        tuple(
            (
                measure.label,
                _DIRECTIONS[measure.higher_is_better],
                *_estimates(benchmark, values, measure),
                _counts(benchmark, measure),
            )
            for measure in benchmark.specs
            if measure.family in _HEADLINE
        ),
    )


def by_question(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return the main measures by type of question and of reasoning.

    None if all questions are of one kind.
    """
    first = {sample.id: sample for _, sample in benchmark.samples()}
    samples = [first[sample_id] for sample_id in benchmark.sample_ids]
    kinds = {
        "type": [sample.question_type or "" for sample in samples],
        "reasoning": [sample.question_reasoning or "" for sample in samples],
    }
    rows: list[tuple[Cell, ...]] = []
    for kind, names in kinds.items():
        for group in sorted({*names} - {""}) if len({*names}) > 1 else ():
            own = np.array([name == group for name in names])
            for main in benchmark.main:
                taken = [values.of(system, main.key)[own] for system in benchmark.systems]
                means = [mean_over(scores[~np.isnan(scores)]) for scores in taken]
                rows.append((kind, group, main.label, *means))
    if not rows:
        return None
    return Table(
        "by_question",
        "By kind of question",
        "Mean of the main measures over the n questions of a type or kind of reasoning that "
        "have a value. Epochs of a sample are averaged first.",
        ("by", "questions", "measure", *benchmark.systems),
        tuple(rows),
    )


def errors(benchmark: Benchmark, values: ScoreMatrix) -> Table | None:
    """Return the error codes by system; None if no taxonomy was applied."""
    codes = [code for code in benchmark.specs if code.family == "errors"]
    rows = tuple((code.label, *_estimates(benchmark, values, code)) for code in codes)
    if not any(isinstance(cell, Estimate) for row in rows for cell in row):
        return None
    return Table(
        "errors",
        "Errors",
        "Share of answers with each error, with its 95 % interval, over those with the grade on"
        " which the error depends; a dash: not looked for.",
        ("error", *benchmark.systems),
        rows,
    )


def failures(benchmark: Benchmark) -> Table | None:
    """Count each error code and its share in all codes; None if no code was given."""
    counts = {run.system: count_codes(run) for run in benchmark.runs}
    rows = tuple(
        (system, code, count, Share(count / code_counts.total()))
        for system, code_counts in counts.items()
        for code, count in code_counts.most_common()
    )
    if not rows:
        return None
    return Table(
        "failures",
        "All failures",
        "Answers with each error, each epoch counted, and the share of each error in all that were "
        "found in the answers of a system. An answer counts once for each of its errors.",
        ("system", "error", "answers", "share of all errors"),
        rows,
    )


def count_codes(run: Run) -> Counter[str]:
    """Count the answers of a system that have each error code."""
    return Counter(code for sample in run.samples for code in sample.codes or ())


def denominators(benchmark: Benchmark) -> Table:
    """Return the number of samples behind each figure."""
    statuses: tuple[Status, ...] = get_args(Status)
    rows: list[tuple[Cell, ...]] = []
    for measure in benchmark.specs:
        for run in benchmark.runs:
            counts = Counter(sample.mark(measure.key).status for sample in run.samples)
            rows.append((measure.label, run.system, *(counts[status] for status in statuses)))
    return Table(
        "denominators",
        "Denominators",
        "Samples, each epoch counted, by the status of their score. Unscored: the scorer gave a"
        " reason instead of a value. Skipped: the system did not answer. Errored: the sample "
        "failed. Missing: there is no score.",
        ("measure", "system", *statuses),
        tuple(rows),
    )


def attrition(benchmark: Benchmark) -> Table:
    """Return the outcomes of the samples of each system."""
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    rows: list[tuple[Cell, ...]] = []
    for run in benchmark.runs:
        counts = Counter(sample.outcome for sample in run.samples)
        rows.append(
            (
                run.system,
                run.planned,
                len(run.samples),
                *(counts[outcome] for outcome in outcomes),
                sum(_unscored(run, sample) for sample in run.samples),
            )
        )
    return Table(
        "attrition",
        "Attrition",
        "Samples, each epoch counted. Refused: the provider's filter stopped the answer. "
        "Truncated: it was cut off, or a limit of Inspect ended the sample. Unscored: at least one "
        "measure has no value, for the reasons below.",
        ("system", "planned", "run", *outcomes, "unscored"),
        tuple(rows),
    )


def reasons(benchmark: Benchmark) -> Table | None:
    """Return why scores have no value; None if all have one."""
    counts = Counter(
        (run.system, measure.scorer, mark.status, mark.reason or "-")
        for run in benchmark.runs
        for measure in benchmark.specs
        for sample in run.samples
        if (mark := sample.mark(measure.key)).value is None and mark.status != "missing"
    )
    if not counts:
        return None
    return Table(
        "reasons",
        "Why scores have no value",
        "Missing values, of every key of a scorer.",
        ("system", "scorer", "status", "reason", "values"),
        tuple((*key, count) for key, count in sorted(counts.items())),
    )


def stuffable(benchmark: Benchmark) -> Table | None:
    """Return the share of samples that fit into one call; None if no system tried."""
    runs = [run for run in benchmark.runs if run.solver == "stuffing" and run.samples]
    if not runs:
        return None
    rows = []
    for run in runs:
        skipped = sum(sample.outcome == "skipped" for sample in run.samples)
        share = 1 - skipped / len(run.samples)
        rows.append((run.system, len(run.samples), skipped, Share(share)))
    return Table(
        "stuffable",
        "Stuffable share",
        "Samples whose whole document fits into one call. Skipped samples can only be answered "
        "by retrieval.",
        ("system", "samples", "too long", "stuffable"),
        tuple(rows),
    )


def comparisons(pairs: tuple[Comparison, ...], family: PairFamily) -> Table | None:
    """Return the paired differences of a family; None if there is nothing to compare."""
    if not pairs:
        return None
    first = sum(pair.role == "primary" for pair in pairs)
    return Table(
        "comparisons",
        "Which system is better",
        f"{family.text(pairs)} "
        "Difference a - b on the samples that both answered, with its 95 % interval (Student's "
        "over companies); p by exact or approximate randomisation of companies. Primary: corrected "
        f"over the {first} primary comparisons (Holm). Secondary: exploratory, corrected over the "
        f"other {len(pairs) - first} (Benjamini and Hochberg). Diagnostic measures are described "
        "and not tested. d is the mean difference in standard deviations (Cohen); detectable: the "
        "difference that would have been found with a power of 80 %. A winner is named only if "
        "the interval excludes zero, the corrected p is below 0.05, the judge's own noise is "
        "smaller, and both were measured alike.",
        (
            "role",
            "measure",
            "a",
            "b",
            "n",
            "a - b",
            "p",
            "p corrected",
            "d",
            "detectable",
            "wins/ties/losses",
            "verdict",
        ),
        tuple(
            (
                pair.role,
                pair.measure.label,
                pair.a,
                pair.b,
                pair.paired.n,
                Signed(pair.paired.difference, pair.paired.low, pair.paired.high),
                P(pair.paired.p),
                P(pair.p_adjusted),
                Signed(pair.paired.effect),
                pair.detectable,
                f"{pair.paired.wins}/{pair.paired.ties}/{pair.paired.losses}",
                pair.verdict,
            )
            for pair in pairs
        ),
    )


def power(pairs: tuple[Comparison, ...]) -> Table | None:
    """Return the samples needed to show a difference; None if no difference varies."""
    rows = []
    for pair in pairs:
        span = (pair.measure.high or 0) - (pair.measure.low or 0)
        if not pair.paired.deviation or not (pair.measure.graded or span == 1):
            continue
        steps = [span * step for step in _GRADE_STEPS] if pair.measure.graded else _STEPS
        needed = [
            samples_needed(step, pair.paired.deviation, pair.paired.design_effect) for step in steps
        ]
        samples = ", ".join(f"{step:g}: {n:,}" for step, n in zip(steps, needed, strict=True) if n)
        rows.append((pair.measure.label, pair.a, pair.b, pair.paired.n, pair.needed, samples))
    if not rows:
        return None
    return Table(
        "power",
        "How many samples it takes",
        "Samples that a paired comparison needs to show a difference with a power of 80 % at p "
        "< 0.05, before any correction, given the variance and the clustering by company seen "
        "here: for the difference seen, and for other differences of interest.",
        ("measure", "a", "b", "n here", "for the difference seen", "for a difference of"),
        tuple(rows),
    )


def equal_budget(pairs: tuple[EqualBudget, ...]) -> Table | None:
    """Return differences at equal cost; None if costs do not overlap."""
    if not pairs:
        return None
    return Table(
        "equal_budget",
        "At equal budget",
        "The same differences, on the samples for which both systems spent the same to within a"
        " quarter.",
        ("budget", "measure", "a", "b", "n", "mean of a", "mean of b", "a - b"),
        tuple(
            (
                pair.budget,
                pair.measure.label,
                pair.a,
                pair.b,
                pair.paired.n,
                pair.paired.mean_a,
                pair.paired.mean_b,
                Signed(pair.paired.difference, pair.paired.low, pair.paired.high),
            )
            for pair in pairs
        ),
    )


def _estimates(benchmark: Benchmark, values: ScoreMatrix, measure: MeasureSpec) -> list[Cell]:
    return [values.estimate(system, measure.key) for system in benchmark.systems]


def _counts(benchmark: Benchmark, measure: MeasureSpec) -> str:
    """Return samples scored / unscored / skipped, once if all systems have the same."""
    counted = []
    for run in benchmark.runs:
        counts = Counter(sample.mark(measure.key).status for sample in run.samples)
        counted.append(f"{counts['scored']} / {counts['unscored']} / {counts['skipped']}")
    return counted[0] if len(set(counted)) == 1 else "; ".join(counted)


def _unscored(run: Run, sample: SampleResult) -> bool:
    return any(sample.mark(name).status == "unscored" for name in run.measures)
