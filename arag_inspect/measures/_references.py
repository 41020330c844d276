"""A reference as judges see it: without repeated items and without estimates of analysts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from arag_inspect.figures import Quantity, extract_quantities
from arag_inspect.text.content_words import content_words
from arag_inspect.text.sentences import sentences

_ANALYSTS = (
    r"\b(?:refinitiv|thomson reuters|i/b/e/s|ibes|factset|consensus (?:estimates?|of)|"
    r"analysts['’]? (?:on average|estimate|consensus|average|mean|expect|had expected))"
)
_ESTIMATE = re.compile(_ANALYSTS, re.IGNORECASE)
_COMPARISON = re.compile(
    r",?\s(?:versus|vs\.?|against|above|below|compared (?:with|to))"
    rf"\s[^;]{{0,200}}?{_ANALYSTS}[^;]*?"
    r"(?=\.?\s*(?:;|$))",
    re.IGNORECASE,
)
"""A comparison with an estimate, to the end of its clause."""

_INCOMPLETE = re.compile(
    r"(?:\A|\b(?:is|are|was|were|be|been|came|come|comes|coming)(?:\s+(?:in|out|well|just|\w+ly))*)"
    r"\W*\Z",
    re.IGNORECASE,
)
"""End of a clause without its complement."""

_MOST_ITEMS = 200
"""Longest reference, in items, in which repetitions are looked for, pair by pair."""

_NEGATION = re.compile(r"\b(?:not?|never|without)\b|n['’]t\b", re.IGNORECASE)


class JudgedReference(NamedTuple):
    """The parts of a reference that are judged."""

    text: str

    left_out: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Unjudged items: `repetitions`, whose figures and words are all in another item, and
    `estimates` of analysts, which are not in a company's document.
    """


def reference_of(target: Iterable[str]) -> JudgedReference:
    """Return the reference of a sample as judges see it; empty if missing.

    A reference without repeated items and estimates, or with only these, stays unchanged.
    """
    text = "\n".join(text for text in target if text.strip())
    items: list[str] = []
    estimates: list[str] = []
    for item in sentences(text):
        comparisons = [match.group().strip(" ,") for match in _COMPARISON.finditer(item)]
        statement = _COMPARISON.sub("", item)
        if _ESTIMATE.search(statement) or (comparisons and _says_nothing(statement)):
            estimates.append(item)
        else:
            estimates += comparisons
            items.append(statement)
    repetitions = _repeated_positions(items) if len(items) <= _MOST_ITEMS else set()
    lines = [item for position, item in enumerate(items) if position not in repetitions]
    if not lines or not (estimates or repetitions):
        return JudgedReference(text)
    left_out = {"repetitions": [items[n] for n in sorted(repetitions)], "estimates": estimates}
    present = {name: texts for name, texts in left_out.items() if texts}
    return JudgedReference("\n".join(lines), present)


def _says_nothing(statement: str) -> bool:
    """Return whether a comparison was all that a statement said: `Revenue was.`"""
    return _INCOMPLETE.search(statement) is not None and not extract_quantities(statement)


def _repeated_positions(items: Sequence[str]) -> set[int]:
    """Return the positions of items that another item contains or an earlier item repeats."""
    figures = [frozenset(map(_figure_key, extract_quantities(item))) for item in items]
    is_negative = [bool(_NEGATION.search(item)) for item in items]
    words = [content_words(item.lower()) for item in items]
    repetitions = set()
    for position in range(len(items)):
        for other_position in range(len(items)):
            is_contained = words[position] < words[other_position]
            is_equal = words[position] == words[other_position] and other_position < position
            is_same = figures[position] and figures[position] == figures[other_position]
            agrees = is_negative[position] == is_negative[other_position]
            if is_same and agrees and (is_contained or is_equal):
                repetitions.add(position)
    return repetitions


def _figure_key(figure: Quantity) -> tuple[object, ...]:
    """Return the content of a figure: its amount, its subject and its time."""
    return (
        figure.value,
        figure.value_high,
        figure.unit,
        figure.currency,
        figure.bound,
        figure.metric,
        figure.basis,
        figure.status,
        figure.period,
        figure.per,
        figure.direction,
        figure.change,
        figure.denied,
        figure.negative,
    )
