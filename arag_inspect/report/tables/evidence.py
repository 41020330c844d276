"""Tables of what was read against what was answered, and of criteria that are rarely met."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ..benchmark import Benchmark
from ..fact_paths import outcome_of
from ..table import Cell, Share, Table, describe, mean_over, tabled

_GRADES = ("sufficient", "partial", "insufficient")
_OUTCOMES = ("right", "wrong", "abstained")
_MOST = 30
"""Most criteria in a table."""


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
