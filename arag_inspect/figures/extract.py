"""Read the figures of a text: each number with what its sentence says of it."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace

from .._util.errors import TextTooLongError
from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.sample import Basis, Direction
from . import lexicon as words
from .clauses import metrics
from .mentions import Mention, Sentence, sentence_spans
from .notation import in_one_notation
from .physical import every, measure_after, rate_of
from .quantity import ANY_PERIOD, Base, Period, PeriodMention, Quantity, Status, Unit, find_periods
from .ranges import QuantityToken

_BESIDE = 40
"""Most characters between a metric and a figure beside it."""

_LEADING = 40
"""Characters at the start of a sentence whose period holds for all of it."""

_FAR = 48
"""Characters beyond which a word of outlook after a figure is about something else."""

_NEAR_LOSS = 10
"""Most words between a loss and its size."""

_STEPS = 3
"""Most amounts back to the loss that an amount is compared with: fell 9% to $5 million from $6 million."""

_CENTS = 2


def read_figure(sentence: Sentence, quantity: QuantityToken) -> Quantity:
    """Read one number of a sentence."""
    start = sentence.span.start
    bare = Quantity(
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
    return bare if bare.unit in ("year", "date") else _Surroundings(sentence, quantity).fill(bare)


class _Surroundings:
    """The words around one number of a sentence.

    Args:
        sentence: Sentence with the number.
        quantity: Number as written.
    """

    def __init__(self, sentence: Sentence, quantity: QuantityToken) -> None:
        self.sentence, self.quantity = sentence, quantity
        self.text, self.start, self.end = sentence.text, quantity.start, quantity.end
        amounts = sentence.amounts
        index = bisect_left(amounts, self.start, key=lambda q: q.start)
        self.scope = sentence.scopes[index]
        self.beside = " ".join(
            scope.alone
            for scope, amount in zip(sentence.scopes, amounts, strict=True)
            if amount is not quantity and amount.unit == quantity.unit
        )
        self.index = index
        self.left = amounts[index - 1].end if index else 0
        """End of the number before."""

        self.right = amounts[index + 1].start if amounts[index + 1 :] else len(self.text)
        """Start of the number after."""

        self.clause = sentence.clause(self.start, self.end)
        self.near = max(self.left, self.clause.start)
        """Start of the words before the number that are about no other."""

        self.lead = self.text[: self.start]
        self.before, self.after = self._words_before(index), self.text[self.end : self.right]
        self.is_compared = self._follows_comparator() or bool(words.AFTER.search(self.before))

    def fill(self, figure: Quantity) -> Quantity:
        """Return the number with what its surroundings say of it."""
        mention = self._metric(figure.unit, figure.scale != "one")
        unit, metric = self._unit_and_metric(figure, mention)
        measure = measure_after(self.text, self.end) if unit == "count" else None
        turn = self.quantity.turn
        change = turn is not None or self._is_change(unit, metric)
        period = self._period(change)
        negative = figure.negative or self._is_loss(unit)
        if period.prior and not change:
            direction = None
        elif negative:
            direction = self._loss_direction()  # a loss that improved fell
        else:
            direction = self._direction(mention, change)
        return replace(
            figure,
            unit=unit,
            metric=metric,
            named=mention is not None
            and max(self.start - mention[1], mention[0] - self.end) <= _BESIDE,
            negative=negative,
            denied=bool(words.UNTRUE.search(self.lead) or words.DENIED.search(self.before)),
            bound=None if period.prior else figure.bound,
            change=change,
            level=self._is_level(change),
            direction=turn or direction,
            against=self._base() if change or period.prior else None,
            period=period,
            basis=self._basis(mention),
            status=self._status(compared=period.prior and figure.value_high is None),
            qualifiers=self._qualifiers(mention),
            alone=self.scope.alone,
            shared=self.scope.shared,
            before=self.before if self.left else self.lead,
            after=self.text[self.end : self.scope.after.end],
            measure=measure.dimension if measure else None,
            size=measure.size if measure else 1.0,
            per=rate_of(self.after) or every(f"{self.scope.shared} {self.scope.alone}"),
            beside=self.beside,
            words=self.sentence.content,
            metrics=frozenset(name for *_, name in self.sentence.metrics),
            compares=self.sentence.compares,
        )

    def _words_before(self, index: int) -> str:
        """Return the words between an amount and the one before.

        Those before both, if they are the same in other words.
        """
        amounts = self.sentence.amounts
        left = amounts[index - 1].end if index else 0
        before = self.text[left : amounts[index].start]
        if index and words.SAME_AGAIN.fullmatch(before):  # "a loss of $5 million, or $0.19"
            before = self.text[
                amounts[index - 2].end if index > 1 else 0 : amounts[index - 1].start
            ]
        return before

    def _follows_comparator(self) -> bool:
        """Return whether "from", "versus" or the like precede the number."""
        comparator = words.COMPARATOR.search(self.before)
        if comparator is None or any(
            pattern.search(comparator[0]) for pattern in (words.GUIDANCE, words.BASIS)
        ):  # "short of guidance of $7.30", "versus GAAP earnings of $1.23"
            return False
        is_from = comparator[0].startswith("from")
        if is_from and self.before[: comparator.start()].endswith(" and "):
            return False  # "from $1 to $2 on a GAAP basis and from $3 to $4"
        # "profit came from 300 stores": nothing before that it could be compared with
        alone = not (self.left or self.sentence.directions)
        return not (alone and is_from)

    def _is_loss(self, unit: Unit) -> bool:
        """Return whether an amount of money is a loss by the words beside it."""
        if unit not in ("currency", "per_share"):
            return False
        return (
            _ends_with_loss(self.before)
            or words.LOSS_AFTER.match(self.after) is not None
            or self._is_same_loss()
        )

    def _is_same_loss(self) -> bool:
        """Return whether a number is a loss at another time: narrowed to $5 million from $9 million."""
        before = self.before
        for index in range(self.index - 1, max(-1, self.index - 1 - _STEPS), -1):
            if not words.SAME_LOSS.fullmatch(before):
                return False
            before = self._words_before(index)
            if words.NEW_LOSS.search(before):
                return False
            if _ends_with_loss(before):
                return True
        return False

    def _loss_direction(self) -> Direction | None:
        """Return whether words before a loss say that it became larger or smaller."""
        move = words.LOSS_MOVED.search(self.lead, self.clause.start)
        if move is None or self.quantity.moved == "from":
            return None
        return "up" if move["up"] else "down"

    # metric

    def _metric(self, unit: Unit, scaled: bool) -> Mention | None:
        """Find the metric of a number: beside it, or before it in its sentence.

        Args:
            unit: Unit as written.
            scaled: Whether it is in thousands, millions or billions.
        """
        if self.scope.extra and (names := metrics(self.scope.extra)):
            return next(
                ((self.start, self.start, n) for n in names if _fits(n, unit, scaled)), None
            )
        hidden = self.scope.hidden
        fitting = [
            m
            for m in self.sentence.metrics
            if _fits(m[2], unit, scaled) and not hidden.start <= m[0] < hidden.end
        ]
        stop = words.CLAUSE_END.search(self.after)
        nearby = self.end + stop.start() if stop else self.right
        following = [m for m in fitting if self.end <= m[0] < min(nearby, self.clause.end)]
        preceding = [m for m in fitting if m[1] <= self.start]
        gap = self.text[self.end : following[0][0]] if following else ""
        has_figure = following and words.OF_ITS_FIGURE.match(
            self.text, following[0][1], self.right + 1
        )
        if gap == " " or (words.NOUN_FOLLOWS.fullmatch(gap) and not has_figure):
            return following[0]  # "no borrowings", "11% growth in revenues"
        named_before = any(m[0] >= self.scope.before.start for m in preceding)
        named_after = [m for m in following if m[0] < self.scope.after.end]
        if self.scope.link == "item" and named_after and not named_before:
            return named_after[0]  # "through dividends and $45 million through buybacks"
        return next(iter(preceding[-1:] or following), None)

    def _unit_and_metric(
        self, figure: Quantity, mention: Mention | None
    ) -> tuple[Unit, str | None]:
        """Resolve unit and metric against each other."""
        unit, metric = figure.unit, mention[2] if mention else None
        plain = figure.scale == "one"
        if unit == "per_share" and metric in (None, "operating income"):
            metric = "eps"
        if unit in ("currency", "per_share") and plain:
            after = (q.unit for q in self.sentence.quantities if q.start > (mention or (0,))[0])
            if metric in ("net income", "operating income") and (
                self.quantity.decimals == _CENTS or "per_share" in after
            ):
                metric = "eps"  # "adjusted earnings were $0.65"
            if metric in ("eps", "dividend"):
                unit = "per_share"
        money = words.FAMILIES.get(metric or "") == "money"
        if unit == "count" and money and not plain:
            unit = "currency"  # "net sales of 76.3 million"
        return unit, metric

    def _qualifiers(self, mention: Mention | None) -> frozenset[str]:
        if mention is None:
            return frozenset()
        start, end, _ = mention
        nearby = words.VERB.split(self.text[max(0, start - 60) : start])[-1]
        low, high = sorted((end, self.start))
        return content_words(f"{nearby} {self.text[max(low, high - 80) : high]}")

    # change

    def _is_change(self, unit: Unit, metric: str | None) -> bool:
        """Return whether a number is the size of a change, not a level."""
        if unit == "basis_points":
            return True
        if unit in words.RATES and self.before.endswith("+"):
            return True
        if unit in words.RATES and not self.is_compared and words.CHANGE_BESIDE.match(self.after):
            return True
        if self.is_compared or words.LEVEL_BEFORE.search(self.before):
            return False
        if words.CHANGE_AFTER.match(self.after):
            return True
        left, start = self._first_of_list()
        near = [move for move, _ in self.sentence.directions if left <= move < start]
        if not near or (self.quantity.bound and words.LIMIT.match(self.text, near[-1])):
            return False
        gap = self.text[near[-1] : start]
        beside = len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap)
        rate = metric is None or words.FAMILIES[metric] == "rate"
        return beside or (unit in ("percent", "points") and not rate)

    def _first_of_list(self) -> tuple[int, int]:
        """Return the end of the number before the list "1%, 2% and 3%", and the start of its first."""
        amounts = self.sentence.amounts
        first = bisect_left(amounts, self.start, key=lambda q: q.start)
        while (
            first
            and self.sentence.scopes[first].link == "item"
            and amounts[first].unit == amounts[first - 1].unit
            and words.LIST_GLUE.search(self.text, amounts[first - 1].end, amounts[first].start)
        ):
            first -= 1
        return (amounts[first - 1].end if first else 0), amounts[first].start

    def _is_level(self, change: bool) -> bool | None:
        """Return whether words right before a number make it a level, or a change; else None."""
        moves = [start for start, _ in self.sentence.directions if self.near <= start < self.start]
        if change:
            beside = moves and len(self.lead[moves[-1] :].split()) <= 2
            return False if self.quantity.turn or beside else None
        verb = words.LEVEL_BEFORE.search(self.before)
        if verb is None:
            return None
        return True if verb[0].startswith("to") or not moves else None

    def _direction(self, mention: Mention | None, change: bool) -> Direction | None:
        """Return the direction that the clause of a number says of it."""
        if change and self.before.endswith("+"):
            return "up"
        directions = self.sentence.directions
        if change:
            right = min(self.right, self.clause.end, self.end + 30)
            left = max(self.near, self.scope.before.start)
            before = [d for start, d in directions if left <= start < self.start]
            after = [d for start, d in directions if self.end <= start < right]
            if before or after:
                return before[-1] if before else after[0]
        name = mention and mention[2]
        left = max(self.clause.start, (min(mention[0], self.start) if mention else 0) - 40)
        later = [m[0] for m in self.sentence.metrics if m[0] > self.end and m[2] != name]
        stop = min([*later, self.clause.end])
        ambiguous = name is None or name in words.BETTER_LOW  # better: up or down?
        within = {
            direction
            for start, direction in directions
            if left <= start < stop and not (ambiguous and self.text.startswith("improv", start))
        }
        return within.pop() if len(within) == 1 else None

    def _base(self) -> Base | None:
        """Return the base of a change that its clause names; words after the figure come first."""
        after = self.text[self.end : min(self.right, self.clause.end, self.scope.after.end)]
        for part in (after, self.lead[max(self.near, self.scope.before.start) :]):
            for base, pattern in words.BASES.items():
                if pattern.search(part):
                    return base
            if year := words.BASE_YEAR.search(part):
                return year[1]
        return None

    # period

    def _period(self, change: bool) -> Period:
        """Return the period that a number's clause or the start of its sentence names."""
        scope = self.scope
        if scope.extra and (named := find_periods(scope.extra)):
            return named[-1].period
        if "respectively" in self.text:
            return Period(prior=self.is_compared)
        right = scope.after.end
        after = [m for m in self.sentence.periods if self.end <= m.start < right]
        before = [
            m
            for m in self.sentence.periods
            if m.end <= self.start and not words.BASE_PERIOD.search(self.text, 0, m.start)
        ]
        current = [m for m in before if not m.period.prior]
        between = self.text[self.end : after[0].start] if after else ""
        if after and len(between.split()) <= 8 and not words.NOT_ITS_PERIOD.search(between):
            period = after[0].period
            if period.year and period.span in (None, "FY") and current:  # "in the third quarter of"
                period = replace(period, span=current[-1].period.span or period.span)
            return replace(period, prior=self._is_base(period) or (period.prior and not change))
        beside = [m for m in before if m.start >= scope.before.start] if self.left else []
        if beside and scope.link != "next" and (scope.link == "aside" or not change):
            period = beside[-1].period
            return replace(period, prior=self._is_base(period) or period.prior)
        if self._is_base(ANY_PERIOD) or self._is_of_earlier(before, change):
            return Period(prior=True)
        within = [
            m
            for m in current
            if (m.start >= self.clause.start or self._holds(m)) and not self._is_compared_with(m)
        ]
        return within[-1].period if within else ANY_PERIOD

    def _is_base(self, period: Period) -> bool:
        """Return whether a number is of an earlier period only because another is compared with it.

        Not if it has another part of the year beside it, or is of today.
        """
        spans = {mention.period.span for mention in self.sentence.periods} - {None, period.span}
        named = bool(period.span and spans) or words.NOW.match(self.after)
        return self.is_compared and not named

    def _holds(self, mention: PeriodMention) -> bool:
        """Return whether a period holds until the next: it opens the sentence or an item of it."""
        items = [scope for scope in self.sentence.scopes[1:] if scope.link in ("clause", "item")]
        opens = any(item.before.start <= mention.start < item.before.end for item in items)
        leads = mention.start <= _LEADING or words.WHERE.match(self.text, mention.end)
        return opens or bool(leads)

    def _is_compared_with(self, mention: PeriodMention) -> bool:
        """Return whether a period within the sentence is only what another figure is compared with."""
        is_base = words.COMPARED_PERIOD.search(self.text, 0, mention.start)
        leads = mention.start <= min(_LEADING, self.sentence.amounts[0].start)
        return not leads and is_base is not None

    def _is_of_earlier(self, before: list[PeriodMention], change: bool) -> bool:
        """Return whether the words before the first number are of an earlier period or outlook."""
        last = before[-1] if before and not self.left else None
        return (
            last is not None
            and last.period.prior
            and (not change or words.OUTLOOK.search(self.text, last.start, last.end) is not None)
            and not words.TURNED.search(self.text, last.end, self.start)
        )

    # status

    def _basis(self, mention: Mention | None) -> Basis | None:
        """Return whether a number is adjusted or not, where the words beside its metric agree."""
        if self.beside and (basis := self._basis_alone()):
            return basis
        start = mention[0] - 28 if mention else self.clause.start
        end = mention[1] if mention else self.end
        kinds = _bases(words.BASIS.finditer(self.text, max(0, start), end))
        if mention and not kinds:
            marks = words.BASIS.finditer(self.text, 0, min(self.right, self.clause.end))
            kinds = _bases(marks)
        return kinds.pop() if len(kinds) == 1 else None

    def _basis_alone(self) -> Basis | None:
        """Return the basis that the words about a number alone name, or those it is compared with."""
        scopes = [self.scope]
        if self.scope.link == "base":
            scopes.append(self.sentence.scopes[self.scope.head])
        for scope in scopes:
            label = scope.alone if scope.link != "clause" else f"{scope.shared} {scope.alone}"
            kinds = _bases(words.BASIS.finditer(label))
            if len(kinds) == 1:
                return kinds.pop()
        return None

    def _status(self, compared: bool) -> Status | None:
        """Return whether a number is a result or an outlook: the last such word before it says."""
        if words.ESTIMATE.search(self.before):
            return "estimate"
        if words.AUTHORIZED.search(self.before) or words.AUTHORIZED_AFTER.match(self.after):
            return "authorized"
        if compared:  # the verb of the sentence is about the other figure
            return None
        after = words.CLAUSE_END.split(self.text[self.end : self.scope.after.end], 1)[0][:_FAR]
        outlooks = [
            m.end() for m in words.GUIDANCE.finditer(self.lead) if not self._is_of_earlier_figure(m)
        ]
        results = [m.end() for m in words.RESULT.finditer(self.lead)]
        its_own = outlooks and words.ITS_FIGURE.fullmatch(self.lead, outlooks[-1])
        if its_own or (outlooks and outlooks[-1] > max(results, default=0)):
            beside = words.GUIDANCE_BESIDE.search(self.lead, outlooks[-1] - 80, outlooks[-1])
            return "guidance" if its_own or not beside else None
        conditions = words.HYPOTHETICAL.finditer(self.text, 0, self.clause.end)
        if any(condition.end() > self.clause.start for condition in conditions):
            return "hypothetical"
        if subject := self._status_as_subject(after):
            return subject
        if results:
            return "actual"
        outlook = words.GUIDANCE.search(after)
        beside = outlook and words.GUIDANCE_BESIDE.search(after, 0, outlook.end())
        return "guidance" if outlook and not beside else None

    def _status_as_subject(self, after: str) -> Status | None:
        """Return the status by the verb after a number that opens a clause: 25 stores will close."""
        opens = words.OPENS_CLAUSE.search(self.lead) is not None
        verb = words.VERB_OF_SUBJECT.match(after) if opens else None
        if verb is None:
            return None
        return "guidance" if verb["outlook"] else "actual"

    def _is_of_earlier_figure(self, outlook: re.Match[str]) -> bool:
        """Return whether a word of outlook says what the figure right before it is: $5 million guidance."""
        return any(amount.end == outlook.start() - 1 for amount in self.sentence.amounts)


def _ends_with_loss(before: str) -> bool:
    """Return whether the words before a number make it a loss."""
    losses = list(words.LOSS.finditer(before))
    return bool(losses) and len(before[losses[-1].end() :].split()) <= _NEAR_LOSS


def _bases(marks: Iterable[re.Match[str]]) -> set[Basis]:
    return {"adjusted" if mark["adjusted"] else "gaap" for mark in marks}


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
        return metric not in words.NOT_PER_SHARE
    return (unit == "currency" or (unit == "count" and scaled)) and not (metric == "eps" and scaled)


_HAS_NUMBER = re.compile(
    r"\d|\b(?:no|nil|zero) [a-z]+|[¼½¾⅓⅔⅛⅜⅝⅞]|digits?\b|teens\b|consecutive|straight|successive|largest|biggest|t(?:hird|enth)|fifth|a quarter|quarters? of|dozen|(?:low|mid|high)[ -](?:[a-z]+ies\b)|\b(?:percent|points?|million|billion|hundred|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)|doubl|tripl|trebl|quadrupl|quintupl|halv(?:e|i)|half\b"
)
_NUMBER = re.compile(r"\d[\d.,]*")
_COUNTS = re.compile(r"\s(?:new |more |of |other )?[a-z]+s\b")


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
    return [
        figure
        for span in spans
        if _HAS_NUMBER.search(lower, *span)
        for figure in _figures(Sentence(text, lower, span, alone=len(spans) == 1))
    ]


def extract_amounts(text: str) -> list[Quantity]:
    """Read the figures of a text without dates and years."""
    return [figure for figure in extract_quantities(text) if figure.unit not in ("year", "date")]


def check_numbers(texts: Iterable[str], most: int) -> None:
    """Raise if texts have too many numbers; ten thousand take about a second.

    Raises:
        TextTooLongError: The texts hold more than `most` numbers.
    """
    numbers = sum(1 for text in texts for _ in _NUMBER.finditer(text))
    if numbers > most:
        raise TextTooLongError(f"{numbers:,} numbers are to be read; at most {most:,} are.")


def _figures(sentence: Sentence) -> list[Quantity]:
    return [
        read_figure(sentence, quantity)
        for quantity in sentence.quantities
        if not _names_product(sentence, quantity)
    ]


def _names_product(sentence: Sentence, quantity: QuantityToken) -> bool:
    """Return whether a bare number is part of a name, as in iPhone 14."""
    bare = quantity.unit in (None, "count") and not (quantity.scale or quantity.decimals)
    if not bare or quantity.spelled or quantity.value_high is not None or quantity.value >= 100:
        return False
    start = sentence.original.rfind(" ", 0, max(0, quantity.start - 1)) + 1
    word = sentence.original[start : quantity.start]
    named = start > 0 and word.endswith(" ") and word.strip().isalpha() and not word.islower()
    is_metric = any(mention[1] == quantity.start - 1 for mention in sentence.metrics)
    return named and not is_metric and _COUNTS.match(sentence.text, quantity.end) is None
