"""Tables of what was read against what was answered: facts, evidence, and rubrics' criteria."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ...stats.estimates import compare
from ...stats.multiplicity import holm
from ..advice import BOUNDS, LOSSES
from ..benchmark import Benchmark
from ..comparisons import family_of
from ..fact_paths import STAGES, fact_paths, outcome_of, shares
from ..table import Cell, P, Share, Signed, Table, describe, mean_over, tabled

_GRADES = ("sufficient", "partial", "insufficient")
_OUTCOMES = ("right", "wrong", "abstained")
_MOST = 30
"""Most criteria in a table."""

_LISTED = 5
"""Most facts listed of a system and stage."""


@tabled("sufficiency")
def sufficiency(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the outcomes of answers by grade of evidence; None if it was not judged."""
    keys = [f"context_sufficiency.{grade}" for grade in _GRADES]
    if any(key not in benchmark.by_answer for key in keys):
        return
    judged = benchmark.by_answer[keys].dropna()
    grades = judged[judged.max(axis=1) > 0.5].idxmax(axis=1)
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for answer in benchmark.finished.itertuples(index=False):
        outcome = outcome_of(benchmark, answer)
        if outcome and answer.answer in grades:
            counts[answer.system, grades[answer.answer].split(".")[1], outcome] += 1
    for system in benchmark.systems:
        for grade in _GRADES:
            own = [counts[system, grade, outcome] for outcome in _OUTCOMES]
            if n := sum(own):
                yield system, grade, n, *(Share(count / n) for count in own)


def criteria_met(benchmark: Benchmark) -> Table | None:
    """Return the criteria of `rubric`, those met least first; None if it was not judged."""
    met: dict[tuple[str, float], dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    own = benchmark.scores[benchmark.scores["measure"] == "rubric"]
    for system, details in own[["system", "details"]].itertuples(index=False):
        judges = details.get("judges") if isinstance(details, Mapping) else None
        for judge in judges if isinstance(judges, list) else ():
            for entry in judge.get("criteria") or ():
                if isinstance(entry.get("met"), bool):
                    criterion = str(entry.get("criterion")), float(entry.get("points") or 0)
                    met[criterion][system].append(entry["met"])
    if not met:
        return None
    order = sorted(met, key=lambda criterion: _share(met[criterion]))
    never = sum(not _share(systems) for systems in met.values())
    words = {
        "never": str(never),
        "all": str(len(met)),
        "listed": str(min(_MOST, len(met))),
        "systems": benchmark.systems,
    }
    rows = tuple(
        (name, points, *(mean_over(met[name, points][own], Share) for own in benchmark.systems))
        for name, points in order[:_MOST]
    )
    return describe("criteria_met", words, rows)


def _share(systems: Mapping[str, list[bool]]) -> float:
    verdicts = [verdict for own in systems.values() for verdict in own]
    return sum(verdicts) / len(verdicts)


@tabled("fact_paths")
def paths(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the facts of each system by the stage where their path ends."""
    counts = fact_paths(benchmark).groupby(["system", "stage"], sort=False).size()
    for system in benchmark.systems:
        for stage, name in STAGES.items():
            if n := int(counts.get((system, stage), 0)):
                yield system, name, n, benchmark.mean(shares(benchmark)[system, stage], (0, 1))


@tabled("fact_path_differences")
def fact_differences(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
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
