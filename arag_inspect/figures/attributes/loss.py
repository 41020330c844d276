"""Check whether an amount is a loss by the words before it."""

import re

from ..quantity import Unit
from .surroundings import Surroundings

_NEAR = 10
"""Most words between a loss and its size."""

_STEPS = 3
"""Most amounts back to the loss compared with an amount: fell 9% to $5 million from $6 million."""

_WHAT_IS_LOST = (
    r"business|customers?|contracts?|orders|output|production|revenues?|sales|volumes?"
    r"|(?:market )?share|(?:working )?(?:days|hours|time)"
)
_LOSS = re.compile(
    rf"\blost\b(?! (?:{_WHAT_IS_LOST})\b)|\blosing\b|\bloss of\b"
    r"|\bcash (?:flows? )?used (?:by|for|in)\b"
    r"|\b(?:activities|operations) (?:consumed|used)\b"
    r"|\bcash flows?(?: [a-z]+){0,4} (?:was|were) (?:an? )?(?:net )?outflows? of\b"
    r"|(?:"
    r"\b(?:net|operating|diluted|adjusted|basic|pre-?tax|core|ebitda|quarterly|qtrly|reported"
    r"|comprehensive|gaap|q[1-4]|(?:to-)?date|half|month|quarter|year|eps|share)\s"  # net loss
    r"|\b(?:a|an|the|our|of)\s(?:(?!for\b)[a-z-]+\s){0,3}|^"  # a large loss
    r")(?<!credit )(?<!loan )(?<!catastrophe )(?<!cat )"
    r"loss(?:es)?\b(?! (?:ratio|provision|reserve|adjustment|recover))"
)
"""A loss that makes the figure after it negative."""


_LOSS_AFTER = re.compile(r"\s(?:adjusted |gaap |non-gaap |diluted |net |operating )*loss\b")
_NEW_LOSS = re.compile(r"\b(?:lost|(?:from|into|to) (?:an? )?(?:[a-z-]+ ){0,3}loss(?:es)?)\b")
"""A loss that an amount beside it need not share: swung to a loss of $5 million from $9 million."""

_SAME_LOSS = re.compile(
    r"(?: per (?:[a-z]+ )?(?:share|unit))?(?: (?:in|for) [^,;$%]{0,30}?)?,? (?:(?:up|down) )?"
    r"(?:from|to|versus|vs\.?|against|compared (?:to|with)) "
    r"(?:(?:about|approximately|around|nearly|roughly) )?\S?"
)
"""Between a loss and what it is compared with: a loss of $5 million, against $9 million."""


def is_loss(around: Surroundings, unit: Unit) -> bool:
    """Return whether an amount of money is a loss by the words before it."""
    if unit not in ("currency", "per_share"):
        return False
    return (
        _ends_with_loss(around.before)
        or _LOSS_AFTER.match(around.after) is not None
        or _is_same_loss(around)
    )


def _is_same_loss(around: Surroundings) -> bool:
    """Return whether a number is a loss at another time: narrowed to $5 million from $9 million."""
    before = around.before
    farthest = max(0, around.index - _STEPS)
    for index in range(around.index - 1, farthest - 1, -1):
        if not _SAME_LOSS.fullmatch(before):
            return False
        before = around.words_before(index)
        if _NEW_LOSS.search(before):
            return False
        if _ends_with_loss(before):
            return True
    return False


def _ends_with_loss(before: str) -> bool:
    """Return whether the words before a number make it a loss."""
    losses = list(_LOSS.finditer(before))
    return bool(losses) and len(before[losses[-1].end() :].split()) <= _NEAR
