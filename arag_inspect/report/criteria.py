"""Success criteria of a run, and whether they are met."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from .._util.errors import InputError
from .._util.yaml_text import parse_yaml
from ..stats.estimates import Estimate
from .benchmark import NOT_ANSWERED, Benchmark
from .labels import SYSTEMS, listed
from .primary import primary_measures
from .table import Over, Share, Signed
from .tables.bounds import positions

Verdict = Literal["met", "not met", "not shown"]


class Criterion(BaseModel):
    """A figure and its required minimum."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    """`{measure}` is replaced by the measure's label."""

    statistic: Literal[
        "difference",
        "unchanged",
        "share_of_way",
        "share_graded",
        "share_coded",
        "share_readable",
        "share_retrieval",
        "share_effort",
        "share_finished",
    ]
    measure: str = ""
    """Of a difference, or a share of graded answers; empty for each primary measure."""

    system: str = ""
    over: str = ""
    """Solvers: that to count, or those to subtract."""

    style: str = ""
    """Kind of answer to which it applies; empty for all."""

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
    """Judge every criterion; without a figure it is not shown.

    With an interval, a criterion is met if all of it is at or above the minimum,
    and not met if all of it is below. Counted shares are those of this run, not estimates.
    """
    outcomes = []
    for criterion in benchmark.choices.criteria:
        own = [
            outcome
            for comparison in _by_measure(benchmark, criterion)
            for outcome in _judge(benchmark, comparison)
        ]
        name = criterion.name.replace("{measure}", "primary measures")
        nothing = Outcome(criterion.model_copy(update={"name": name}), "-", None, "not shown")
        outcomes += own or [nothing]
    return tuple(outcomes)


def _by_measure(benchmark: Benchmark, criterion: Criterion) -> Iterator[Criterion]:
    """Yield a criterion for each of its measures that the benchmark has."""
    if criterion.statistic not in ("difference", "unchanged", "share_graded", "share_of_way"):
        yield criterion
        return
    for key in [criterion.measure] if criterion.measure else primary_measures(benchmark):
        spec = benchmark.spec(key)
        graded = spec.graded or criterion.statistic != "share_graded" or criterion.measure
        if key in benchmark.measures and graded:
            name = criterion.name.replace("{measure}", spec.label.split(" (")[0])
            yield criterion.model_copy(update={"name": name, "measure": key})


def _judge(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    match criterion.statistic:
        case "difference":
            yield from _differences(benchmark, criterion)
        case "unchanged":
            if len({run.solver for run in benchmark.rows}) == 1 and len(benchmark.rows) == 2:
                yield _difference(benchmark, criterion, *benchmark.systems)
        case "share_of_way":
            for own in positions(benchmark, criterion.measure):
                figure, least = own.share, criterion.at_least
                verdict: Verdict = _verdict(figure.low, figure.high, least)
                yield Outcome(criterion, own.system, figure, verdict)
        case "share_graded":
            yield from _graded(benchmark, criterion)
        case counted:
            hits = _COUNTED[counted](benchmark, _answers(benchmark, criterion))
            if hits:
                share = sum(hits) / len(hits)
                verdict = "met" if share >= criterion.at_least else "not met"
                systems = SYSTEMS.get(criterion.system, criterion.system) or "all"
                yield Outcome(criterion, systems, Over(Share(share), len(hits)), verdict)


def _answers(benchmark: Benchmark, criterion: Criterion) -> pd.DataFrame:
    """Return the answers to which a criterion applies."""
    answers = benchmark.answers
    solvers = answers["system"].map(benchmark.runs["solver"])
    kept = pd.Series(True, answers.index)
    if criterion.system:
        kept &= solvers == criterion.system
    if criterion.style:
        kept &= answers["style"] == criterion.style
    return answers[kept]


def _differences(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    runs, solvers = benchmark.rows, (criterion.system, criterion.over)
    sides = [[run for run in runs if run.solver == solver] for solver in solvers]
    for a, b in product(*sides):
        if a.model == b.model:
            yield _difference(benchmark, criterion, a.system, b.system)
    missing = [SYSTEMS.get(s, s) for s, side in zip(solvers, sides, strict=True) if not side]
    if missing:
        yield Outcome(criterion, f"no run of {listed(missing)}", None, "not shown")


def _difference(benchmark: Benchmark, criterion: Criterion, a: str, b: str) -> Outcome:
    among = None
    if criterion.style:
        styles = benchmark.answers.drop_duplicates("id").set_index("id")["style"]
        among = (styles.loc[list(benchmark.sample_ids)] == criterion.style).to_numpy()
    paired = benchmark.compare(a, b, criterion.measure, among=among)
    if paired is None:
        return Outcome(criterion, f"{a} − {b}", None, "not shown")
    alike = not benchmark.pair(a, b, criterion.measure).nowhere_alike
    verdict = _verdict(paired.low, paired.high, criterion.at_least) if alike else "not shown"
    figure = Signed(paired.difference, paired.low, paired.high)
    return Outcome(criterion, f"{a} − {b}", figure, verdict)


def _graded(benchmark: Benchmark, criterion: Criterion) -> Iterator[Outcome]:
    for system in benchmark.systems:
        grades = benchmark.of(system, criterion.measure)
        reached = np.where(np.isnan(grades), np.nan, grades >= criterion.grade)
        share = benchmark.mean(reached, (0, 1))
        if share is not None:
            verdict = _verdict(share.low, share.high, criterion.at_least)
            yield Outcome(criterion, system, share, verdict)


def _verdict(low: float | None, high: float | None, least: float) -> Verdict:
    if low is None or high is None:
        return "not shown"
    return "met" if low >= least else "not met" if high < least else "not shown"


def _coded(benchmark: Benchmark, answers: pd.DataFrame) -> Sequence[bool]:
    """Yield whether each answer graded below the middle of a scale has an error code."""
    values = benchmark.by_answer.reindex(answers.index)
    low = np.zeros(len(values), bool)
    for spec in benchmark.specs:
        if spec.graded and spec.key in values:
            low |= (values[spec.key] < ((spec.low or 0) + (spec.high or 0)) / 2).to_numpy()
    return [bool(own) for own in answers.loc[low, "codes"] if own is not None]


def _readable(benchmark: Benchmark, answers: pd.DataFrame) -> Sequence[bool]:
    verdicts = benchmark.first_verdicts
    return list(verdicts.loc[verdicts["answer"].isin(answers.index), "reason"].isna())


def _retrieval(benchmark: Benchmark, answers: pd.DataFrame) -> Sequence[bool]:
    """Yield whether each answer with gold and retrieval has precision and recall."""
    answered = ~answers["outcome"].isin(NOT_ANSWERED)
    with_gold = answers["gold"].map(lambda gold: bool(gold.chunk_ids))
    own = answers[(answers["context"] == "retrieved") & answered & with_gold]
    names = ["retrieval_pr.precision", "retrieval_pr.recall"]
    return list(benchmark.by_answer.reindex(own.index, columns=names).notna().all(axis=1))


def _effort(benchmark: Benchmark, answers: pd.DataFrame) -> Sequence[bool]:
    own = answers[~answers["outcome"].isin(NOT_ANSWERED)]
    return list(own[["cost_usd", "latency_ms"]].notna().all(axis=1))


def _finished(benchmark: Benchmark, answers: pd.DataFrame) -> Sequence[bool]:
    """Yield whether each sample ended without an error; a skipped one needs its reason."""
    skipped = (answers["outcome"] == "skipped") & answers["error"].isna()
    return list(~(answers["outcome"].isin(("errored", "truncated")) | skipped))


_COUNTED = {
    "share_coded": _coded,
    "share_readable": _readable,
    "share_retrieval": _retrieval,
    "share_effort": _effort,
    "share_finished": _finished,
}
