"""The most frequent failure of a study: its system, stage and samples."""

from itertools import product
from typing import NamedTuple

import numpy as np

from ..stats.estimates import Floats
from .comparisons import contestants
from .fact_paths import ANSWER, LOSSES, STAGES, fact_paths, shares
from .study import Study, once


class Failure(NamedTuple):
    """A system's most frequent loss, and the stage at which it occurs."""

    system: str
    text: str
    """What is lost, and how much of it, e.g. `59% of the facts not found`."""

    samples: tuple[str, ...]
    """Samples with such a loss, largest loss first."""


@once
def most_frequent_failure(study: Study) -> Failure | None:
    """Return the largest loss of a contestant: of facts, else answers with an error code.

    None if nothing was lost, or losses are unknown.
    """
    return _largest_loss(study) or _most_frequent_error(study)


def _largest_loss(study: Study) -> Failure | None:
    """Return the stage at which a contestant loses the largest share of the facts."""
    losses = {
        (system, stage): lost
        for (system, stage), lost in shares(study).items()
        if system in contestants(study) and stage in LOSSES and not np.isnan(lost).all()
    }
    if not losses:
        return None
    system, stage = max(losses, key=lambda key: np.nanmean(losses[key]))
    lost = losses[system, stage]
    noun = "answers" if set(fact_paths(study)["fact"]) == {ANSWER} else "facts"
    text = f"{np.nanmean(lost):.0%} of the {noun} {STAGES[stage]}"
    return _failure(study, system, text, lost)


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
    text = f"{study.catalogue.spec(key).label} in {np.nanmean(errors):.0%} of the answers"
    return _failure(study, system, text, errors)


def _failure(study: Study, system: str, text: str, lost: Floats) -> Failure | None:
    """Return a failure with the samples that lose something; None if none does."""
    order = np.argsort(-np.nan_to_num(lost), kind="stable")
    samples = tuple(study.sample_ids[index] for index in order if lost[index] > 0)
    return Failure(system, text, samples) if samples else None
