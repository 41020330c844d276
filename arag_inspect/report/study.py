"""Comparable runs: the rows of the frames on one task, version and data set."""

from collections.abc import Callable, Iterable
from functools import cached_property, wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, get_args

import numpy as np

from .._util.extras import extra
from .._util.names import short_name
from .._util.wording import format_count, join_or_count
from ..measure import Aspect, MeasureKey
from ..stats.estimates import Floats
from ..stats.strata import Codes, cluster_codes, number_names
from ..types.score_metadata import ScoreMetadata, read_metadata
from .catalogue import MeasureCatalogue
from .criterion import Criterion
from .frames import NOT_ANSWERED, Frames
from .rows import RunRow, ScoreRow, ScoreStatus

with extra("report"):
    import pandas as pd

Arguments = ParamSpec("Arguments")
Derived = TypeVar("Derived")


class Choices(NamedTuple):
    """How the runs of a study are compared."""

    primary: tuple[str, ...] = ()
    """Measures that decide, in place of each task's own."""

    criteria: tuple[Criterion, ...] = ()
    """Success criteria."""

    baseline: str | None = None
    """System with which every other is compared, also systems of another model."""

    is_change: bool = False
    """Whether two runs are compared, the new one first: differences are to the earlier one."""


def cached_per_study(
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
        """Results of functions marked as `cached_per_study`."""

        selected = frames.apply(lambda frame: frame[frame["benchmark"] == name])
        answers, scores = selected.answers, selected.scores
        runs, verdicts = selected.runs, selected.verdicts
        self.runs: pd.DataFrame = runs.set_index("system", drop=False)
        self.answers: pd.DataFrame = answers.set_index("answer", drop=False)
        self.scores: pd.DataFrame = scores
        """A row per answer and measure."""

        self.catalogue = MeasureCatalogue(runs, scores)
        """The measures of the runs."""

        self.repeats: pd.DataFrame = verdicts[verdicts["judge"] == ""]
        """Values repeated by `rejudge`."""

        self.verdicts: pd.DataFrame = verdicts[verdicts["judge"] != ""]
        """A row per judge's verdict."""

        self.first_verdicts: pd.DataFrame = self.verdicts[self.verdicts["repeat"] == 0]
        """Verdicts that do not come from `rejudge`."""

        self.rows: tuple[RunRow, ...] = tuple(runs.itertuples(index=False))
        """The runs as named tuples, in order."""

        self.systems: tuple[str, ...] = tuple(runs["system"])
        """Names of the systems, in order."""

        first = self.rows[0]
        self.full_task: str = first.task
        self.task = short_name(first.task)
        self.dataset: str = first.dataset
        self.version: str = first.version
        """Version of the task; in a comparison of two runs, the new run's version."""

        self.cluster: str = first.cluster
        """Noun for the groups of samples, e.g. `company`."""

        self.sample_ids: tuple[str, ...] = tuple(dict.fromkeys(answers["id"]))
        """Samples of any run, in order of first occurrence."""

    @property
    def title(self) -> str:
        """Its name and its systems; two runs that are compared are in the name already."""
        return (
            self.name
            if self.choices.is_change
            else f"{self.name}: {join_or_count(self.systems, 'system')}"
        )

    def __repr__(self) -> str:
        """Return the name, the systems and the number of samples."""
        return f"Study of {self.title}; {format_count(len(self.sample_ids), 'sample')}"

    def details(self, answer: int, aspect: Aspect) -> ScoreMetadata:
        """Return what an aspect's scorer recorded for an answer; empty without a score."""
        scorer = MeasureKey.parse(self.catalogue.key_of(aspect)).scorer
        scoring = self.scorings.get((answer, scorer))
        return read_metadata(None if scoring is None else scoring.details)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """The first answer to each sample, by its id, in the order of `sample_ids`."""
        return self.answers.drop_duplicates("id").set_index("id")

    @cached_property
    def clusters(self) -> Codes:
        """Group number of each sample, shape (samples,); a sample without one is its own group."""
        return cluster_codes(self.samples["company"], self.samples.index)

    @cached_property
    def parts(self) -> "pd.Series[str]":
        """Part of the task, e.g. subject or language, by sample; empty without parts."""
        return self.samples["part"]

    @cached_property
    def part_codes(self) -> Codes:
        """Part number of each sample, shape (samples,)."""
        return number_names(self.parts.astype(str))

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

    def pool(self, measure: str) -> Floats:
        """Return the values of all systems, concatenated."""
        return np.concatenate([self.values_of(system, measure) for system in self.systems])

    @cached_property
    def statuses(self) -> pd.DataFrame:
        """Number of scores by status, shape (measures x systems, statuses), without NaN."""
        counts = self.scores.groupby(["measure", "system", "status"], sort=False).size()
        pairs = pd.MultiIndex.from_product([self.catalogue.keys, self.systems])
        table = counts.unstack("status").reindex(index=pairs, columns=list(get_args(ScoreStatus)))
        return table.fillna(0).astype(int)

    @cached_property
    def finished(self) -> pd.DataFrame:
        """Answers of samples that were neither skipped nor errored."""
        return self.answers[~self.answers["outcome"].isin(NOT_ANSWERED)]

    def value(self, answer: int, measure: str) -> float | None:
        """Return the value of a measure for an answer; None if missing."""
        if measure not in self.by_answer:
            return None
        value = float(self.by_answer.at[answer, measure])
        return None if np.isnan(value) else value

    @cached_property
    def by_answer(self) -> pd.DataFrame:
        """Value of each measure, shape (answers, measures); NaN if missing."""
        values = self.scores.pivot(index="answer", columns="measure", values="value")
        return values.reindex(self.answers.index)

    def scores_of(self, measure: str) -> pd.DataFrame:
        """Return the scores of a measure, a row per answer."""
        return self._scores_by_measure.get(measure, self.scores.iloc[:0])

    @cached_property
    def _scores_by_measure(self) -> dict[Any, pd.DataFrame]:
        return dict(list(self.scores.groupby("measure", sort=False)))

    @cached_property
    def scorings(self) -> dict[tuple[int, str], ScoreRow]:
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
