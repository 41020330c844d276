"""Check by metrics and words whether two figures are of one subject."""

import re

from ..lexicon import MARGINS
from ..quantity import Quantity
from ..wording.labels import labels, metrics, names_of

_SHARED = 1 / 3
"""Share of a claim's content words that a matching sentence must have if no metric is known."""

_SMALL = 100
"""Counts below this are too common to match without shared words."""

_TOPIC = re.compile(
    r"(?:^|[,;:]\s|\b(?:and|while|but|as)\s)"
    r"(?P<name>(?!(?:we|i|it|they|this|that|there)\b)[a-z][\w&'’/ -]{1,80}?)\s"
    r"(?:was|were|is|are|of|stood\sat|stands\sat|totall?ed|amounted\sto|came\s(?:in\s)?at|reached"
    r"|(?:rose|grew|climbed|fell|dropped|increased|decreased|declined)\s(?:\S{1,30}\s){0,3}to)\s"
    r"(?:about\s|approximately\s|around\s|roughly\s|nearly\s|over\s|only\s|just\s)?[^\w\s]?$"
)
"""A subject with its verb before a figure: provisions were, provisions of, provisions rose to."""

_OF_SALES = re.compile(r"\sof\s(?:[a-z]+\s){0,2}(?:revenues?|sales|turnover)\b")
"""After a percentage that is a share of sales."""

_GENERAL = (
    "the company group total amount figure number level value range result guidance year quarter"
)
"""Words that do not distinguish subjects."""


def same_subject(claim: Quantity, source: Quantity) -> bool:
    """Return whether two figures share a metric or, if one is unknown, enough words."""
    if _is_margin(claim, source) or _is_margin(source, claim):
        return True
    if claim.metric is not None and source.metric is not None:
        about = metrics(source.wording.about)
        return claim.metric in about or is_same_metric(claim.metric, source.metric)
    return not claim.wording.content or _shared_words(claim, source) >= _SHARED


def _is_margin(margin: Quantity, share: Quantity) -> bool:
    """Return whether a figure is a margin and another that profit as a share of sales.

    "The operating margin was 12%" and "operating income was $48 million, or 12% of net sales".
    """
    profits = {profit for profit, name in MARGINS.items() if name == margin.metric}
    if not profits or share.unit != "percent" or share.change:
        return False
    wording = share.wording
    is_of_sales = _OF_SALES.match(wording.after) or (
        share.period.prior and _OF_SALES.search(f"{wording.shared} {wording.beside}")
    )
    named_metrics = metrics(f"{wording.about} {wording.beside}")
    return is_of_sales is not None and not profits.isdisjoint(named_metrics)


def _shared_words(claim: Quantity, source: Quantity) -> float:
    """Return the share of a claim's content words that the sentence of another figure has."""
    of_claim, of_source = claim.wording.content, source.wording.content
    return len(of_claim & of_source) / len(of_claim) if of_claim else 0.0


def is_same_metric(claim: str, source: str) -> bool:
    """Return whether two metrics are the same, or one is the other by a wider name."""
    if claim == source:
        return True
    names = {claim, source}
    are_margins = claim.endswith("margin") and source.endswith("margin")
    return (are_margins and "margin" in names) or names == {"organic growth", "revenue"}


def is_exact(claim: Quantity, source: Quantity) -> bool:
    """Return whether value and unit suffice for a match without shared words.

    They do not if both amounts are beside the names of their metrics, or if one is a part: "of
    which $5 million".
    """
    is_small_count = claim.unit == "count" and claim.value_high is None and claim.amount < _SMALL
    are_money = {claim.unit, source.unit} == {"currency", "per_share"}
    return (
        claim.value == source.value
        and claim.value_high == source.value_high
        and (claim.unit == source.unit or are_money)
        and not (claim.wording.is_metric_beside and source.wording.is_metric_beside)
        and not is_small_count
        and not source.wording.before.endswith("of which ")
        and not _are_of_other_topics(claim, source)
    )


def _are_of_other_topics(claim: Quantity, source: Quantity) -> bool:
    """Return whether the subject of each of two figures is not named beside the other.

    "Goodwill was $5 million" and "deposits were $5 million" are of other topics.
    """
    of_claim = _topic(claim.wording.before)
    of_source = _topic(source.wording.before)
    if not (of_claim and of_source):
        return False
    return of_claim.isdisjoint(names_of(source)) and of_source.isdisjoint(names_of(claim))


def _topic(before: str) -> frozenset[str]:
    """Return the names in the subject of a figure, from the words before it; empty without one.

    They include its initials: net financial earnings are `nfe`.
    """
    match = _TOPIC.search(before)
    names = labels(match["name"]) - labels(_GENERAL) if match else frozenset()
    if not match or not names:
        return frozenset()
    initials = "".join(word[0] for word in match["name"].split())
    return names.union(initials[start:] for start in range(len(initials) - 1))
