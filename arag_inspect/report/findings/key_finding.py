"""State what retrieval adds to reading the whole document."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..._util.wording import format_count
from ...measure import Aspect
from ..cells import mean_over, show, show_score
from ..comparison.comparisons import Comparison, all_comparisons, clusters_short_of
from ..comparison.contestants import contestants
from ..comparison.length import Contest, contest, groups_by_length
from ..comparison.means import mean_of_measure
from ..comparison.primary import end_of_scale, has_sections
from ..comparison.scope import unequal_scope
from ..labels import in_sentence
from ..reading import reads_parts
from ..study import Study, cached_per_study

_SMALL_SHARE = 0.05
"""Fraction of a scale up to which a gain is negligible."""


@cached_per_study
def key_finding(study: Study) -> str | None:
    """State whether retrieval adds value for documents of this length, and why.

    None unless one system retrieves, one reads the whole document, and both answered or skipped.
    Nor does a lack of gain count if only the second was given the documents of each question.
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
    scope = unequal_scope(study)
    if scope and pairing.retrieval in scope.searching and pair.winner != pairing.retrieval:
        return
    yield _gain(study, pairing, pair)
    halves = []
    for _, among in groups_by_length(pairing):
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
    both = _reads(study, pairing.retrieval), _describe_tokens(study, pairing)
    predicate = " and ".join(filter(None, both))
    return f" {pairing.retrieval} {predicate}." if predicate else ""


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
