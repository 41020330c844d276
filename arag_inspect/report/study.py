"""Comparable runs: the rows of the frames on one task, version and data set."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, get_args

import numpy as np

from .._util.extras import extra
from .._util.wording import counted
from ..measure import MeasureSpec, Scale, by_family, by_role, find_measure, undeclared
from ..stats.estimates import Bounds, Codes, Estimate, Floats, estimate
from .criterion import Criterion
from .frames import Frames, Status

with extra("report"):
    import pandas as pd

Arguments = ParamSpec("Arguments")
Derived = TypeVar("Derived")

NOT_ANSWERED = ("skipped", "errored")
"""Outcomes of samples without effort; effort is averaged over the others."""


class Choices(NamedTuple):
    """Options that the reader of a report may choose."""

    primary: tuple[str, ...] = ()
    """Measures that decide, in place of each task's own."""

    criteria: tuple[Criterion, ...] = ()
    """Success criteria."""

    baseline: str | None = None
    """System with which every other is compared, also those of another model."""

    is_change: bool = False
    """Whether two runs are compared, the new one first: differences are to the earlier one."""


def once(
    function: Callable[Concatenate["Study", Arguments], Derived],
) -> Callable[Concatenate["Study", Arguments], Derived]:
    """Cache what a function derives from a study for the lifetime of the study."""

    @wraps(function)
    def derive(study: "Study", /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Derived:
        key = function, args, *kwargs.items()
        if key not in study.derived:
            study.derived[key] = function(study, *args, **kwargs)
        result: Derived = study.derived[key]
        return result

    return derive


class Study:
    """Runs on the same samples to compare, with the values of their measures by sample."""

    def __init__(self, frames: Frames, name: str, choices: Choices | None = None) -> None:
        self.name = name
        self.choices = choices or Choices()
        self.derived: dict[object, Any] = {}
        """Results of functions marked as `once`."""

        answers, scores, runs, verdicts = (
            frame[frame["benchmark"] == name] for frame in frames[:4]
        )
        self.runs: pd.DataFrame = runs.set_index("system", drop=False)
        self.answers: pd.DataFrame = answers.set_index("answer", drop=False)
        self.scores: pd.DataFrame = scores
        """A row per answer and measure."""

        self.repeats: pd.DataFrame = verdicts[verdicts["judge"] == ""]
        """Values repeated by `rejudge`."""

        self.verdicts: pd.DataFrame = verdicts[verdicts["judge"] != ""]
        """A row per judge's verdict."""

        self.first_verdicts: pd.DataFrame = self.verdicts[self.verdicts["repeat"] == 0]
        """Verdicts without those of `rejudge`."""

        self.rows: tuple[Any, ...] = tuple(runs.itertuples(index=False))
        """The runs as named tuples, in order."""

        self.systems: tuple[str, ...] = tuple(runs["system"])
        """Names of the systems, in order."""

        first = self.rows[0]
        self.full_task: str = first.task
        self.task: str = first.task.split("/")[-1]
        self.dataset: str = first.dataset
        self.version: str = first.version
        """Version of the task; in a comparison of two runs, that of the new one."""

        self.cluster: str = first.cluster
        """Noun for the groups of samples, e.g. `company`."""

        self.sample_ids: tuple[str, ...] = tuple(dict.fromkeys(answers["id"]))
        """Samples of any run, in order of first occurrence."""

    @property
    def title(self) -> str:
        """Its name and its systems; two runs that are compared are in the name already."""
        systems = ", ".join(self.systems)
        return self.name if self.choices.is_change else f"{self.name}: {systems}"

    def __repr__(self) -> str:
        """Return the name, the systems and the number of samples."""
        return f"Study of {self.title}; {counted(len(self.sample_ids), 'sample')}"

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Distinct keys of the measures of any run."""
        return tuple(dict.fromkeys(name for names in self.runs["measures"] for name in names))

    @cached_property
    def declared(self) -> dict[str, MeasureSpec]:
        """Measures by key, as the scorers of any run declare them, except the contested ones."""
        specs = {key: spec for of_run in self.runs["declared"] for key, spec in of_run.items()}
        return specs | {key: undeclared(key) for key in self.contested}

    @cached_property
    def contested(self) -> tuple[str, ...]:
        """Measures whose direction, range or role differs between the logs that declare them."""
        rules: dict[str, set[object]] = {}
        for run in self.rows:
            for key in run.measures:
                rules.setdefault(key, set()).add(find_measure(key, run.declared).rules)
        return tuple(key for key, stated in rules.items() if len(stated) > 1)

    @cached_property
    def specs(self) -> tuple[MeasureSpec, ...]:
        """Specs of all measures, by family."""
        return by_family(self.spec(key) for key in self.measures)

    @cached_property
    def main(self) -> tuple[MeasureSpec, ...]:
        """Measures on which findings are based: the primary ones, then the secondary ones."""
        return by_role(spec for spec in self.specs if spec.role != "diagnostic")

    def spec(self, key: str) -> MeasureSpec:
        """Return the spec of a measure, with the scale of its grades and the names of its codes."""
        scorer, _, code = key.partition(".")
        spec = find_measure(key, self.declared, self.scales.get(scorer, ()))
        name = self._code_names.get(code) if spec.family == "errors" else None
        return replace(spec, label=f"{name[:1].upper()}{name[1:]} ({code})") if name else spec

    def error(self, code: str) -> str:
        """Return the label of an error code."""
        return self.spec(f"{self.taxonomy}.{code}").label

    def key_of(self, aspect: str) -> str:
        """Return the key of the measure of an aspect; the aspect itself if there is none."""
        return next(iter(self.keys_of(aspect)), aspect)

    def keys_of(self, aspect: str) -> tuple[str, ...]:
        """Return the measures of an aspect, with stand-ins after the measures they replace.

        Measures that the runs have come before others that are declared.
        """
        return self._by_aspect.get(aspect, ())

    def details(self, answer: int, aspect: str) -> object:
        """Return the details recorded by an aspect's scorer for an answer; None without a score."""
        scoring = self.scorings.get((answer, self.key_of(aspect).split(".")[0]))
        return None if scoring is None else scoring.details

    @cached_property
    def _by_aspect(self) -> dict[str, tuple[str, ...]]:
        measured = [find_measure(key, self.declared) for key in self.measures]
        keys: dict[str, dict[str, None]] = defaultdict(dict)
        for spec in sorted(measured, key=lambda spec: len(spec.stands_in_for)):
            keys[spec.aspect][spec.key] = None
        for spec in self.declared.values():
            keys[spec.aspect].setdefault(spec.key, None)
        return {aspect: tuple(names) for aspect, names in keys.items() if aspect}

    @cached_property
    def taxonomy(self) -> str:
        """The scorer that gives error codes; empty if none is known."""
        measured = [find_measure(key, self.declared) for key in self.measures]
        specs = (*measured, *self.declared.values())
        return next((spec.scorer for spec in specs if spec.family == "errors"), "")

    @cached_property
    def scales(self) -> dict[str, tuple[Scale, ...]]:
        """Scales of each scorer's grades, lowest first, where the logs name them."""
        scaled = self.scores.dropna(subset=["scale"]).groupby("scorer")["scale"]
        return {str(name): tuple(sorted(set(values))) for name, values in scaled}

    @cached_property
    def _code_names(self) -> dict[str, str]:
        """Labels of the error codes, where the logs name them."""
        coded = self.scores.loc[self.scores["scorer"] == self.taxonomy].drop_duplicates("answer")
        named = [details.get("names") for details in coded["details"].dropna()]
        words = {k: v for names in named if isinstance(names, Mapping) for k, v in names.items()}
        return {str(code): str(name)[:60] for code, name in words.items()}

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The first answer to each sample, by its id, in the order of `sample_ids`."""
        return self.answers.drop_duplicates("id").set_index("id")

    @cached_property
    def clusters(self) -> Codes:
        """Group number of each sample, shape (samples,); a sample without one is its own group."""
        companies = self.samples["company"].items()
        names = [company or f"sample {sample}" for sample, company in companies]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def parts(self) -> "pd.Series[str]":
        """Part of the task, e.g. subject or language, by sample; empty without parts."""
        return self.samples["part"]

    @cached_property
    def part_codes(self) -> Codes:
        """Part number of each sample, shape (samples,)."""
        return np.unique(self.parts.to_numpy(str), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def values(self) -> pd.DataFrame:
        """Mean value over epochs, shape (samples, measures x systems); NaN if missing."""
        means = self.scores.groupby(["id", "measure", "system"], sort=False)["value"].mean()
        return means.unstack(["measure", "system"]).reindex(list(self.sample_ids))

    @cached_property
    def _columns(self) -> dict[Any, Floats]:
        return {key: column.to_numpy(float) for key, column in self.values.items()}

    def values_of(self, system: str, measure: str) -> Floats:
        """Return the values of a measure by sample; NaN if missing."""
        missing = np.full(len(self.sample_ids), np.nan)
        return self._columns.get((measure, system), missing)

    def known_values(self, system: str, measure: str) -> "pd.Series[float]":
        """Return the values of a measure that are not missing, by sample."""
        return pd.Series(self.values_of(system, measure), list(self.sample_ids)).dropna()

    def pooled(self, measure: str) -> Floats:
        """Return the values of all systems, concatenated."""
        return np.concatenate([self.values_of(system, measure) for system in self.systems])

    def estimate(self, system: str, measure: str) -> Estimate | None:
        """Return the mean of a measure with its interval; None without values."""
        spec = self.spec(measure)
        return self.mean(self.values_of(system, measure), (spec.low, spec.high))

    def estimates(self, measure: str) -> list[Estimate | None]:
        """Return the mean of a measure by system, in their order."""
        return [self.estimate(system, measure) for system in self.systems]

    def mean(self, values: Floats, bounds: Bounds = (None, None)) -> Estimate | None:
        """Return the mean of values by sample; None without values."""
        if np.isnan(values).all():
            return None
        return estimate(values, self.clusters, bounds, self.part_codes)

    @cached_property
    def statuses(self) -> pd.DataFrame:
        """Number of scores by status, shape (measures x systems, statuses), without NaN."""
        counts = self.scores.groupby(["measure", "system", "status"], sort=False).size()
        pairs = pd.MultiIndex.from_product([self.measures, self.systems])
        table = counts.unstack("status").reindex(index=pairs, columns=list(get_args(Status)))
        return table.fillna(0).astype(int)

    @cached_property
    def finished(self) -> pd.DataFrame:
        """Answers of samples that were neither skipped nor errored."""
        return self.answers[~self.answers["outcome"].isin(NOT_ANSWERED)]

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Answers as plain values for files: None for unknown values, integers for counts."""
        counts = {"loops", "input_tokens", "output_tokens", "tokens"}
        return [
            {
                name: None if value != value else int(value) if name in counts else value
                for name, value in row.items()
            }
            for row in self.answers.to_dict("records")
        ]

    def value(self, answer: int, measure: str) -> float | None:
        """Return the value of a measure for an answer; None if missing."""
        return self._values_by_answer.get((answer, measure))

    @cached_property
    def _values_by_answer(self) -> dict[tuple[int, str], float]:
        scores = self.scores.dropna(subset=["value"])
        keys = zip(scores["answer"], scores["measure"], strict=True)
        return dict(zip(keys, scores["value"].tolist(), strict=True))

    @cached_property
    def by_answer(self) -> pd.DataFrame:
        """Value of each measure, shape (answers, measures); NaN if missing."""
        return self.scores.pivot(index="answer", columns="measure", values="value")

    def scores_of(self, measure: str) -> pd.DataFrame:
        """Return the scores of a measure, a row per answer."""
        return self._scores_by_measure.get(measure, self.scores.iloc[:0])

    @cached_property
    def _scores_by_measure(self) -> dict[Any, pd.DataFrame]:
        return dict(list(self.scores.groupby("measure", sort=False)))

    @cached_property
    def scorings(self) -> dict[tuple[int, str], Any]:
        """Row of a scorer's first key, with its text and details, by answer and scorer."""
        first = self.scores.drop_duplicates(["answer", "scorer"])
        return {(row.answer, row.scorer): row for row in first.itertuples(index=False)}

    def by_system(self, frame: pd.DataFrame) -> Iterable[tuple[str, pd.DataFrame]]:
        """Yield the rows of every system, in order, including systems without rows."""
        groups = dict(list(frame.groupby("system", sort=False))) if len(frame) else {}
        for system in self.systems:
            yield system, groups.get(system, frame.iloc[:0])


def studies(frames: Frames, choices: Choices | None = None) -> tuple[Study, ...]:
    """Return a study of each benchmark in the frames, in order."""
    names = dict.fromkeys(frames.runs["benchmark"])
    return tuple(Study(frames, name, choices) for name in names)
