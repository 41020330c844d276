"""Differences of two systems on samples of one kind, e.g. summaries, or of one type."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...stats.power import ALPHA
from ...types.sample import QUESTION, UNANSWERABLE
from ..study import Study
from .comparability import compare_pair, without_empty_interval
from .comparisons import Comparison

_FEWEST = 2
"""Minimum number of samples of a kind."""


class KindDifference(NamedTuple):
    """A comparison on samples of one kind."""

    noun: str
    pair: Comparison

    @property
    def is_shown(self) -> bool:
        """Whether a difference is shown, before correction."""
        paired = self.pair.paired
        is_beyond_zero = (paired.low or 0) * (paired.high or 0) > 0
        return is_beyond_zero and paired.p < ALPHA


def differences_by_kind(study: Study, pair: Comparison) -> list[KindDifference]:
    """Return a comparison on each kind of samples; empty unless several kinds have values."""
    is_question = (study.samples["style"] == QUESTION).to_numpy()
    is_unanswerable = (study.samples["question_type"] == UNANSWERABLE).to_numpy()
    answerable = "answerable question" if is_unanswerable.any() else "question"
    kinds = {
        answerable: is_question & ~is_unanswerable,
        "unanswerable question": is_question & is_unanswerable,
        "summary": ~is_question,
    }
    differences = _differences_on(study, pair, kinds)
    return differences if len(differences) > 1 else []


def reversals_by_type(study: Study, pair: Comparison) -> list[KindDifference]:
    """Return the types of question on which the system that is behind is shown to be ahead."""
    if pair.is_level:
        return []
    types = study.samples["question_type"].fillna("")
    kinds = {
        f"question of type {name}": (types == name).to_numpy() for name in sorted({*types} - {""})
    }
    differences = _differences_on(study, pair, kinds)
    return [part for part in differences if part.is_shown and part.pair.behind != pair.behind]


def _differences_on(
    study: Study, pair: Comparison, kinds: Mapping[str, NDArray[np.bool_]]
) -> list[KindDifference]:
    """Return a comparison on each kind of which there are enough samples."""
    differences = []
    for noun, is_of_kind in kinds.items():
        paired = compare_pair(study, pair.a, pair.b, pair.measure.key, among=is_of_kind)
        if paired is not None and paired.n >= _FEWEST:
            paired = without_empty_interval(paired, paired.clusters)
            differences.append(KindDifference(noun, replace(pair, paired=paired)))
    return differences
