"""The text length that a prompt requests."""

import re
from typing import NamedTuple

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,6})"

_LIMIT = re.compile(
    r"(?:(?P<strict>under|below|(?:fewer|less) than)"
    r"|at (?:the )?most|exceed(?:ing)?|up to|within"
    r"|(?:\bno|\bnot|n't|\bnever)(?: \w+){0,3} (?:more|longer) than"
    r"|max(?:\.|imum)?(?: of|:)?|limit(?:ed)?(?: of| to|:)?|\d ?(?:to|and|-|–))"
    rf"\s*(?P<before>{_NUMBER})[ -]words?\b"
    rf"|\b(?P<after>{_NUMBER})[ -]words?,? (?:or (?:fewer|less)|max(?:imum)?|at (?:the )?most|limit)"
    r"\b(?!(?: of|:)? ?\d)",
    re.IGNORECASE,
)
_TARGET = re.compile(
    rf"(?:\b(?:in|of|about|around|approximately|roughly)|~)\s*(?P<about>{_NUMBER})[ -]words?\b"
    rf"|\b(?P<compound>{_NUMBER})-word\b",
    re.IGNORECASE,
)


class Length(NamedTuple):
    """Words of a text; None if not stated."""

    target: int | None
    most: int | None


def read_length(prompt: str) -> Length:
    """Return the first length that a prompt names, and the first limit.

    Args:
        prompt: Instructions, such as "in about 75 words", "at most 60 words" or "60 words or fewer".
    """
    limit = _LIMIT.search(prompt)
    target = _TARGET.search(_LIMIT.sub("", prompt))
    most = None
    about = None
    if limit is not None:
        most = _count(limit["before"] or limit["after"]) - bool(limit["strict"])
    if target is not None:
        about = _count(target["about"] or target["compound"])
    return Length(about or None, most or None)


def _count(text: str) -> int:
    return int(text.replace(",", ""))
