"""The most frequent failure of a study: its system, stage and samples."""

from itertools import product
from typing import NamedTuple

import numpy as np

from ..._util.wording import format_count
from ...stats.estimates import Floats
from ..comparison.correctness import correctness_measures
from ..comparison.pairs import contestants
from ..fact_paths import LOSSES, STAGES, Stage, fact_paths, of_answers, shares, unlocated_note
from ..labels import in_sentence
from ..study import Study, cached_per_study
from .lost_facts import worst_first

_OF_ANSWERS: dict[Stage, str] = {
    "not_found": "evidence not found for",
    "not_read": "evidence found, not read, for",
    "left_out": "evidence read, question declined, in",
    "wrong": "not right by {measure}, with the evidence read, in",
    "unread": "right without the evidence read in",
}
"""What happened to answers at a stage; a measure of correctness does not know what they state."""


class Failure(NamedTuple):
    """The most frequent loss of any system, and the stage at which it occurs."""

    system: str
    text: str
    """What is lost, and where, e.g. `59% of the facts not found, in 11 of 12 samples`."""

    samples: tuple[str, ...]
    """Samples with such a loss, largest loss first."""


@cached_per_study
def most_frequent_failure(study: Study) -> Failure | None:
    """Return the largest loss of a contestant: of facts, else answers with an error code.

    None if nothing was lost, or where it was lost is unknown.
    """
    if unlocated_note(study):
        return None
    return _largest_loss(study) or _most_frequent_error(study)


def _largest_loss(study: Study) -> Failure | None:
    """Return the stage of a contestant that loses the largest share of its facts."""
    worst = worst_first(study)  # of equal shares, that of the contestant that loses most in all
    losses = {
        (system, stage): lost
        for (system, stage), lost in shares(study).items()
        if system in contestants(study) and stage in LOSSES and np.nansum(lost) > 0
    }
    if not losses:
        return None

    def size(case: tuple[str, Stage]) -> tuple[float, int]:
        return float(np.nanmean(losses[case])), -worst.index(case[0])

    system, stage = max(losses, key=size)
    lost = losses[system, stage]
    if of_answers(study):
        text = _describe_answers(study, system, stage)
    else:
        text = f"{np.nanmean(lost):.0%} of the facts {STAGES[stage]}, in {_extent(lost)}"
    return _failure(study, system, text, lost)


def _describe_answers(study: Study, system: str, stage: Stage) -> str:
    """Count the answers that end at a stage, in the words of their measure of correctness."""
    paths = fact_paths(study)
    stages = paths.loc[paths["system"] == system, "stage"]
    deciding = correctness_measures(study)[0]
    measure = "judge" if deciding.judged else "program"
    if deciding.key in study.choices.primary:
        measure = in_sentence(deciding)
    description = _OF_ANSWERS[stage].format(measure=measure)
    return f"{description} {(stages == stage).sum():,} of {format_count(len(stages), 'answer')}"


def _most_frequent_error(study: Study) -> Failure | None:
    """Return the error code that the largest share of a contestant's answers have."""
    codes = [
        spec
        for spec in study.catalogue.specs
        if spec.family == "errors" and spec.value_key != "any"
    ]
    cases = ((system, code.key) for system, code in product(contestants(study), codes))
    values = {case: study.values_of(*case) for case in cases}
    rates = {case: of_case for case, of_case in values.items() if not np.isnan(of_case).all()}
    if not rates:
        return None
    system, key = max(rates, key=lambda pair: np.nanmean(rates[pair]))
    errors = rates[system, key]
    text = f"{study.catalogue.spec(key).label} in {_extent(errors)}"
    return _failure(study, system, text, errors)


def _extent(lost: Floats) -> str:
    """Return how many of the samples with a value lose something: `11 of 12 samples`."""
    samples_with_value = int((~np.isnan(lost)).sum())
    return f"{(lost > 0).sum():,} of {format_count(samples_with_value, 'sample')}"


def _failure(study: Study, system: str, text: str, lost: Floats) -> Failure | None:
    """Return a failure with the samples that lose something; None if none does."""
    order = np.argsort(-np.nan_to_num(lost), kind="stable")
    samples = tuple(study.sample_ids[index] for index in order if lost[index] > 0)
    return Failure(system, text, samples) if samples else None
