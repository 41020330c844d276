"""The period that a number of a sentence is of."""

import re
from dataclasses import replace

from .periods import Period, PeriodMention
from .surroundings import Surroundings

_TO_PERIOD = re.compile(
    r",?(?:\s(?:a|an|at|basic|common|diluted|during|first|for|fourth|half|in|of|or|our|per|quarter|reported|same|second|share|the|third|unit))*\s?"
)
"""Between a figure and its earlier period: $1.02 per share in the prior year."""
_LEADING = 40
"""Characters at the start of a sentence whose period holds for all of it."""


def is_prior(around: Surroundings, change: bool) -> bool:
    """Return whether a number is of the period compared with."""
    if around.is_compared and not around.is_target:
        return not re.match(r"\s?of\s", around.after)
    if change:
        return False
    for mention in around.sentence.periods:
        if mention.period.prior and around.quantity.end <= mention.start < around.right:
            between = around.sentence.text[around.quantity.end : mention.start]
            return _TO_PERIOD.fullmatch(between) is not None
    leading = [m for m in around.sentence.periods if m.start <= 3]
    return bool(leading) and leading[0].period.prior and not around.left


def period_of(around: Surroundings, prior: bool) -> Period:
    """Return the period that a number's clause or the start of its sentence names."""
    if "respectively" in around.sentence.text:
        return Period()
    own = _own_period(around)
    if own is None:
        return Period(prior=prior)
    return replace(own, prior=prior or own.prior) if prior else replace(own, prior=False)


def _own_period(around: Surroundings) -> Period | None:
    start, end = around.quantity.start, around.quantity.end
    after = [m for m in around.sentence.periods if end <= m.start < around.right]
    before = [
        m for m in around.sentence.periods if m.end <= start and not _is_comparison(around, m)
    ]
    if after:
        between = around.sentence.text[end : after[0].start]
        if _is_close(between):
            return _narrowed(after[0].period, [m for m in before if m.start >= around.clause.start])
    if around.is_compared:
        return None
    within = [m for m in before if m.start >= around.clause.start]
    mentions = within or [m for m in before if m.start <= _LEADING]
    if not mentions or (
        len({m.period.span for m in before}) > 1 and _is_distant(around, mentions[-1])
    ):
        return None
    return mentions[-1].period


def _is_distant(around: Surroundings, mention: PeriodMention) -> bool:
    return around.quantity.start - mention.end > _LEADING


def _is_close(between: str) -> bool:
    return len(between.split()) <= 8 and not re.search(
        r"\b(?:from|versus|vs|against|compared|over|than|on|with|and|while|to)\b|[;,]", between
    )


def _is_comparison(around: Surroundings, mention: PeriodMention) -> bool:
    before = around.sentence.text[max(0, mention.start - 40) : mention.start]
    return mention.period.prior or bool(
        re.search(
            r"\b(?:from|versus|vs\.?|against|compared (?:with|to)|over|than|relative to|given our|following|after|based on)\s[^;,]{0,30}$",
            before,
        )
    )


def _narrowed(own: Period, before: list[PeriodMention]) -> Period:
    """Add the "third quarter" mentioned first to a later "in fiscal 2021"."""
    span = before[-1].period.span if before else None
    return replace(own, span=span) if span and own.span in (None, "FY") and own.year else own
