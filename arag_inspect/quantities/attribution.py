"""Read what a sentence says about one of its numbers."""

import re
from bisect import bisect_left
from dataclasses import replace
from itertools import zip_longest

from ..text.content_words import content_words
from ..text.sentences import Span
from ..types.fact import Basis, Direction
from . import lexicon as words
from .clauses import clause_around
from .lexer import QuantityToken
from .mentions import Mention, Sentence
from .periods import Period, PeriodMention
from .quantity import Base, Quantity, Status, Unit

_NEW_CLAUSE = re.compile(
    r"\band (?:we|it|(?:its|our|the) [a-z]+|received|collected|paid|returned|repurchased|bought"
    r"|opened|closed|completed|generated|reported|declared|reinstated|ended)\b"
)
"""Where a sentence goes on from an outlook to a result."""
_NEXT_VERB = re.compile(
    r"\b(?:and|but) (?:aims?|plans?|expects?|anticipates?|intends?|targets?|projects?|forecasts?|sees|foresees)\b"
)
"""Where an outlook begins; directions before it belong to something else."""
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
_TO_PERIOD = re.compile(
    r",?(?:\s(?:a|an|at|basic|common|diluted|during|first|for|fourth|half|in|of|or|our|per|quarter|reported|same|second|share|the|third|unit))*\s?"
)
"""Between a figure and its earlier period: $1.02 per share in the prior year."""
_FAR = 48
"""Characters beyond which a word of outlook after a figure is about something else."""
_CENTS = 2
_BESIDE = 40
"""Most characters between a metric and a figure beside it."""
_OWN_FIGURE = re.compile(r"\s(?:of|at|was|to)\s(?:about |approximately |around )?(?:[$€£]|\d)")
"""After a metric that has a figure of its own."""
_SUBJECT = 2
"""Content words of a clause that are a subject of its own."""
_LEADING = 40
"""Characters at the start of a sentence whose period holds for all of it."""
_JOINT = re.compile(r"\s(?:and|but|while|although)\s")


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
    return _Context(sentence, quantity).fill(bare)


def _follows_name(sentence: Sentence, quantity: QuantityToken) -> bool:
    """Return whether a name precedes an amount in brackets: Contoso (12.5)."""
    before = sentence.original[: quantity.start].rstrip()
    return (
        sentence.original.startswith("(", quantity.start)
        and quantity.unit in (None, "count", "currency")
        and re.search(r"[a-z,&] (?:[A-Z][\w&.'-]*[a-z.])$", before) is not None
        and all(mention[1] != len(before) for mention in sentence.metrics)
    )


class _Context:
    """The words around one number of a sentence."""

    def __init__(self, sentence: Sentence, quantity: QuantityToken) -> None:
        self._sentence = sentence
        self._quantity = quantity
        amounts = sentence.amounts
        self._index = index = bisect_left(amounts, quantity.start, key=lambda q: q.start)
        self._left = amounts[index - 1].end if index else 0
        self._right = amounts[index + 1].start if index + 1 < len(amounts) else len(sentence.text)
        self._before = sentence.text[self._left : quantity.start]
        self._after = sentence.text[quantity.end : self._right]
        stop = words.CLAUSE_END.search(self._after)
        self._clause = clause_around(sentence.text, quantity.start, quantity.end)
        self._nearby = quantity.end + stop.start() if stop else self._right

    def fill(self, figure: Quantity) -> Quantity:
        mention = self._metric(figure.unit, figure.scale != "one")
        unit, metric = self._resolve(figure, mention)
        change = self._is_change(unit, metric)
        prior = self._is_prior(change)
        negative = figure.negative or self._is_loss(unit)
        direction = None if prior and not change else self._direction(mention, change)
        if figure.negative and change:
            negative, direction = False, "down"
        if self._restates():  # "$106 million ($1.65 per share)"
            negative = False
        elif negative:  # a loss that improved fell
            direction = None
        return replace(
            figure,
            unit=unit,
            metric=metric,
            named=mention is not None and self._distance(mention) <= _BESIDE,
            negative=negative,
            denied=self._is_denied(),
            change=change,
            direction=direction,
            against=self._against(change),
            period=self._period(prior),
            basis=self._basis(mention),
            status=self._status(compared=prior and figure.value_high is None),
            qualifiers=self._qualifiers(mention),
            words=self._sentence.content,
            metrics=frozenset(mention[2] for mention in self._sentence.metrics),
            compares=self._compares(),
        )

    @property
    def _preceding(self) -> "_Context":
        """The words around the number before."""
        return _Context(self._sentence, self._sentence.amounts[self._index - 1])

    def _metric(self, unit: Unit, scaled: bool) -> Mention | None:
        metrics = self._sentence.metrics
        fitting = [
            m
            for m, after in zip_longest(metrics, metrics[1:])
            if _fits(m[2], unit, scaled)
            and not (after and after[0] - m[1] == 1)  # "cash revenue" is a revenue
        ]
        end = min(self._nearby, self._clause.end)
        following = [m for m in fitting if self._quantity.end <= m[0] < end]
        preceding = [m for m in fitting if m[1] <= self._quantity.start]
        if preceding and preceding[-1][1] <= self._clause.start and self._has_own_subject():
            preceding = []
        if preceding and _OTHER_SUBJECT.search(
            self._sentence.text, preceding[-1][1], self._quantity.start
        ):  # "revenue rose, but costs were $7 million"
            preceding = []
        if self._left and _CONCEDED.search(self._before):  # "profit of $4, despite a $1 charge"
            preceding = [m for m in preceding if m[0] >= self._left]
        if len(preceding) > 1 and _OF_METRIC.fullmatch(
            self._sentence.text[preceding[-2][1] : preceding[-1][0]]
        ):  # "gross margin from home sales"
            preceding = preceding[:-1]
        if preceding and self._quantity.start - preceding[-1][1] <= 1:  # "margin 9.6% on income"
            return preceding[-1]
        if following:
            gap = self._sentence.text[self._quantity.end : following[0][0]]
            if _OWN_FIGURE.match(self._sentence.text, following[0][1]):
                pass
            elif words.NOUN_FOLLOWS.fullmatch(gap) or (
                words.CHANGE_OF.search(self._before) and words.CHANGED.fullmatch(gap)
            ):
                return following[0]
        if following and following[0][0] - self._quantity.end <= 1:
            return following[0]
        if following and _ADJECTIVES.fullmatch(
            self._sentence.text[self._quantity.end : following[0][0]]
        ):
            return following[0]
        if preceding:
            return preceding[-1]
        return following[0] if following else None

    def _restates(self) -> bool:
        between = self._sentence.text[self._left : self._quantity.start]
        opens = self._sentence.text.startswith("(", self._quantity.start) or between.endswith("(")
        return bool(self._left) and opens and not between.strip(" (")

    def _distance(self, mention: Mention) -> int:
        start, end = self._quantity.start, self._quantity.end
        return start - mention[1] if mention[1] <= start else mention[0] - end

    def _has_own_subject(self) -> bool:
        """Return whether the clause names what its figure is of, in words of its own."""
        lead = self._sentence.text[self._clause.start : self._quantity.start]
        return self._left <= self._clause.start and len(content_words(_bare(lead))) >= _SUBJECT

    def _resolve(self, figure: Quantity, mention: Mention | None) -> tuple[Unit, str | None]:
        """Resolve unit and metric against each other."""
        unit, metric = figure.unit, mention[2] if mention else None
        plain = figure.scale == "one"
        if unit == "per_share" and metric in (None, "operating income"):
            per_share = {m[2] for m in self._sentence.metrics} & {"book value", "dividend", "ffo"}
            metric = None if per_share and metric is None else "eps"
        if unit == "currency" and plain and mention is None and self._per_share((0, 0, "")):
            metric = "eps"  # "it made $0.71 per share, up from $0.70"
        if (
            mention
            and metric in ("net income", "operating income")
            and unit in ("currency", "per_share")
            and plain
            and self._per_share(mention)
        ):
            metric = "eps"
        if unit == "currency" and plain and metric in ("eps", "dividend"):
            unit = "per_share"
        if (
            unit == "currency"
            and plain
            and metric in ("net income", "operating income")
            and self._quantity.decimals == _CENTS
        ):
            unit, metric = "per_share", "eps"  # "adjusted earnings were $0.65"
        if metric == "eps" and not plain:
            metric = "net income"
        counted = words.THINGS.match(self._after) or (  # "47.6 million gallons, versus 71 million"
            self._left and self._is_compared and self._preceding._quantity.unit == "count"
        )
        if (
            unit == "count"
            and not (plain or counted)
            and metric
            and words.FAMILIES[metric] == "money"
        ):
            unit = "currency"  # "net sales of 76.3 million"
        if metric == "margin":
            metric = self._kind_of_margin()
        return unit, metric

    def _per_share(self, mention: Mention) -> bool:
        return any(q.unit == "per_share" for q in self._sentence.quantities if q.start > mention[0])

    def _kind_of_margin(self) -> str:
        names = [m[2] for m in self._sentence.metrics if m[1] <= self._quantity.start]
        for name in reversed(names):
            if name.endswith(" margin"):
                return name
            if name in ("operating income", "ebitda", "gross profit"):
                return f"{name.split()[0]} margin"
        return "margin"

    def _is_prior(self, change: bool) -> bool:
        if self._is_compared and not self._is_target():
            return not re.match(r"\s?of\s", self._after)
        if change:
            return False
        for mention in self._sentence.periods:
            if mention.period.prior and self._quantity.end <= mention.start < self._right:
                between = self._sentence.text[self._quantity.end : mention.start]
                return _TO_PERIOD.fullmatch(between) is not None
        leading = [m for m in self._sentence.periods if m.start <= 3]
        return bool(leading) and leading[0].period.prior and not self._left

    @property
    def _is_compared(self) -> bool:
        """Return whether "from", "versus" or the like precede the figure."""
        if self._left and words.SAME_AGAIN.fullmatch(self._before):  # "from $5 million, or $0.19"
            return self._preceding._is_compared
        if comparator := words.COMPARATOR.search(self._before):
            # "profit came from 300 stores": nothing before that it could be compared with
            return bool(
                self._left or self._sentence.directions or not comparator[0].startswith("from")
            )
        return (
            bool(self._left)
            and self._quantity.unit is not None
            and re.fullmatch(r"\s?on(?: the)?\s", self._before) is not None
        )

    def _compares(self) -> bool:
        return any(mention.period.prior for mention in self._sentence.periods) or any(
            words.COMPARATOR.search(self._sentence.text, 0, amount.start)
            for amount in self._sentence.amounts
        )

    def _is_target(self) -> bool:
        comparator = words.COMPARATOR.search(self._before)
        if comparator and (  # "short of guidance of $7.30", "versus GAAP earnings of $1.23"
            words.GUIDANCE.search(comparator[0]) or words.BASIS.search(comparator[0])
        ):
            return True
        return bool(
            re.search(r"\b(?:guid\w+|range|expect\w*|estimate|outlook)\b", self._after[:40])
        ) and (not re.search(r"\bprior|previous", self._before))

    def _is_change(self, unit: Unit, metric: str | None) -> bool:
        if re.search(
            r"\b(?:to|at|reached|from|was|were|were at)\s(?:a |an |about |approximately |\$)?$",
            self._before,
        ):
            return False
        if unit == "basis_points":
            return True
        if self._is_compared:
            return False
        if words.CHANGE_AFTER.match(self._after):
            return True
        near = [d for d in self._sentence.directions if self._left <= d[0] < self._quantity.start]
        if near and near[-1][1] != "flat":
            gap = self._sentence.text[near[-1][0] : self._quantity.start]
            if len(gap.split()) <= 3 and not re.search(r"\b(?:to|from|at)\b|,", gap):
                return True
        rate = metric is not None and words.FAMILIES.get(metric) == "rate"
        return unit in ("percent", "points") and bool(near) and not rate and metric is not None

    def _direction(self, mention: Mention | None, change: bool) -> Direction | None:
        start, end = self._quantity.start, self._quantity.end
        if change:
            left, right = max(self._left, self._clause.start), min(self._right, self._clause.end)
            before = [d for d in self._sentence.directions if left <= d[0] < start]
            after = [d for d in self._sentence.directions if end <= d[0] < min(right, end + 30)]
            if (
                after
                and words.CHANGE_AFTER.match(self._after)
                and (not before or start - before[-1][0] > 12)
            ):
                return after[0][1]
            if before:
                return before[-1][1]
            if after:
                return after[0][1]
        if mention is None and self._quantity.spelled and self._quantity.unit == "count":
            return None  # "the sale of three ships reduced debt"
        left = min(mention[0], start) if mention else 0
        nexts = [
            m[0]
            for m in self._sentence.metrics
            if m[0] > end and (not mention or m[2] != mention[2])
        ]
        stop = min([*nexts, self._clause.end])
        left = max(
            self._clause.start,
            left - 40,
            *(m.end() for m in _NEXT_VERB.finditer(self._sentence.text, 0, start)),
        )
        within = {
            d
            for position, d in self._sentence.directions
            if left <= position < stop and not self._is_judgement(position, mention)
        }
        return within.pop() if len(within) == 1 else None

    def _is_judgement(self, position: int, mention: Mention | None) -> bool:
        """Return whether a change is called better without saying whether it is up or down."""
        better_up = mention is not None and mention[2] not in words.BETTER_LOW
        return not better_up and self._sentence.text.startswith("improv", position)

    def _against(self, change: bool) -> Base | None:
        """Return the base of a change; words after the figure take precedence."""
        if not change:
            return None
        for text in (self._after, self._before, self._sentence.text):
            bases = [base for base, pattern in words.BASES.items() if pattern.search(text)]
            if bases:
                return bases[0] if len(bases) == 1 else None
        return None

    def _is_loss(self, unit: Unit) -> bool:
        if unit not in ("currency", "per_share"):
            return False
        lead = self._before
        if self._left and words.LOSS_BEFORE.fullmatch(lead):  # "a net loss of $5 million from $7"
            return self._preceding._is_loss("currency")
        if self._left and words.SAME_AGAIN.match(lead):  # "a net loss of $7.4 million, or $0.19"
            before_last = [q.end for q in self._sentence.quantities if q.end < self._left]
            lead = self._sentence.text[max(before_last, default=0) : self._quantity.start]
        if words.LOSS_AFTER.match(self._after):
            return True
        losses = list(words.LOSS.finditer(lead))
        if not losses:
            return False
        rest = lead[losses[-1].end() :]
        return len(rest.split()) <= 10 and not re.search(
            r"\b(?:income|earnings of|profit|but|;)\b", rest
        )

    def _is_denied(self) -> bool:
        lead = self._sentence.text[: self._quantity.start]
        return bool(words.UNTRUE.search(lead) or words.DENIED.search(self._before))

    def _period(self, prior: bool) -> Period:
        if "respectively" in self._sentence.text:
            return Period()
        own = self._own_period()
        if own is None:
            return Period(prior=prior)
        return replace(own, prior=prior or own.prior) if prior else replace(own, prior=False)

    def _own_period(self) -> Period | None:
        start, end = self._quantity.start, self._quantity.end
        after = [m for m in self._sentence.periods if end <= m.start < self._right]
        before = [
            m for m in self._sentence.periods if m.end <= start and not self._is_comparison(m)
        ]
        if after:
            between = self._sentence.text[end : after[0].start]
            if self._is_close(between):
                return _narrowed(
                    after[0].period, [m for m in before if m.start >= self._clause.start]
                )
        if self._is_compared:
            return None
        within = [m for m in before if m.start >= self._clause.start]
        mentions = within or [m for m in before if m.start <= _LEADING]
        if not mentions or (
            len({m.period.span for m in before}) > 1 and self._is_distant(mentions[-1])
        ):
            return None
        return mentions[-1].period

    def _is_distant(self, mention: PeriodMention) -> bool:
        return self._quantity.start - mention.end > _LEADING

    def _is_close(self, between: str) -> bool:
        return len(between.split()) <= 8 and not re.search(
            r"\b(?:from|versus|vs|against|compared|over|than|on|with|and|while|to)\b|[;,]", between
        )

    def _is_comparison(self, mention: PeriodMention) -> bool:
        before = self._sentence.text[max(0, mention.start - 40) : mention.start]
        return mention.period.prior or bool(
            re.search(
                r"\b(?:from|versus|vs\.?|against|compared (?:with|to)|over|than|relative to|given our|following|after|based on)\s[^;,]{0,30}$",
                before,
            )
        )

    def _basis(self, mention: Mention | None) -> Basis | None:
        if after := words.BASIS_AFTER.match(self._sentence.text, self._quantity.end):
            return "gaap" if after["on"] in ("gaap", "reported") else "adjusted"
        if mention is not None:
            window = self._sentence.text[max(0, mention[0] - 28) : mention[1]]
            marks = [
                m
                for m in words.BASIS.finditer(window)
                if not re.search(r"[\d,;]", window[m.end() :])
            ]
            if len({bool(mark["adjusted"]) for mark in marks[-2:]}) > 1:
                return None  # "adjusted and GAAP earnings per share"
            if marks:
                return "adjusted" if marks[-1]["adjusted"] else "gaap"
        lead = self._sentence.text[: self._quantity.start]
        marks = [
            m
            for m in words.BASIS.finditer(lead)
            if re.search(
                r"\b(?:on an?|under|that brought|that took|all of this put|the)\s(?:[a-z]+\s)?$|^$",
                lead[: m.start()],
            )
            or m[0] in ("excluding", "adjusting")
        ]
        if marks:
            return "adjusted" if marks[-1]["adjusted"] else "gaap"
        return None

    def _status(self, compared: bool) -> Status | None:
        text = self._sentence.text
        if self._quantity.spelled and self._quantity.unit == "count":
            return None  # "delays on two projects"
        if words.ESTIMATE.search(self._before):
            return "estimate"
        if compared:  # the verb of the sentence is about the other figure
            return None
        if words.STATED.search(self._before):
            return "actual"
        guided_after = words.GUIDED_AFTER.match(text, self._quantity.end)
        if guided_after and not words.GUIDANCE_BESIDE.search(
            text, self._quantity.end, guided_after.end()
        ):
            return "guidance"
        if words.HELD_AGAINST.match(
            text, self._clause.start
        ):  # "topping the range of $190 million"
            return None
        clause = text[self._clause.start : self._clause.end]
        own_verb = words.ACTUAL.search(clause)
        start = self._clause.start if own_verb and self._clause.start else 0
        lead = text[start : self._quantity.start]
        guided = [
            m.end()
            for m in words.GUIDANCE.finditer(lead)
            if not words.GUIDANCE_BESIDE.search(lead, max(0, m.end() - 80), m.end())
            or words.ITS_FIGURE.fullmatch(lead, m.end())
        ]
        actual = words.REPORTED.search(lead)
        if any(not _NEW_CLAUSE.search(lead, end) for end in guided):
            return "guidance"
        if actual:
            return "actual"
        if own_verb and self._clause.start:  # "and $800 million of debt was paid down"
            return None
        after = _JOINT.split(text[self._quantity.end : self._nearby], 1)[0][:_FAR]
        outlook = words.GUIDANCE.search(after)
        if outlook is None or words.GUIDANCE_BESIDE.search(after, 0, outlook.end()):
            return None
        return "guidance"

    def _qualifiers(self, mention: Mention | None) -> frozenset[str]:
        if mention is None:
            return frozenset()
        start, end, _ = mention
        lead = self._sentence.text[max(0, start - 60) : start]
        cut = [m.end() for m in words.VERB.finditer(lead)]
        nearby = lead[cut[-1] if cut else 0 :]
        low, high = sorted((end, self._quantity.start))
        between = self._sentence.text[max(low, high - 80) : high]
        names = " ".join(words.NAME.findall(self._sentence.original[: self._quantity.start]))
        return content_words(f"{nearby} {between} {names.lower()}")


def _bare(text: str) -> str:
    return words.DOWN.sub(" ", words.UP.sub(" ", text))


def _narrowed(own: Period, before: list[PeriodMention]) -> Period:
    """Add the "third quarter" mentioned first to a later "in fiscal 2021"."""
    span = before[-1].period.span if before else None
    return replace(own, span=span) if span and own.span in (None, "FY") and own.year else own


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
