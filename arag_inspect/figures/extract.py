"""Read the figures of a text: each number with what its sentence says of it."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from .._util.errors import TextTooLongError
from ..text.sentences import Span
from .attributes.change import base, direction, is_change, is_level
from .attributes.denial import is_denied, negated_verbs
from .attributes.loss import is_loss
from .attributes.period import base_period, compared_period, period_of
from .attributes.status import status_of
from .attributes.subject import basis, find_metric, is_beside, qualifiers, unit_and_metric
from .attributes.surroundings import Surroundings
from .figure_wording import Wording
from .lexicon import words
from .numbers.physical_units import (
    PhysicalUnit,
    end_of_unit,
    measure_after,
    rate_of,
    rate_of_adjective,
)
from .numbers.ranges import QuantityToken
from .numbers.separators import in_one_notation
from .periods import ANY_PERIOD, Period
from .quantity import Counterpart, Quantity
from .wording.mentions import Sentence, sentence_spans
from .wording.pairs import GLUE

_PRONOUN = re.compile(
    r"(?:^|,)\s*(?:it|they|this|that)\s(?:would\shave\s)?"
    r"(?:amounted|are|been|came|declined|decreased|fell|grew|increased|is|rose|stood|totall?ed"
    r"|was|were)"
    r"\s[^,;]{0,30}$"
)
"""A pronoun with its verb before a figure: "Revenue fell. It was" $5 million."""

_HAS_NUMBER = re.compile(words("has number"))
"""Digits or words for numbers, without which a sentence is not searched for figures."""

_PAIR = 2
_BARE_PAIR = re.compile(r"^[^,;]*\s(?:was|were)\s[^,;\s]*\d[^,;]*\sand\s[^,;]*,\srespectively\W*$")
"""Two figures without their two items: income was $5 million and $4 million, respectively."""

_REACH = 6
"""Number of figures before a sentence that may be of its two periods."""

_NUMBER = re.compile(r"\d[\d.,]*")
_PARAGRAPH = re.compile(r"\n\s*\n")


def extract_quantities(text: str) -> list[Quantity]:
    """Read every figure of a text.

    Dates and years are included (units `date` and `year`), so that the caller
    can tell them from amounts.

    Args:
        text: Plain text in upper or lower case.

    Returns:
        Figures in the order of the text; spans refer to the text. A sentence of more than
        2,000 characters or 100 numbers counts as several.
    """
    lower = in_one_notation(text)
    spans = list(sentence_spans(text))
    figures: list[Quantity] = []
    period: Period | None = None
    end = 0
    for span in spans:
        if _PARAGRAPH.search(lower, end, span.start):
            period = None
        end = span.end
        if _HAS_NUMBER.search(lower, *span):
            sentence = Sentence(text, lower, span, alone=len(spans) == 1)
            new_figures = [_read_figure(sentence, number) for number in sentence.quantities]
            dated = {figure.period for figure in new_figures if figure.period.year}
            if dated:
                period = _only_current(dated)
            elif period:
                new_figures = [_in_time_of_text(figure, period) for figure in new_figures]
            new_figures = _with_antecedent(new_figures, figures[-1:])
            if _closes_with_earlier_level(sentence, figures):
                new_figures[-1] = _as_earlier_level(new_figures[-1], figures)
            figures += new_figures
    return figures


def _closes_with_earlier_level(sentence: Sentence, before: Sequence[Quantity]) -> bool:
    """Return whether "1 and 2, respectively" are of the two periods of the sentences before."""
    is_pair = len(sentence.quantities) == _PAIR and _BARE_PAIR.search(sentence.text) is not None
    periods = {figure.period for figure in before[-_REACH:]}
    years = {period.year for period in periods if period.year}
    return is_pair and (len(years) > 1 or any(period.prior for period in periods))


def _as_earlier_level(figure: Quantity, before: Sequence[Quantity]) -> Quantity:
    """Return a figure as of the period before the latest one of the text."""
    dated = [figure.period for figure in before[-_REACH:] if figure.period.year]
    latest = max(dated, key=lambda period: period.year or 0, default=None)
    counterpart = replace(figure.counterpart, later=latest, year=None)
    return replace(figure, period=replace(figure.period, prior=True), counterpart=counterpart)


def _only_current(periods: Collection[Period]) -> Period | None:
    """Return the only period with a year that is not a comparison, if there is one."""
    current = [period for period in periods if not period.prior]
    return current[0] if len(current) == 1 else None


def _in_time_of_text(figure: Quantity, period: Period) -> Quantity:
    """Give a figure of a sentence without years the period of the sentences before it."""
    counterpart = figure.counterpart
    if figure.period.prior:
        later = period if figure.value_high is None else None
        return replace(figure, counterpart=replace(counterpart, later=later))
    return replace(figure, counterpart=replace(counterpart, year=period.year))


def extract_amounts(text: str, years: bool = False) -> list[Quantity]:
    """Read the figures of a text without dates, and without years unless they are asked for."""
    units = ("date",) if years else ("date", "year")
    return [figure for figure in extract_quantities(text) if figure.unit not in units]


def check_numbers(texts: Iterable[str], most: int) -> None:
    """Raise if texts have too many numbers; ten thousand take about a second.

    Raises:
        TextTooLongError: The texts hold more than `most` numbers.
    """
    numbers = sum(len(_NUMBER.findall(text)) for text in texts)
    if numbers > most:
        raise TextTooLongError(f"The texts have {numbers:,} numbers; the limit is {most:,}.")


def _with_antecedent(figures: list[Quantity], before: Sequence[Quantity]) -> list[Quantity]:
    """Give the first figure of a sentence the subject of the figure before it, if a pronoun does.

    In "Revenue rose 4% in 2023. It was $5 million", both figures are of revenue in 2023.
    """
    if not (figures and before and _PRONOUN.search(figures[0].wording.before)):
        return figures
    antecedent = before[-1]
    if antecedent.unit != figures[0].unit:
        return figures
    wording = figures[0].wording
    is_of_its_time = figures[0].period == ANY_PERIOD and not antecedent.period.prior
    first = replace(
        figures[0],
        metric=antecedent.metric,
        wording=replace(
            wording,
            content=wording.content | antecedent.wording.content,
            shared=f"{antecedent.wording.shared} {wording.shared}",
        ),
        period=antecedent.period if is_of_its_time else figures[0].period,
    )
    return [first, *figures[1:]]


def _read_figure(sentence: Sentence, quantity: QuantityToken) -> Quantity:
    """Read one number of a sentence."""
    start = sentence.span.start
    as_written = Quantity(
        text=sentence.original[quantity.start : quantity.end].strip(),
        span=Span(start + quantity.start, start + quantity.end),
        sentence=sentence.span,
        value=quantity.value,
        value_high=quantity.value_high,
        decimals=quantity.decimals,
        scale=quantity.scale or "one",
        unit=quantity.unit or "count",
        currency=quantity.currency,
        negative=quantity.negative,
        hedged=quantity.hedged,
        bound=quantity.bound,
        middle=quantity.middle,
        moved=quantity.moved,
    )
    if quantity.unit in ("year", "date"):
        return as_written
    return _with_attributes(as_written, Surroundings(sentence, quantity))


def _measure(around: Surroundings) -> PhysicalUnit | None:
    """Return the unit of a count, which may follow the last of a list: 340 and 215 tonnes."""
    following = around.amounts[around.index :]
    for amount, after in zip(following, [*following[1:], None], strict=True):
        measure = measure_after(around.text, amount.end)
        gap = around.text[amount.end : after.start] if after else ""
        if measure or not GLUE.fullmatch(gap):
            return measure
    return None


def _with_attributes(as_written: Quantity, around: Surroundings) -> Quantity:
    """Return a number with what its surroundings say of it."""
    scope = around.scope
    number = around.quantity
    mention = find_metric(around)
    unit, metric = unit_and_metric(around, mention)
    measure = _measure(around) if unit == "count" else None
    change = number.turn is not None or is_change(around, unit, metric)
    period = period_of(around, change, metric)
    negative = number.negative or is_loss(around, unit)
    is_earlier_level = period.prior and not change
    has_no_direction = negative or is_earlier_level  # a loss that improved fell
    moves = None if has_no_direction else direction(around, mention, change)
    is_earlier = period.prior or (around.is_compared and scope.contrast is None)
    counterpart = Counterpart(
        base_period=base_period(around) if change else None,
        later=compared_period(around) if period.prior and period.year is None else None,
    )
    return replace(
        as_written,
        unit=unit,
        metric=metric,
        moved=number.moved if scope.contrast is None else None,
        negative=negative,
        denied=not around.is_none_at_all and is_denied(around),
        bound=None if period.prior else number.bound,
        change=change,
        level=is_level(around, change),
        direction=number.turn or moves,
        against=base(around) if change or period.prior else None,
        period=period,
        basis=basis(around, mention),
        status=status_of(around, compared=is_earlier and number.value_high is None),
        qualifiers=qualifiers(around, mention),
        measure=measure.dimension if measure else None,
        size=measure.size if measure else 1.0,
        per=rate_of(around.after) or rate_of_adjective(scope.words),
        counterpart=counterpart,
        wording=_wording(
            around, is_metric_beside=mention is not None and is_beside(around, mention)
        ),
    )


def _wording(around: Surroundings, is_metric_beside: bool) -> Wording:
    """Return the words around a number, by what they say of it."""
    sentence, scope = around.sentence, around.scope
    return Wording(
        content=sentence.content,
        metrics=frozenset(mention.name for mention in sentence.metrics),
        compares=sentence.compares,
        events=sentence.events,
        alone=scope.alone,
        shared=scope.shared,
        before=around.before_in_clause,
        after=around.text[around.end : scope.after.end],
        unit=sentence.original[around.end : end_of_unit(around.text, around.end)].strip(" -."),
        onward=around.onward,
        beside=around.beside,
        is_metric_beside=is_metric_beside,
        negated=frozenset()
        if around.is_none_at_all
        else negated_verbs(around.before_in_clause, around.onward),
        said_of_part=scope.said_of_part,
        contrast=scope.contrast or frozenset(),
    )
