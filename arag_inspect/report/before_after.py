"""Compare two sets of logs, before and after a change: what changed, and which samples got worse or
better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._util.errors import InputError
from ..types.measures import MeasureSpec
from .analysis.comparisons import Comparison
from .analysis.criteria import Criterion
from .analysis.findings import Finding
from .analysis.validity_warnings import cautions, distinct_parts
from .build import BenchmarkReport, Report, Section, make_report
from .load.records import Benchmark, Notice, Results, Run
from .tables.table import Cell, Signed, Table

_FLIP = 0.25
"""Change of a sample's value, as a share of the scale, from which it is listed."""

_MOST = 40
"""Samples in a table."""

_EARLIER = "(earlier)"


def pair_runs(new: Results, base: Results, *, any_version: bool = False) -> list[Benchmark]:
    """Make a benchmark of two runs, the new one first, for each system that both have.

    The earlier run is the one with the same name, or else the only one with the same
    solver (and the same model, if that decides).

    Args:
        new: Runs after a change.
        base: Runs before it.
        any_version: Whether runs of two versions of a task make a pair.
    """
    found = []
    for one in new.benchmarks:
        for other in base.benchmarks:
            alike = (one.task, one.dataset) == (other.task, other.dataset)
            if alike and (any_version or one.version == other.version):
                for run in one.runs:
                    if (before := _earlier(run, other.runs)) is not None:
                        both = (run, replace(before, system=f"{run.system} {_EARLIER}"))
                        found.append(replace(one, runs=both, part=run.system))
    return found


def compare_results(
    new: Results,
    base: Results,
    primary: Sequence[str] = (),
    criteria: Sequence[Criterion] | None = None,
) -> Report:
    """Make a report of what changed between two sets of runs, system by system.

    Args:
        new: Runs after a change.
        base: Runs before it.
        primary: Measures that decide, in place of each task's own.
        criteria: What the runs should show, in place of the package's list.

    Raises:
        InputError: The two have no system or no sample in common, or a primary measure is unknown.
    """
    pairs = pair_runs(new, base, any_version=True)
    if not pairs:
        raise InputError(
            f"the new logs ({_contents(new)}) and the earlier ones ({_contents(base)}) have no "
            "system on the same task and data in common"
        )
    shared = [_shared(pair) for pair in pairs]
    kept = [pair for pair, ids in zip(pairs, shared, strict=True) if ids]
    if not kept:
        first, second = (run.samples[0].id for run in pairs[0].runs)
        raise InputError(
            f"the new logs and the earlier ones have no sample in common (e.g. {first} and "
            f"{second}); compare runs on the same samples"
        )
    lost = [pair for pair, ids in zip(pairs, shared, strict=True) if not ids]
    notices = [
        *(Notice("error", f"{one.name} is left out: no sample is in both") for one in lost),
        *_unpaired(new, base, pairs),
        *_read(new, "new: "),
        *_read(base, "earlier: "),
        *_versions(kept),
        *cautions(kept),
    ]
    report = make_report(Results(tuple(kept), tuple(notices)), primary, criteria)
    return replace(report, benchmarks=tuple(_with_changes(one) for one in report.benchmarks))


def _earlier(run: Run, runs: Sequence[Run]) -> Run | None:
    for alike in (
        [one for one in runs if one.system == run.system],
        [one for one in runs if (one.solver, one.model) == (run.solver, run.model)],
        [one for one in runs if one.solver == run.solver],
    ):
        if len(alike) == 1:
            return alike[0]
    return None


def _shared(pair: Benchmark) -> list[str]:
    """Return the samples of both runs."""
    first, second = pair.runs
    return [one for one in pair.sample_ids if one in first.by_id and one in second.by_id]


def _contents(results: Results) -> str:
    return "; ".join(f"{one.name}: {', '.join(one.systems)}" for one in results.benchmarks)


def _unpaired(new: Results, base: Results, pairs: Sequence[Benchmark]) -> Iterator[Notice]:
    paired = {run.location for pair in pairs for run in pair.runs}
    for name, results in (("new", new), ("earlier", base)):
        for one in results.benchmarks:
            for run in one.runs:
                if run.location not in paired:
                    yield Notice(
                        "note",
                        f"{run.system} of {one.name} is in the {name} logs only",
                        run.location,
                    )


def _read(results: Results, side: str) -> list[Notice]:
    """Return the notices from reading logs; notices on benchmarks are made for the pairs instead."""
    known = set(cautions(results.benchmarks))
    return [
        notice._replace(text=side + notice.text)
        for notice in results.notices
        if notice not in known
    ]


def _versions(pairs: Sequence[Benchmark]) -> Iterator[Notice]:
    for pair in pairs:
        new, old = pair.runs
        if new.version != old.version:
            yield Notice(
                "warning",
                f"{new.system} ran version {old.version} of {pair.task} before and {new.version} "
                "now; what differs may be the task and not the system",
            )


def _with_changes(one: BenchmarkReport) -> BenchmarkReport:
    rows = list(_changes(one.benchmark))
    sections = (
        Section("changes", "What changed", (_changed(rows),), first=True),
        Section(
            "moves",
            "Regressions and gains",
            tuple(
                table
                for table in (
                    _moved(one.comparisons),
                    _flips(one, better=False),
                    _flips(one, better=True),
                )
                if table is not None
            ),
            first=True,
        ),
    )
    changed = "; ".join(f"{what}: {before} → {after}" for what, before, after in rows)
    finding = Finding("Changed", f"{changed or 'nothing that the logs record'}.", False)
    return replace(one, sections=(*sections, *one.sections), findings=(finding, *one.findings))


def _changed(rows: Sequence[tuple[str, str, str]]) -> Table:
    return Table(
        "changes",
        "What changed",
        "Everything recorded in the logs that differs between the earlier run and the new one."
        if rows
        else "Nothing that the logs record differs between the earlier run and the new one.",
        ("what", "earlier", "new"),
        tuple(rows),
    )


def _changes(pair: Benchmark) -> Iterator[tuple[str, str, str]]:
    """Yield name, earlier and new value of what differs."""
    new, old = pair.runs
    for what, (before, after) in {
        "task version": (old.version, new.version),
        "model": (old.model, new.model),
        "judges": (" and ".join(old.graders), " and ".join(new.graders)),
        "corpus": ((old.corpus or "")[:12], (new.corpus or "")[:12]),
    }.items():
        if before != after:
            yield what, before or "none", after or "none"
    yield from _unlike(old.parameters, new.parameters)
    yield from _unlike(old.made_with, new.made_with)
    both = {
        scorer: (old.signatures[scorer], own)
        for scorer, own in new.signatures.items()
        if scorer in old.signatures
    }
    for scorer, sides in both.items():
        if sides[0] != sides[1] and all(sides):
            union = sides[0] | sides[1]
            shown = [" and ".join(sorted(distinct_parts(s, union) for s in side)) for side in sides]
            yield f"how {scorer} measures", shown[0], shown[1]
    shared = _shared(pair)
    for what, field in (("question", "input"), ("reference", "target")):
        count = sum(
            getattr(new.by_id[one][0], field) != getattr(old.by_id[one][0], field) for one in shared
        )
        if count:
            yield f"{what}s", "as they were", f"{count} of {len(shared)} are worded differently"
    only = len(new.by_id) - len(shared), len(old.by_id) - len(shared)
    if any(only):
        yield "samples", f"{only[1]} that the new run lacks", f"{only[0]} more"


def _unlike(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield name, _short(old.get(name)), _short(new.get(name))


def _short(value: object, most: int = 160) -> str:
    text = "none" if value is None else " ".join(str(value).split())
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


def _moved(comparisons: Sequence[Comparison]) -> Table:
    """List every primary measure, and secondary ones with a shown difference."""
    rows: list[tuple[Cell, ...]] = []
    for one in comparisons:
        if one.role == "primary" or one.winner:
            better, worse = one.paired.wins, one.paired.losses
            if not one.measure.higher_is_better:
                better, worse = worse, better
            state = (
                "not shown" if one.winner is None else "better" if one.winner == one.a else "worse"
            )
            rows.append(
                (
                    one.role,
                    one.measure.label,
                    one.paired.n,
                    one.paired.mean_b,
                    one.paired.mean_a,
                    Signed(one.paired.difference, one.paired.low, one.paired.high),
                    *(worse, one.paired.ties, better),
                    state if one.winner else f"{state}: {one.doubt}",
                )
            )
    return Table(
        "moved",
        "Means",
        "Samples that both runs have. Worse, same and better count samples. Secondary measures are "
        "listed only where a difference is shown.",
        (
            "role",
            "measure",
            "n",
            "earlier",
            "new",
            "new - earlier",
            "worse",
            "same",
            "better",
            "verdict",
        ),
        tuple(rows),
    )


def _flips(one: BenchmarkReport, *, better: bool) -> Table | None:
    """List the samples whose primary measure changed by a quarter of the scale or more."""
    rows = sorted(
        (row for name in one.primary for row in _moves(one, one.benchmark.spec(name), better)),
        key=lambda row: -row[0],
    )
    if not rows:
        return None
    title = "Gains" if better else "Regressions"
    more = f" The {_MOST} largest of {len(rows)}." if len(rows) > _MOST else ""
    return Table(
        title.lower(),
        title,
        f"Samples whose primary measure is {'better' if better else 'worse'} by at least a quarter "
        f"of its scale, largest first.{more}",
        ("measure", "sample", "company", "earlier", "new", "new - earlier"),
        tuple(cells for _, cells in rows[:_MOST]),
    )


def _moves(
    one: BenchmarkReport, measure: MeasureSpec, better: bool
) -> Iterator[tuple[float, tuple[Cell, ...]]]:
    new, old = one.benchmark.systems
    values = one.values.of(new, measure.key), one.values.of(old, measure.key)
    known = measure.low is not None and measure.high is not None
    scale = (measure.high or 0.0) - (measure.low or 0.0) if known else 0.0
    sign = (1 if better else -1) * (1 if measure.higher_is_better else -1)
    companies = {sample.id: sample.company for _, sample in one.benchmark.samples()}
    for sample_id, after, before in zip(one.benchmark.sample_ids, *values, strict=True):
        size = sign * (after - before)
        if size > 0 and size >= _FLIP * scale - 1e-9:
            cells = (measure.label, sample_id, companies[sample_id], float(before), float(after))
            yield size / (scale or 1.0), (*cells, Signed(float(after - before)))
