"""Number of samples that support each primary measure and, if not all do, why."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import NamedTuple

import pandas as pd

from ..._util.wording import format_count, join_names, plural
from ...stats.estimates import Estimate, Paired
from ..cells import MOST_NEEDED
from ..labels import MOST_NAMED
from ..study import Study, cached_per_study
from .before_after import shared_samples
from .primary import FAILED, primary_measures

_FEW_GROUPS = 30
"""Number of groups below which the report warns that a result rests on few samples."""


_MOST_TIMES = 100
"""Largest multiple of the samples at hand that a sentence says are needed."""


class SampleBasis(NamedTuple):
    """Number of samples with a value of a measure, and why others lack one."""

    n: int
    """Samples with a value."""

    reasons: tuple[tuple[str, int], ...]
    """Reasons and their sample counts, most frequent first."""

    @property
    def lacks_verdicts(self) -> bool:
        """Whether samples only lack verdicts, which `not_judged` reports."""
        return {reason for reason, _ in self.reasons} <= set(FAILED)


@cached_per_study
def partial_bases(study: Study) -> Mapping[tuple[str, str], SampleBasis]:
    """Return the basis of values that exist on only some samples, by primary measure and system.

    A system without any value is left out: its leaderboard cell gives the reason.
    """
    bases = {}
    for measure in primary_measures(study):
        for system, scores in study.by_system(study.scores_of(measure)):
            with_value = set(study.known_values(system, measure).index)
            if with_value and len(with_value) < len(study.sample_ids):
                unscored_samples = scores[~scores["id"].isin(with_value)].drop_duplicates("id")
                bases[measure, system] = SampleBasis(
                    len(with_value), _reasons(study, unscored_samples, with_value)
                )
    return bases


@cached_per_study
def basis_sentences(study: Study) -> tuple[str, ...]:
    """Describe how many samples support each primary measure that lacks values on some, and why.

    Measures and systems with the same numbers share a sentence. Those that only lack verdicts are
    left out: see `not_judged`.
    """
    systems_by_basis: dict[tuple[str, SampleBasis], list[str]] = defaultdict(list)
    for (measure, system), basis in partial_bases(study).items():
        if not basis.lacks_verdicts:
            systems_by_basis[measure, basis].append(system)
    measures_by_systems: dict[tuple[tuple[str, ...], SampleBasis], list[str]] = defaultdict(list)
    for (measure, basis), systems in systems_by_basis.items():
        scored = [system for system in study.systems if len(study.known_values(system, measure))]
        systems_named = () if systems == scored else tuple(systems)
        measures_by_systems[systems_named, basis].append(measure)
    return tuple(
        _sentence(study, measures, systems, basis)
        for (systems, basis), measures in measures_by_systems.items()
    )


def basis_in_brief(study: Study) -> str:
    """Return how many samples support each primary measure that lacks values on some.

    E.g. `Fewer than 26 samples: Statements supported (14 to 24), Items stated and Recall (22).`
    """
    sizes_by_measure: dict[str, list[int]] = defaultdict(list)
    for (measure, _), basis in partial_bases(study).items():
        if not basis.lacks_verdicts:
            sizes_by_measure[measure].append(basis.n)
    measures_by_sizes: dict[str, list[str]] = defaultdict(list)
    for measure, sizes in sizes_by_measure.items():
        label = study.catalogue.spec(measure).label
        measures_by_sizes[_describe_range(min(sizes), max(sizes))].append(label)
    counts = [f"{join_names(labels)} ({sizes})" for sizes, labels in measures_by_sizes.items()]
    return f"Fewer than {format_count(len(study.sample_ids), 'sample')}: {', '.join(counts)}."


def _describe_range(fewest: int, most: int) -> str:
    return f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"


def extent_of(study: Study) -> str:
    """Return how many samples there are, in how many groups: `12 samples of 4 companies`.

    Samples about several documents add no document to the count. For two runs, only shared samples
    count.
    """
    noun = "question" if set(study.answers["style"]) == {"qa"} else "sample"
    compared = study.samples.loc[_compared_samples(study)]
    samples = len(compared)
    named_groups = set(filter(None, compared["company"]))
    if study.cluster == "document":
        named_groups = set(chain.from_iterable(compared["doc_ids"]))
    groups = len(named_groups)
    of_groups = f" of {format_count(groups, study.cluster)}" if 0 < groups < samples else ""
    return f"{format_count(samples, noun)}{of_groups}"


def _compared_samples(study: Study) -> list[str]:
    """Return the samples of a study; for two runs, only shared samples."""
    return shared_samples(study) if study.choices.is_change else list(study.sample_ids)


def counted_groups(number: int, study: Study) -> str:
    """Count independent groups of samples: `4 companies`, or `4 groups` if some samples have none.

    In the statistics, a sample without a group counts as one.
    """
    return format_count(number, group_noun(study))


def group_noun(study: Study) -> str:
    """Return the noun for the groups that are independent in the statistics."""
    have_names = all(study.samples["company"])
    return study.cluster if have_names or study.cluster == "sample" else "group"


def independent_unit(study: Study, sizes: Estimate | Paired) -> str:
    """Return the noun for what counts as independent in a figure: a sample, or a group of them."""
    return "sample" if sizes.clusters == sizes.n else group_noun(study)


def needed_groups(study: Study, sizes: Estimate | Paired, samples: int) -> str:
    """Return about how much data is needed: `about 12 companies with 48 samples`.

    More samples of the same groups would not help. If that is out of reach, return
    `no realistic number of companies`.
    """
    if is_out_of_reach(sizes, samples):
        return f"no realistic number of {plural(independent_unit(study, sizes))}"
    counted_samples = format_count(samples, "sample")
    if sizes.clusters == sizes.n:
        return f"about {counted_samples}"
    return f"about {counted_groups(groups_for(samples, sizes), study)} with {counted_samples}"


def is_out_of_reach(sizes: Estimate | Paired, samples: int) -> bool:
    """Return whether more samples are needed than is realistic, given those at hand."""
    return samples > min(MOST_NEEDED, _MOST_TIMES * sizes.n)


def groups_for(samples: int, sizes: Estimate | Paired) -> int:
    """Return the number of groups that have this many samples, at the group size of a figure."""
    return math.ceil(samples * sizes.clusters / sizes.n)


def few_samples(study: Study) -> str:
    """Return e.g. `only 12 samples` if there are few independent groups, else nothing."""
    is_compared = study.samples.index.isin(_compared_samples(study))
    groups = len(set(study.clusters[is_compared].tolist()))
    return f"only {extent_of(study)}" if groups < _FEW_GROUPS else ""


def part_of(n: int, study: Study) -> str:
    """Return a number of samples in words, with the total if smaller: `8 of 12 samples`."""
    all_samples = format_count(len(study.sample_ids), "sample")
    return all_samples if n == len(study.sample_ids) else f"{n:,} of {all_samples}"


def stated_size(study: Study, measure: str, system: str) -> int:
    """Return the number of samples that `basis_sentences` states for a mean, or all."""
    basis = partial_bases(study).get((measure, system))
    return basis.n if basis and not basis.lacks_verdicts else len(study.sample_ids)


def on_samples(n: int, study: Study, measure: str, *systems: str) -> str:
    """Return e.g. ` on 8 of 12 samples` for a figure of systems; empty if the number is stated."""
    return "" if is_stated(n, study, measure, *systems) else f" on {part_of(n, study)}"


def is_stated(n: int, study: Study, measure: str, *systems: str) -> bool:
    """Return whether `basis_sentences` states this number of samples for each of the systems."""
    return {stated_size(study, measure, system) for system in systems} == {n}


def _reasons(
    study: Study, unscored_samples: pd.DataFrame, with_value: Iterable[str]
) -> tuple[tuple[str, int], ...]:
    """Count the samples without a value by reason, including those a system did not run on."""
    reasons = Counter(
        _reason(row.status, row.reason) for row in unscored_samples.itertuples(index=False)
    )
    not_run = set(study.sample_ids).difference(with_value, unscored_samples["id"])
    if not_run:
        reasons["not run"] = len(not_run)
    return tuple(reasons.most_common())


def _reason(status: str, reason: str | None) -> str:
    """Describe why a score is missing; only a scorer's own reasons are few and short."""
    words = {
        "missing": "not scored",
        "errored": "sample failed",
        "nothing_listed": "declines, or states nothing",
    }
    name = reason if status == "unscored" and reason else status
    return words.get(name, name)


def _sentence(
    study: Study, measures: Iterable[str], systems: tuple[str, ...], basis: SampleBasis
) -> str:
    labels = [study.catalogue.spec(measure).label for measure in measures]
    of_systems = f" of {join_names(systems)}" if systems else ""
    verb = "rest" if labels[1:] else "rests"
    reasons = [
        f"{reason.replace('_', ' ')}: {count:,}" for reason, count in basis.reasons[:MOST_NAMED]
    ]
    others = sum(count for _, count in basis.reasons[MOST_NAMED:])
    if others:
        reasons.append(f"other reasons: {others:,}")
    samples = part_of(basis.n, study)
    return f"{join_names(labels)}{of_systems} {verb} on {samples} ({', '.join(reasons)})."
