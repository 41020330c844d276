"""Human marks: read into the frames, their agreement with measures, and corrected means."""

import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import fsspec
import numpy as np
from scipy.special import ndtri

from ..._util.errors import InputError
from ...stats.agreement import alpha, both_known, kappa, spearman, tau
from ...stats.estimates import Estimate, Floats
from ..benchmark import Benchmark
from ..frames import KEYS, Frames, Notice
from ..table import Cell, tabled

HUMAN = "human"


class _Key(NamedTuple):
    system: str | None
    sample: str
    epoch: int | None


def add_human_marks(frames: Frames, path: str) -> Frames:
    """Add human marks as measure `human` or `human.KEY`.

    The file is one that Inspect's `precomputed_scores` reads: JSON or JSON
    Lines, each record with `id` and `value` (a number, or numbers by key) and,
    if needed, `epoch`. If several systems answered, each record also
    names its `system` (a field that Inspect ignores).

    Args:
        frames: Frames of the logs.
        path: Local file or any address that fsspec can open.

    Raises:
        InputError: The file cannot be read, or none of its marks has a sample.
    """
    marks = _read(path)
    used: dict[_Key, None] = {}
    rows: list[dict[str, Any]] = []
    solvers = dict(zip(frames.runs["eval_id"], frames.runs["solver"], strict=True))
    alone = frames.runs.groupby("benchmark")["system"].transform("size") == 1
    single = set(frames.runs.loc[alone, "benchmark"])
    for answer in frames.answers.itertuples(index=False):
        systems = [answer.system, solvers[answer.eval_id]]
        systems += [None] if answer.benchmark in single else []
        keys = (_Key(s, answer.id, epoch) for s in systems for epoch in (answer.epoch, None))
        if (key := next((key for key in keys if key in marks), None)) is None:
            continue
        used[key] = None
        shared = {name: getattr(answer, name) for name in KEYS}
        rows += [
            shared | {"measure": name, "scorer": HUMAN, "value": value, "status": "scored"}
            for name, value in marks[key].items()
        ]
    if not used:
        raise InputError(
            f"none of the {len(marks)} marks in {path} belongs to a sample of the logs; each needs "
            "the sample's id, and the name of its system if there are several"
        )
    notices = frames.notices
    if lost := len(marks) - len(used):
        notices += (Notice("warning", f"{lost} of {len(marks)} marks in {path} have no sample"),)
    return frames.with_scores(rows)._replace(notices=notices)


@tabled("human_agreement")
def human_agreement(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the agreement of every measure with human marks; None without marks."""
    for human in (spec for spec in benchmark.specs if spec.family == "human"):
        for other in benchmark.specs:
            if other.family in ("human", "cost") or not other.quality:
                continue
            marks, scores = both_known(*(benchmark.pooled(spec.key) for spec in (human, other)))
            graded: tuple[Cell, Cell] = (None, None)
            if other.graded:
                graded = kappa(marks, scores), alpha(np.column_stack([marks, scores]))
            ordered = spearman(marks, scores), tau(marks, scores)
            yield human.label, other.label, len(marks), *ordered, *graded


@tabled("corrected_means")
def corrected_means(benchmark: Benchmark) -> Iterator[Sequence[Cell]]:
    """Return the mean human mark of all answers; None without marks.

    It is estimated from some marks and all judge verdicts.
    """
    for human in (spec for spec in benchmark.specs if spec.family == "human"):
        for judge in (spec for spec in benchmark.specs if spec.family == "judgement"):
            for system in benchmark.systems:
                marks, verdicts = (benchmark.of(system, spec.key) for spec in (human, judge))
                if (mean := corrected_mean(marks, verdicts)) is not None:
                    judged = float(np.nanmean(verdicts))
                    yield human.label, judge.label, system, mean.n, judged, mean


def corrected_mean(marks: Floats, verdicts: Floats) -> Estimate | None:
    """Estimate a mean by prediction-powered inference.

    PPI++ (Angelopoulos, Duchi and Zrnic, 2023).

    The judge's mean over unmarked answers, times lambda, plus the mean
    of mark - lambda * verdict over marked ones; lambda, from 0 to 1,
    minimises the variance of the estimate, so that an uninformative judge
    does not bias it.

    Args:
        marks: Human marks, shape (answers,); NaN if missing.
        verdicts: Of the judge, shape (answers,); an answer without one is ignored.

    Returns:
        The mean with its 95 % interval, `n` being the answers marked; None with fewer than two.
    """
    judged = ~np.isnan(verdicts)
    marked = judged & ~np.isnan(marks)
    y, f, rest = marks[marked], verdicts[marked], verdicts[judged & ~marked]
    n, unmarked = len(y), len(rest)
    if n < 2:
        return None
    weight = _weight(y, f, rest) if unmarked > 1 else 0.0
    mean = float((y - weight * f).mean() + (weight * rest.mean() if weight else 0.0))
    variance = float(
        (y - weight * f).var() / n + (weight**2 * rest.var() / unmarked if weight else 0.0)
    )
    half = float(ndtri(0.975)) * math.sqrt(variance)
    return Estimate(mean, mean - half, mean + half, n, n)


def _weight(y: Floats, f: Floats, rest: Floats) -> float:
    spread = float(np.concatenate([f, rest]).var(ddof=1))
    if not spread:
        return 0.0
    common = float(((y - y.mean()) * (f - f.mean())).mean())
    return min(1.0, max(0.0, common / ((1 + len(y) / len(rest)) * spread)))


def _read(path: str) -> dict[_Key, dict[str, float]]:
    try:
        with fsspec.open(path, "r", encoding="utf-8-sig") as file:
            text = file.read()
        if path.lower().endswith(".jsonl"):
            records = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            records = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"human marks {path} cannot be read: {error}") from None
    if not isinstance(records, list) or not records:
        raise InputError(f"human marks {path} hold no list of records with id and value")
    marks: dict[_Key, dict[str, float]] = {}
    for number, record in enumerate(records, start=1):
        key, value = _record(record, f"human marks {path}, record {number}")
        if key in marks:
            raise InputError(f"human marks {path}, record {number}: {key.sample!r} is marked twice")
        marks[key] = value
    return marks


_LARGEST = sys.float_info.max


def _record(record: Any, location: str) -> tuple[_Key, dict[str, float]]:
    if not isinstance(record, Mapping) or "id" not in record or "value" not in record:
        raise InputError(f"{location} needs id and value")
    epoch, system, value = record.get("epoch"), record.get("system"), record["value"]
    if epoch is not None and (isinstance(epoch, bool) or not isinstance(epoch, int)):
        raise InputError(f"{location}: epoch must be a whole number, got {epoch!r}")
    values = value if isinstance(value, Mapping) else {None: value}
    for mark in values.values():
        if isinstance(mark, bool) or not isinstance(mark, int | float) or not abs(mark) <= _LARGEST:
            raise InputError(f"{location}: value must be a number, or numbers by key, got {mark!r}")
    named = {
        HUMAN if key is None else f"{HUMAN}.{key}": float(mark) for key, mark in values.items()
    }
    return _Key(None if system is None else str(system), str(record["id"]), epoch), named
