"""Cut a sentence into the words about each of its figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from ..text.content_words import content_stems
from ..text.sentences import Span
from . import lexicon as words
from .pairs import read_pairs
from .ranges import QuantityToken

_MOST = 12
"""Figures of a sentence whose words are kept apart; longer lists are printed tables."""

Link = Literal["clause", "item", "base", "aside", "next"]
"""How a figure follows the one before it: in a clause of its own, as the next item of a list, as
what it is compared with, in parentheses, or in the same phrase ("rose 5% to $4 million")."""

_CLAUSE = re.compile(
    r";\s|:\s(?=\S{0,40}[a-z])|\s[–—-]{1,2}\s(?=\S{0,40}[a-z])|—(?=\S{0,40}[a-z])|\.\s|,?\s(?:while|whereas|but|although|though|yet)\s"
    r"|,?\s(?:and\s)?(?=(?:we|it|they|management|the\scompany)\s)|,\s(?=of\swhich\s)"
)
_ITEM = re.compile(r",\s(?:and|or|plus)\s|,\s(?!(?:19|20)\d\d\b)|\s(?:and|or|plus)\s|(?<=\))\s")
_ASIDE = re.compile(r"\s?[(\[]\s?")
_STRONG = re.compile(r",\s(?:and|or|plus)\s")
_LEADS_ON = re.compile(
    r"(?:^|\s)(?:of|was|were|is|are|at|to|by|from|than|with|be|totall?ed)\s*\S?$"
)
"""At the end of words that are about the figure after them."""

_EXCEEDS = re.compile(
    r"\s(?:exceed(?:ed|s)|outpac(?:ed|es)|outstripp?(?:ed|s)|surpass(?:ed|es)|topp?(?:ed|s))\s(?=[a-z])"
)
"""Between the labels of two figures of which one is larger."""

_TO = re.compile(r"\sto\s\S?$")
_ATTRIBUTE = re.compile(r"\b(?:its|our|the|their)\s\S?$")
"""Before a figure that is part of a noun phrase: nothing drawn under our $9 million facility."""

_NOUN = 30
"""Most characters of that noun."""

_VERB = re.compile(r"\s(?:should|will|would|is|are|was|were|has|had|can|could|may)\s")
_WITH = re.compile(r"\swith\s")
_FROM_OR_TO = re.compile(r"\b(?:from|to)\b")

_OPENING = r"\s*(?:(?:and|but)\s)?(?:in|for|during|over|on|at|as\sof|through|with|versus|this|last)\s[^,;]*"
_FRAME = re.compile(rf"{_OPENING},\s")
"""A phrase with which a sentence opens and that holds for all of it: for fiscal 2022, we expect."""

_FRAME_ALONE = re.compile(
    rf"{_OPENING}|\s*(?:(?:and|but)\s)?(?:adjusted|as\sreported|(?:non-?)?gaap|reported|underlying)"
)

_PHRASE_END = re.compile(
    r"[;:]\s|\.\s|,?\s(?:because|due\sto|driven\sby|owing\sto|thanks\sto|reflecting|(?:helped|aided|boosted|hurt|offset)\sby|despite|given|which|when|as(?!\s(?:(?:\w+ly\s)?(?:reported|published|restated|adjusted)|of|compared)\b))\s|,\s(?!(?:19|20)\d\d\b)(?!(?:respectively|excluding|including|net\sof|on\san?|in|at|for|before|after|up|down|or)\s)"
    r"|,?\s(?:while|whereas|but|although|though|yet)\s"
)
_CIRCUMSTANCE = re.compile(
    r"\s*(?:in|for|during|on|at|as|excluding|including|net|before|after|versus|compared|year|over|this|last)\b"
)
"""Start of a phrase after the last item of a list that is about all of its items."""

_INTERRUPTION = re.compile(
    r"(?:\s\([^()]*\)|,\s(?:which|after|before|despite|excluding|including|net\sof|with|without)\b[^,;()]*,)"
    r"(?=\s(?:(?:is|are|was|were|rose|fell|grew|came|stood|increased|decreased|declined|reached|stands|totall?ed|amounted)\b))"
)
_COUNTED = re.compile(
    r"\s(?:(?:additional|more|net|new)\s)?(?!(?:across|as|has|is|less|plus|this|versus|was)\b)[a-z-]+s\b"
)
"""What is counted, after a number."""

_SUBJECT = re.compile(
    r"(?P<subject>[^,;]{1,60}?)\s(?:also\s)?(?:[a-z]{2,}ed|grew|had|has|made|saw|with)\s(?=\S)"
)
"""A subject before its verb, which also governs the later objects of the verb."""

_POSSESSIVE = re.compile(r"\s*(?:(?:and|but)\s)?(?:its|their)\s")

_NOWHERE = Span(0, 0)


@dataclass(slots=True)
class Scope:
    """The words about one figure of a sentence."""

    link: Link = "clause"
    head: int = 0
    """Position of the figure that it is linked with."""

    before: Span = _NOWHERE
    """Words before it that are about it alone."""

    after: Span = _NOWHERE
    """Words after it that are about it alone."""

    extra: str = ""
    """Words elsewhere that are about it alone."""

    shared: str = ""
    """Words of its clause that are about its neighbours too."""

    alone: str = ""
    """All words about it alone."""

    hidden: Span = _NOWHERE
    """Words before it that are about others, around or inside an interruption."""


def scopes(text: str, amounts: Sequence[QuantityToken], apart: bool = False) -> list[Scope]:
    """Tell which words of a sentence are about which of its figures.

    The words between two figures are divided at the strongest edge: that of a clause, then that
    of a comparison, a parenthesis or a list item. The words before the first figure of a clause
    are about all of its figures, unless its other items have labels before them too. "A and B
    were 1 and 2, respectively" pairs labels and figures by position.

    Args:
        text: Sentence in lower case.
        amounts: Its figures from left to right, without dates and years.
        apart: Whether the sentence has other figures, whose words are blank.
    """
    if not 1 <= len(amounts) <= _MOST:
        return [_only(text, amount) for amount in amounts]
    if interruption := _interruption(text, amounts):
        return _around(text, amounts, interruption)
    results = _divided(text, amounts)
    pairs = read_pairs(text, amounts)
    if pairs:
        shared, labels = pairs
        for scope, label in zip(results, labels, strict=True):
            scope.before = scope.after = _NOWHERE
            scope.shared = shared
            scope.extra = scope.alone = label
        return results
    starts = [i for i, scope in enumerate(results) if scope.link == "clause"]
    subject = ""
    for start, stop in pairwise([*starts, len(results)]):
        lead = _words(text, results[start].before)
        _share(text, amounts, results, range(start, stop))
        if _POSSESSIVE.match(lead):  # "; its profit was"
            for scope in results[start:stop]:
                scope.shared += f" {subject}"
        else:
            subject = words.METRIC.sub("segment", lead)
    units = [amount.unit for amount in amounts]
    for start, stop in pairwise([*starts, len(results)]):
        for index in range(start, stop) if apart or starts[1:] else ():
            if units[start:stop].count(units[index]) == 1:  # no neighbour to share them with
                results[index].alone = f"{results[index].shared} {results[index].alone}"
    return results


def _interruption(text: str, amounts: Sequence[QuantityToken]) -> Span | None:
    """Return where a clause with figures interrupts another: profit, which excludes $6 million, was."""
    for match in _INTERRUPTION.finditer(text):
        inside = [match.start() <= amount.start < match.end() for amount in amounts]
        if any(inside) and not all(inside) and (inside[0] or match[0][0] == ","):
            return Span(*match.span())
    return None


def _around(text: str, amounts: Sequence[QuantityToken], interruption: Span) -> list[Scope]:
    """Read an interruption and what is around it apart."""
    start, end = interruption
    inner = " " * start + text[start:end] + " " * (len(text) - end)
    outer = text[:start] + " " * (end - start) + text[end:]
    inside = [start <= amount.start < end for amount in amounts]
    within = [amount for amount, is_inside in zip(amounts, inside, strict=True) if is_inside]
    of_inner = scopes(inner, within, apart=True)
    of_outer = scopes(outer, [amount for amount in amounts if amount not in within], apart=True)
    for scope in of_inner:
        scope.hidden = Span(0, start)
    for scope in of_outer:
        scope.hidden = interruption
        scope.shared += inner[: within[0].start] if _CIRCUMSTANCE.match(text, start + 2) else ""
    inner_scopes, outer_scopes = iter(of_inner), iter(of_outer)
    return [next(inner_scopes if is_inside else outer_scopes) for is_inside in inside]


_YEAR = re.compile(r"\bthe ((?:19|20)\d\d)(?= [a-z]+s\b)")
"""A year that is a name: the 2031 notes."""


@lru_cache(maxsize=8192)
def labels(text: str) -> frozenset[str]:
    """Return the names of metrics, the stems of other words and the years that are names."""
    stems = (stem for stem in content_stems(words.METRIC.sub(" ", text)) if not stem[0].isdigit())
    return metrics(text).union(stems, _YEAR.findall(text))


@lru_cache(maxsize=8192)
def metrics(text: str) -> frozenset[str]:
    """Return the names of the metrics that a text in lower case mentions."""
    return frozenset(words.metric_name(match) for match in words.METRIC.finditer(text))


def _only(text: str, amount: QuantityToken) -> Scope:
    left, right = max(0, amount.start - 80), min(len(text), amount.end + 80)
    return Scope(shared=f"{text[left : amount.start]} {text[amount.end : right]}")


def _divided(text: str, amounts: Sequence[QuantityToken]) -> list[Scope]:
    """Give each figure the words on its side of the edges."""
    results = [Scope(before=Span(0, amounts[0].start))]
    for index, (left, right) in enumerate(pairwise(amounts)):
        link, low, high = _edge(text[left.end : right.start], left.unit == right.unit)
        results[index].after = _phrase(text, left.end, left.end + low)
        head = results[index].head if link == "item" else index
        following = Scope(link, head, Span(left.end + high, right.start))
        close = text.find(")", left.end, left.end + low) if results[index].link == "aside" else -1
        if close >= 0:  # "of $27 (2019: $12) in 2020": what follows is about the first figure
            results[results[index].head].extra += text[close + 1 : left.end + low]
            results[index].after = Span(left.end, close)
        results.append(following)
        if link == "next" and _ATTRIBUTE.search(text, left.end, right.start):
            results[index].extra += _words(text, _phrase(text, right.end, right.end + _NOUN))
    tail = Span(amounts[-1].end, len(text))
    if results[-1].link == "aside" and (close := text.find(")", *tail)) >= 0:
        results[results[-1].head].extra += _words(text, _phrase(text, close + 1, len(text)))
        tail = Span(tail.start, close)
    results[-1].after = _phrase(text, *tail)
    return results


def _phrase(text: str, start: int, end: int) -> Span:
    """Return the words after a figure that are about it: not its reason, not another clause."""
    edge = _PHRASE_END.search(text, start, end)
    return Span(start, edge.start() if edge else end)


def _edge(gap: str, is_same_unit: bool) -> tuple[Link, int, int]:
    """Return the edge between the words about two figures: its kind, start and end."""
    aside = _ASIDE.search(gap)
    if aside and ")" not in gap[aside.end() :]:
        return "aside", *aside.span()
    items = list(_ITEM.finditer(gap))
    if clauses := list(_CLAUSE.finditer(gap)):
        edge = clauses[-1]
        for earlier in [*clauses[:-1], *items]:
            if _FRAME_ALONE.fullmatch(gap, earlier.end(), edge.start()):
                edge = earlier  # "; for the second quarter it sees"
        return "clause", *edge.span()
    if base := words.COMPARATOR.search(gap) or words.AFTER.search(gap):
        return "base", base.start(), base.start()
    if items:
        strong = [item for item in items if _STRONG.fullmatch(item[0])]
        commas = [item for item in items if item[0][0] == ","]
        edge = (strong or commas or items[:1])[-1]
        return "item", *edge.span()
    if inner := _EXCEEDS.search(gap) or _VERB.search(gap) or _WITH.search(gap):
        return "item", inner.start(), inner.start()
    if (
        is_same_unit
        and words.METRIC.search(gap)
        and _LEADS_ON.search(gap)
        and not _FROM_OR_TO.search(gap)
    ):
        return "item", 0, 0  # "income of $3 million partly offset expenses of"
    start = to.start() if (to := _TO.search(gap)) else 0 if _LEADS_ON.search(gap) else len(gap)
    return "next", start, start


def _share(
    text: str, amounts: Sequence[QuantityToken], results: list[Scope], clause: range
) -> None:
    """Decide which words of a clause are about several of its figures.

    A label holds until the next one: an item without a label has that of the item before it.
    """
    first = results[clause[0]]
    lead = text[first.before.start : first.before.end]
    frame = _FRAME.match(lead)
    opening = frame[0] if frame else ""
    items = [results[i] for i in clause[1:] if results[i].link == "item"]
    labelled = [scope for scope in items if _names(text, scope.before)]
    label = lead.removeprefix(opening) if labelled else ""
    shared = opening if labelled else lead
    if labelled and not any(words.METRIC.search(text, *scope.before) for scope in labelled):
        shared += " ".join(match[0] for match in words.METRIC.finditer(label))
        label = words.METRIC.sub(" ", label)
    elif (
        labelled
        and (subject := _SUBJECT.match(label))
        and words.METRIC.search(label, subject.end())
    ):
        shared += subject["subject"]  # "the snacks segment had sales of $4 million and profit of"
    tail = _words(text, results[clause[-1]].after)
    unfollowed = not any(_names(text, results[i].after) for i in clause[:-1])
    if labelled and unfollowed and _CIRCUMSTANCE.match(tail):
        shared += f" {tail}"
    for index in clause:
        scope = results[index]
        before = label if scope is first else _words(text, scope.before)
        if scope.link == "item" and scope in labelled:
            label = before
        scope.alone = f"{before} {_words(text, scope.after)} {scope.extra}"
        scope.shared = f"{shared} {label}"
        if scope.link == "aside":
            scope.shared += results[scope.head].extra
        follows = scope.link in ("item", "base")
        noun = _COUNTED.match(text, amounts[index - 1].end) if follows else None
        if noun and not _COUNTED.match(text, amounts[index].end):
            scope.shared += noun[0]  # "opened 25 stores and closed 18", "25 stores, up from 18"


def _words(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _names(text: str, span: Span) -> bool:
    """Return whether words name something, not only that it moved."""
    return bool(labels(words.MOVE.sub(" ", text[span.start : span.end])))
