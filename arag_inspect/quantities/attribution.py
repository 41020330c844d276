"""Read what a sentence says about one of its numbers."""

import re
from dataclasses import replace

from ..text.content_words import content_words
from ..text.sentences import Span
from . import lexicon as words
from .attributed_direction import base_of, direction_of, is_change
from .attributed_metric import metric_of, unit_and_metric
from .attributed_period import is_prior, period_of
from .attributed_status import basis_of, status_of
from .lexer import QuantityToken
from .mentions import Mention, Sentence
from .quantity import Quantity, Unit
from .surroundings import Surroundings

_BESIDE = 40
"""Most characters between a metric and a figure beside it."""


def figure_of(sentence: Sentence, quantity: QuantityToken) -> Quantity:
    """Read one number of a sentence."""
    start = sentence.span.start
    bare = Quantity(
        text=sentence.original[quantity.start : quantity.end].strip(),
        span=Span(start + quantity.start, start + quantity.end),
        sentence=sentence.span,
        value=quantity.value,
        value_high=quantity.value_high,
        decimals=quantity.decimals,
        decimals_high=quantity.decimals_high,
        scale=quantity.scale or "one",
        unit=quantity.unit or "count",
        currency=quantity.currency,
        negative=quantity.negative and not _follows_name(sentence, quantity),
        hedged=quantity.hedged,
    )
    if bare.unit in ("year", "date"):
        return bare
    return _fill(bare, Surroundings(sentence, quantity))


def _follows_name(sentence: Sentence, quantity: QuantityToken) -> bool:
    """Return whether a name precedes an amount in brackets: Contoso (12.5)."""
    before = sentence.original[: quantity.start].rstrip()
    return (
        sentence.original.startswith("(", quantity.start)
        and quantity.unit in (None, "count", "currency")
        and re.search(r"[a-z,&] (?:[A-Z][\w&.'-]*[a-z.])$", before) is not None
        and all(mention[1] != len(before) for mention in sentence.metrics)
    )


def _fill(figure: Quantity, around: Surroundings) -> Quantity:
    mention = metric_of(around, figure.unit, figure.scale != "one")
    unit, metric = unit_and_metric(around, figure, mention)
    change = is_change(around, unit, metric)
    prior = is_prior(around, change)
    negative = figure.negative or _is_loss(around, unit)
    direction = None if prior and not change else direction_of(around, mention, change)
    if figure.negative and change:
        negative, direction = False, "down"
    if _restates(around):  # "$106 million ($1.65 per share)"
        negative = False
    elif negative:  # a loss that improved fell
        direction = None
    return replace(
        figure,
        unit=unit,
        metric=metric,
        named=mention is not None and _distance(around, mention) <= _BESIDE,
        negative=negative,
        denied=_is_denied(around),
        change=change,
        direction=direction,
        against=base_of(around, change),
        period=period_of(around, prior),
        basis=basis_of(around, mention),
        status=status_of(around, compared=prior and figure.value_high is None),
        qualifiers=_qualifiers(around, mention),
        words=around.sentence.content,
        metrics=frozenset(mention[2] for mention in around.sentence.metrics),
        compares=around.sentence.compares,
    )


def _restates(around: Surroundings) -> bool:
    between = around.sentence.text[around.left : around.quantity.start]
    opens = around.sentence.text.startswith("(", around.quantity.start) or between.endswith("(")
    return bool(around.left) and opens and not between.strip(" (")


def _distance(around: Surroundings, mention: Mention) -> int:
    start, end = around.quantity.start, around.quantity.end
    return start - mention[1] if mention[1] <= start else mention[0] - end


def _is_loss(around: Surroundings, unit: Unit) -> bool:
    if unit not in ("currency", "per_share"):
        return False
    if around.left and words.LOSS_BEFORE.fullmatch(around.before):
        return _follows_loss(around.preceding)  # "a net loss of $5 million from $7"
    return _follows_loss(around)


def _follows_loss(around: Surroundings) -> bool:
    lead = around.before
    if around.left and words.SAME_AGAIN.match(lead):  # "a net loss of $7.4 million, or $0.19"
        before_last = [q.end for q in around.sentence.quantities if q.end < around.left]
        lead = around.sentence.text[max(before_last, default=0) : around.quantity.start]
    if words.LOSS_AFTER.match(around.after):
        return True
    losses = list(words.LOSS.finditer(lead))
    if not losses:
        return False
    rest = lead[losses[-1].end() :]
    return len(rest.split()) <= 10 and not re.search(
        r"\b(?:income|earnings of|profit|but|;)\b", rest
    )


def _is_denied(around: Surroundings) -> bool:
    lead = around.sentence.text[: around.quantity.start]
    return bool(words.UNTRUE.search(lead) or words.DENIED.search(around.before))


def _qualifiers(around: Surroundings, mention: Mention | None) -> frozenset[str]:
    if mention is None:
        return frozenset()
    start, end, _ = mention
    lead = around.sentence.text[max(0, start - 60) : start]
    cut = [m.end() for m in words.VERB.finditer(lead)]
    nearby = lead[cut[-1] if cut else 0 :]
    low, high = sorted((end, around.quantity.start))
    between = around.sentence.text[max(low, high - 80) : high]
    names = " ".join(words.NAME.findall(around.sentence.original[: around.quantity.start]))
    return content_words(f"{nearby} {between} {names.lower()}")
