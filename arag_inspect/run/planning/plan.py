"""Plan how many samples and groups of them a run needs, with the statistics of the report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from inspect_ai import Task

from ..._util.errors import InputError
from ..._util.names import file_name, short_name, strip_package
from ..._util.wording import join_names
from ...measure import MeasureSpec, measures_of
from ...report import LogOptions, Study, frames, studies
from ...report.comparison.comparability import compare_pair
from ...report.comparison.comparisons import primary_pairs
from ...report.comparison.primary import primary_measures, primary_of
from ...report.labels import MOST_NAMED
from ...stats.estimates import Paired
from ...stats.power import ALPHA, clusters_needed, samples_needed
from ...types.sample import CLUSTER_NOUN, SampleMetadata, answer_kinds, group_of
from ..experiment import Experiment, check_has_systems, is_task

CORRELATION = 0.3
"""Assumed correlation of differences within a group, if no log provides it."""

POWER = 0.8
"""Statistical power to detect a difference of the requested size."""


class Need(NamedTuple):
    """Requirements of one primary measure."""

    measure: str
    deviation: float | None
    """Standard deviation of the paired differences in earlier logs; None without them."""

    correlation: float | None
    """Correlation of differences within a group; None if each has one sample."""

    groups: int
    samples: int


class DataSize(NamedTuple):
    """How much data there is."""

    samples: int
    groups: int


DataSource = Literal["prepared", "drawn", "logs", "all pairs", "smallest pair"]
"""Prepared data, a draw from them, or logs: all samples, or those that pairs of systems share."""


class Supply(NamedTuple):
    """Data available for one or more primary measures."""

    measures: tuple[str, ...]
    source: DataSource
    size: DataSize
    detectable_effect: float | None
    """Difference in standard deviations that the data can show; None with too few groups."""


class Plan(NamedTuple):
    """Requirements of a run, and size of the available data."""

    needs: tuple[Need, ...]
    comparisons: int
    """Primary comparisons that Holm's method corrects for; for a task, an upper bound."""

    supplies: tuple[Supply, ...]
    """Available data; several if the measures have different numbers of samples."""

    cluster: str
    """Noun for the groups of samples."""

    assumes_correlation: bool
    """Whether a measure's correlation within a group is assumed, because no log provides it."""

    @property
    def samples(self) -> int:
        """Samples needed for the most demanding measure."""
        return max(need.samples for need in self.needs)

    @property
    def available(self) -> DataSize:
        """Data available for the measure that has fewest."""
        return min(supply.size for supply in self.supplies)


class _Variation(NamedTuple):
    """Variation of the differences of systems in a measure, as far as a log provides it."""

    measure: str
    deviation: float | None = None
    """Standard deviation."""

    correlation: float | None = None
    """Correlation within a group."""


def plan_experiment(experiment: Experiment, effect: float, earlier: Sequence[str] = ()) -> Plan:
    """Estimate how many samples and groups are needed to show a difference between systems.

    Groups (e.g. companies) are the independent units: with m samples each, whose differences have
    correlation r, a group's mean has variance (1 + (m - 1) r) / m. A paired t-test over groups must
    reach the required power at the strictest step of Holm's correction, and there must be enough
    groups for the permutation test.

    Args:
        experiment: Planned experiment, with its data prepared; a single system is compared with its
            next version.
        effect: Difference in standard deviations of the paired differences (Cohen's d).
        earlier: Logs or folders of logs from which the variation of differences is taken.

    Raises:
        InputError: The task is unknown or not prepared, or the earlier logs are unreadable.
    """
    check_has_systems(experiment.task)
    task = experiment.system_tasks()[0].task
    drawn_ids = set(experiment.draw(task))
    metadata = [sample.metadata or {} for sample in task.dataset if sample.id in drawn_ids]
    groups = {group_of(entry) or f"sample {n}" for n, entry in enumerate(metadata)}
    name = short_name(experiment.task)
    earlier_studies = studies(frames(list(earlier))) if earlier else ()
    task_studies = [study for study in earlier_studies if study.task == name]
    variations = list(_variations(task_studies)) or [*map(_Variation, _primary(task, metadata))]
    pairs = (
        math.comb(len(experiment.systems), 2) or 1
    )  # one system is compared with its next version
    labels = [variation.measure for variation in variations]
    source: DataSource = "prepared" if len(metadata) == len(task.dataset) else "drawn"
    return _plan(
        variations,
        effect,
        comparisons=pairs * len(variations),
        available=dict.fromkeys(labels, (source, DataSize(len(metadata), len(groups)))),
        cluster=(task.metadata or {}).get(CLUSTER_NOUN, "company"),
    )


def is_one_task(names: Sequence[str]) -> bool:
    """Return whether the names are a task, known or unknown, and not logs."""
    first, *extra_names = names
    name = strip_package(first)
    return not extra_names and (is_task(first) or not ("/" in name or Path(first).exists()))


def plan_logs(
    logs: Sequence[str],
    effect: float,
    *,
    reading: LogOptions = LogOptions(),  # noqa: B008  # immutable
) -> Plan:
    """Estimate how many samples of a task the logs say are needed; see `plan_experiment`.

    Args:
        logs: Logs of one task, of any origin, or folders of logs.
        effect: Difference in standard deviations of the paired differences (Cohen's d).
        reading: Options for reading logs.

    Raises:
        InputError: The logs are unreadable or of several tasks, or have no score.
    """
    studies_of_logs = studies(frames(list(logs), reading=reading))
    if len(studies_of_logs) != 1:
        files = "; ".join(map(_files, studies_of_logs))
        raise InputError(f"a plan needs logs of one task; give only the logs of one ({files})")
    (study,) = studies_of_logs
    specs = [study.catalogue.spec(name) for name in primary_measures(study)]
    labels = [spec.label for spec in specs]
    variations = list(_variations(studies_of_logs)) or [*map(_Variation, labels)]
    if not variations:
        raise InputError("no score in the logs is a number, so a plan cannot be computed")
    return _plan(
        variations,
        effect,
        comparisons=len(primary_pairs(study)) or len(variations),
        available={spec.label: _available(study, spec) for spec in specs},
        cluster=study.cluster,
    )


def _available(study: Study, spec: MeasureSpec) -> tuple[DataSource, DataSize]:
    """Return the data that two systems share for a measure; without a pair, all data."""
    compared = [pair.paired for pair in primary_pairs(study, spec)]
    sizes = {DataSize(paired.n, paired.clusters) for paired in compared}
    if not sizes:
        return "logs", DataSize(len(study.sample_ids), len(set(study.clusters)))
    return "smallest pair" if len(sizes) > 1 else "all pairs", min(sizes)


def _files(study: Study) -> str:
    """Return a task with the names of its first logs."""
    names = [file_name(run.location) for run in study.rows]
    remainder = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return f"{study.task}: {join_names([*names[:MOST_NAMED], *remainder])}"


def _plan(
    variations: Sequence[_Variation],
    effect: float,
    *,
    comparisons: int,
    available: Mapping[str, tuple[DataSource, DataSize]],
    cluster: str,
) -> Plan:
    """Compute a plan from the data available for each measure."""
    needs: list[Need] = []
    needs_by_data: dict[tuple[DataSource, DataSize], list[Need]] = {}
    for variation in variations:
        data = available[variation.measure]
        need = _need(variation, effect, comparisons, data[1])
        needs.append(need)
        needs_by_data.setdefault(data, []).append(need)
    supplies = []
    for (source, size), needs_of_data in needs_by_data.items():
        measures = tuple(need.measure for need in needs_of_data)
        worst = max(need.correlation or 0.0 for need in needs_of_data)
        detectable = _detectable_effect(size, worst, comparisons)
        supplies.append(Supply(measures, source, size, detectable))
    assumes_correlation = any(
        need.correlation is not None and variation.correlation is None
        for need, variation in zip(needs, variations, strict=True)
    )
    return Plan(tuple(needs), comparisons, tuple(supplies), cluster, assumes_correlation)


def _need(variation: _Variation, effect: float, comparisons: int, size: DataSize) -> Need:
    """Return the requirements of a measure, with groups as large as in the available data."""
    group_size = size.samples / size.groups
    correlation = None
    if group_size != 1:
        logged = variation.correlation
        correlation = CORRELATION if logged is None else logged
    groups = _groups_needed(effect, group_size, correlation or 0.0, comparisons)
    samples = math.ceil(groups * group_size)
    return Need(variation.measure, variation.deviation, correlation, groups, samples)


def _groups_needed(effect: float, group_size: float, correlation: float, comparisons: int) -> int:
    """Return how many groups of a size are needed to detect a difference."""
    spread = math.sqrt((1 + (group_size - 1) * correlation) / group_size)
    pairs = samples_needed(effect, spread, alpha=ALPHA / comparisons, power=POWER)
    return max(pairs or 0, clusters_needed(comparisons))


def _detectable_effect(size: DataSize, correlation: float, comparisons: int) -> float | None:
    """Return the smallest difference that data can show; None with too few groups."""
    group_size = size.samples / size.groups
    for step in range(1, 501):
        effect = step / 100
        if _groups_needed(effect, group_size, correlation, comparisons) <= size.groups:
            return effect
    return None


def _primary(task: Task, metadata: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the primary measures of a task before it is run."""
    specs = [*chain.from_iterable(map(measures_of, task.scorer or []))]
    samples = [SampleMetadata.model_validate(entry) for entry in metadata]
    kinds = answer_kinds(
        [sample.style for sample in samples], [sample.evidence for sample in samples]
    )
    return (
        primary_of(kinds, specs)
        or tuple(sorted(spec.key for spec in specs)[:1])
        or ("any measure",)
    )


def _variations(earlier: Sequence[Study]) -> Iterator[_Variation]:
    """Yield the deviation and correlation of the differences of each primary measure.

    Both are the largest of all pairs of systems. The correlation is None with a single group, or if
    all groups have one sample.
    """
    for study in earlier:
        for name in primary_measures(study):
            compared = [compare_pair(study, a, b, name) for a, b in combinations(study.systems, 2)]
            pairs = [paired for paired in compared if paired is not None]
            if pairs:
                deviation = max(pair.deviation for pair in pairs)
                grouped = [pair for pair in pairs if pair.deviation and pair.n > pair.clusters > 1]
                correlation = max(map(_correlation, grouped), default=None)
                yield _Variation(study.catalogue.spec(name).label, deviation, correlation)


def _correlation(paired: Paired) -> float:
    """Return the correlation within a group that gives the observed design effect."""
    group_size = paired.n / paired.clusters
    return float(np.clip((paired.design_effect - 1) / (group_size - 1), 0.0, 1.0))
