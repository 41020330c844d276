"""The metric and the unit of a number of a sentence."""

import re
from itertools import zip_longest

from ..text.content_words import content_words
from . import lexicon as words
from .mentions import Mention
from .quantity import Quantity, Unit
from .surroundings import Surroundings

_OTHER_SUBJECT = re.compile(
    r"[,;]\s(?:but|while|and|whereas)\s(?:(?:the|our|its)\s)?(?:[a-z/-]+\s){1,6}(?:was|were|totaled|reached|hit|stood at"
    r"|(?:came|rose|grew|climbed|increased|fell|declined|decreased|dropped) (?:in )?(?:to|at|by))\s(?:about\s|an?\s|record\s)*$"
)
"""A clause with its own subject right before a figure, of which the metric before it says nothing."""
_CONCEDED = re.compile(r"\b(?:despite|notwithstanding|even with)\b")
"""Opens a phrase about another amount."""
_ADJECTIVES = re.compile(
    r"\s(?:(?!(?:a|above|after|against|although|amid|amidst|among|an|and|are|as|at|because|before|below|but|by|despite|down|during|for|from|had|has|if|in|into|is|it|its|less|minus|net|nor|not|of|on|or|our|over|per|plus|since|than|that|the|though|through|throughout"
    r"|to|under|until|up|versus|via|vs|was|we|were|when|where|whereas|which|while|will|with|within|without)\b)[a-z-]+(?<!ing)(?<!ed)\s){1,2}"
)
"""One or two adjectives between a figure and its metric: $1.6 billion ABL debt."""
_OF_METRIC = re.compile(r"\s(?:from|on)\s(?:[a-z-]+\s)?")
"""Between a metric and what it is part of: gross margin from home sales."""
_CENTS = 2
_OWN_FIGURE = re.compile(r"\s(?:of|at|was|to)\s(?:about |approximately |around )?(?:[$€£]|\d)")
"""After a metric that has a figure of its own."""
_SUBJECT = 2
"""Content words of a clause that are a subject of its own."""


def metric_of(around: Surroundings, unit: Unit, scaled: bool) -> Mention | None:
    """Find the metric of a number: beside it, or before it in its clause.

    Args:
        around: Words around the number.
        unit: Unit as written.
        scaled: Whether it is in thousands, millions or billions.
    """
    metrics = around.sentence.metrics
    fitting = [
        m
        for m, after in zip_longest(metrics, metrics[1:])
        if _fits(m[2], unit, scaled)
        and not (after and after[0] - m[1] == 1)  # "cash revenue" is a revenue
    ]
    end = min(around.nearby, around.clause.end)
    following = [m for m in fitting if around.quantity.end <= m[0] < end]
    preceding = [m for m in fitting if m[1] <= around.quantity.start]
    if preceding and preceding[-1][1] <= around.clause.start and _has_own_subject(around):
        preceding = []
    if preceding and _OTHER_SUBJECT.search(
        around.sentence.text, preceding[-1][1], around.quantity.start
    ):  # "revenue rose, but costs were $7 million"
        preceding = []
    if around.left and _CONCEDED.search(around.before):  # "profit of $4, despite a $1 charge"
        preceding = [m for m in preceding if m[0] >= around.left]
    if len(preceding) > 1 and _OF_METRIC.fullmatch(
        around.sentence.text[preceding[-2][1] : preceding[-1][0]]
    ):  # "gross margin from home sales"
        preceding = preceding[:-1]
    if preceding and around.quantity.start - preceding[-1][1] <= 1:  # "margin 9.6% on income"
        return preceding[-1]
    if following and _belongs_to(around, following[0]):
        return following[0]
    return preceding[-1] if preceding else next(iter(following), None)


def _belongs_to(around: Surroundings, following: Mention) -> bool:
    """Return whether a number belongs to the metric after it: 11% growth in revenues."""
    start, end, _ = following
    gap = around.sentence.text[around.quantity.end : start]
    if len(gap) <= 1 or _ADJECTIVES.fullmatch(gap):
        return True
    changed = words.CHANGE_OF.search(around.before) and words.CHANGED.fullmatch(gap)
    return bool(
        (changed or words.NOUN_FOLLOWS.fullmatch(gap))
        and not _OWN_FIGURE.match(around.sentence.text, end)
    )


def _has_own_subject(around: Surroundings) -> bool:
    """Return whether the clause names what its figure is of, in words of its own."""
    lead = around.sentence.text[around.clause.start : around.quantity.start]
    return around.left <= around.clause.start and len(content_words(_bare(lead))) >= _SUBJECT


def unit_and_metric(
    around: Surroundings, figure: Quantity, mention: Mention | None
) -> tuple[Unit, str | None]:
    """Resolve unit and metric against each other."""
    unit, metric = figure.unit, mention[2] if mention else None
    plain = figure.scale == "one"
    if unit == "per_share" and metric in (None, "operating income"):
        per_share = {m[2] for m in around.sentence.metrics} & {"book value", "dividend", "ffo"}
        metric = None if per_share and metric is None else "eps"
    if unit == "currency" and plain and mention is None and _per_share(around, (0, 0, "")):
        metric = "eps"  # "it made $0.71 per share, up from $0.70"
    if (
        mention
        and metric in ("net income", "operating income")
        and unit in ("currency", "per_share")
        and plain
        and (_per_share(around, mention) or around.quantity.decimals == _CENTS)
    ):
        metric = "eps"  # "adjusted earnings were $0.65"
    if unit == "currency" and plain and metric in ("eps", "dividend"):
        unit = "per_share"
    if metric == "eps" and not plain:
        metric = "net income"
    counted = words.THINGS.match(around.after) or (  # "47.6 million gallons, versus 71 million"
        around.left and around.is_compared and around.preceding.quantity.unit == "count"
    )
    if unit == "count" and not (plain or counted) and metric and words.FAMILIES[metric] == "money":
        unit = "currency"  # "net sales of 76.3 million"
    if metric == "margin":
        metric = _kind_of_margin(around)
    return unit, metric


def _per_share(around: Surroundings, mention: Mention) -> bool:
    return any(q.unit == "per_share" for q in around.sentence.quantities if q.start > mention[0])


def _kind_of_margin(around: Surroundings) -> str:
    names = [m[2] for m in around.sentence.metrics if m[1] <= around.quantity.start]
    for name in reversed(names):
        if name.endswith(" margin"):
            return name
        if name in ("operating income", "ebitda", "gross profit"):
            return f"{name.split()[0]} margin"
    return "margin"


def _bare(text: str) -> str:
    return words.DOWN.sub(" ", words.UP.sub(" ", text))


def _fits(metric: str, unit: Unit, scaled: bool) -> bool:
    family = words.FAMILIES[metric]
    if family == "rate":
        return unit in words.RATES
    if family == "count":
        return unit in ("count", *words.RATES)
    if family == "money":
        if unit == "currency" or (unit == "count" and scaled):
            return not (metric == "eps" and scaled)
        return unit in words.RATES or (unit == "per_share" and metric not in words.NOT_PER_SHARE)
    return unit not in ("year", "date")
