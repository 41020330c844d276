"""Value of retrieval compared with reading the whole document, by document length."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..._util.wording import format_count
from ...measure import Aspect, MeasureSpec
from ...models.token_estimates import CHARACTERS_A_TOKEN
from ...stats.estimates import Floats
from ...types.system import STUFFING
from ..analysis import analysis
from ..cells import Cell, Signed, mean_over, show, show_score
from ..comparison.comparability import compare_pair
from ..comparison.comparisons import (
    Comparison,
    all_comparisons,
    clusters_short_of,
)
from ..comparison.contestants import contestants
from ..comparison.leads import ordered_systems
from ..comparison.means import mean_of_measure
from ..comparison.primary import answer_measures, end_of_scale, has_sections
from ..labels import in_sentence
from ..reading import reads_parts
from ..study import Study, cached_per_study

_FEWEST_SAMPLES = 8
"""Minimum number of samples for a split by length."""

_SMALL_SHARE = 0.05
"""Fraction of a scale up to which a gain is negligible."""

_UNLIKE = 1.5
"""Minimum ratio of the longest document to the shortest for lengths to count as different."""


class Contest(NamedTuple):
    """Comparison of a system that retrieves with one that reads the whole document."""

    retrieval: str
    whole: str
    measure: MeasureSpec
    lengths: Floats
    """Tokens of each sample's documents, shape (samples,); NaN if unknown."""

    skipped: NDArray[np.bool_]
    """Whether a sample was too long for the second and answered by the first, shape (samples,)."""

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
    """Compare the best system that retrieves with the one of its model that reads whole documents.

    They are compared on the first primary measure of answers, with coverage preferred. Of equally
    good systems, the first on the leaderboard counts. None without such systems.
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


def _groups(pairing: Contest) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield groups of samples by length: those that fit, whole or in halves, and the others."""
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


@analysis(
    "What retrieval adds, by length of the documents",
    columns="documents | tokens | measure | $pair | difference",
    text="""
    The best system that retrieves, and the system that reads the whole document with the same
    model: means over the n samples of each with a value, and the paired difference with its 95 %
    interval.
    Tokens: length of the document, estimated at four characters per token, or counted by the
    corpus's tokenizer where it was too long.
    """,
    words=lambda study: {"pair": list((contest(study) or ())[:2])},
    section="retrieval",
    order=10,
)
def by_length(study: Study) -> Iterator[Sequence[Cell]]:
    """Yield the means of both systems and their difference, by length of the documents."""
    pairing = contest(study)
    if pairing is None:
        return
    key = pairing.measure.key
    for name, among in _groups(pairing):
        means = [mean_over(study.values_of(system, key)[among]) for system in pairing[:2]]
        difference = pairing.difference(study, among)
        gap = difference[0] if difference is not None else None
        yield name, pairing.range(among), pairing.measure.label, *means, gap


@cached_per_study
def key_finding(study: Study) -> str | None:
    """State whether retrieval adds value for documents of this length, and why.

    None unless one system retrieves, one reads the whole document, and both answered or skipped.
    """
    pairing = contest(study)
    replies = study.answers[study.answers["outcome"].isin(["answered", "skipped"])]
    if pairing is None or not {pairing.retrieval, pairing.whole} <= set(replies["system"]):
        return None
    sentences = [*_describe_gain(study, pairing), *_too_long(study, pairing)]
    return " ".join(sentences) or None


def _describe_gain(study: Study, pairing: Contest) -> Iterator[str]:
    """Yield sentences on what retrieval adds where both systems answered."""
    rivals = pairing.measure.key, {pairing.retrieval, pairing.whole}
    pairs = (
        pair for pair in all_comparisons(study) if (pair.measure.key, {pair.a, pair.b}) == rivals
    )
    pair = next(pairs, None)
    if pair is None:
        return
    end = end_of_scale(study, pairing.measure, contestants(study))
    if end is not None:
        yield _at_one_end(study, pairing, end)
        return
    yield _gain(study, pairing, pair)
    halves = []
    for _, among in _groups(pairing):
        difference = pairing.difference(study, among)
        if difference is not None:
            gap, n = difference
            halves.append(f"{pairing.range(among)} {show(gap)} (n {n})")
    if len(halves) > 1:
        yield f"By length: {'; '.join(halves)}."


def _at_one_end(study: Study, pairing: Contest, end: str) -> str:
    """State that scores at one end of the scale do not show what retrieval adds."""
    key = pairing.measure.key
    values = [mean_of_measure(study, system, key) for system in pairing[:2]]
    first, second = (show_score(value.mean) for value in values if value is not None)
    return (
        "These scores do not show whether retrieval adds value: in "
        f"{in_sentence(pairing.measure)} every system is in the {end} 10 % of the scale "
        f"({pairing.retrieval} {first}, {pairing.whole} {second})."
    )


def _gain(study: Study, pairing: Contest, pair: Comparison) -> str:
    """State whether retrieval adds value, and why."""
    is_same = not (pair.paired.wins or pair.paired.losses)
    gain = pair.seen_from(pairing.whole)
    excluded_gain = _small_gain_bound(study, pair, gain.high)
    adds = "is not shown to add"
    caveat = "" if is_same else ", which may be chance"
    if pair.winner:
        adds = "adds" if pair.winner == pairing.retrieval else "does not add"
        caveat = ""
    elif excluded_gain is not None:
        adds = "does not add"
        caveat = f"; a gain of more than {excluded_gain:.2g} is excluded"
    lengths = pairing.range(~pairing.skipped)
    verdict = f"Retrieval {adds} value for documents of this length ({lengths})"
    name = in_sentence(pairing.measure)
    if is_same:
        difference = (
            f"{pairing.retrieval} and {pairing.whole}, which reads the whole document, score the "
            f"same in {name} on every sample (n {pair.paired.n})"
        )
    else:
        difference = (
            f"{pairing.retrieval}'s difference from {pairing.whole}, which reads the whole "
            f"document, is {show(gain)} in {name}"
        )
    return f"{verdict}: {difference}{caveat}.{_effort(study, pairing)}"


def _effort(study: Study, pairing: Contest) -> str:
    """Return a sentence on what the system that retrieves reads and uses; empty if unknown."""
    clauses = [_reads(study, pairing.retrieval), _describe_tokens(study, pairing)]
    known = [clause for clause in clauses if clause]
    return f" {pairing.retrieval} {' and '.join(known)}." if known else ""


def _reads(study: Study, system: str) -> str:
    """Return how much of the evidence a system reads, as a predicate.

    If the gold is whole sections, it gives the share of the reference's facts, and is empty if that
    is unknown. If passages may be parts of chunks, it gives the share of the evidence texts where
    these are known.
    """
    counts_facts = has_sections(study)
    aspects: list[Aspect] = ["reference facts read"] if counts_facts else ["recall"]
    if not counts_facts and reads_parts(study, system):
        aspects.insert(0, "evidence read")
    shares = (mean_of_measure(study, system, study.catalogue.key_of(name)) for name in aspects)
    share = next((mean for mean in shares if mean is not None), None)
    if share is None:
        return "" if counts_facts else "has no known recall"
    percent = f"{share.mean:.0%}".replace("%", " %")
    if counts_facts:
        return f"reads {percent} of the reference's facts"
    return f"finds {percent} of the evidence"


def _small_gain_bound(study: Study, pair: Comparison, high: float | None) -> float | None:
    """Return the upper bound of the gain if it is small; None if a larger gain is plausible.

    If no sample differs, the bound follows the rule of three: 3 / groups of the scale (Hanley and
    Lippman-Hand, 1983).
    """
    paired = pair.paired
    span = pair.measure.range_width
    if high is None or span is None:
        return None
    if not pair.is_alike or clusters_short_of(all_comparisons(study)):
        return None
    bound = high if paired.wins or paired.losses else 3 * span / paired.clusters
    return _SMALL_SHARE * span if bound <= _SMALL_SHARE * span else None


def _describe_tokens(study: Study, pairing: Contest) -> str:
    """Describe the tokens that both systems use, on the samples that the second answered."""
    finished = study.finished
    fitting = finished[finished["id"].isin(np.array(study.sample_ids)[~pairing.skipped])]
    means: pd.Series[float] = fitting.groupby("system")["tokens"].mean().dropna()
    if not {pairing.retrieval, pairing.whole} <= set(means.index):
        return ""
    first, second = (f"{means[system]:,.0f}" for system in pairing[:2])
    return f"uses {first} tokens per question on these documents ({pairing.whole}: {second})"


def _too_long(study: Study, pairing: Contest) -> Iterator[str]:
    """Yield sentences on what retrieval achieves where the whole document does not fit."""
    if pairing.skipped.any():
        mean = mean_over(study.values_of(pairing.retrieval, pairing.measure.key)[pairing.skipped])
        documents = format_count(int(pairing.skipped.sum()), "document")
        yield (
            f"Retrieval adds value if a document is too long: {pairing.whole} skipped "
            f"{documents} ({pairing.range(pairing.skipped)}), on which {pairing.retrieval} has "
            f"{show(mean)} in {in_sentence(pairing.measure)}."
        )
