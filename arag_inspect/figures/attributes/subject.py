"""Find the metric of a figure, the words that narrow it, and its basis."""

import re
from collections.abc import Sequence

from ...text.content_words import content_words
from ...types.sample import Basis
from .. import lexicon
from ..numbers.physical_units import measure_after
from ..quantity import Unit
from ..wording.labels import metrics
from ..wording.mentions import MetricMention
from .surroundings import Surroundings

_BESIDE = 40
"""Most characters between a metric and a figure beside it."""

_CENTS = 2
"""Decimals of an amount per share."""

_ADJECTIVES = 28
"""Most characters of the adjectives before a metric."""

_LONGEST_SHARE = 40
"""Characters of the words between a share and what it is of."""

_NOUN_OF_FIGURE = re.compile(
    r"(?:(?:%|percent) of (?:(?:consolidated|group|its|our|the|their|total) )*|(?:\d|illion) in )$"
)
"""Between a share and its whole, or an amount and its form: $9 million in cash."""

_NOT_PER_SHARE = frozenset(
    ["revenue", "gross profit", "ebitda", "capex", "debt", "cash", "liquidity", "interest expense"]
)
"""Metrics that are not given per share."""

_OF_ITS_FIGURE = re.compile(r"\s(?:of|at)\s(?:about\s)?\S?(?<=[\d$€£¥])")
"""After the name of a metric that has a figure of its own: a profit of $5 on sales of $90."""

_NOUN_FOLLOWS = re.compile(
    r"(?:\s(?:to|per (?:diluted )?share))?\s?(?:of|in|on|for)\s"
    r"(?:our |the |total |gross |net |record |adjusted |share |quarterly |positive |additional )*"
    r"$"
    r"|\s(?:increase|rise|growth|gain|improvement|decrease|decline|drop|reduction)s? (?:of|in) "
    r"(?:[a-z-]+ ){0,3}$"
    r"|\sof (?:[a-z-]+ ){1,2}$"
)
"""Between a number and a metric after it that is its noun: 11% growth in revenues."""

_IS_A = re.compile(r"\b(?:was|were|is|are) an? (?:net )?$")
"""Between a metric and the kind of its value: the operating result was a profit of $5."""

_VERB = re.compile(rf"\b(?:{lexicon.words('no qualifier')})\b|[,;:.()\d]")
"""Verbs and words of time before the words that narrow a metric."""


def find_metric(around: Surroundings) -> MetricMention | None:
    """Find the metric of a number: beside it, or before it in its sentence."""
    unit = around.quantity.unit or "count"
    scaled = _is_scaled(around)
    scope = around.scope
    listed_names = metrics(scope.extra)
    if listed_names:
        fitting_names = [name for name in listed_names if _fits(name, unit, scaled)]
        if not fitting_names:
            return None
        return MetricMention(around.start, around.start, min(fitting_names))
    fitting = [mention for mention in around.sentence.metrics if _fits(mention.name, unit, scaled)]
    leading = [mention for mention in fitting if _may_lead_to(around, mention)]
    preceding = leading[:1] + [
        mention for mention in leading[1:] if not _IS_A.search(around.text, 0, mention.start)
    ]
    stop = _end_of_clause_after(around)
    following = [
        mention
        for mention in fitting
        if around.end <= mention.start < stop and not _has_figure(around, mention)
    ]
    if following and _is_noun_of_figure(around, following[0]):
        return following[0]  # "no borrowings", "11% growth in revenues"
    named_before = any(mention.start >= scope.before.start for mention in preceding)
    named_after = [mention for mention in following if mention.start < scope.after.end]
    if scope.link == "item" and named_after and not named_before:
        return named_after[0]  # "through dividends and $45 million through buybacks"
    if preceding:
        return _of_level(around, preceding) or preceding[-1]
    return following[0] if following else None


def _of_level(around: Surroundings, preceding: Sequence[MetricMention]) -> MetricMention | None:
    """Return the metric before the level that a number is compared with, unless it has its own.

    "costs were $2 billion, or 15% of revenue, versus $3 billion"
    """
    if around.scope.link != "base" or preceding[-1].end > around.scope.before.start:
        return None
    levels = [
        amount for amount in around.amounts[: around.index] if amount.unit == around.quantity.unit
    ]
    if not levels:
        return None
    level_mentions = [mention for mention in preceding if mention.end <= levels[-1].start]
    return level_mentions[-1] if level_mentions else None


def _end_of_clause_after(around: Surroundings) -> int:
    """Return the end of the words after a number that may contain its metric."""
    stop = lexicon.CLAUSE_END.search(around.after)
    end = around.end + stop.start() if stop else around.right
    return min(end, around.clause.end)


def _may_lead_to(around: Surroundings, mention: MetricMention) -> bool:
    """Return whether a metric is before a number, but not in a phrase inserted before its verb.

    Nor is it what another number is a share of: 23% of sales and 31% of receivables.
    """
    is_of_item_before = around.scope.link == "item" and mention.end <= around.scope.before.start
    lead = around.text[max(0, mention.start - _LONGEST_SHARE) : mention.start]
    if is_of_item_before and _NOUN_OF_FIGURE.search(lead):
        return False
    insertions = around.sentence.insertions
    is_inserted = any(
        phrase.start <= mention.start < phrase.end <= around.start for phrase in insertions
    )
    return mention.end <= around.start and not is_inserted


def _is_noun_of_figure(around: Surroundings, mention: MetricMention) -> bool:
    """Return whether a metric after a number is the noun that it counts or measures."""
    gap = around.text[around.end : mention.start]
    return gap == " " or _NOUN_FOLLOWS.fullmatch(gap) is not None


def _has_figure(around: Surroundings, mention: MetricMention) -> bool:
    """Return whether the name of a metric leads to a figure of its own."""
    return _OF_ITS_FIGURE.match(around.text, mention.end, around.right + 1) is not None


def _fits(metric: str, unit: Unit, scaled: bool) -> bool:
    """Return whether a metric is given in a unit."""
    family = lexicon.FAMILIES[metric]
    if family == "any":
        return unit not in ("year", "date")
    if unit in lexicon.RATES or family == "rate":
        return unit in lexicon.RATES
    if family == "count":
        return unit == "count"
    if unit == "per_share":
        return metric not in _NOT_PER_SHARE
    if metric == "eps" and scaled:
        return False
    return unit == "currency" or (unit == "count" and scaled)


def _is_scaled(around: Surroundings) -> bool:
    """Return whether a number is in thousands, millions or billions."""
    return around.quantity.scale not in (None, "one")


def unit_and_metric(around: Surroundings, mention: MetricMention | None) -> tuple[Unit, str | None]:
    """Resolve unit and metric against each other."""
    unit = around.quantity.unit or "count"
    metric = mention.name if mention else None
    is_scaled = _is_scaled(around)
    if unit == "per_share" and metric in (None, "operating income"):
        metric = "eps"
    if unit in ("currency", "per_share") and not is_scaled:
        is_income = metric in ("net income", "operating income")
        if is_income and (
            around.quantity.decimals == _CENTS or _per_share_follows(around, mention)
        ):
            metric = "eps"  # "adjusted earnings were $0.65"
        if metric in ("eps", "dividend"):
            unit = "per_share"
    is_of_money = lexicon.FAMILIES.get(metric or "") == "money"
    if unit == "count" and is_of_money and is_scaled:
        if measure_after(around.text, around.end):
            return unit, None  # "coal sales of 3.4 million tonnes"
        unit = "currency"  # "net sales of 76.3 million"
    return unit, metric


def _per_share_follows(around: Surroundings, mention: MetricMention | None) -> bool:
    """Return whether an amount per share follows the name of a metric."""
    start = mention.start if mention else 0
    return any(
        other.unit == "per_share" and other.start > start for other in around.sentence.quantities
    )


def is_beside(around: Surroundings, mention: MetricMention) -> bool:
    """Return whether a metric is beside a number."""
    return max(around.start - mention.end, mention.start - around.end) <= _BESIDE


def qualifiers(around: Surroundings, mention: MetricMention | None) -> frozenset[str]:
    """Return the content words between a number and the verbs around its metric."""
    if mention is None:
        return frozenset()
    lead = around.text[max(0, mention.start - 60) : mention.start]
    words_before = _VERB.split(lead)[-1]
    low, high = sorted((mention.end, around.start))
    insertions = around.sentence.insertions
    ends = [phrase.end for phrase in insertions if low <= phrase.start and phrase.end <= high]
    low = max([low, *ends])
    words_between = around.text[max(low, high - 80) : high]
    return content_words(f"{words_before} {words_between}")


def basis(around: Surroundings, mention: MetricMention | None) -> Basis | None:
    """Return whether a number is adjusted or not, where the words beside its metric agree."""
    alone = _basis_alone(around) if around.beside else None
    if alone:
        return alone
    start, end = around.clause.start, around.end
    if mention:
        ends_before = [amount.end for amount in around.amounts if amount.end <= mention.start]
        start, end = max(0, mention.start - _ADJECTIVES, *ends_before), mention.end
    bases = lexicon.bases(around.text, start, end)
    if mention and not bases:
        bases = lexicon.bases(around.scope.words)
    return bases.pop() if len(bases) == 1 else None


def _basis_alone(around: Surroundings) -> Basis | None:
    """Return the basis in the words about a number alone.

    Without any, use the basis of the number it is compared with, or of the same number in other
    words: "an adjusted loss of $5 million, or $0.19 per share".
    """
    scopes = around.sentence.scopes
    index = around.index
    while True:
        scope = scopes[index]
        label = scope.words if scope.link == "clause" else scope.alone
        bases = lexicon.bases(label)
        if len(bases) == 1:
            return bases.pop()
        if scope.link == "base":
            index = scope.head
        elif around.is_same_again(index):
            index -= 1
        else:
            return None
