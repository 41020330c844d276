"""Read what a sentence says about one of its numbers: metric, period, status, direction."""

import re
from bisect import bisect_left
from dataclasses import replace
from functools import cached_property

from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.fact import Basis, Direction
from . import lexicon as words
from .mentions import Mention, Sentence
from .periods import Period, PeriodMention
from .quantity import Base, Quantity, Status, Unit
from .ranges import QuantityToken

_BESIDE = 40
"""Most characters between a metric and a figure beside it."""

_LEADING = 40
"""Characters at the start of a sentence whose period holds for all of it."""

_FAR = 48
"""Characters beyond which a word of outlook after a figure is about something else."""

_SUBJECT = 2
"""Content words of a clause that are a subject of its own."""

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
        decimals_high=quantity.decimals_high,
        scale=quantity.scale or "one",
        unit=quantity.unit or "count",
        currency=quantity.currency,
        negative=quantity.negative,
        hedged=quantity.hedged,
        bound=quantity.bound,
        moved=quantity.moved,
    )
    return bare if bare.unit in ("year", "date") else Surroundings(sentence, quantity).fill(bare)


class Surroundings:
    """The words around one number of a sentence.

    Args:
        sentence: Sentence with the number.
        quantity: Number as written.
    """

    def __init__(self, sentence: Sentence, quantity: QuantityToken) -> None:
        self.sentence, self.quantity = sentence, quantity
        self.text, self.start, self.end = sentence.text, quantity.start, quantity.end
        amounts = sentence.amounts
        self._index = bisect_left(amounts, self.start, key=lambda q: q.start)
        self.left = amounts[self._index - 1].end if self._index else 0
        """End of the number before."""

        following = amounts[self._index + 1 : self._index + 2]
        self.right = following[0].start if following else len(self.text)
        """Start of the number after."""

        self.lead = self.text[: self.start]
        self.before, self.after = self.lead[self.left :], self.text[self.end : self.right]
        stop = words.CLAUSE_END.search(self.after)
        self.nearby = self.end + stop.start() if stop else self.right
        """End of what belongs to the number after it."""

        self.clause = sentence.clause(self.start, self.end)

    def fill(self, figure: Quantity) -> Quantity:
        """Return the number with what its surroundings say of it."""
        mention = self._metric(figure.unit, figure.scale != "one")
        unit, metric = self._unit_and_metric(figure, mention)
        turn = self.quantity.turn
        change = turn is not None or self._is_change(unit, metric)
        prior = self._is_prior(change)
        negative = (figure.negative and not self._follows_name()) or self._is_loss(unit)
        direction = turn or (None if prior and not change else self._direction(mention, change))
        if self._restates():  # "$106 million ($1.65 per share)"
            negative = False
        elif negative:  # a loss that improved fell
            direction = None
        return replace(
            figure,
            unit=unit,
            metric=metric,
            named=mention is not None
            and max(self.start - mention[1], mention[0] - self.end) <= _BESIDE,
            negative=negative,
            denied=bool(words.UNTRUE.search(self.lead) or words.DENIED.search(self.before)),
            bound=None if prior else figure.bound,
            change=change,
            level=self._is_level(change),
            direction=direction,
            against=self._base() if change else None,
            period=self._period(prior),
            basis=self._basis(mention),
            status=self._status(compared=prior and figure.value_high is None),
            qualifiers=self._qualifiers(mention),
            words=self.sentence.content,
            metrics=frozenset(name for *_, name in self.sentence.metrics),
            compares=self.sentence.compares,
        )

    @cached_property
    def preceding(self) -> "Surroundings":
        """Surroundings of the number before."""
        return Surroundings(self.sentence, self.sentence.amounts[self._index - 1])

    @cached_property
    def is_compared(self) -> bool:
        """Whether "from", "versus" or the like precede the number."""
        if self.left and words.SAME_AGAIN.fullmatch(self.before):  # "from $5 million, or $0.19"
            return self.preceding._follows_comparator
        return self._follows_comparator

    @cached_property
    def _follows_comparator(self) -> bool:
        if comparator := words.COMPARATOR.search(self.before):
            # "profit came from 300 stores": nothing before that it could be compared with
            return bool(
                self.left or self.sentence.directions or not comparator[0].startswith("from")
            )
        return bool(self.left and re.fullmatch(r"\s?on(?: the)?\s", self.before))

    # sign

    def _follows_name(self) -> bool:
        """Return whether a name precedes an amount in brackets: Contoso (12.5)."""
        before = self.sentence.original[: self.start].rstrip()
        return (
            self.text.startswith("(", self.start)
            and self.quantity.unit in (None, "count", "currency")
            and re.search(r"[a-z,&] (?:[A-Z][\w&.'-]*[a-z.])$", before) is not None
        )

    def _restates(self) -> bool:
        opens = self.text.startswith("(", self.start) or self.before.endswith("(")
        return bool(self.left) and opens and not self.before.strip(" (")

    def _is_loss(self, unit: Unit) -> bool:
        if unit not in ("currency", "per_share"):
            return False
        if self.left and words.LOSS_BEFORE.fullmatch(self.before):
            return self.preceding._follows_loss()  # "a net loss of $5 million from $7"
        return self._follows_loss()

    def _follows_loss(self) -> bool:
        lead = self.before
        if words.SAME_AGAIN.match(lead):  # "a net loss of $7.4 million, or $0.19"
            before_last = [q.end for q in self.sentence.quantities if q.end < self.left]
            lead = self.lead[max(before_last, default=0) :]
        losses = list(words.LOSS.finditer(lead))
        near = bool(losses) and len(lead[losses[-1].end() :].split()) <= 10
        return near or words.LOSS_AFTER.match(self.after) is not None

    # metric

    def _metric(self, unit: Unit, scaled: bool) -> Mention | None:
        """Find the metric of a number: beside it, or before it in its clause.

        Args:
            unit: Unit as written.
            scaled: Whether it is in thousands, millions or billions.
        """
        fitting = [m for m in self.sentence.metrics if _fits(m[2], unit, scaled)]
        end = min(self.nearby, self.clause.end)
        following = [m for m in fitting if self.end <= m[0] < end]
        preceding = [m for m in fitting if m[1] <= self.start]
        if preceding and preceding[-1][1] <= self.clause.start and self._has_own_subject():
            preceding = []
        if following and words.NOUN_FOLLOWS.fullmatch(self.text[self.end : following[0][0]]):
            return following[0]  # "11% growth in revenues"
        return next(iter(preceding[-1:] or following), None)

    def _has_own_subject(self) -> bool:
        """Return whether the clause names what its figure is of, in words of its own."""
        lead = self.lead[self.clause.start :]
        bare = words.DOWN.sub(" ", words.UP.sub(" ", lead))
        return self.left <= self.clause.start and len(content_words(bare)) >= _SUBJECT

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
        counted = words.THINGS.match(self.after) or (  # "47.6 million gallons, versus 71 million"
            self.left and self.is_compared and self.preceding.quantity.unit == "count"
        )
        if (
            unit == "count"
            and not (plain or counted)
            and words.FAMILIES.get(metric or "") == "money"
        ):
            unit = "currency"  # "net sales of 76.3 million"
        return unit, metric

    def _qualifiers(self, mention: Mention | None) -> frozenset[str]:
        if mention is None:
            return frozenset()
        start, end, _ = mention
        nearby = words.VERB.split(self.text[max(0, start - 60) : start])[-1]
        low, high = sorted((end, self.start))
        between = self.text[max(low, high - 80) : high]
        names = " ".join(words.NAME.findall(self.sentence.original[: self.start]))
        return content_words(f"{nearby} {between} {names.lower()}")

    # change

    def _is_change(self, unit: Unit, metric: str | None) -> bool:
        """Return whether a number is the size of a change, not a level."""
        if words.LEVEL_BEFORE.search(self.before):
            return False
        if unit == "basis_points":
            return True
        if self.is_compared:
            return False
        if words.CHANGE_AFTER.match(self.after):
            return True
        near = [d for d in self.sentence.directions if self.left <= d[0] < self.start]
        if not near or (self.quantity.bound and words.LIMIT.match(self.text, near[-1][0])):
            return False
        gap = self.lead[near[-1][0] :]
        beside = len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap)
        rate = metric is None or words.FAMILIES[metric] == "rate"
        return beside or (unit in ("percent", "points") and not rate)

    def _is_level(self, change: bool) -> bool | None:
        """Return whether words right before a number make it a level, or a change; else None."""
        left = max(self.left, self.clause.start)
        moves = [start for start, _ in self.sentence.directions if left <= start < self.start]
        if change:
            beside = moves and len(self.lead[moves[-1] :].split()) <= 2
            return False if self.quantity.turn or beside else None
        verb = words.LEVEL_BEFORE.search(self.before)
        if verb is None or words.COMPARED_AFTER.match(self.after):
            return None
        return True if verb[0].startswith("to") or not moves else None

    def _direction(self, mention: Mention | None, change: bool) -> Direction | None:
        """Return the direction that the clause of a number says of it."""
        directions = self.sentence.directions
        if change:
            left, right = max(self.left, self.clause.start), min(self.right, self.clause.end)
            before = [d for d in directions if left <= d[0] < self.start]
            after = [d for d in directions if self.end <= d[0] < min(right, self.end + 30)]
            if before or after:
                return before[-1][1] if before else after[0][1]
        left = max(
            self.clause.start,
            (min(mention[0], self.start) if mention else 0) - 40,
            *(m.end() for m in words.NEXT_VERB.finditer(self.lead)),
        )
        name = mention and mention[2]
        later = [m[0] for m in self.sentence.metrics if m[0] > self.end and m[2] != name]
        stop = min([*later, self.clause.end])
        ambiguous = name is None or name in words.BETTER_LOW  # better: up or down?
        within = {
            d
            for position, d in directions
            if left <= position < stop
            and not (ambiguous and self.text.startswith("improv", position))
        }
        return within.pop() if len(within) == 1 else None

    def _base(self) -> Base | None:
        """Return the base of a change that its clause names; words after the figure come first."""
        for part in (
            self.text[self.end : min(self.right, self.clause.end)],
            self.lead[max(self.left, self.clause.start) :],
        ):
            for base, pattern in words.BASES.items():
                if pattern.search(part):
                    return base
        return None

    # period

    def _is_target(self) -> bool:
        """Return whether the number is compared with an outlook or another basis."""
        comparator = words.COMPARATOR.search(self.before)
        return comparator is not None and any(
            pattern.search(comparator[0]) for pattern in (words.GUIDANCE, words.BASIS)
        )  # "short of guidance of $7.30", "versus GAAP earnings of $1.23"

    def _is_prior(self, change: bool) -> bool:
        """Return whether a number is of the period compared with."""
        if self.is_compared and not self._is_target():
            return True
        if change:
            return False
        for mention in self.sentence.periods:
            if mention.period.prior and self.end <= mention.start < self.right:
                return words.TO_PERIOD.fullmatch(self.text[self.end : mention.start]) is not None
        return False

    def _period(self, prior: bool) -> Period:
        """Return the period that a number's clause or the start of its sentence names."""
        if "respectively" in self.text:
            return Period()
        return replace(self._own_period() or Period(), prior=prior)

    def _own_period(self) -> Period | None:
        after = [m for m in self.sentence.periods if self.end <= m.start < self.right]
        before = [m for m in self.sentence.periods if m.end <= self.start and not self._is_base(m)]
        within = [m for m in before if m.start >= self.clause.start]
        if after:
            between = self.text[self.end : after[0].start]
            if len(between.split()) <= 8 and not words.NOT_ITS_PERIOD.search(between):
                return _narrowed(after[0].period, within)
        if self.is_compared:
            return None
        mentions = within or [m for m in before if m.start <= _LEADING]
        ambiguous = len({m.period.span for m in before}) > 1
        if not mentions or (ambiguous and self.start - mentions[-1].end > _LEADING):
            return None
        return mentions[-1].period

    def _is_base(self, mention: PeriodMention) -> bool:
        """Return whether a period is one compared with."""
        before = self.text[max(0, mention.start - 40) : mention.start]
        return mention.period.prior or words.PERIOD_COMPARED.search(before) is not None

    # status

    def _basis(self, mention: Mention | None) -> Basis | None:
        """Return whether a number is adjusted or not, where the sentence says one."""
        if after := words.BASIS_AFTER.match(self.text, self.end):
            return "gaap" if after["on"] in ("gaap", "reported") else "adjusted"
        window = self.text[max(0, mention[0] - 28) : mention[1]] if mention else ""
        beside = words.BASIS.finditer(window)
        marks = [m for m in beside if not re.search(r"[\d,;]", window[m.end() :])]
        if len({bool(mark["adjusted"]) for mark in marks[-2:]}) > 1:
            return None  # "adjusted and GAAP earnings per share"
        marks = marks or [
            m
            for m in words.BASIS.finditer(self.lead)
            if words.BEFORE_BASIS.search(self.lead[: m.start()])
            or m[0] in ("excluding", "adjusting")
        ]
        if not marks:
            return None
        return "adjusted" if marks[-1]["adjusted"] else "gaap"

    def _status(self, compared: bool) -> Status | None:
        """Return whether a number is a result or an outlook, where the words leave no doubt."""
        if words.ESTIMATE.search(self.before):
            return "estimate"
        if compared:  # the verb of the sentence is about the other figure
            return None
        if words.STATED.search(self.before):
            return "actual"
        own_verb = self.clause.start and words.ACTUAL.search(
            self.text[self.clause.start : self.clause.end]
        )
        lead = self.lead[self.clause.start :] if own_verb else self.lead
        for outlook in words.GUIDANCE.finditer(lead):
            beside = words.GUIDANCE_BESIDE.search(lead, max(0, outlook.end() - 80), outlook.end())
            if (
                not beside or words.ITS_FIGURE.fullmatch(lead, outlook.end())
            ) and not words.NEW_CLAUSE.search(lead, outlook.end()):
                return "guidance"
        if words.REPORTED.search(lead):
            return "actual"
        after = words.JOINT.split(self.text[self.end : self.nearby], 1)[0][:_FAR]
        later = words.GUIDANCE.search(after)
        if later is None or words.GUIDANCE_BESIDE.search(after, 0, later.end()):
            return None
        return "guidance"


def _narrowed(own: Period, before: list[PeriodMention]) -> Period:
    """Add the "third quarter" mentioned first to a later "in fiscal 2021"."""
    span = before[-1].period.span if before else None
    return replace(own, span=span) if span and own.span in (None, "FY") and own.year else own


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
