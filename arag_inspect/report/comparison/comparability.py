"""Determine which samples allow comparing two systems, and their difference on these."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...judge.signature import Signature
from ...measure import MeasureKey
from ...stats.estimates import RESAMPLES, Estimate, Floats, Paired, paired_difference
from ...stats.power import clusters_needed
from ..study import Study, cached_per_study

SignaturesBySystem = dict[str, dict[str, frozenset[str]]]
"""Signatures with which a scorer measured, by system and sample."""


class SystemPair(NamedTuple):
    """Values of two systems by sample; NaN for both where they cannot be compared."""

    a: Floats
    b: Floats
    left_out: int
    """Samples that were measured differently, or have another question."""

    nowhere_alike: bool
    """Whether this applies to every sample, in which case no value is left out."""


@cached_per_study
def signatures_by_scorer(study: Study) -> dict[str, SignaturesBySystem]:
    """Return the signatures with which each scorer measured.

    A score without a signature, e.g. of an empty answer, counts as measured like the rest of its
    run.
    """
    by_scorer: dict[str, SignaturesBySystem] = {}
    signed = study.scores.dropna(subset=["signature"])
    rows = signed[["scorer", "system", "id", "signature"]].drop_duplicates()
    for scorer, system, sample, signature in rows.itertuples(index=False):
        by_sample = by_scorer.setdefault(scorer, {}).setdefault(system, {})
        by_sample[sample] = by_sample.get(sample, frozenset()) | {signature}
    return by_scorer


def all_signatures(study: Study, scorer: str, system: str) -> frozenset[str]:
    """Return all signatures of a scorer in a run."""
    by_sample = signatures_by_scorer(study).get(scorer, {}).get(system, {})
    return frozenset().union(*by_sample.values())


def distinct_parts(signatures: Iterable[str], union: Iterable[str]) -> str:
    """Return the parts of signatures that some of a union lack, for a sentence."""
    part_sets = [set(Signature.parse(text).parts) for text in union]
    common = set.intersection(*part_sets) if part_sets else set()
    texts = []
    for text in signatures:
        distinct = (part for part in Signature.parse(text).parts if part not in common)
        texts.append(str(Signature(tuple(distinct))) or "no difference")
    return " and ".join(sorted(texts))


@cached_per_study
def measured_alike(study: Study, scorer: str, systems: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return whether a scorer measured all systems in the same way, shape (samples,)."""
    by_system = signatures_by_scorer(study).get(scorer, {})
    unsigned = dict.fromkeys(study.sample_ids, frozenset[str]())
    runs = [by_system.get(system, unsigned) for system in systems]

    def is_alike(sample: str) -> bool:
        distinct_signatures = {by_sample[sample] for by_sample in runs if sample in by_sample}
        return len(distinct_signatures) < 2

    return np.array([is_alike(sample) for sample in study.sample_ids], dtype=bool)


@cached_per_study
def same_question(study: Study, a: str, b: str) -> NDArray[np.bool_]:
    """Return whether two systems have the same input, or only one has any, shape (samples,).

    A question with typos is the same as the question without them.
    """
    answers = study.answers[study.answers["system"].isin([a, b])]
    is_damaged = answers["undamaged_question"] != ""
    questions = answers["undamaged_question"].where(is_damaged, answers["input"])
    counts = questions.groupby(answers["id"]).nunique().reindex(list(study.sample_ids))
    return np.asarray(~(counts.to_numpy() > 1))


def _same_arithmetic(study: Study, a: str, b: str) -> bool:
    """Return whether the vectors that two systems searched were computed alike, if known."""
    names = study.runs.loc[[a, b], "arithmetic"].dropna()
    return bool(names.nunique() < 2)


@cached_per_study
def pair_values(study: Study, a: str, b: str, measure: str) -> SystemPair:
    """Return the values of two systems where these were computed and measured alike."""
    first = study.values_of(a, measure)
    second = study.values_of(b, measure)
    is_known = ~(np.isnan(first) | np.isnan(second))
    is_comparable = (
        measured_alike(study, MeasureKey.parse(measure).scorer, (a, b))
        & same_question(study, a, b)
        & _same_arithmetic(study, a, b)
    )
    left_out = is_known & ~is_comparable
    if is_known.any() and not (is_known & is_comparable).any():
        return SystemPair(first, second, 0, nowhere_alike=True)
    return SystemPair(
        np.where(left_out, np.nan, first),
        np.where(left_out, np.nan, second),
        int(left_out.sum()),
        nowhere_alike=False,
    )


def compare_pair(
    study: Study,
    a: str,
    b: str,
    measure: str,
    *,
    among: NDArray[np.bool_] | None = None,
    resamples: int = RESAMPLES,
) -> Paired | None:
    """Compare two systems where measured alike; the measure's spec defines ties.

    Args:
        study: Study with both systems.
        a: One system.
        b: The other.
        measure: Measure.
        among: Samples that count, shape (samples,); None for all.
        resamples: Random swaps.

    Returns:
        The comparison; None if the two have no sample in common.
    """
    spec = study.catalogue.spec(measure)
    pair = pair_values(study, a, b, measure)
    return paired_difference(
        pair.a if among is None else np.where(among, pair.a, np.nan),
        pair.b,
        study.clusters,
        tie=spec.tie,
        span=spec.range_width,
        resamples=resamples,
        parts=study.part_codes,
    )


Sized = TypeVar("Sized", Estimate, Paired)


def without_empty_interval(figure: Sized, size: int) -> Sized:
    """Drop an interval of zero width if there are too few samples for a test to show anything.

    Few of them often agree by chance, so such an interval says nothing of others: of two groups
    with shares of 0.9 and 0.95, it would miss the true difference three times in four.
    """
    is_empty = figure.low is not None and figure.low == figure.high
    if is_empty and size < clusters_needed(1):
        return figure._replace(low=None, high=None)
    return figure
