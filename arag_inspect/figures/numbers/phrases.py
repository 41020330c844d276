"""Figures that are phrases: mid-single digits, two thirds of, 4-for-1, third largest, no debt."""

import re
from collections.abc import Iterator

from ..quantity import Unit
from .ranges import QuantityToken
from .words import PART, PARTS, SPELLED_DIGIT, TENS, parse_spelled

_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth",
)  # fmt: skip
_ORDINAL = (
    rf"(?:(?:{'|'.join(TENS)})[\s-])?(?:{'|'.join(_ORDINALS)})"
    rf"|(?:{'|'.join(word[:-1] for word in TENS)})ieth|hundredth"
)
_CARDINAL = rf"(?:{'|'.join(TENS)})(?:[\s-](?:{SPELLED_DIGIT}))?|{SPELLED_DIGIT}"


_EXACT = 9
"""Decimals of a ratio of two whole numbers."""

_LEVELS = {"low": 0, "mid": 1, "middle": 1, "high": 2, "upper": 2}
"""Thirds of a band or decade by word."""

_BANDS = {"single": ((1, 3), (4, 6), (7, 9)), "double": ((10, 30), (40, 60), (70, 90))}
"""First and last percentage of each third of a band."""

_DECADES = {"teens": 10, **{f"{word[:-1]}ies": value for word, value in TENS.items()}}
_BAND = re.compile(
    rf"\b(?P<low>{'|'.join(_LEVELS)})(?:[\s-](?:to[\s-])?(?P<high>{'|'.join(_LEVELS)}))?[\s-]"
    rf"(?:(?P<digits>single|double)[\s-]digits?|(?P<decade>{'|'.join(_DECADES)}))\b"
)
"""A band of percentages: low to mid-single digits, high teens."""

_SHARE = re.compile(
    r"\b(?=[a-z])(?:"
    # two thirds of
    rf"(?P<over>an?|{SPELLED_DIGIT})[\s-]"
    rf"(?P<part>half|halves|(?:{PART})s?)\sof\s"
    r"(?!an?\b|(?:19|20)\d\d|fiscal|(?:a|one)\s(?:percent|point|million|billion))"
    # by a quarter
    rf"|(?:(?<=\bby\s)|(?<=\bup\s)|(?<=\bdown\s))(?P<by>an?|{SPELLED_DIGIT})[\s-]"
    rf"(?P<size>(?:{PART})s?)\b(?!\s(?:of|to|point|percent))"
    # half of our; not the second half of the year
    r"|(?=half\s)(?<!first\s)(?<!second\s)(?<!back\s)(?<!latter\s)(?<!the\s)(?P<half>half)\sof\s"
    r"(?:its|our|their|the|all|total|[a-z]+s\b)"
    # one in five
    rf"|(?P<some>{SPELLED_DIGIT})\s(?:in|out\sof)\s(?:every\s)?(?P<all>{SPELLED_DIGIT})\b"
    r"(?!\s(?:million|billion|percent|years?|months?|quarters?|weeks?)))"
)
"""A fraction of something."""

_RATIO = re.compile(
    rf"(?<![\w.,])(?P<over>\d+(?:\.\d+)?|{_CARDINAL})(?:"
    r"(?:\s?:\s?|[\s-]to[\s-])(?P<one>1(?:\.0+)?|one)"
    rf"|[\s-]for[\s-](?P<under>\d{{1,3}}|{_CARDINAL}|a\shundred))"
    r"(?![\w%]|[.,:]\d|\s(?:percent|million|billion|thousand))"
)
"""Ratio to one or of a split: 2.5 to 1, 1:1, 4-for-1."""

RATIO_WORD = re.compile(
    r"\b(?:ratio|cover(?:age)?|leverage|book[\s-]to[\s-]bill|split|gearing|times"
    r"|[a-z]+[\s-]to[\s-](?:assets|book|capital(?:i[sz]ation)?|deposits?|earnings|ebitda|equity"
    r"|income|sales|value))\b"
)
"""Words of a sentence in which "2 to 1" is a ratio, as is 2.4 right after them."""

_RANK = re.compile(
    r"\b(?=\w)(?:"
    # ranked no. 3
    rf"(?:rank\w*\s(?:as\s)?(?:the\s)?|(?:as|its|our|the)\s(?=n)|(?=no\.))"
    rf"(?:no\.|number|\x23)\s?(?P<place>\d{{1,3}}|{SPELLED_DIGIT})\b"
    # ranked third
    rf"|rank\w*\s(?P<ranked>\d{{1,3}}(?:st|nd|rd|th)|{_ORDINAL})\b"
    # third largest
    rf"|(?P<word>\d{{1,3}}(?:st|nd|rd|th)|{_ORDINAL})"
    r"(?=[\s-](?:[a-z]+[\s-])?"
    r"(?:consecutive|straight|successive|largest|biggest|highest|lowest|place|in\sa\srow)\b)"
    # five consecutive quarters
    rf"|(?P<count>\d{{1,3}}|{_CARDINAL})(?=\s(?:consecutive|straight|successive)\s[a-z]+s\b"
    r"|\s[a-z]+s\sin\sa\srow\b))"
)
"""A place in an order: ranked no. 3, third largest, fifth consecutive, and five in a row."""

_END = r"\W*$|[,;.]"
_VAGUE = "longer|material|other|significant|such"
_NO_MONEY = rf"""
    (?:(?P<none>no|nil|zero)
        | (?:did|does|do|has|have|had)(?:\snot|n't)\s[a-z]+\s(?P<any>any)
    )\s(?:
        (?:amounts?|balances?|borrowings|draws|drawings|loans)\b  # no amounts were drawn
            (?=[^,;]{{0,40}}\b(?:drawn|facility|outstanding|revolver)\b)
        | (?:(?!(?:additional|further|{_VAGUE})\b)[a-z-]+\s){{0,3}}?  # no impairment in 2023
            (?:borrowings|buy-?backs|charges?|(?:commercial\s)?paper|costs?|debt|dividends
                | expenses?|gains?|impairments?|income|loss(?:es)?|overdrafts?|repurchases
                | revenues?|sales|shares|stock|write-?(?:downs?|offs?)
            )\b
            (?=\s(?:in\sissue\s|[a-z]+\s)?
                (?:at|during|for|from|in|of|on|outstanding|under|was|were)\b|{_END})
    )
"""
_NOTHING = rf"""
    (?:are|at|is|of|remained|to|totall?ed|was|were)\s(?P<nothing>nil|zero)\b  # costs were zero
        (?=\s(?:as|at|compared|during|for|in|on|versus)\b|{_END})
"""
_BEFORE_NO = "|".join(
    rf"(?<=\b{verb}\ )"
    for verb in ("are", "had", "has", "have", "recorded", "reported", "was", "were")
)
_NO_PIECES = rf"""
    (?=no\s|zero\s)(?:{_BEFORE_NO})(?P<pieces>no|zero)\s  # we had no store closures
        (?:(?!(?:{_VAGUE})\b)[a-z-]+\s){{0,2}}?[a-z-]{{3,}}[a-rt-z]s\b
        (?=\s(?:at|during|for|from|in|on)\b|{_END})
"""
_NONE = re.compile(rf"\b(?=[a-z])(?:{_NO_MONEY}|{_NOTHING}|{_NO_PIECES})", re.VERBOSE)
"""No amount of money, as in "no borrowings outstanding" and "costs were zero", and no pieces."""


def find_phrases(sentence: str) -> Iterator[QuantityToken]:
    """Yield the figures of a lower-case sentence that are phrases.

    They are bands, shares, ratios, none at all, and ranks, in this order.
    """
    yield from map(_band, _BAND.finditer(sentence))
    yield from map(_share, _SHARE.finditer(sentence))
    is_of_ratios = RATIO_WORD.search(sentence) is not None
    for match in _RATIO.finditer(sentence):
        if is_of_ratios or ":" in match[0] or match["under"]:
            yield _ratio(match)
    for match in _NONE.finditer(sentence):
        unit: Unit = "count" if match["pieces"] else "currency"
        yield QuantityToken(*match.span(match.lastgroup or 0), 0, 0, unit)
    yield from map(_rank, _RANK.finditer(sentence))


def _band(match: re.Match[str]) -> QuantityToken:
    """Read "low to mid-single digits" as 1 to 6 percent, "high teens" as 17 to 19 percent."""
    low = _LEVELS[match["low"]]
    high = _LEVELS[match["high"] or match["low"]]
    if match["decade"]:
        decade = _DECADES[match["decade"]]
        first = decade + 1 + 3 * low
        last = decade + 3 + 3 * high
    else:
        thirds = _BANDS[match["digits"]]
        first, _ = thirds[low]
        _, last = thirds[high]
    return QuantityToken(*match.span(), first, 0, "percent", value_high=last)


def _share(match: re.Match[str]) -> QuantityToken:
    """Read "two thirds of", "by a quarter", "half of its" and "one in five" as a percentage."""
    if match["half"]:
        return QuantityToken(match.start(), match.end("half"), 50, 0, "percent")
    if match["some"]:
        share = _number(match["some"]) / _number(match["all"])
        return QuantityToken(*match.span(), 100 * share, 0, "percent")
    part = (match["part"] or match["size"]).replace("halves", "half").removesuffix("s")
    number = match["over"] or match["by"]
    count = 1 if number in ("a", "an") else _number(number)
    share = 100 * count / PARTS[part]
    end = match.end("part" if match["part"] else "size")
    return QuantityToken(match.start(), end, share, 0, "percent")


def _ratio(match: re.Match[str]) -> QuantityToken:
    value = _number(match["over"]) / _number(match["under"] or "1")
    decimals = _EXACT if match["under"] else len(match["over"].partition(".")[2])
    return QuantityToken(*match.span(), value, decimals, "multiple")


def _rank(match: re.Match[str]) -> QuantityToken:
    word = match["word"] or match["ranked"]
    position = _position(word) if word else _number(match["place"] or match["count"])
    return QuantityToken(*match.span(), position, 0, "rank")


def _position(ordinal: str) -> float:
    """Return the place that an ordinal names: 27 for "27th" and "twenty-seventh"."""
    if ordinal[0].isdigit():
        return float(ordinal[:-2])
    if ordinal == "hundredth":
        return 100.0
    if ordinal.endswith("ieth"):
        return float(TENS[f"{ordinal.removesuffix('ieth')}y"])
    *tens, unit = re.split(r"[\s-]", ordinal)
    return float(sum(TENS[word] for word in tens) + _ORDINALS.index(unit) + 1)


def _number(text: str) -> float:
    return float(text) if text[0].isdigit() else parse_spelled(text)
