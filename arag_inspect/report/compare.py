"""Compare two sets of logs, before and after a change.

It shows what changed, and which samples got worse or better.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from operator import attrgetter
from pathlib import Path
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog

from .._util.errors import InputError
from .analysis import Analysis, Words, analysis
from .build import Report, StudyReport, Tables, make_report, make_sections
from .criterion import Criterion
from .findings import Finding
from .frames import Frames, Notice
from .load.logs import frames as read_frames
from .load.systems import names_of
from .primary import primary_measures
from .study import Study, once, studies
from .table import Cell, Signed
from .validity import cautions, distinct_parts

_FLIP = 0.25
"""Change of a sample's value, as a share of the scale, from which it is listed."""

_MOST = 40
"""Samples in a table."""

_LONGEST_NAME = 60
_MOST_NAMED = 8
"""Measures in a note."""

Runs = Frames | str | Path | EvalLog | Iterable[str | Path | EvalLog]
"""Frames, or what they are read from."""

SAMPLE_FIELDS = {"questions": "input", "references": "target", "gold chunks": "gold.chunk_ids"}
"""What makes a sample the same in two runs, by its name in a report."""


def pair_runs(new: Frames, base: Frames, *, loose: bool = False) -> Frames:
    """Return frames with a benchmark of two runs, the new one first, for each system of both.

    The earlier run is the one with the same name, or else the only one with the same
    solver (and the same model, if that decides), or else the only one beside the only new one.

    Args:
        new: Runs after a change.
        base: Runs before it.
        loose: Whether runs of two versions of a task make a pair, and the two are named by what
            differs (solver, model, arguments).
    """
    offset = len(new.answers)
    numbered = [frame.assign(answer=frame["answer"] + offset) for frame in (*base[:2], base[3])]
    base = Frames(numbered[0], numbered[1], base.runs, numbered[2])
    parts = [[frame.iloc[:0] for frame in new[:4]]]
    for study, other in product(studies(new), studies(base)):
        alike = (study.task, study.dataset) == (other.task, other.dataset)
        if not alike or (study.version != other.version and not loose):
            continue
        for run in study.rows:
            before = _earlier(run, other.rows, len(study.rows) == 1)
            if before is not None:
                name = f"{study.name}: {run.system}"
                newer, earlier = _names(run, before) if loose else [run.system] * 2
                earlier += " (earlier)" if newer == earlier else ""
                parts.append(_rows(new, run, benchmark=name, system=newer))
                parts.append(_rows(base, before, benchmark=name, system=earlier))
    joined = zip(*(parts[1:] or parts), strict=True)
    return Frames(*(pd.concat(frames, ignore_index=True) for frames in joined))


def _earlier(run: Any, runs: Sequence[Any], only: bool) -> Any | None:
    for alike in (
        [other for other in runs if other.system == run.system],
        [other for other in runs if (other.solver, other.model) == (run.solver, run.model)],
        [other for other in runs if other.solver == run.solver],
        runs if only else (),
    ):
        if len(alike) == 1:
            return alike[0]
    return None


def _names(new: Any, old: Any) -> list[str]:
    """Name two runs by what differs; alike where that is nothing, or too long for a name."""
    names = names_of([new._asdict(), old._asdict()])
    return names if max(map(len, names)) <= _LONGEST_NAME else [new.system] * 2


def _rows(frames: Frames, run: Any, **names: str) -> list[pd.DataFrame]:
    """Return the rows of a run in each frame, under other names of its benchmark and system."""
    return [
        frame[(frame["benchmark"] == run.benchmark) & (frame["system"] == run.system)].assign(
            **names
        )
        for frame in frames[:4]
    ]


def compare(
    base: Runs, new: Runs, *, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
) -> Report:
    """Make a report of what changed from earlier runs to new ones, as `arag-inspect compare` does.

    Args:
        base: Runs before a change: paths of logs or folders, logs, or frames.
        new: Runs after it.
        primary: Measures that decide, in place of each task's own.
        criteria: Success criteria, e.g. those of `read_criteria`.

    Raises:
        InputError: See `compare_frames`, and `frames` for logs that cannot be read.
    """
    return compare_frames(_read(new), _read(base), primary, criteria)


def _read(runs: Runs) -> Frames:
    if isinstance(runs, Frames):
        return runs
    many = [runs] if isinstance(runs, str | Path | EvalLog) else runs
    return read_frames([run.location if isinstance(run, EvalLog) else run for run in many])


def compare_frames(
    new: Frames, base: Frames, primary: Sequence[str] = (), criteria: Sequence[Criterion] = ()
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
    frames = pair_runs(new, base, loose=True)
    pairs = studies(frames)
    if not pairs:
        raise InputError(
            f"the new logs ({_contents(new)}) and the earlier ones ({_contents(base)}) have no "
            "system on the same task and data in common"
        )
    disjoint = [pair for pair in pairs if not _shared(pair)]
    if len(disjoint) == len(pairs):
        first, second = (
            answers["id"].iloc[0] for _, answers in pairs[0].by_system(pairs[0].answers)
        )
        raise InputError(
            f"the new logs and the earlier ones have no sample in common (e.g. {first} and "
            f"{second}); compare runs on the same samples"
        )
    lost = [Notice("error", f"{pair.name} is left out: no sample is in both") for pair in disjoint]
    notices = (*lost, *pair_notices(new, base, pairs))
    names = [pair.name for pair in pairs if pair not in disjoint]
    kept = (frame[frame["benchmark"].isin(names)] for frame in frames[:4])
    report = make_report(Frames(*kept)._replace(notices=notices), primary, criteria, is_change=True)
    report = replace(report, studies=tuple(map(_with_changes, report.studies)))
    return report if primary else _with_others(report)


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
    report = make_report(frames, primary, criteria, baseline=first[0])
    return report if primary else _with_others(report)


def _with_others(report: Report) -> Report:
    """Name the other measures where a single one was picked to decide."""
    notes = []
    for study in (part.study for part in report.studies):
        picked = primary_measures(study)
        others = [spec.key for spec in study.main if spec.key not in picked]
        others = others or [spec.key for spec in study.specs if spec.key not in picked]
        if len(picked) == 1 and others:
            names = ", ".join(others[:_MOST_NAMED]) + (", ..." if others[_MOST_NAMED:] else "")
            text = f"{study.spec(picked[0]).label} decides; --primary NAME chooses others"
            notes.append(Notice("note", f"{text}: {names}"))
    return replace(report, notices=(*report.notices, *dict.fromkeys(notes)))


def pair_notices(new: Frames, base: Frames, pairs: Sequence[Study]) -> list[Notice]:
    """Return what was noticed of two sets of logs, and of the pairs that are compared."""
    paired = {run.location for pair in pairs for run in pair.rows}
    notices: list[Notice] = []
    for side, frames in {"new": new, "earlier": base}.items():
        notices += [
            Notice("note", f"{run.system} of {run.benchmark} is in the {side} logs only")
            for run in frames.runs.itertuples()
            if run.location not in paired
        ]
        notices += [notice._replace(text=f"{side}: {notice.text}") for notice in frames.notices]
    return [*notices, *cautions([pair for pair in pairs if _shared(pair)])]


def _shared(pair: Study) -> list[str]:
    """Return the samples of both runs."""
    first, second = (set(answers["id"]) for _, answers in pair.by_system(pair.answers))
    return [sample for sample in pair.sample_ids if sample in first and sample in second]


def _contents(frames: Frames) -> str:
    systems = frames.runs.groupby("benchmark", sort=False)["system"].agg(", ".join)
    return "; ".join(f"{name}: {names}" for name, names in systems.items())


def _with_changes(report: StudyReport) -> StudyReport:
    listed = "; ".join(f"{what}: {was} → {now}" for what, was, now in changes(report.study))
    finding = Finding("Changed", f"{listed or 'nothing that the logs record'}.", False)
    ordered = sorted((finding, *report.findings), key=lambda finding: not finding.unjudged)
    sections = (*make_sections(report.study, _SECTIONS), *report.sections)
    return replace(report, sections=sections, findings=tuple(ordered))


def changes(pair: Study) -> Iterator[tuple[str, str, str]]:
    """Yield name, earlier and new value of what differs between two runs, the new one first."""
    new, old = pair.rows
    identities = [_identity(run) for run in (old, new)]
    if all(run.model.endswith(run.solver) for run in (old, new)):
        identities = [{**identity, "solver": None} for identity in identities]
    parameters = [run.parameters for run in (old, new)]
    for settings in (identities, parameters, [run.made_with for run in (old, new)]):
        for name in dict.fromkeys((*settings[0], *settings[1])):
            was, now = (setting.get(name) for setting in settings)
            if was != now:
                yield name, _short(was), _short(now)
    for scorer in dict.fromkeys(pair.ways.index.get_level_values("scorer")):
        before, after = (pair.signatures(scorer, run.system) for run in (old, new))
        if before and after and before != after:
            union = before | after
            parts = (sorted(distinct_parts(s, union) for s in side) for side in (before, after))
            yield f"how {scorer} measures", *map(" and ".join, parts)  # type: ignore[misc]
    shared = _shared(pair)
    shared_answers = pair.answers[pair.answers["id"].isin(shared)]
    for what, field in SAMPLE_FIELDS.items():
        values = pd.Series(map(attrgetter(field), shared_answers.itertuples()), dtype=object)
        count = int((values.groupby(shared_answers["id"].to_numpy()).nunique() > 1).sum())
        if count:
            yield what, "as they were", f"{count} of {len(shared)} are different"
    only = [rows["id"].nunique() - len(shared) for _, rows in pair.by_system(pair.answers)]
    if any(only):
        yield "samples", f"{only[1]} that the new run lacks", f"{only[0]} more"


def _identity(run: Any) -> dict[str, Any]:
    return {
        **{"solver": run.solver, "task version": run.version, "model": run.model},
        **{"judges": " and ".join(run.graders), "corpus": (run.corpus or "")[:12]},
        "arithmetic of the vectors": run.arithmetic,
    }


def _short(value: object, most: int = 160) -> str:
    text = " ".join(str(value).split()) if value not in (None, "") else "none"
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 2 :]}"


@analysis("changes", "What changed", columns="what | earlier | new", id="changes")
def _changed(pair: Study) -> Iterator[Sequence[Cell]]:
    """List what differs.

    Everything recorded in the logs that differs between the earlier run and the new one.
    """
    return changes(pair)


@once
def _moves(pair: Study, better: bool) -> list[tuple[Cell, ...]]:
    """Return the samples whose primary measure changed most, a row for each, largest first."""
    moves: list[tuple[float, tuple[Cell, ...]]] = []
    for measure in map(pair.spec, primary_measures(pair)):
        if measure.higher_is_better is None:
            continue
        sign = 1 if better == bool(measure.higher_is_better) else -1
        new, old = (pair.of(system, measure.key).tolist() for system in pair.systems)
        for sample, after, before in zip(pair.sample_ids, new, old, strict=True):
            size, span = sign * (after - before), measure.span or 0.0
            if size > measure.tie and size >= _FLIP * span - 1e-9:
                cells = measure.label, sample, pair.samples["company"][sample], before, after
                moves.append((size / (span or 1.0), (*cells, Signed(after - before))))
    moves.sort(key=lambda move: -move[0])
    return [cells for _, cells in moves]


def _moved_words(pair: Study, better: bool) -> Words:
    count = len(_moves(pair, better))
    more = f" The {_MOST} largest of {count}." if count > _MOST else ""
    direction = "better" if better else "worse"
    return {"more": more, "cluster": pair.cluster, "direction": direction}


def _moved(title: str, *, better: bool) -> Analysis:
    """Declare the table of the samples that got better, or of those that got worse."""

    def rows(pair: Study) -> Sequence[Sequence[Cell]]:
        """List the samples.

        Samples whose primary measure is {direction} by at least a quarter of its scale, or at all
        if the scale has no bounds; largest first.{more}
        """
        return _moves(pair, better)[:_MOST]

    columns = "measure | sample | {cluster} | earlier | new | new - earlier"
    words = partial(_moved_words, better=better)
    return analysis("changes", title, columns, id=title.lower(), words=words)(rows)


_SECTIONS: Tables = {
    ("changes", "What changed"): (_changed,),
    ("moves", "Regressions and gains"): (
        _moved("Regressions", better=False),
        _moved("Gains", better=True),
    ),
}
