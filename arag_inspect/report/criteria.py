"""Success criteria of a run, and whether they are met."""

from collections.abc import Iterator
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .._util.errors import InputError
from .._util.yaml_text import parse_yaml
from ..stats.estimates import Estimate
from .benchmark import Benchmark
from .labels import label_of
from .primary import primary_measures
from .table import Over, Share, Signed

Verdict = Literal["met", "not met", "not shown"]


class Criterion(BaseModel):
    """A figure and its required minimum."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """`{measure}` is replaced by the measure's label."""

    statistic: Literal["difference", "share_graded", "share_coded", "share_readable"]
    measure: str = ""
    """Of a difference, or a share of graded answers; empty for each primary measure."""

    system: str = ""
    over: str = ""
    """Solvers to subtract."""

    grade: float = 4
    at_least: float


class Outcome(NamedTuple):
    """Outcome of a criterion."""

    criterion: Criterion
    systems: str
    figure: Signed | Estimate | Over | None
    """None if there is no figure."""

    verdict: Verdict


_CRITERIA = TypeAdapter(tuple[Criterion, ...])


def read_criteria(path: Path | None = None) -> tuple[Criterion, ...]:
    """Read a list of criteria; without a path, the built-in one.

    Raises:
        InputError: It cannot be read, or is not a list of criteria.
    """
    try:
        if path is None:
            text = files("arag_inspect.report").joinpath("criteria.yaml").read_text("utf-8")
        else:
            text = path.read_text(encoding="utf-8")
        return _CRITERIA.validate_python(parse_yaml(text))
    except ValidationError as error:
        problem = error.errors()[0]
        location = ".".join(map(str, problem["loc"]))
        raise InputError(f"criteria {path}, {location or 'list'}: {problem['msg']}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(
            f"criteria {path} cannot be read: {' '.join(str(error).split())}"
        ) from None


def judge_criteria(benchmark: Benchmark) -> tuple[Outcome, ...]:
    """Judge every criterion for which the benchmark has a figure.

    With an interval, a criterion is met if all of it is at or above the minimum,
    and not met if all of it is below. Shares of codes and verdicts are counts
    of this run, not estimates.
    """
    return tuple(
        outcome
        for criterion in benchmark.choices.criteria
        for own in _by_measure(benchmark, criterion)
        for outcome in _judge(benchmark, own)
    )


def _by_measure(benchmark: Benchmark, criterion: Criterion) -> Iterator[Criterion]:
    """Yield a criterion for each of its measures that the benchmark has."""
    if criterion.statistic not in ("difference", "share_graded"):
        yield criterion
        return
    for key in [criterion.measure] if criterion.measure else primary_measures(benchmark):
        spec = benchmark.spec(key)
        graded = spec.graded or criterion.statistic == "difference" or criterion.measure
        if key in benchmark.measures and graded:
            name = criterion.name.replace("{measure}", spec.label.split(" (")[0])
            yield criterion.model_copy(update={"name": name, "measure": key})


def _judge(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    if criterion.statistic == "difference":
        yield from _differences(benchmark, criterion)
    elif criterion.statistic == "share_graded":
        yield from _graded(benchmark, criterion)
    else:
        count = _coded if criterion.statistic == "share_coded" else _readable
        hits = list(count(benchmark))
        if hits:
            share = sum(hits) / len(hits)
            verdict: Verdict = "met" if share >= criterion.at_least else "not met"
            yield Outcome(criterion, "all", Over(Share(share), len(hits)), verdict)


def _differences(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    runs = benchmark.rows
    sides = [[run for run in runs if run.solver == s] for s in (criterion.system, criterion.over)]
    pairs = [(a, b) for a, b in product(*sides) if a.model == b.model]
    for a, b in pairs:
        own = benchmark.pair(a.system, b.system, criterion.measure)
        paired = benchmark.compare(a.system, b.system, criterion.measure)
        if paired is not None:
            figure = Signed(paired.difference, paired.low, paired.high)
            names = f"{label_of(a.system)} − {label_of(b.system)}"
            verdict = _verdict(paired.low, paired.high, criterion.at_least)
            yield Outcome(criterion, names, figure, "not shown" if own.nowhere_alike else verdict)
    if not pairs:
        missing = [
            name
            for name, side in zip((criterion.system, criterion.over), sides, strict=True)
            if not side
        ]
        yield Outcome(
            criterion, f"no run of {' and '.join(map(label_of, missing))}", None, "not shown"
        )


def _graded(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    for system in benchmark.systems:
        grades = benchmark.of(system, criterion.measure)
        reached = np.where(np.isnan(grades), np.nan, grades >= criterion.grade)
        share = benchmark.mean(reached, (0, 1))
        if share is not None:
            verdict = _verdict(share.low, share.high, criterion.at_least)
            yield Outcome(criterion, label_of(system), share, verdict)


def _verdict(low: float | None, high: float | None, least: float) -> Verdict:
    if low is None or high is None:
        return "not shown"
    return "met" if low >= least else "not met" if high < least else "not shown"


def _coded(benchmark: Benchmark) -> Iterator[bool]:
    """Yield whether each answer graded below the middle of a scale has an error code."""
    values = benchmark.by_answer
    low = np.zeros(len(values), bool)
    for spec in benchmark.specs:
        if spec.graded and spec.key in values:
            low |= (values[spec.key] < ((spec.low or 0) + (spec.high or 0)) / 2).to_numpy()
    codes = benchmark.answers.loc[values.index[low], "codes"]
    yield from (bool(own) for own in codes if own is not None)


def _readable(benchmark: Benchmark) -> Iterator[bool]:
    return iter(benchmark.first_verdicts["reason"].isna())
