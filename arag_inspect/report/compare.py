"""Compare two sets of logs, before and after a change.

It shows what changed, and which samples got worse or better.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import pandas as pd

from .._util.errors import InputError
from ..types.measures import MeasureSpec
from .benchmark import Benchmark, benchmarks
from .build import BenchmarkReport, Report, Tables, make_report, make_sections
from .comparisons import compared
from .criteria import Criterion
from .findings import Finding
from .frames import Frames, Notice
from .load.systems import names_of
from .primary import primary_measures
from .table import Cell, Signed, Table, describe, tabled
from .validity import cautions, distinct_parts

_FLIP = 0.25
"""Change of a sample's value, as a share of the scale, from which it is listed."""

_MOST = 40
"""Samples in a table."""

_EARLIER = "(earlier)"

_LONGEST_NAME = 60

SAMPLE_FIELDS = {"questions": "input", "references": "target", "gold chunks": "gold.chunk_ids"}
"""What makes a sample the same in two runs, by its name in a report."""


def pair_runs(
    new: Frames, base: Frames, *, any_version: bool = False, tell_apart: bool = False
) -> Frames:
    """Return frames with a benchmark of two runs, the new one first, for each system of both.

    The earlier run is the one with the same name, or else the only one with the same
    solver (and the same model, if that decides), or else the only one beside the only new one.

    Args:
        new: Runs after a change.
        base: Runs before it.
        any_version: Whether runs of two versions of a task make a pair.
        tell_apart: Whether the two are named by what differs (solver, model, arguments).
    """
    offset = len(new.answers)
    base = base._replace(
        answers=base.answers.assign(answer=base.answers["answer"] + offset),
        scores=base.scores.assign(answer=base.scores["answer"] + offset),
        verdicts=base.verdicts.assign(answer=base.verdicts["answer"] + offset),
    )
    parts: list[Frames] = []
    for benchmark in benchmarks(new):
        for other in benchmarks(base):
            alike = (benchmark.task, benchmark.dataset) == (other.task, other.dataset)
            if not (alike and (any_version or benchmark.version == other.version)):
                continue
            only = len(benchmark.rows) == 1
            for run in benchmark.rows:
                if (before := _earlier(run, other.rows, only)) is not None:
                    name = f"{benchmark.name}: {run.system}"
                    own, earlier = _names(run, before) if tell_apart else (run.system,) * 2
                    earlier += f" {_EARLIER}" if own == earlier else ""
                    parts.append(_rows(new, benchmark.name, run.system, name, own))
                    parts.append(_rows(base, other.name, before.system, name, earlier))
    empty = Frames(*(frame.iloc[:0] for frame in new[:4]))
    joined = zip(*(part[:4] for part in (parts or [empty])), strict=True)
    return Frames(*(pd.concat(frames, ignore_index=True) for frames in joined))


def _names(new: Any, old: Any) -> tuple[str, str]:
    """Name two runs by what differs; alike where that is nothing, or too long for a name."""
    own, earlier = names_of([new._asdict(), old._asdict()])
    return (own, earlier) if max(len(own), len(earlier)) <= _LONGEST_NAME else (new.system,) * 2


def _where(frames: Frames, names: Sequence[str]) -> Frames:
    """Return the rows of some benchmarks."""
    return Frames(*(frame[frame["benchmark"].isin(names)] for frame in frames[:4]))


def _rows(frames: Frames, benchmark: str, system: str, name: str, label: str) -> Frames:
    """Return the rows of one run, under the name of a pair and of a system."""
    return Frames(
        *(
            frame[(frame["benchmark"] == benchmark) & (frame["system"] == system)].assign(
                benchmark=name, system=label
            )
            for frame in frames[:4]
        )
    )


def compare_frames(
    new: Frames,
    base: Frames,
    primary: Sequence[str] = (),
    criteria: Sequence[Criterion] = (),
) -> Report:
    """Make a report of what changed between two sets of runs, system by system.

    Args:
        new: Runs after a change.
        base: Runs before it.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, e.g. those of `read_criteria`.

    Raises:
        InputError: The two have no system or no sample in common, or a primary measure is unknown.
    """
    frames = pair_runs(new, base, any_version=True, tell_apart=True)
    pairs = benchmarks(frames)
    if not pairs:
        raise InputError(
            f"the new logs ({_contents(new)}) and the earlier ones ({_contents(base)}) have no "
            "system on the same task and data in common"
        )
    overlapping = [pair for pair in pairs if _shared(pair)]
    if not overlapping:
        first, second = (own["id"].iloc[0] for _, own in pairs[0].by_system(pairs[0].answers))
        raise InputError(
            f"the new logs and the earlier ones have no sample in common (e.g. {first} and "
            f"{second}); compare runs on the same samples"
        )
    disjoint = [pair for pair in pairs if pair not in overlapping]
    notices = [
        *(Notice("error", f"{pair.name} is left out: no sample is in both") for pair in disjoint),
        *pair_notices(new, base, overlapping, disjoint),
    ]
    names = [pair.name for pair in overlapping]
    kept = _where(frames, names)._replace(notices=tuple(notices))
    report = make_report(kept, primary, criteria, cautious=False)
    return replace(report, benchmarks=tuple(_with_changes(part) for part in report.benchmarks))


def compare_runs(
    frames: Frames, base: str, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> Report:
    """Make a report of any number of runs, each with its differences to the first.

    Args:
        frames: All runs.
        base: Log or folder of the run to which the others are compared.
        primary: See `compare_frames`.
        criteria: See `compare_frames`.

    Raises:
        InputError: No run is from there, or a primary measure is unknown.
    """
    first = [run.system for run in frames.runs.itertuples() if base.rstrip("/") in run.location]
    if not first:
        raise InputError(f"no run of {base} can be compared")
    return make_report(frames, primary, criteria, baseline=first[0])


def pair_notices(
    new: Frames, base: Frames, pairs: Sequence[Benchmark], left_out: Sequence[Benchmark] = ()
) -> list[Notice]:
    """Return what was noticed of two sets of logs, and of the pairs that are compared."""
    paired = {run.location for pair in (*pairs, *left_out) for run in pair.rows}
    return [
        *(
            Notice("note", f"{system} of {name} is in the {side} logs only", location)
            for side, frames in (("new", new), ("earlier", base))
            for system, name, location in frames.runs[
                ["system", "benchmark", "location"]
            ].itertuples(index=False)
            if location not in paired
        ),
        *(notice._replace(text=f"new: {notice.text}") for notice in new.notices),
        *(notice._replace(text=f"earlier: {notice.text}") for notice in base.notices),
        *_versions(pairs),
        *cautions(pairs),
    ]


def _earlier(run: Any, runs: Sequence[Any], only: bool) -> Any | None:
    for alike in (
        [other for other in runs if other.system == run.system],
        [other for other in runs if (other.solver, other.model) == (run.solver, run.model)],
        [other for other in runs if other.solver == run.solver],
    ):
        if len(alike) == 1:
            return alike[0]
    return runs[0] if only and len(runs) == 1 else None


def _shared(pair: Benchmark) -> list[str]:
    """Return the samples of both runs."""
    first, second = (set(own["id"]) for _, own in pair.by_system(pair.answers))
    return [sample for sample in pair.sample_ids if sample in first and sample in second]


def _contents(frames: Frames) -> str:
    systems = frames.runs.groupby("benchmark", sort=False)["system"].agg(", ".join)
    return "; ".join(f"{name}: {own}" for name, own in systems.items())


def _versions(pairs: Sequence[Benchmark]) -> Iterator[Notice]:
    for pair in pairs:
        new, old = pair.rows
        if new.version != old.version:
            yield Notice(
                "warning",
                f"{new.system} ran version {old.version} of {pair.full_task} before and "
                f"{new.version} now; what differs may be the task and not the system",
            )


def _with_changes(report: BenchmarkReport) -> BenchmarkReport:
    listed = "; ".join(
        f"{what}: {before} → {after}" for what, before, after in changes(report.benchmark)
    )
    finding = Finding("Changed", f"{listed or 'nothing that the logs record'}.", False)
    ordered = sorted((finding, *report.findings), key=lambda finding: not finding.unjudged)
    sections = (*make_sections(report.benchmark, _SECTIONS), *report.sections)
    return replace(report, sections=sections, findings=tuple(ordered))


def changes(pair: Benchmark) -> Iterator[tuple[str, str, str]]:
    """Yield name, earlier and new value of what differs between two runs, the new one first."""
    new, old = pair.rows
    named = all(run.model.endswith(run.solver) for run in (new, old))
    for what, (before, after) in {
        "solver": ("", "") if named else (old.solver, new.solver),
        "task version": (old.version, new.version),
        "model": (old.model, new.model),
        "judges": (" and ".join(old.graders), " and ".join(new.graders)),
        "corpus": ((old.corpus or "")[:12], (new.corpus or "")[:12]),
    }.items():
        if before != after:
            yield what, before or "none", after or "none"
    yield from _unlike(old.parameters, new.parameters)
    yield from _unlike(old.made_with, new.made_with)
    for scorer in dict.fromkeys(pair.ways.index.get_level_values("scorer")):
        sides = [pair.signatures(scorer, run.system) for run in (old, new)]
        if sides[0] != sides[1] and all(sides):
            union = sides[0] | sides[1]
            parts = [" and ".join(sorted(distinct_parts(s, union) for s in side)) for side in sides]
            yield f"how {scorer} measures", parts[0], parts[1]
    shared = _shared(pair)
    own = pair.answers[pair.answers["id"].isin(shared)]
    for what, field in SAMPLE_FIELDS.items():
        values = pd.Series([attrgetter(field)(row) for row in own.itertuples()], dtype=object)
        count = int((values.groupby(own["id"].to_numpy()).nunique() > 1).sum())
        if count:
            yield what, "as they were", f"{count} of {len(shared)} are different"
    only = [rows["id"].nunique() - len(shared) for _, rows in pair.by_system(pair.answers)]
    if any(only):
        yield "samples", f"{only[1]} that the new run lacks", f"{only[0]} more"


def _unlike(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            yield name, _short(old.get(name)), _short(new.get(name))


def _short(value: object, most: int = 160) -> str:
    text = "none" if value is None else " ".join(str(value).split())
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


@tabled("changes")
def _changed(pair: Benchmark) -> Iterator[Sequence[Cell]]:
    return changes(pair)


@tabled("moved")
def _moved(pair: Benchmark) -> Iterator[Sequence[Cell]]:
    """Yield every primary measure, and secondary ones with a shown difference."""
    for comparison in compared(pair):
        if comparison.role == "primary" or comparison.winner:
            paired = comparison.paired
            counts = paired.losses, paired.ties, paired.wins
            verdict = f"not shown: {comparison.doubt}"
            if comparison.winner is not None:
                verdict = "better" if comparison.winner == comparison.a else "worse"
            yield (
                *(comparison.role, comparison.measure.label, paired.n),
                *(paired.mean_b, paired.mean_a),
                Signed(paired.difference, paired.low, paired.high),
                *(counts if comparison.measure.higher_is_better else counts[::-1]),
                verdict,
            )


def _flips(pair: Benchmark, better: bool) -> Table | None:
    """List samples whose primary measure changed by at least a quarter of its scale."""
    specs = map(pair.spec, primary_measures(pair))
    rows = sorted(
        (move for spec in specs for move in _moves(pair, spec, better)), key=lambda m: -m[0]
    )
    more = f" The {_MOST} largest of {len(rows)}." if len(rows) > _MOST else ""
    words = {"more": more, "cluster": pair.cluster}
    kept = tuple(cells for _, cells in rows[:_MOST])
    return describe("gains" if better else "regressions", words, kept) if rows else None


_SECTIONS: Tables = {
    ("changes", "What changed"): (_changed,),
    ("moves", "Regressions and gains"): (
        _moved,
        partial(_flips, better=False),
        partial(_flips, better=True),
    ),
}


def _moves(
    benchmark: Benchmark, measure: MeasureSpec, better: bool
) -> Iterator[tuple[float, tuple[Cell, ...]]]:
    new, old = benchmark.systems
    values = benchmark.of(new, measure.key), benchmark.of(old, measure.key)
    scale = measure.span or 0.0
    sign = (1 if better else -1) * (1 if measure.higher_is_better else -1)
    companies = benchmark.answers.drop_duplicates("id").set_index("id")["company"]
    for sample, after, before in zip(benchmark.sample_ids, *values, strict=True):
        size = sign * (after - before)
        if size > measure.tie and size >= _FLIP * scale - 1e-9:
            cells = (measure.label, sample, companies[sample], float(before), float(after))
            yield size / (scale or 1.0), (*cells, Signed(float(after - before)))
