"""Find the period of a number."""

import re
from dataclasses import replace

from .. import lexicon
from ..periods import ANY_PERIOD, Period, PeriodMention, find_periods
from .surroundings import Surroundings

_LEADING = 40
"""Characters at the start of a sentence whose period holds for all of it."""

_MOST_BETWEEN = 8
"""Most words between a number and its period after it."""

_OUTLOOK = re.compile(
    r"\b(?:guidance|outlook|range|forecast|estimate|goal|target|view|expectation|projection)$"
)
"""End of the name of an earlier outlook."""

_TURNED = re.compile(r",|;|\b(?:to|by|now)\b")
"""Words after which the period before them is no longer the period of the figure."""

_NOW = re.compile(r"\s(?:today|now|currently|at present)\b")
_BASE_PERIOD = re.compile(r"(?:%|percent)\s+of\s+(?:(?:the|our|its)\s)?$")
"""Before a period that a percentage is of, and no other figure: 80% of Q4 2019 levels."""

_COMPARED_PERIOD = re.compile(
    r"\b(?:from|(?<!and )over(?! the (?:entire|full|whole)\b)|than|versus|vs\.?|above|against|below"
    r"|compared (?:to|with)|relative to)\s(?:(?:in|the|our|its)\s)*$"
)
"""Before a period that a figure is compared with, and no later figure is of."""

_FROM_PERIOD = re.compile(
    r"\s(?:[a-z-]+\s){0,3}?"
    r"(?:above|against|below|compared (?:to|with)|from|over|than|versus|vs\.?)\s"
    r"(?:(?:in|the|that of)\s){0,2}"
)
"""Between a change and the period that it is measured from."""

_HAD_HAPPENED = re.compile(
    r"\b(?:that|which|who)\s(?:(?:it|they|we|the company)\s)?had\s(?:[a-z]+\s){1,5}(?:in\s)?$"
)
"""Before the period of an earlier deed: settled 2 million shares that had been sold in 2023."""

_TO_LEVEL = re.compile(r",?\s(?:to|at)\s")
"""After the base of a change, before the level that it led to."""

_WHERE = re.compile(r"\s?(?:(?:year|quarter|period|half)\b)?,?\s(?:where|during which|in which)\b")
"""After a period that holds for everything after it: in 2023, during which."""

_NOT_ITS_PERIOD = re.compile(
    r"\b(?:"
    r"from|above|ahead|behind|below|versus|vs|against|compared|over|than|on|with|and|while|to"
    r"|since|until|after|before)\b"
    r"|;|,(?!\s$)|(?<!\d),"
)
"""Between a figure and a period of something else; not the comma of a date: at June 30, 2022."""

_LAST_PHRASE = re.compile(r",\s(?:in|for|during)\s(?:the\s)?$")
"""Between a figure and a period that is set off by a comma: 15% of net sales, in fiscal 2021."""

_OF_BOTH = re.compile(r"\s(?:for|in)\s(?:the\s)?$")
"""Between the second of two levels and the period of both: 37% versus 38% for nine months."""

_LENGTHS = frozenset(["Q", "6M", "9M", "YTD"])
"""Spans of periods that end now."""

_BALANCES = frozenset(
    [
        "backlog",
        "book value",
        "cash",
        "debt",
        "deposits",
        "headcount",
        "inventory",
        "liquidity",
        "loans",
    ]
)
"""Metrics that are given at the end of a period and not for it."""

_WHOLE = re.compile(r"(?:entire|full|whole)\b")
"""Start of a period over which a figure runs, and with which it is not compared."""


def period_of(around: Surroundings, change: bool, metric: str | None = None) -> Period:
    """Return the period that a number's clause or the start of its sentence mentions."""
    scope = around.scope
    listed_periods = find_periods(scope.extra) if scope.extra else []
    if listed_periods:
        return listed_periods[-1].period
    if scope.extra and scope.extra == scope.alone:  # an item of a list
        periods = {mention.period for mention in find_periods(scope.shared)}
        return periods.pop() if len(periods) == 1 else Period(prior=around.is_compared)
    before = [
        mention
        for mention in _periods(around)
        if mention.end <= around.start and not _BASE_PERIOD.search(around.text, 0, mention.start)
    ]
    current = [mention for mention in before if not mention.period.prior]
    after = _period_after(around)
    if after:
        if after.year and after.span in (None, "FY") and current:  # "in the third quarter of"
            after = replace(after, span=current[-1].period.span or after.span)
        return replace(after, prior=_is_base(around, after) or (after.prior and not change))
    beside = [
        mention
        for mention in before
        if mention.start >= scope.before.start and not _is_base_of_change(around, mention)
    ]
    may_differ = scope.link == "aside" or (scope.link != "next" and not change)
    if around.left and may_differ and beside:
        period = beside[-1].period
        return replace(period, prior=_is_base(around, period) or period.prior)
    if _is_base(around, ANY_PERIOD) or _is_of_earlier(around, before, change):
        return Period(prior=True)
    if not around.left and _names_earlier_outlook(around, before):
        return replace(current[-1].period if current else ANY_PERIOD, prior=True)
    if around.left and lexicon.PART.search(around.before):
        return period_of(_whole(around), change)
    within = [
        mention
        for mention in current
        if (mention.start >= around.clause.start or _holds(around, mention))
        and not _is_compared_with(around, mention)
        and not (metric in _BALANCES and _is_of_flow_before(around, mention))
    ]
    return within[-1].period if within else ANY_PERIOD


def _whole(around: Surroundings) -> Surroundings:
    """Return the surroundings of the number to which a part belongs, not of its earlier level."""
    whole = Surroundings(around.sentence, around.amounts[around.index - 1])
    if whole.is_compared and whole.index:
        return Surroundings(around.sentence, around.amounts[whole.index - 1])
    return whole


def _periods(around: Surroundings) -> list[PeriodMention]:
    """Return the periods of a sentence, except of what had happened before."""
    return [
        mention
        for mention in around.sentence.periods
        if not _HAD_HAPPENED.search(around.text, 0, mention.start)
    ]


def compared_period(around: Surroundings) -> Period | None:
    """Return the period compared with an earlier period, if only one is mentioned before it."""
    before = [mention for mention in around.sentence.periods if mention.end <= around.start]
    current = [mention for mention in before if not _is_compared_with(around, mention)]
    dated = {mention.period for mention in current if mention.period.year}
    periods = [period for period in dated if not period.prior]
    return periods.pop() if len(periods) == 1 else None


def base_period(around: Surroundings) -> Period | None:
    """Return the period that a change is measured from: up 5% from the first quarter of 2024."""
    right = _end_of_words_about(around)
    for mention in around.sentence.periods:
        is_named = mention.period.year is not None and around.end <= mention.start < right
        if is_named and _FROM_PERIOD.fullmatch(around.text, around.end, mention.start):
            return mention.period
    return None


def _period_after(around: Surroundings) -> Period | None:
    """Return the period that follows a number, unless something else is of it."""
    right = _end_of_words_about(around)
    following = [m for m in _periods(around) if around.end <= m.start < right]
    figure_mentions = [m for m in following if not _BASE_PERIOD.search(around.text, 0, m.start)]
    mention = next(
        iter(figure_mentions or following), None
    )  # 48% of 2019 levels in the second quarter
    if mention is None:
        return None
    between = _LAST_PHRASE.sub("", around.text[around.end : mention.start])
    if _WHOLE.match(around.text, mention.start):
        between = between.removesuffix("over the ")
    if _is_of_both_levels(around, mention):
        return mention.period
    is_near = len(between.split()) <= _MOST_BETWEEN or len(around.sentence.periods) == 1
    return mention.period if is_near and not _NOT_ITS_PERIOD.search(between) else None


def _is_of_both_levels(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether a period after two levels is of both: 37% versus 38% for six months."""
    other = around.index + 1
    if other == len(around.amounts):
        return False
    is_level = around.sentence.scopes[other].link == "base" or around.after == " to "
    is_length = mention.period.span in _LENGTHS and not (
        mention.period.year or mention.period.prior
    )
    after = _OF_BOTH.fullmatch(around.text, around.amounts[other].end, mention.start)
    return is_level and is_length and after is not None


def _end_of_words_about(around: Surroundings) -> int:
    """Return where a number's clause ends, or an aside begins, which may name another period."""
    end = around.scope.after.end
    for scope in around.sentence.scopes[around.index + 1 :]:
        if scope.link in ("clause", "item", "aside"):
            break
        end = scope.after.end
    return end


def _is_base(around: Surroundings, period: Period) -> bool:
    """Return whether a number is earlier only because another is compared with it: against $4.

    It is not if the sentence names another part of the year, if the number is of today, or if the
    two differ in more than their time.
    """
    spans = {mention.period.span for mention in around.sentence.periods} - {None, period.span}
    has_other_part = period.span is not None and bool(spans)
    is_of_today = _NOW.match(around.after) is not None
    is_of_another = around.scope.contrast is not None
    return around.is_compared and not (has_other_part or is_of_today or is_of_another)


def _holds(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether a period holds until the next: it opens the sentence or an item of it."""
    opens_sentence = mention.start <= _LEADING
    if opens_sentence or _WHERE.match(around.text, mention.end):
        return True
    items = [scope for scope in around.sentence.scopes[1:] if scope.link in ("clause", "item")]
    return any(item.before.start <= mention.start < item.before.end for item in items)


def _is_of_flow_before(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether a period is an adjective of a clause before: "H1 spending rose; cash was"."""
    is_adjective = not mention.start and around.text.startswith(" ", mention.end)
    return is_adjective and mention.end < around.clause.start


def _is_compared_with(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether a period is only what another figure is compared with: up 5% from 2023."""
    is_base = _COMPARED_PERIOD.search(around.text, 0, mention.start)
    leads = mention.start <= min(_LEADING, around.amounts[0].start)
    return not leads and is_base is not None


def _is_base_of_change(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether a period is the base of a change before it: fell 4%, from 2023 to $5."""
    return _TO_LEVEL.match(around.text, mention.end) is not None and _is_compared_with(
        around, mention
    )


def _is_of_earlier(around: Surroundings, before: list[PeriodMention], change: bool) -> bool:
    """Return whether the words before the first number are of an earlier period."""
    if change or around.left or not before or not before[-1].period.prior:
        return False
    return _still_holds(around, before[-1])


def _names_earlier_outlook(around: Surroundings, before: list[PeriodMention]) -> bool:
    """Return whether the words before a number are of an earlier outlook: our prior range of."""
    return any(
        mention.period.prior
        and _OUTLOOK.search(around.text, mention.start, mention.end)
        and _still_holds(around, mention)
        for mention in before
    )


def _still_holds(around: Surroundings, mention: PeriodMention) -> bool:
    """Return whether an earlier period or outlook still holds at a number.

    It does not after words such as "now" and "to". An outlook that remains as it was is also the
    current one.
    """
    turned = _TURNED.search(around.text, mention.end, around.start)
    return not (turned or lexicon.FLAT.search(around.text, around.clause.start, mention.start))
