"""Find the periods that a sentence mentions: quarters, halves, years, and earlier ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "final": "4"}
_ORDINALS |= {"front": "1", "back": "2"}
_YEAR = r"(?:(?P<year>(?:19|20)\d\d)|['’](?P<short>\d\d))\b"
_OF_YEAR = (
    rf"(?:[\s,]*(?:of\s+|in\s+)?(?:the\s+)?(?:fiscal\s+(?:year\s+)?|fy\s*|calendar\s+)?{_YEAR})?"
)
"""The year of a part of a year."""

_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"

_ONE_MONTH = (
    r"(?P<one_month>jan(?:uary)?|feb(?:ruary)?|march|april|may|june|july|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?! \d{1,2}\b(?!\.\d))"
)
"""A month that is a period, and not part of a date."""

_PERIODS = (
    r"(?<![\w$.,])(?:19|20)\d\d/(?:20)?(?P<tight>\d\d)\b(?!/)",  # named after the later year
    r"(?<![\w$.,])(?:19|20)\d\d\s?(?:to|through|[-–])\s?(?:20)?\d\d\b(?![,.]\d|%)",
    rf"(?<!\w)(?:q(?P<quarter>[1-4])|(?P<quarter2>[1-4])q)(?:(?P<tight>\d\d)\b|(?!\w){_OF_YEAR})",
    rf"(?<!\w)(?:h(?P<half>[12])|(?P<half2>[12])h)(?:(?P<tight>\d\d)\b|(?!\w){_OF_YEAR})",
    r"\bend of (?:the |its )?(?:fiscal )?(?:fourth|final|4th)[\s-]+(?:fiscal[\s-]+)?quarter\b"
    rf"{_OF_YEAR}",
    rf"\bend of q4(?:\b|(?P<tight>\d\d)\b){_OF_YEAR}",
    r"\b(?P<ordinal>"
    r"first|second|third|fourth|(?:front|back)(?=[\s-]half)|final(?=[\s-]+(?:fiscal[\s-]+)?quarter)|[1-4](?:st|nd|rd|th))"
    rf"[\s-]+(?:fiscal[\s-]+)?(?P<part>quarter|half)\b(?:'s)?{_OF_YEAR}",
    r"(?<![\w$€£.,])(?P<months>[69]|12)m\s?(?:['’]?(?P<tight>\d\d)|(?P<year>20\d\d))\b",
    rf"\b(?P<months>six|nine|6|9)[\s-]+months?\b{_OF_YEAR}",
    r"\b(?P<full>"
    r"full[\s-]+(?:fiscal[\s-]+)?year|(?:fiscal|calendar)(?:[\s-]+year)?\b|fy(?![a-z])"
    rf"|twelve months\b)[\s-]*{_OF_YEAR}",
    r"\bfy['’]?(?P<full_short>\d\d)\b",
    r"(?<![\w$.,])(?<!\bdue )(?P<year>(?:19|20)\d\d)\b(?![,.]\d|%|-\d)",  # not notes due 2035
    r"(?<!\w)['’](?P<short>\d\d)\b",
    r"\b(?P<full>(?:for|in|(?<!end )(?<!course )of) the year)\b(?!-| ago| end| to date)",
    r"\b(?P<full>annual)(?= (?:\w+ )?"
    r"(?:dividends?|earnings|eps|ffo|forecast|growth|guidance|outlook|revenues?|sales)\b)",
    rf"\b{_MONTH}[\s-](?P<stretch_to>quarter|half)\b{_OF_YEAR}",
    rf"(?:(?<=\bin )|(?<=\bfor )|(?<=\bduring )){_ONE_MONTH}{_OF_YEAR}",
    r"\b(?P<stretch>(?:twenty-six|thirty-nine|26|39|52|53)[\s-]weeks?)\b"
    r"(?![\s-]+(?:periods?[\s-]+)?(?:then )?(?:that )?end)",
    r"\b(?P<full>run[\s-]rate)\b",
    r"\b(?P<stretch>(?:three|six|nine|twelve|3|6|9|12)[\s-]+months?"
    r"|(?:thirteen|twenty-six|thirty-nine|13|14|26|27|39|40|52|53)[\s-]+weeks?|quarter|half"
    r"|(?:fiscal[\s-]+)?year)[\s-]+(?:periods?[\s-]+)?"
    rf"(?:then ended|(?:that )?end(?:ed|ing)(?: on)? {_MONTH}\.?(?: \d{{1,2}})?(?:,? {_YEAR})?)",
    rf"\b(?P<to_date>year[\s-]to[\s-]date|ytd)\b{_OF_YEAR}",
    r"\b(?P<any>the quarter|this quarter|next quarter|qtrly|three[\s-]months?"
    r"|(?:thirteen|13)[\s-]weeks?|quarterly(?= (?:cash )?dividend))\b",
)
_STRETCHES = {"half": "6M", "year": "FY", "fiscal year": "FY"}
_STRETCHES |= dict.fromkeys(("six", "6", "twenty-six", "26", "27"), "6M")
_STRETCHES |= dict.fromkeys(("nine", "9", "thirty-nine", "39", "40"), "9M")
_STRETCHES |= dict.fromkeys(("twelve", "12", "52", "53"), "FY")
"""Span by the name of a stretch that ends on some day; others are quarters."""

_SHORT_YEAR = re.compile(r"(?<!\w)(?:['’]|(?i:fy|fiscal) ?['’]?)(\d\d)\b")
"""A year of two digits."""

_PATTERNS = tuple(map(re.compile, _PERIODS))
_NUMBERED_PART = re.compile(r"[HQ][1-4]")
_BARE_ORDINAL = re.compile(
    r"\b(?:for|in) the (?P<ordinal>first|second|third|fourth)(?=[.,;)]|\s*$)"
)
"""A quarter or half without that noun."""

_ONE_PERIOD = re.compile(r"(?:'s)?[\s,]*(?:of|in)?\s*(?:the|an?\s\d\d-week|an?)?\s*|\s\((?:the\s)?")
"""Between two names of one period: the third quarter of last year; fiscal 2023, a year ended."""

_PRIOR = re.compile(
    r"\b(?:(?:last|prior|previous|preceding)[\s-]*(?:fiscal[\s-]+)?(?:year|quarter|period)"
    r"|year[\s-]ago|a year (?:ago|before|earlier|prior)"
    r"|the (?:year|quarter|month) (?:before|prior|earlier)"
    r"|(?:twelve|12) months (?:ago|earlier|before)"
    r"|(?:comparable|corresponding|same) (?:quarter|period)|this time last year"
    r"|(?:before|earlier)(?=[.,;]|$)"
    r"|(?<!a )previously(?! (?:disclosed|published|reported|stated)\b)"
    r"|(?:previous|prior|earlier|former|initial|original|old) (?:[a-z]+ ){0,2}"  # our prior outlook
    r"(?:guidance|outlook|range|forecast|estimate|goal|target|view|expectation|projection)"
    r"|(?:on|at) (?:our|the) (?:last|prior|previous) (?:call|update)"
    r"|we(?:['’]d| had) (?:guided|said)\b(?![,;.])"
    r"|(?:prior|previous(?:ly)?|formerly)(?=:))\b"
)
"""Words for an earlier period or outlook."""


@dataclass(frozen=True, slots=True)
class Period:
    """A period; None for parts that the sentence leaves open."""

    span: str | None = None
    """`Q1` to `Q4`, `Qmar` (to March), `Q` (some quarter), `H1`, `H2`, `Hjun`, `6M`, `9M`, `YTD` or
    `FY`; `Mjun` is June."""

    year: int | None = None
    prior: bool = False
    """Whether another period is compared with it: "last year", "a year ago", "from ..."."""

    def conflict(self, other: "Period") -> bool:
        """Return whether the two cannot be the same period."""
        if self.year and other.year and self.year != other.year:
            return True
        if not (self.year or other.year) and self.prior != other.prior:
            return True
        return not may_be_same_span(self.span, other.span)

    def __str__(self) -> str:
        name = " ".join(str(part) for part in (self.span, self.year) if part)
        return " ".join(part for part in ("prior" if self.prior else "", name) if part) or "-"


ANY_PERIOD = Period()
"""A period about which nothing is known."""


class PeriodMention(NamedTuple):
    """A period with its position in the sentence."""

    start: int
    end: int
    period: Period


def find_periods(sentence: str) -> list[PeriodMention]:
    """Find the periods that a lower-case sentence mentions, from left to right."""
    mentions: list[PeriodMention] = []
    for mention in sorted(_mentions(sentence), key=lambda m: (m.start, -m.end)):
        if mentions and mention.start < mentions[-1].end:
            continue
        mentions.append(mention)
    merged = _merge(mentions, sentence)
    return sorted([*merged, *_elliptical(merged, sentence)])


def without_periods(text: str) -> str:
    """Return a lower-case text without the periods that it mentions."""
    for mention in reversed(find_periods(text)):
        text = text[: mention.start] + text[mention.end :]
    return text


def short_years(text: str) -> set[int]:
    """Return the years that a text gives in two digits: FY21, '21.

    Args:
        text: Text in upper or lower case.
    """
    return {int(f"20{year}") for year in _SHORT_YEAR.findall(text)}


def _mentions(sentence: str) -> Iterator[PeriodMention]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            yield PeriodMention(match.start(), match.end(), _period(match.groupdict()))
    for match in _PRIOR.finditer(sentence):
        yield PeriodMention(match.start(), match.end(), Period(prior=True))


def _period(groups: dict[str, str | None]) -> Period:
    short = groups.get("short") or groups.get("tight") or groups.get("full_short")
    year = groups.get("year") or (f"20{short}" if short else None)
    return Period(_span(groups), int(year) if year else None)


def _span(groups: dict[str, str | None]) -> str | None:
    """Return the `span` of a period by the groups of its pattern."""
    quarter = groups.get("quarter") or groups.get("quarter2")
    if quarter:
        return f"Q{quarter}"
    half = groups.get("half") or groups.get("half2")
    if half:
        return f"H{half}"
    ordinal = groups.get("ordinal")
    if ordinal:
        part = "H" if groups["part"] == "half" else "Q"
        return part + _ORDINALS.get(ordinal, ordinal[0])
    months = groups.get("months")
    if months:
        return _STRETCHES.get(months, "9M")
    stretch = re.split(r"[\s-]+(?:month|week)", groups.get("stretch") or "")[0]
    if stretch in _STRETCHES:
        return _STRETCHES[stretch]
    one_month = groups.get("one_month")
    if one_month:
        return f"M{one_month[:3]}"
    month = groups.get("month")
    if month:
        return f"{'H' if groups.get('stretch_to') == 'half' else 'Q'}{month}"
    if groups.get("to_date"):
        return "YTD"
    if groups.get("full") or groups.get("full_short"):
        return "FY"
    return "Q" if groups.get("any") else None


def _merge(mentions: list[PeriodMention], sentence: str) -> list[PeriodMention]:
    """Merge "the third quarter" and "of last year", which are one period."""
    merged: list[PeriodMention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        are_two_years = last and last.period.year and mention.period.year
        are_two = are_two_years or sentence.startswith(":", mention.end)  # the year (2031: none)
        between = last and _ONE_PERIOD.fullmatch(sentence, last.end, mention.start)
        if last and between and not (are_two and "(" in between[0]):
            joined = _join(last.period, mention.period)
            merged[-1] = PeriodMention(last.start, mention.end, joined)
        else:
            merged.append(mention)
    return merged


def _elliptical(mentions: list[PeriodMention], sentence: str) -> Iterator[PeriodMention]:
    """Yield quarters or halves without that noun: in the second quarter, and in the first."""
    spans = [mention.period.span for mention in mentions if mention.period.span]
    parts = {span[0] for span in spans if _NUMBERED_PART.fullmatch(span)}
    if len(parts) != 1:
        return
    part = parts.pop()
    for match in _BARE_ORDINAL.finditer(sentence):
        yield PeriodMention(*match.span(), Period(part + _ORDINALS[match["ordinal"]]))


def _join(first: Period, second: Period) -> Period:
    """Return the one period that two name together; a part of a year rather than the year."""
    spans = [period.span for period in (first, second) if period.span]
    parts = [span for span in spans if span != "FY"]
    return Period(
        span=next(iter(parts or spans), None),
        year=first.year or second.year,
        prior=first.prior or second.prior,
    )


def may_be_same_span(span: str | None, other: str | None) -> bool:
    """Return whether two spans may be the same part of a year."""
    if span is None or other is None or span == other:
        return True
    if (span[0] == "M") != (other[0] == "M"):
        return True  # a month may be of the other period
    if {span, other} <= {"H1", "6M"} or "YTD" in (span, other):
        return {span, other} <= {"H1", "6M", "9M", "YTD"}
    are_parts = span[0] == other[0] and span[0] in "HQ"
    return are_parts and len(span) != len(other)  # `Q`, `Q1` and `Qmar` may be the same
