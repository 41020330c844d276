"""Tables of paired differences, and of the samples that it takes to show one."""

from collections.abc import Iterator, Sequence

from ...stats.estimates import samples_needed
from ..benchmark import Benchmark
from ..comparisons import compare_at_equal_budget, compared, family_of
from ..table import Cell, P, Signed, Table, tabled

_STEPS, _GRADE_STEPS = (0.01, 0.02, 0.05, 0.1), (0.025, 0.05, 0.075, 0.125)
"""Differences of interest, for measures from 0 to 1 and as shares of a scale of grades."""


def comparisons(benchmark: Benchmark) -> Table | None:
    """Return the paired differences of a family; None if there is nothing to compare."""
    pairs, family = compared(benchmark), family_of(benchmark)
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


@tabled(
    "power",
    "How many samples it takes",
    "Samples that a paired comparison needs to show a difference with a power of 80 % at p "
    "< 0.05, before any correction, given the variance and the clustering by company seen "
    "here: for the difference seen, and for other differences of interest.",
    ("measure", "a", "b", "n here", "for the difference seen", "for a difference of"),
)
def power(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the samples needed to show a difference; None if no difference varies."""
    for pair in compared(benchmark):
        span = (pair.measure.high or 0) - (pair.measure.low or 0)
        if not pair.paired.deviation or not (pair.measure.graded or span == 1):
            continue
        steps = [span * step for step in _GRADE_STEPS] if pair.measure.graded else _STEPS
        needed = [
            samples_needed(step, pair.paired.deviation, pair.paired.design_effect) for step in steps
        ]
        samples = ", ".join(f"{step:g}: {n:,}" for step, n in zip(steps, needed, strict=True) if n)
        yield pair.measure.label, pair.a, pair.b, pair.paired.n, pair.needed, samples


@tabled(
    "equal_budget",
    "At equal budget",
    "The same differences, on the samples for which both systems spent the same to within a"
    " quarter.",
    ("budget", "measure", "a", "b", "n", "mean of a", "mean of b", "a - b"),
)
def equal_budget(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return differences at equal cost; None if costs do not overlap."""
    for budget, measure, a, b, paired in compare_at_equal_budget(benchmark):
        difference = Signed(paired.difference, paired.low, paired.high)
        yield budget, measure.label, a, b, paired.n, paired.mean_a, paired.mean_b, difference
