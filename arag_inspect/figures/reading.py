"""Reading the figures of a text: each number with what its sentence says of it."""

import re
from dataclasses import replace
from functools import cached_property

from arag_inspect.corpus.sentences import Span, split_sentences
from arag_inspect.facts import Basis, Direction
from arag_inspect.figures import vocabulary as words
from arag_inspect.figures.figure import Figure, Status, Unit
from arag_inspect.figures.periods import Period, PeriodMention, find_periods
from arag_inspect.figures.quantities import Quantity, find_quantities

_RATES = ("percent", "points", "basis_points")
_HAS_NUMBER = re.compile(
    r"\d|\b(?:percent|points?|million|billion|hundred|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)
_CHANGE_AFTER = re.compile(
    r"\s?(?:[a-z-]+\s){0,3}?(?:increase|decrease|decline|growth|rise|drop|reduction|improvement|gain|contraction|expansion|higher|lower)\b"
)
_CHANGE_BEFORE = re.compile(r"\b(?:by|up|down|of)\s(?:just |only |about |approximately |roughly |nearly |over |a |another )*$")
_NOUN_FOLLOWS = re.compile(
    r"(?:\s(?:to|per (?:diluted )?share))?\s?(?:of|in|on|for|as)\s(?:our |the |total |gross |net |record |adjusted |share |quarterly |positive |additional )*$"
)
_VERB = re.compile(
    r"\b(?:was|were|is|are|of|report\w*|record\w*|post\w*|deliver\w*|generat\w*|produc\w*|expect\w*|see|sees|project\w*|had|ended|with|on|line|by|and"
    r"|earn\w*|full-year|year|quarter|q[1-4]|fy|guidance|outlook|fiscal|adjusted|gaap|non-gaap|raising|lowering|for|to|that|a|an|the|our|in)\b|[,;:.()\d]"
)


def read_figures(text: str) -> list[Figure]:
    """Read every figure of a text.

    Dates and years are among them (units `date` and `year`), so that a reader
    knows that they are no amounts.

    Args:
        text: Plain text in any case.

    Returns:
        Figures in the order of the text; spans are those of the text.
    """
    lower = _lowered(text)
    return [
        figure
        for span in split_sentences(text)
        if _HAS_NUMBER.search(lower, *span)
        for figure in _Sentence(text, lower, span).figures()
    ]


def _lowered(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered, and spans must stay
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.replace("\u2019", "'").replace("\xa0", " ").replace("\u200d", " ").replace("\u200b", " ")


class _Sentence:
    """A sentence with everything that it mentions."""

    def __init__(self, text: str, lower: str, span: Span) -> None:
        self._original = text[span.start : span.end]
        self._text = lower[span.start : span.end]
        self._span = span
        self._quantities = find_quantities(self._text)

    def figures(self) -> list[Figure]:
        return [self._figure(i, quantity) for i, quantity in enumerate(self._quantities)]

    def _figure(self, index: int, quantity: Quantity) -> Figure:
        start = self._span.start
        bare = Figure(
            text=self._original[quantity.start : quantity.end].strip(),
            span=Span(start + quantity.start, start + quantity.end),
            sentence=self._span,
            value=quantity.value,
            value_high=quantity.value_high,
            decimals=quantity.decimals,
            decimals_high=quantity.decimals_high,
            scale=quantity.scale or "one",
            unit=quantity.unit or "count",
            currency=quantity.currency,
            negative=quantity.negative,
            hedged=quantity.hedged,
        )
        if bare.unit in ("year", "date"):
            return bare
        return _Context(self, index, quantity).fill(bare)

    @cached_property
    def metrics(self) -> list[tuple[int, int, str]]:
        return [
            (*match.span(), words.metric_name(match)) for match in words.METRIC.finditer(self._text)
        ]

    @cached_property
    def periods(self) -> list[PeriodMention]:
        return find_periods(self._text)

    @cached_property
    def directions(self) -> list[tuple[int, Direction]]:
        table: tuple[tuple[re.Pattern[str], Direction], ...] = (
            (words.UP, "up"),
            (words.DOWN, "down"),
            (words.FLAT, "flat"),
        )
        return sorted(
            (match.start(), direction)
            for pattern, direction in table
            for match in pattern.finditer(self._text)
        )

    @cached_property
    def content(self) -> frozenset[str]:
        return words.content_words(self._text)

    @property
    def text(self) -> str:
        return self._text

    @property
    def quantities(self) -> list[Quantity]:
        return self._quantities


class _Context:
    """What a sentence says of one of its numbers."""

    def __init__(self, sentence: _Sentence, index: int, quantity: Quantity) -> None:
        self._sentence = sentence
        self._quantity = quantity
        amounts = [q for q in sentence.quantities if q.unit not in ("year", "date")]
        place = amounts.index(quantity)
        self._left = amounts[place - 1].end if place else 0
        self._right = (
            amounts[place + 1].start if place + 1 < len(amounts) else len(sentence.text)
        )
        self._before = sentence.text[self._left : quantity.start]
        self._after = sentence.text[quantity.end : self._right]

    def fill(self, figure: Figure) -> Figure:
        mention = self._metric(figure.unit, figure.scale != "one")
        metric = mention[2] if mention else None
        unit, metric = self._settle(figure, metric)
        prior = self._is_prior(unit)
        change = self._is_change(unit, metric)
        negative = figure.negative or self._is_loss(unit)
        direction = None if prior and not change else self._direction(mention, change)
        if figure.negative and change:
            negative, direction = False, "down"
        return replace(
            figure,
            unit=unit,
            metric=metric,
            negative=negative,
            change=change,
            direction=direction,
            period=self._period(prior),
            basis=self._basis(mention),
            status=self._status(),
            qualifiers=self._qualifiers(mention),
            words=self._sentence.content,
        )

    def _metric(self, unit: Unit, scaled: bool) -> tuple[int, int, str] | None:
        fitting = [m for m in self._sentence.metrics if _fits(m[2], unit, scaled)]
        following = [m for m in fitting if self._quantity.end <= m[0] < self._right]
        if following and _NOUN_FOLLOWS.fullmatch(
            self._sentence.text[self._quantity.end : following[0][0]] + ""
        ):
            return following[0]
        if following and following[0][0] - self._quantity.end <= 1:
            return following[0]
        preceding = [m for m in fitting if m[1] <= self._quantity.start]
        if preceding:
            return preceding[-1]
        return following[0] if following else (fitting[0] if fitting else None)

    def _settle(self, figure: Figure, metric: str | None) -> tuple[Unit, str | None]:
        """Let unit and metric decide on each other."""
        unit = figure.unit
        if unit == "currency" and figure.scale == "one" and metric in ("eps", "dividend"):
            unit = "per_share"
        if unit == "per_share" and metric in (None, "net income", "operating income"):
            metric = "eps"
        if metric == "eps" and figure.scale != "one":
            metric = "net income"
        if metric == "margin":
            metric = self._kind_of_margin()
        return unit, metric

    def _kind_of_margin(self) -> str:
        names = [m[2] for m in self._sentence.metrics if m[1] <= self._quantity.start]
        for name in reversed(names):
            if name in ("operating income", "ebitda", "gross profit"):
                return f"{name.split()[0]} margin"
        return "margin"

    def _is_prior(self, unit: Unit) -> bool:
        if words.STRONG_COMPARATOR.search(self._before) and not self._is_target():
            return True
        for mention in self._sentence.periods:
            if mention.period.prior and self._quantity.end <= mention.start < self._right:
                between = self._sentence.text[self._quantity.end : mention.start]
                return len(between.split()) <= 8 and not re.search(
                    r"\b(?:from|versus|vs|against|compared|over|than|on|up|down|with|of (?:this|last))\b|[;,]", between
                )
        leading = [m for m in self._sentence.periods if m.start <= 3]
        return bool(leading) and leading[0].period.prior and not self._left

    def _is_target(self) -> bool:
        return bool(re.search(r"\b(?:guid\w+|range|expect\w*|estimate|outlook)\b", self._after[:40])) and (
            not re.search(r"\bprior|previous", self._before)
        )

    def _is_change(self, unit: Unit, metric: str | None) -> bool:
        if re.search(r"\b(?:to|at|reached|from|was|were|were at)\s(?:a |an |about |approximately |\$)?$", self._before):
            return False
        if unit == "basis_points":
            return True
        if _CHANGE_AFTER.match(self._after):
            return True
        near = [d for d in self._sentence.directions if self._left <= d[0] < self._quantity.start]
        if near and near[-1][1] != "flat":
            gap = self._sentence.text[near[-1][0] : self._quantity.start]
            if len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap):
                return True
        rate = metric is not None and words.FAMILIES.get(metric) == "rate"
        return unit in ("percent", "points") and bool(near) and not rate and metric is not None

    def _direction(self, mention: tuple[int, int, str] | None, change: bool) -> Direction | None:
        start, end = self._quantity.start, self._quantity.end
        if change:
            before = [d for d in self._sentence.directions if self._left <= d[0] < start]
            after = [d for d in self._sentence.directions if end <= d[0] < min(self._right, end + 30)]
            if after and _CHANGE_AFTER.match(self._after) and (not before or start - before[-1][0] > 12):
                return after[0][1]
            if before:
                return before[-1][1]
            if after:
                return after[0][1]
        left = min(mention[0], start) if mention else 0
        nexts = [
            m[0] for m in self._sentence.metrics if m[0] > end and (not mention or m[2] != mention[2])
        ]
        stop = min([*nexts, len(self._sentence.text)])
        semicolon = self._sentence.text.find(";", end)
        stop = min(stop, semicolon) if semicolon >= 0 else stop
        within = {
            d for place, d in self._sentence.directions if max(0, left - 40) <= place < stop
        }
        moving = within - {"flat"}
        if len(moving) == 1:
            return moving.pop()
        return "flat" if not moving and within else None

    def _is_loss(self, unit: Unit) -> bool:
        if unit not in ("currency", "per_share"):
            return False
        found = list(words.LOSS.finditer(self._before))
        if not found:
            return False
        rest = self._before[found[-1].end() :]
        return len(rest.split()) <= 10 and not re.search(r"\b(?:income|earnings of|profit|but|;)\b", rest)

    def _period(self, prior: bool) -> Period:
        own = self._own_period()
        if own is None:
            return Period(prior=prior)
        return replace(own, prior=prior or own.prior) if prior else replace(own, prior=False)

    def _own_period(self) -> Period | None:
        start, end = self._quantity.start, self._quantity.end
        after = [m for m in self._sentence.periods if end <= m.start < self._right]
        if after:
            between = self._sentence.text[end : after[0].start]
            if self._is_prior_mention_free(between):
                return after[0].period
        before = [m for m in self._sentence.periods if m.end <= start and not self._compared(m)]
        if words.STRONG_COMPARATOR.search(self._before):
            return None
        return before[-1].period if before else None

    def _is_prior_mention_free(self, between: str) -> bool:
        return len(between.split()) <= 6 and not re.search(
            r"\b(?:from|versus|vs|against|compared|over|than|on|with|and|while|to)\b|[;,]", between
        )

    def _compared(self, mention: PeriodMention) -> bool:
        before = self._sentence.text[max(0, mention.start - 40) : mention.start]
        return mention.period.prior or bool(
            re.search(r"\b(?:from|versus|vs\.?|against|compared (?:with|to)|over|than|relative to)\s(?:[a-z]+\s){0,3}$", before)
        )

    def _basis(self, mention: tuple[int, int, str] | None) -> Basis | None:
        if after := words.BASIS_AFTER.match(self._sentence.text, self._quantity.end):
            return "gaap" if after["on"] in ("gaap", "reported") else "adjusted"
        if mention is not None:
            window = self._sentence.text[max(0, mention[0] - 28) : mention[1]]
            marks = [m for m in words.BASIS.finditer(window) if not re.search(r"[\d,;]", window[m.end() :])]
            if marks:
                return "adjusted" if marks[-1]["adjusted"] else "gaap"
        lead = self._sentence.text[: self._quantity.start]
        marks = [
            m
            for m in words.BASIS.finditer(lead)
            if re.search(r"\b(?:on an?|under|that brought|that took|all of this put|the)\s(?:[a-z]+\s)?$|^$", lead[: m.start()])
            or m[0] in ("excluding", "adjusting")
        ]
        if marks:
            return "adjusted" if marks[-1]["adjusted"] else "gaap"
        return None

    def _status(self) -> Status | None:
        text = self._sentence.text
        if words.ESTIMATE.search(self._before):
            return "estimate"
        if words.GUIDED_AFTER.match(text, self._quantity.end):
            return "guidance"
        lead = text[: self._quantity.start]
        guided = [m.end() for m in words.GUIDANCE.finditer(lead)]
        actual = [m.end() for m in words.ACTUAL.finditer(lead)]
        if guided:
            return "guidance"
        if actual or words.ACTUAL.search(self._after):
            return "actual"
        return "guidance" if words.GUIDANCE.search(self._after) else None

    def _qualifiers(self, mention: tuple[int, int, str] | None) -> frozenset[str]:
        if mention is None:
            return frozenset()
        start, end, _ = mention
        lead = self._sentence.text[max(0, start - 60) : start]
        cut = [m.end() for m in _VERB.finditer(lead)]
        nearby = lead[cut[-1] if cut else 0 :]
        low, high = sorted((end, self._quantity.start))
        between = self._sentence.text[low:high] if high - low < 80 else ""
        return words.content_words(f"{nearby} {between}")


def _fits(metric: str, unit: Unit, scaled: bool) -> bool:
    family = words.FAMILIES[metric]
    if family == "rate":
        return unit in _RATES
    if family == "count":
        return unit in ("count", *_RATES)
    if family == "money":
        if unit == "currency":
            return not (metric == "eps" and scaled) or metric != "eps"
        return unit in ("per_share", *_RATES)
    return unit not in ("year", "date")
