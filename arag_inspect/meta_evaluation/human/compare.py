"""Compare the agreement of several judges with people on one set, and their cost."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ValidationError

from ..._util.errors import InputError, first_error
from ...stats.estimates import Floats
from .agreement import BINARY, GRADED, Statistic, resampled
from .sets import LabelKind


class _SetName(BaseModel):
    name: str
    kind: LabelKind


class _RunFile(BaseModel):
    """Compared fields of a file written by `arag-inspect meta-eval human`."""

    set: _SetName
    grader: str
    dollars: dict[str, float | None]
    values: dict[str, dict[str, tuple[float, float | None, str, str]]]

    def units(self, measure: str) -> pd.DataFrame:
        """Return the scored labels of a measure."""
        columns = ["label", "value", "group", "subset"]
        rows = pd.DataFrame.from_dict(self.values[measure], orient="index", columns=columns)
        return rows.dropna(subset="value").astype({"value": float})

    def dollars_per_thousand(self, measure: str) -> float | None:
        """Return the cost of 1,000 labels; None if no judge was used or a price is unknown."""
        dollars, count = self.dollars.get(measure.partition(".")[0]), len(self.values[measure])
        return None if dollars is None or not count else 1_000 * dollars / count


def compare_runs(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Compare runs on one set by measure, on the labels that all runs have scored.

    The statistic is ROC-AUC for binary labels and Pearson's correlation for
    others, averaged over subsets. Differences are paired: each bootstrap sample
    of documents is taken of both runs.

    Args:
        paths: Files that `arag-inspect meta-eval human SET -o FILE.json` wrote.

    Returns:
        A row for each measure and run, the best run first: measure, run (its file), grader, statistic, value,
        `answers` (labels that every run has a value for), dollars (per 1,000 labels), `behind` (a
        `Figure`: how far behind the best run; None for that one).

    Raises:
        InputError: Fewer than two files, a file of another kind, several sets, or no common
            measure.
    """
    runs = {str(path): _read(path) for path in paths}
    if len(runs) < 2:
        raise InputError("give at least two files of arag-inspect meta-eval human -o FILE.json")
    sets = {run.set.name for run in runs.values()}
    if len(sets) > 1:
        raise InputError(f"the files are of several sets: {', '.join(sorted(sets))}")
    first, *others = runs.values()
    rows = [
        row
        for measure in first.values
        if not measure.startswith("baseline:") and all(measure in run.values for run in others)
        for row in _compare(measure, runs)
    ]
    if not rows:
        raise InputError("the files have no measure in common; name the same --scorer in each run")
    return rows


def _read(path: Path) -> _RunFile:
    try:
        return _RunFile.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise InputError(
            f"{path} is not a file of arag-inspect meta-eval human -o FILE.json ({first_error(error)})"
        ) from None


def _compare(measure: str, runs: Mapping[str, _RunFile]) -> list[dict[str, Any]]:
    units = {name: run.units(measure) for name, run in runs.items()}
    common = sorted(set.intersection(*({*own.index} for own in units.values())))
    kind = next(iter(runs.values())).set.kind
    name, statistic = ("auc", BINARY["auc"]) if kind == "binary" else ("pearson", GRADED["pearson"])
    values = {
        run: figure.value
        for run, own in units.items()
        if (figure := resampled(own.loc[common].assign(margin=0.0), statistic)) is not None
    }
    ordered = sorted(values, key=lambda run: -values[run])
    return [
        {
            "measure": measure,
            "run": run,
            "grader": runs[run].grader,
            "statistic": name,
            "value": values[run],
            "answers": len(common),
            "dollars": runs[run].dollars_per_thousand(measure),
            "behind": None
            if run == ordered[0]
            else resampled(
                units[ordered[0]].loc[common].assign(margin=units[run].loc[common, "value"]),
                _difference(statistic),
            ),
        }
        for run in ordered
    ]


def _difference(statistic: Statistic) -> Statistic:
    """Return how much better the values agree with the labels than those in place of margins."""

    def difference(columns: Floats) -> float | None:
        best, other = statistic(columns), statistic(columns[[0, 1, 1]])
        return None if best is None or other is None else best - other

    return difference
