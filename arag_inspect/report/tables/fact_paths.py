"""Tables of the paths of facts: where each is lost, and which facts these are."""

from collections.abc import Iterator, Sequence

from ...stats.estimates import compare
from ...stats.multiplicity import holm
from ..advice import BOUNDS, LOSSES
from ..benchmark import Benchmark
from ..comparisons import family_of
from ..fact_paths import STAGES, fact_paths, shares
from ..table import Cell, P, Signed, tabled

_LISTED = 5
"""Most facts listed of a system and stage."""


@tabled("fact_paths")
def paths(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the facts of each system by the stage where their path ends."""
    counts = fact_paths(benchmark).groupby(["system", "stage"], sort=False).size()
    for system in benchmark.systems:
        for stage, name in STAGES.items():
            if n := int(counts.get((system, stage), 0)):
                yield system, name, n, benchmark.mean(shares(benchmark)[system, stage], (0, 1))


@tabled("fact_path_differences")
def differences(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the paired differences of every stage that loses facts."""
    own = shares(benchmark)
    pairs = [
        (stage, a, b, paired)
        for a, b in family_of(benchmark).pairs
        if "closed_book" not in (benchmark.runs.loc[a, "solver"], benchmark.runs.loc[b, "solver"])
        for stage in LOSSES
        if (a, stage) in own and (b, stage) in own
        for paired in [compare(own[a, stage], own[b, stage], benchmark.clusters, span=1.0)]
        if paired is not None and (paired.wins or paired.losses)
    ]
    corrected = holm([paired.p for *_, paired in pairs])
    for (stage, a, b, paired), p in zip(pairs, corrected, strict=True):
        gap = Signed(paired.difference, paired.low, paired.high)
        yield STAGES[stage], a, b, paired.n, gap, P(paired.p), P(p)


@tabled("lost_facts", lambda _: {"listed": str(_LISTED)})
def lost_facts(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return examples of lost facts."""
    every = fact_paths(benchmark)
    for system, own in benchmark.by_system(every):
        retrieves = benchmark.runs.loc[system, "solver"] not in BOUNDS
        for stage in LOSSES if retrieves else ():
            for row in own[own["stage"] == stage].head(_LISTED).itertuples(index=False):
                yield system, STAGES[stage], row.id, row.text, row.chunk_id, row.said
