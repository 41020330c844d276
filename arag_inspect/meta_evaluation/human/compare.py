"""Compare the agreement of several judges with people on one set, and their cost."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ..._util.errors import InputError
from .agreement import Figure, Unit, paired_difference
from .sets import LabelKind


class _SetName(BaseModel):
    name: str
    kind: LabelKind


class _RunFile(BaseModel):
    """Compared fields of a file written by `arag-inspect meta-eval human`."""

    model_config = ConfigDict(extra="ignore")

    set: _SetName
    grader: str
    dollars: dict[str, float | None]
    values: dict[str, dict[str, tuple[float, float | None, str, str]]]


@dataclass(frozen=True, slots=True)
class Compared:
    """One measure of one run, against the run that agrees most on it."""

    measure: str
    run: str
    grader: str
    statistic: str
    value: float
    answers: int
    """Labels that every run has a value for."""

    dollars: float | None
    """Per 1,000 labels; None if no judge was used or a price is unknown."""

    behind: Figure | None
    """How far behind the best, with its paired 95 % interval; None for the best."""


def compare_runs(paths: Sequence[Path]) -> list[Compared]:
    """Compare runs on one set by measure, on the labels that all runs have scored.

    The statistic is ROC-AUC for binary labels and Pearson's correlation for
    others, averaged over subsets. Differences are paired: each bootstrap sample
    of documents is taken of both runs.

    Args:
        paths: Files that `arag-inspect meta-eval human SET -o FILE.json` wrote.

    Raises:
        InputError: Fewer than two files, a file of another kind, several sets, or no common
            measure.
    """
    if len(paths) < 2:
        raise InputError("give at least two files of arag-inspect meta-eval human -o FILE.json")
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    runs = {name: _read(path) for name, path in zip(names, paths, strict=True)}
    sets = {run.set.name for run in runs.values()}
    if len(sets) > 1:
        raise InputError(f"the files are of several sets: {', '.join(sorted(sets))}")
    shared = set.intersection(*(set(run.values) for run in runs.values()))
    measures = [
        measure
        for measure in next(iter(runs.values())).values
        if measure in shared and not measure.startswith("baseline:")
    ]
    if not measures:
        raise InputError("the files have no measure in common; name the same --scorer in each run")
    return [row for measure in measures for row in _compare(measure, runs)]


def as_dict(rows: Sequence[Compared]) -> dict[str, Any]:
    """Return all fields as JSON values."""
    return {"compared": [asdict(row) for row in rows]}


def _read(path: Path) -> _RunFile:
    try:
        return _RunFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        where = error.errors()[0]["loc"] if isinstance(error, ValidationError) else ()
        lacking = f" ({'.'.join(map(str, where))})" if where else ""
        raise InputError(
            f"{path} is not a file of arag-inspect meta-eval human -o FILE.json{lacking}"
        ) from None


def _compare(measure: str, runs: Mapping[str, _RunFile]) -> list[Compared]:
    scored = {
        name: {unit for unit, row in run.values[measure].items() if row[1] is not None}
        for name, run in runs.items()
    }
    common = sorted(set.intersection(*scored.values()))
    kind = next(iter(runs.values())).set.kind
    units = {
        name: [_unit(run.values[measure][unit]) for unit in common] for name, run in runs.items()
    }
    if not common:
        return []
    statistic = "auc" if kind == "binary" else "pearson"
    alone = {name: paired_difference(column, None, statistic) for name, column in units.items()}
    values = {name: figure.value for name, figure in alone.items() if figure is not None}
    if not values:
        return []
    best = max(values, key=lambda name: values[name])
    return [
        Compared(
            measure=measure,
            run=name,
            grader=runs[name].grader,
            statistic=statistic,
            value=values[name],
            answers=len(common),
            dollars=_per_thousand(runs[name], measure),
            behind=None if name == best else paired_difference(units[best], units[name], statistic),
        )
        for name in sorted(values, key=lambda name: -values[name])
    ]


def _per_thousand(run: _RunFile, measure: str) -> float | None:
    dollars = run.dollars.get(measure.partition(".")[0])
    count = len(run.values[measure])
    return None if dollars is None or not count else 1_000 * dollars / count


def _unit(row: tuple[float, float | None, str, str]) -> Unit:
    label, value, group, subset = row
    return Unit(label, math.nan if value is None else value, group, subset, "all")
