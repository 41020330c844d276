"""Tables of paired differences, and of the samples that it takes to show one."""

from collections.abc import Iterator, Sequence

from ...stats.estimates import samples_needed
from ..benchmark import Benchmark
from ..comparisons import compared, family_of
from ..table import Cell, P, Signed, Words, tabled

_STEPS, _GRADE_STEPS = (0.01, 0.02, 0.05, 0.1), (0.025, 0.05, 0.075, 0.125)
"""Differences of interest, for measures from 0 to 1 and as shares of a scale of grades."""

_FEWEST = 10
"""Samples for a comparison at equal budget."""

_SAME_BUDGET = 1.25
"""Largest ratio of two costs that count as equal."""


def _about(benchmark: Benchmark) -> Words:
    pairs = compared(benchmark)
    first = sum(pair.role == "primary" for pair in pairs)
    text = family_of(benchmark).text(pairs)
    return {"family": text, "primary": str(first), "secondary": str(len(pairs) - first)}


@tabled("comparisons", _about)
def comparisons(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the paired differences of a family; None if there is nothing to compare."""
    for pair in compared(benchmark):
        paired = pair.paired
        yield (
            *(pair.role, pair.measure.label, pair.a, pair.b, paired.n),
            Signed(paired.difference, paired.low, paired.high),
            *(P(paired.p), P(pair.p_adjusted), Signed(paired.effect), pair.detectable),
            f"{paired.wins}/{paired.ties}/{paired.losses}",
            pair.verdict,
        )


@tabled("power")
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


@tabled("equal_budget")
def equal_budget(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return differences on samples that cost both systems about the same; None without ten."""
    for budget, column in (("tokens", "tokens"), ("dollars", "cost_usd")):
        spent = benchmark.answers.groupby(["id", "system"])[column].mean().unstack("system")
        spent = spent.reindex(list(benchmark.sample_ids))
        for a, b in family_of(benchmark).pairs:
            low, high = spent[[a, b]].min(axis=1), spent[[a, b]].max(axis=1, skipna=False)
            same = ((low > 0) & (high <= _SAME_BUDGET * low)).to_numpy()
            for measure in benchmark.main if same.sum() >= _FEWEST else ():
                paired = benchmark.compare(a, b, measure.key, among=same)
                if paired is not None and paired.n >= _FEWEST:
                    difference = Signed(paired.difference, paired.low, paired.high)
                    means = paired.mean_a, paired.mean_b
                    yield budget, measure.label, a, b, paired.n, *means, difference
