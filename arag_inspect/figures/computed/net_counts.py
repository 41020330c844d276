"""Counts of what came less what went: a net 15 stores."""

import re

from ..quantity import Quantity

_COUNT = r"\d{1,3}(?:,?\d{3}){0,2}\b(?!\.\d|\s?(?:%|percent|thousand|million|billion))"
"""A number of things in digits."""

_LEAVING = re.compile(
    r"\b(?:cancell?ed|clos(?:e[sd]?|ing|ures?)|cut|depart\w*|dispos\w+|divest\w*|exit\w*|fewer"
    r"|laid off|left|los(?:es?|ing|t)|reduc\w+|remov\w+|resign\w*|retire\w*|shed|shut\w*|sold"
    r"|terminat\w+)\b"
)
"""Words that what is counted went: we closed 25 stores."""


def is_net_count(figure: Quantity, sentence: str) -> bool:
    """Return whether a sentence says that a count is net: a net 15 stores, 15 stores, net."""
    return figure.unit == "count" and _says_net(sentence, re.escape(figure.text.lower()))


def mentions_net(text: str) -> bool:
    """Return whether a text says "net" of anything."""
    return re.search(r"\bnet\b", text.lower()) is not None


def mentions_net_count(text: str) -> bool:
    """Return whether a text says "net" of any count in digits."""
    return _says_net(text, _COUNT)


def _says_net(text: str, number: str) -> bool:
    """Return whether a text says "net" of a number that a pattern matches."""
    net_number = rf"\bnet (?:of )?{number}\b|\b{number}[^,;.\d]{{1,40}}, net\b"
    return re.search(net_number, text.lower()) is not None


def is_growth(came: Quantity, went: Quantity) -> bool:
    """Return whether more came than went; the second went unless only the first did."""
    if _is_leaving(came) and not _is_leaving(went):
        came, went = went, came
    return came.amount > went.amount


def _is_leaving(figure: Quantity) -> bool:
    return _LEAVING.search(f"{figure.wording.before} {figure.wording.after}") is not None


def is_fall(claim: Quantity) -> bool:
    """Return whether the words right beside a net figure say that more went than came."""
    words_after = claim.wording.after.split()[:2]
    return _LEAVING.search(f"{claim.wording.before} {' '.join(words_after)}") is not None
