"""Words of financial prose that say what a figure is about."""

import re
from functools import cache
from typing import Literal

from .._util.files import packaged_yaml
from ..types.sample import Basis, Direction

Family = Literal["money", "rate", "count", "any"]


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
"""Pattern of the name of a month, perhaps abbreviated."""


BLANK = "\x00"
"""In place of each character of a text that has been read, so that nothing else matches there."""

NUMBERED = (
    r"class|client|customer|fund|furnace|line|mill|plant|series|site|supplier|tenant|train|tranche"
    r"|unit|vendor"
)
"""Nouns of several things that letters or numbers distinguish: plant 2, customer b."""


@cache
def _words() -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = packaged_yaml(__package__, "words.yaml")
    return kinds


def words(kind: str) -> str:
    """Return the pattern of a kind of words in `words.yaml`, without a group."""
    return "|".join(_words()[kind])


def _metrics() -> dict[str, tuple[Family, str]]:
    """Read the metrics with their family and pattern, in the order of matching."""
    metrics = packaged_yaml(__package__, "metrics.yaml")
    return {name: next(iter(entry.items())) for name, entry in metrics.items()}


_METRICS = _metrics()
FAMILIES: dict[str, Family] = {name: family for name, (family, _) in _METRICS.items()}
"""In which units each metric is given."""

MARGINS = {
    "ebitda": "ebitda margin",
    "gross profit": "gross margin",
    "net income": "net margin",
    "operating income": "operating margin",
}
"""Margins by the profit that they give in percent of revenue."""

_NAMES = tuple(_METRICS)
_PATTERNS = [pattern for _, pattern in _METRICS.values()]


def _at_word(*alternatives: str) -> re.Pattern[str]:
    """Compile the pattern of one of several names that no other letters adjoin."""
    return re.compile(rf"(?<![\w-])(?=[a-z])(?:{'|'.join(alternatives)})(?![\w&])")


METRIC = _at_word(*_PATTERNS)
"""The name of a metric; `metric_name` returns the metric."""

_EACH_METRIC = _at_word(*(f"({pattern})" for pattern in _PATTERNS))
"""The same with a group for each metric, which takes four times as long to search for."""


def metric_name(match: re.Match[str]) -> str:
    """Return the metric of a match of `METRIC`."""
    metric = _EACH_METRIC.match(match.string, match.start())
    group = metric.lastindex if metric else None
    return _NAMES[(group or 1) - 1]


WORD = r"\b(?=[a-z])"
"""Start of a word in lower case: a quick test before many alternatives."""

UP = re.compile(rf"{WORD}(?:{words('up')})\b")
"""Words that a figure rose, or is higher than its base."""

DOWN = re.compile(rf"{WORD}(?:{words('down')})\b")
"""Words that a figure fell, or is lower than its base."""

FLAT = re.compile(rf"{WORD}(?:{words('flat')})\b")
"""Words for no change."""

QUALITY = re.compile(r"improv|better|wors|deteriorat")
"""Start of a word of change that praises or blames."""

BETTER_LOW = re.compile(rf"\b(?:{words('better when low')})\b")
"""Metrics that improve by falling."""

DIRECTIONS: dict[Direction, re.Pattern[str]] = {"up": UP, "down": DOWN, "flat": FLAT}
GUIDANCE = re.compile(rf"{WORD}(?<!than )(?<!as )(?:{words('outlook')})\b")
"""Words of an outlook."""

EXPECTATION = words("expectation")
"""Words for what was expected, by the company or by others."""

AFTER = re.compile(
    r"\b(?:after|follow(?:ed|ing))\s(?:an?\s|the\s)?"
    r"(?:(?:growth|rise|increase|gain|decline|drop|fall)s?\s)?(?:of\s)?\S?$"
    r"|[(;]\s?(?:19|20)\d\d:\s\S?$"
)
"""Words before an earlier figure: 3.7%, after 5.1% in the quarter before; 3.7% (2024: 5.1%)."""


def _after(*words: str) -> str:
    """Return the pattern of a position after one of some words, for a verbose pattern."""
    return "|".join(rf"(?<={word}\ )" for word in words)


def _not_after(*words: str) -> str:
    """Return the pattern of a position that is not after some words, for a verbose pattern."""
    return "".join(rf"(?<!{word}\ )" for word in words)


_RESULT = (
    r"(?:\ (?:basic|comparable|consolidated|diluted|free|group|gross|net|operating|pre-?tax"
    r"|segment|total))*"
    r"\ (?:basis|cash|earnings|ebita?|ebitda|eps|figures?|growth|income|loss|margins?|pbt|profits?"
    r"|rate|results?|revenues?|sales)\b"
)
_POSSESSED = _after("our", "the", "its", "['’]s")
_COMPARED = _after("of", "in", "with", "against", "versus", r"compared\ to", r"\ba")
BASIS = re.compile(
    rf"""
    {WORD}(?:
        (?P<adjusted>
            adjusted|adj|adjusting(?!\ (?:its|our|the)\b)|non-?gaap|pro[\s-]forma|core
            | normali[sz]ed|underlying|excluding
            | stripp(?:ed|ing)\ out|leaving(?=\ [^,;]{1, 60}\ out\b)
            | operating(?=\ (?:eps|ffo|earnings\ per))
            | (?:headline|ongoing)(?={_RESULT})
        )
        | (?P<gaap>
            (?<!non-)(?<!non)gaap|ifrs
            | (?=reported)(?:{_POSSESSED}|{_COMPARED}|^|{_after(";", "-")})  # not: we reported
                reported(?={_RESULT}|\s\s)  # reported eps, or a figure that was cut out
            | as-reported|reported(?=\ and\ adjusted)
            | statutory(?!\ (?:tax\ )?rate)(?={_RESULT})
        )
    )\b
    """,
    re.VERBOSE,
)
"""Words that a figure is adjusted, or as reported by the rules of accounting."""


def bases(text: str, start: int = 0, end: int | None = None) -> set[Basis]:
    """Return the bases that a part of a lower-case text mentions."""
    marks = BASIS.finditer(text, start, len(text) if end is None else end)
    return {"adjusted" if mark["adjusted"] else "gaap" for mark in marks}


_IN_RANGE = _not_after("anywhere", "range", "ranges", "ranging")
_OF_AMOUNT = _not_after("more", "less", "greater", "fewer", "other")
_OF_LEVEL = _not_after(
    "to", "of", "at", "or", "just", "slightly", r"\ in", "was", "were", "is", "are"
)
COMPARATOR = re.compile(
    rf"""
    {WORD}(?:
        (?:compare[sd]?\ (?:with|to)|versus|vs\.?|against)\ an?
        \ (?:decline|decrease|drop|fall|gain|increase|rise)\ of\s?$  # versus a drop of
        | (?:compare[sd]?\ (?:with|to)|versus|vs\.?|against)\ (?:flat\ to\ )?(?:down|up)\s$
        | (?:  # versus, and up to six words of what the figure is of
            instead\ of|rather\ than
            | (?=from){_IN_RANGE}from(?![^(]*\($)
            | versus|vs\.?|against|compare[sd]?\ (?:with|to)|in\ comparison\ (?:with|to)
            | (?=than){_OF_AMOUNT}than
            | ahead\ of|short\ of
            | (?=above|below|beneath){_OF_LEVEL}(?:below|above|beneath)
            | relative\ to|had\ been
        )
        (?:
            \s(?:attributable|available|related)\ to(?:\ [a-z]+)?
            | \s(?!(?:  # no verb or word of change
                (?!ceiling\b)[a-z]+ing|at|by|up|down|and|but|like|such|that|though|although|while
                | whereas|yet|to|for|was|were|is|came|dipped|eased|edged|reached|rose|grew|fell
                | climbed|advanced|increased|improved|expanded|widened|gained|jumped|shrank|slid
                | soared|surged|declined|decreased|dropped|narrowed|contracted|slipped|totaled
                | operations|growth|rise|increase|gain|decline|decrease|drop
            )\b)
            (?:[a-z'’&-]+|q[1-4](?:['’]s)?|(?:19|20)\d\d)
        ){{0,6}}?
        \s*\(?$
    )
    """,
    re.VERBOSE,
)
"""Words right before a figure that another is compared with, and what it is of."""

NEGATION = re.compile(
    r"(?i)\b(?:not(?! (?:only|just|merely|simply)\b)"
    r"|no(?! (?:matter|less|fewer|more|later|doubt)\b|-)|nor|neither|never(?!-)|none|cannot"
    r"|hardly|barely|rarely|unable|avoid\w*|lack(?:s|ing|ed)?|fail(?:s|ed)?|refus(?:e[sd]?|ing)"
    r"|declined? to(?= [a-z])|den(?:y|ies|ied))\b"
    r"|n['’]t\b"
)
"""A word that negates what follows, or a part of its sentence."""

RATES = ("percent", "points", "basis_points")
"""Units of rates and of their changes."""

PART_VERB = re.compile(r"\b(?:(?:exclud|includ)(?:ed?|es|ing)|net of|of which)\b")
PART = re.compile(rf"{PART_VERB.pattern}(?P<name>[^,;]*)$")
"""Before a figure that is part of another, and does not move with it: including $5 million."""

MOVE = re.compile(
    r"\b(?:"
    r"up|down|rose|fell|grew|increased?|decreased?|declined?|higher|lower|growth|gained|dropped"
    r"|improved)\b"
)
"""Words that say how a figure moved and not what it is of."""

CLAUSE_END = re.compile(r"[;,]\s|(?<!\b[a-z])\.\s|\b(?:versus|vs|compared|against)\b")
"""After a figure, the end of the words that are about it."""
