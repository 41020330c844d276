"""Compare two sets of logs, before and after a change.

It shows what changed, and which samples got worse or better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
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

SAMPLE_FIELDS = {"questions": "input", "references": "target", "gold chunks": "gold.chunk_ids"}
"""What makes a sample the same in two runs, by its name in a report."""


def pair_runs(new: Results, base: Results, *, any_version: bool = False) -> list[Benchmark]:
    """Make a benchmark of two runs, the new one first, for each system that both have.

    The earlier run is the one with the same name, or else the only one with the same
    solver (and the same model, if that decides).

    Args:
        new: Runs after a change.
        base: Runs before it.
        any_version: Whether runs of two versions of a task make a pair.
    """
    pairs = []
    for benchmark in new.benchmarks:
        for other in base.benchmarks:
            alike = (benchmark.task, benchmark.dataset) == (other.task, other.dataset)
            if alike and (any_version or benchmark.version == other.version):
                for run in benchmark.runs:
                    if (before := _earlier(run, other.runs)) is not None:
                        runs = (run, replace(before, system=f"{run.system} {_EARLIER}"))
                        pairs.append(replace(benchmark, runs=runs, part=run.system))
    return pairs


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
        criteria: Success criteria, in place of the package's list.

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
    overlapping = [pair for pair, ids in zip(pairs, shared, strict=True) if ids]
    if not overlapping:
        first, second = (run.samples[0].id for run in pairs[0].runs)
        raise InputError(
            f"the new logs and the earlier ones have no sample in common (e.g. {first} and "
            f"{second}); compare runs on the same samples"
        )
    disjoint = [pair for pair, ids in zip(pairs, shared, strict=True) if not ids]
    notices = [
        *(Notice("error", f"{pair.name} is left out: no sample is in both") for pair in disjoint),
        *pair_notices(new, base, overlapping, disjoint),
    ]
    report = make_report(Results(tuple(overlapping), tuple(notices)), primary, criteria)
    return replace(report, benchmarks=tuple(_with_changes(part) for part in report.benchmarks))


def pair_notices(
    new: Results, base: Results, pairs: Sequence[Benchmark], left_out: Sequence[Benchmark] = ()
) -> list[Notice]:
    """Return what was noticed of two sets of logs, and of the pairs that are compared."""
    return [
        *_unpaired(new, base, (*pairs, *left_out)),
        *_reading_notices(new, "new: "),
        *_reading_notices(base, "earlier: "),
        *_versions(pairs),
        *cautions(pairs),
    ]


def _earlier(run: Run, runs: Sequence[Run]) -> Run | None:
    for alike in (
        [other for other in runs if other.system == run.system],
        [other for other in runs if (other.solver, other.model) == (run.solver, run.model)],
        [other for other in runs if other.solver == run.solver],
    ):
        if len(alike) == 1:
            return alike[0]
    return None


def _shared(pair: Benchmark) -> list[str]:
    """Return the samples of both runs."""
    first, second = pair.runs
    return [key for key in pair.sample_ids if key in first.by_id and key in second.by_id]


def _contents(results: Results) -> str:
    return "; ".join(
        f"{benchmark.name}: {', '.join(benchmark.systems)}" for benchmark in results.benchmarks
    )


def _unpaired(new: Results, base: Results, pairs: Sequence[Benchmark]) -> Iterator[Notice]:
    paired = {run.location for pair in pairs for run in pair.runs}
    for name, results in (("new", new), ("earlier", base)):
        for benchmark in results.benchmarks:
            for run in benchmark.runs:
                if run.location not in paired:
                    yield Notice(
                        "note",
                        f"{run.system} of {benchmark.name} is in the {name} logs only",
                        run.location,
                    )


def _reading_notices(results: Results, side: str) -> list[Notice]:
    """Return the notices from reading logs, except those on benchmarks.

    Those are made for the pairs instead.
    """
    benchmark_notices = set(cautions(results.benchmarks))
    return [
        notice._replace(text=side + notice.text)
        for notice in results.notices
        if notice not in benchmark_notices
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


def _with_changes(report: BenchmarkReport) -> BenchmarkReport:
    rows = list(changes(report.benchmark))
    sections = (
        Section("changes", "What changed", (_changed(rows),), first=True),
        Section(
            "moves",
            "Regressions and gains",
            tuple(
                table
                for table in (
                    _moved(report.comparisons),
                    _flips(report, better=False),
                    _flips(report, better=True),
                )
                if table is not None
            ),
            first=True,
        ),
    )
    changed = "; ".join(f"{what}: {before} → {after}" for what, before, after in rows)
    finding = Finding("Changed", f"{changed or 'nothing that the logs record'}.", False)
    return replace(
        report,
        sections=(*sections, *report.sections),
        findings=tuple(
            sorted((finding, *report.findings), key=lambda finding: not finding.unjudged)
        ),
    )


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


def changes(pair: Benchmark) -> Iterator[tuple[str, str, str]]:
    """Yield name, earlier and new value of what differs between two runs, the new one first."""
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
            parts = [" and ".join(sorted(distinct_parts(s, union) for s in side)) for side in sides]
            yield f"how {scorer} measures", parts[0], parts[1]
    shared = _shared(pair)
    for what, field in SAMPLE_FIELDS.items():
        count = sum(
            len({attrgetter(field)(sample) for run in (new, old) for sample in run.by_id[key]}) > 1
            for key in shared
        )
        if count:
            yield what, "as they were", f"{count} of {len(shared)} are different"
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
    for comparison in comparisons:
        if comparison.role == "primary" or comparison.winner:
            paired = comparison.paired
            better, worse = paired.wins, paired.losses
            if not comparison.measure.higher_is_better:
                better, worse = worse, better
            if comparison.winner is None:
                verdict = f"not shown: {comparison.doubt}"
            else:
                verdict = "better" if comparison.winner == comparison.a else "worse"
            rows.append(
                (
                    comparison.role,
                    comparison.measure.label,
                    paired.n,
                    paired.mean_b,
                    paired.mean_a,
                    Signed(paired.difference, paired.low, paired.high),
                    *(worse, paired.ties, better),
                    verdict,
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


def _flips(report: BenchmarkReport, *, better: bool) -> Table | None:
    """List samples whose primary measure changed by at least a quarter of its scale."""
    rows = sorted(
        (
            row
            for name in report.primary
            for row in _moves(report, report.benchmark.spec(name), better)
        ),
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
        f"of its scale, or at all if the scale has no bounds; largest first.{more}",
        ("measure", "sample", "company", "earlier", "new", "new - earlier"),
        tuple(cells for _, cells in rows[:_MOST]),
    )


def _moves(
    report: BenchmarkReport, measure: MeasureSpec, better: bool
) -> Iterator[tuple[float, tuple[Cell, ...]]]:
    new, old = report.benchmark.systems
    values = report.values.of(new, measure.key), report.values.of(old, measure.key)
    scale = measure.span or 0.0
    sign = (1 if better else -1) * (1 if measure.higher_is_better else -1)
    companies = {sample.id: sample.company for _, sample in report.benchmark.samples()}
    for sample_id, after, before in zip(report.benchmark.sample_ids, *values, strict=True):
        size = sign * (after - before)
        if size > measure.tie and size >= _FLIP * scale - 1e-9:
            cells = (measure.label, sample_id, companies[sample_id], float(before), float(after))
            yield size / (scale or 1.0), (*cells, Signed(float(after - before)))
