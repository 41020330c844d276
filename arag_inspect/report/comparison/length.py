"""Systems that retrieve compared with reading the whole document, by its length."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...measure import MeasureSpec
from ...models.token_estimates import CHARACTERS_A_TOKEN
from ...stats.estimates import Floats
from ...types.system import STUFFING
from ..cells import Signed
from ..study import Study, cached_per_study
from .comparability import compare_pair
from .leads import ordered_systems
from .means import mean_of_measure
from .primary import answer_measures

_FEWEST_SAMPLES = 8
"""Minimum number of samples for a split by length."""

_UNLIKE = 1.5
"""Minimum ratio of the longest document to the shortest for lengths to count as different."""


class Contest(NamedTuple):
    """Comparison of a system that retrieves with a system that reads the whole document."""

    retrieval: str
    whole: str
    measure: MeasureSpec
    lengths: Floats
    """Tokens of each sample's documents, shape (samples,); NaN if unknown."""

    skipped: NDArray[np.bool_]
    """Whether only the first system answered, as a sample was too long, shape (samples,)."""

    def difference(self, study: Study, among: NDArray[np.bool_]) -> tuple[Signed, int] | None:
        """Return the paired difference on some samples, with their number; None without any."""
        paired = compare_pair(study, self.retrieval, self.whole, self.measure.key, among=among)
        return (Signed.of(paired), paired.n) if paired is not None else None

    def range(self, among: NDArray[np.bool_]) -> str:
        """Describe the range of lengths of some samples."""
        lengths = self.lengths[among & ~np.isnan(self.lengths)]
        if not lengths.size:
            return "of unknown length"
        low, high = (f"{round(end, -1):,.0f}" for end in (lengths.min(), lengths.max()))
        return f"{low} tokens" if low == high else f"{low} to {high} tokens"


@cached_per_study
def contest(study: Study) -> Contest | None:
    """Compare the best system that retrieves with its model's system that reads whole documents.

    They are compared on the first primary measure of answers, with coverage preferred. Ties go to
    the first system on the leaderboard. None without such systems.
    """
    whole_by_model = {
        run.model: run.system for run in reversed(study.rows) if run.solver == STUFFING.name
    }
    contexts = study.answers.groupby("system")["context"].agg(
        lambda answered_in: answered_in.mode().iat[0]
    )
    models = study.runs["model"]
    rivals = [
        system
        for system in ordered_systems(study)
        if models[system] in whole_by_model and contexts.get(system) == "retrieved"
    ]
    for spec in answer_measures(study):
        estimates = {system: mean_of_measure(study, system, spec.key) for system in rivals}
        means = {
            system: round(mean.mean / spec.tie)
            for system, mean in estimates.items()
            if mean is not None
        }
        if means:
            best = max(means, key=means.__getitem__)
            return _contest(study, best, whole_by_model[models[best]], spec)
    return None


def _contest(study: Study, retrieval: str, whole: str, measure: MeasureSpec) -> Contest:
    answers = study.answers[study.answers["system"] == whole].drop_duplicates("id")
    answers = answers.set_index("id").reindex(list(study.sample_ids))
    lengths = [_tokens(row.passages, row.skipped_tokens) for row in answers.itertuples()]
    is_answered = ~np.isnan(study.values_of(retrieval, measure.key))
    is_skipped = (answers["outcome"] == "skipped").to_numpy() & is_answered
    return Contest(retrieval, whole, measure, np.array(lengths, float), is_skipped)


def _tokens(passages: object, skipped_tokens: float) -> float:
    """Return the tokens of a document, read or too long; NaN if unknown."""
    if not math.isnan(skipped_tokens):
        return skipped_tokens
    passages_read = passages if isinstance(passages, tuple) else ()
    return sum(len(passage.text) for passage in passages_read) / CHARACTERS_A_TOKEN or float("nan")


def groups_by_length(pairing: Contest) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield groups of samples by length: samples that fit, whole or in halves, and others."""
    fitting = ~np.isnan(pairing.lengths) & ~pairing.skipped
    lengths = pairing.lengths[fitting]
    if lengths.size >= _FEWEST_SAMPLES and lengths.max() >= _UNLIKE * lengths.min():
        middle = float(np.median(lengths))
        yield "shorter half", fitting & (pairing.lengths <= middle)
        yield "longer half", fitting & (pairing.lengths > middle)
    elif lengths.size:
        yield "all that fit", fitting
    if pairing.skipped.any():
        yield f"too long for {pairing.whole}", pairing.skipped
