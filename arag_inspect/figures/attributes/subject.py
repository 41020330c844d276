"""What a figure is of: its metric, which settles its unit, the words that narrow it, and its basis."""

import re
from collections.abc import Iterable

from ...text.content_words import content_words
from ...types.sample import Basis
from .. import lexicon as words
from ..clauses import metrics
from ..mentions import Mention
from ..quantity import Quantity, Unit
from .surroundings import Surroundings

_BESIDE = 40
"""Most characters between a metric and a figure beside it."""

_CENTS = 2
_ADJECTIVES = 28
"""Most characters of the adjectives before a metric."""

_EDGE = re.compile(r"[;:)]\s|\.\s")

_NOT_PER_SHARE = frozenset(
    ["revenue", "gross profit", "ebitda", "capex", "debt", "cash", "liquidity", "interest expense"]
)
"""Metrics that are not given per share."""

_OF_ITS_FIGURE = re.compile(r"\s(?:of|at)\s(?:about\s)?\S?(?<=[\d$€£¥])")
"""After the name of a metric that has a figure of its own: a profit of $5 on sales of $90."""

_NOUN_FOLLOWS = re.compile(
    r"(?:\s(?:to|per (?:diluted )?share))?\s?(?:of|in|on|for)\s(?:our |the |total |gross |net |record |adjusted |share |quarterly |positive |additional )*$"
    r"|\s(?:increase|rise|growth|gain|improvement|decrease|decline|drop|reduction)s? (?:of|in) (?:[a-z-]+ ){0,3}$"
    r"|\sof (?:[a-z-]+ ){1,2}$"
)
_VERB = re.compile(
    r"\b(?:was|were|is|are|of|report\w*|record\w*|post\w*|deliver\w*|generat\w*|produc\w*|expect\w*|see|sees|project\w*|had|ended|with|on|line|by|and"
    r"|earn\w*|full-year|year|quarter|q[1-4]|fy|guidance|outlook|fiscal|adjusted|gaap|non-gaap|raising|lowering|for|to|that|a|an|the|our|in)\b|[,;:.()\d]"
)


def find_metric(around: Surroundings, unit: Unit, scaled: bool) -> Mention | None:
    """Find the metric of a number: beside it, or before it in its sentence.

    Args:
        around: The number and the words around it.
        unit: Unit as written.
        scaled: Whether it is in thousands, millions or billions.
    """
    scope, end = around.scope, around.end
    if scope.extra and (names := metrics(scope.extra)):
        fitting_names = [name for name in names if _fits(name, unit, scaled)]
        return (around.start, around.start, min(fitting_names)) if fitting_names else None
    hidden = scope.hidden
    fitting = [
        mention
        for mention in around.sentence.metrics
        if _fits(mention[2], unit, scaled) and not hidden.start <= mention[0] < hidden.end
    ]
    stop = words.CLAUSE_END.search(around.after)
    nearby = min(end + stop.start() if stop else around.right, around.clause.end)
    following = [mention for mention in fitting if end <= mention[0] < nearby]
    preceding = [mention for mention in fitting if mention[1] <= around.start]
    if following and _is_noun_of_figure(around, following[0]):
        return following[0]  # "no borrowings", "11% growth in revenues"
    named_before = any(mention[0] >= scope.before.start for mention in preceding)
    named_after = [mention for mention in following if mention[0] < scope.after.end]
    if scope.link == "item" and named_after and not named_before:
        return named_after[0]  # "through dividends and $45 million through buybacks"
    return next(iter(preceding[-1:] or following), None)


def _is_noun_of_figure(around: Surroundings, mention: Mention) -> bool:
    """Return whether a metric after a number is the noun that it counts or measures."""
    gap = around.text[around.end : mention[0]]
    has_figure = _OF_ITS_FIGURE.match(around.text, mention[1], around.right + 1)
    return gap == " " or (_NOUN_FOLLOWS.fullmatch(gap) is not None and not has_figure)


def _fits(metric: str, unit: Unit, scaled: bool) -> bool:
    """Return whether a metric is given in a unit."""
    family = words.FAMILIES[metric]
    if family == "any":
        return unit not in ("year", "date")
    if unit in words.RATES or family == "rate":
        return unit in words.RATES
    if family == "count":
        return unit == "count"
    if unit == "per_share":
        return metric not in _NOT_PER_SHARE
    return (unit == "currency" or (unit == "count" and scaled)) and not (metric == "eps" and scaled)


def unit_and_metric(
    around: Surroundings, figure: Quantity, mention: Mention | None
) -> tuple[Unit, str | None]:
    """Resolve unit and metric against each other."""
    unit, metric = figure.unit, mention[2] if mention else None
    plain = figure.scale == "one"
    if unit == "per_share" and metric in (None, "operating income"):
        metric = "eps"
    if unit in ("currency", "per_share") and plain:
        start = mention[0] if mention else 0
        units_after = (other.unit for other in around.sentence.quantities if other.start > start)
        if metric in ("net income", "operating income") and (
            figure.decimals == _CENTS or "per_share" in units_after
        ):
            metric = "eps"  # "adjusted earnings were $0.65"
        if metric in ("eps", "dividend"):
            unit = "per_share"
    money = words.FAMILIES.get(metric or "") == "money"
    if unit == "count" and money and not plain:
        unit = "currency"  # "net sales of 76.3 million"
    return unit, metric


def is_beside(around: Surroundings, mention: Mention) -> bool:
    """Return whether a metric stands beside a number."""
    return max(around.start - mention[1], mention[0] - around.end) <= _BESIDE


def qualifiers(around: Surroundings, mention: Mention | None) -> frozenset[str]:
    """Return the content words between a number and the verbs around its metric."""
    if mention is None:
        return frozenset()
    start, end, _ = mention
    nearby = _VERB.split(around.text[max(0, start - 60) : start])[-1]
    low, high = sorted((end, around.start))
    return content_words(f"{nearby} {around.text[max(low, high - 80) : high]}")


def basis(around: Surroundings, mention: Mention | None) -> Basis | None:
    """Return whether a number is adjusted or not, where the words beside its metric agree."""
    if around.beside and (alone := _basis_alone(around)):
        return alone
    text = around.text
    start = _start_of_phrase(text, mention[0]) if mention else around.clause.start
    end = mention[1] if mention else around.end
    kinds = _bases(words.BASIS.finditer(text, max(0, start), end))
    if mention and not kinds:
        kinds = _bases(words.BASIS.finditer(f"{around.scope.shared} {around.scope.alone}"))
    return kinds.pop() if len(kinds) == 1 else None


def _start_of_phrase(text: str, position: int) -> int:
    """Return where the phrase with a metric begins, at most a few adjectives before it."""
    before = text[max(0, position - _ADJECTIVES) : position]
    return position - len(_EDGE.split(before)[-1])


def _basis_alone(around: Surroundings) -> Basis | None:
    """Return the basis that the words about a number alone name.

    If they name none, that of the number it is compared with, or of the same one in other words.
    """
    index, scopes = around.index, around.sentence.scopes
    chain = [index]
    while scopes[index].link == "base" or around.is_same_again(index):
        index = scopes[index].head if scopes[index].link == "base" else index - 1
        chain.append(index)
    for scope in (scopes[index] for index in chain):
        label = scope.alone if scope.link != "clause" else f"{scope.shared} {scope.alone}"
        kinds = _bases(words.BASIS.finditer(label))
        if len(kinds) == 1:
            return kinds.pop()
    return None


def _bases(marks: Iterable[re.Match[str]]) -> set[Basis]:
    return {"adjusted" if mark["adjusted"] else "gaap" for mark in marks}
