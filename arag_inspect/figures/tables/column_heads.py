"""Read the head of a column: period, kind of figure, and words that distinguish columns."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ...text.content_words import content_words, stems
from ..lexicon import MONTH, MONTHS
from ..numbers.words import BELOW_TWENTY, SPELLED_DIGIT

Kind = Literal["value", "change", "share", "note"]

_NAMED_MONTH = rf"(?P<month{{0}}>{'|'.join(MONTHS)})[a-z]*\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:19|20)\d\d"
_DATE = re.compile(
    rf"\b{_NAMED_MONTH.format(1)}\s{_DAY}(?:,?\s(?P<year1>{_YEAR})\b|(?![\d.,]*\d))"
    rf"|\b{_DAY}\.?[\s-]{_NAMED_MONTH.format(2)}(?:,?[\s-](?P<year2>{_YEAR}|\d\d)\b)?"
    rf"|\b{_NAMED_MONTH.format(3)},?[\s-]['’]?(?P<year3>{_YEAR}|\d\d)\b"
    rf"|\b\d{{1,2}}[./]\d{{1,2}}[./](?P<year4>{_YEAR}|\d\d)\b(?![./%])"
    rf"|\b(?P<year5>{_YEAR})-\d\d-\d\d\b"
)
"""A day, or a month with its year; the groups are numbered by alternative."""

_PART = re.compile(
    r"\b(?:(?P<part>[qh])(?P<number>[1-4])"  # Q1
    r"|(?P<number2>[1-4])(?P<part2>[qh]|t(?=['’]?\d\d))"  # 1H, 2T25
    r"|(?P<months>6|9|12)m(?=\s?['’]?(?:20)?\d\d\b))[\s-]?"  # 9M23
    r"(?:['’]?(?P<year>(?:19|20)?\d\d)\b)?(?!\d)"
    r"|\b(?P<ordinal>first|second|third|fourth|1st|2nd|3rd|4th)[\s-]+(?:fiscal[\s-]+)?"
    r"(?P<of>quarter|half)\b"
)
"""A part of a year: Q1 2023, 1H23, 9M23, first quarter; 2T25 in Spanish and Portuguese."""

_SHORT_YEAR = re.compile(
    r"\b(?:fy|cy|fiscal)\s?['’]?(?P<year>\d\d)\b(?!\d)|(?<!\w)['’](?P<year2>\d\d)\b"
)
_TWO_YEARS = re.compile(r"\b(?:19|20)\d\d[/–-](?:20)?(?P<year>\d\d)\b")
"""A fiscal year that spans two years and belongs to the later: 2022/23."""

_FISCAL_YEAR = re.compile(r"\b(?:19|20)\d\d/(?:20)?(?P<year>\d\d)\b(?!/)")
"""The same in a statement, where a dash is between two years."""

_FULL_YEAR = re.compile(rf"(?<![\d.,$])({_YEAR})\b(?![.,]\d|%)")
_SPANS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Q", re.compile(
        r"\b(?:three|3)[\s-]months?|\bquarters?\b|\b(?:13|14|thirteen|fourteen)[\s-]weeks?")),
    ("6M", re.compile(
        r"\b(?:six|6)[\s-]months?|\bhalf[\s-]years?\b|\b(?:26|27|twenty-six)[\s-]weeks?")),
    ("9M", re.compile(r"\b(?:nine|9)[\s-]months?|\b(?:39|40|thirty-nine)[\s-]weeks?")),
    ("FY", re.compile(
        r"\b(?:twelve|12)[\s-]months?|\byears?[\s-]end|\bfull[\s-]year|\bfiscal year|\bannual"
        r"|\b5[23][\s-]weeks?")),
)  # fmt: skip
"""Parts of years by their length."""

_ORDINALS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_KINDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("note", re.compile(r"^\W*(?:notes?|ref|reference)\b\W*(?:no)?\W*$")),
    ("share", re.compile(r"(?:%|percent(?:age)?) (?:of|to)\b|\bas an? (?:%|percent)|\bmix\b"
        r"|\bratio to\b|\bshare of (?:the )?total\b")),
    ("change", re.compile(
        r"\b(?:change|increase|decrease|variance|difference|growth|vs|versus|y/y|yoy|compared)\b|\bvar\.")),
)  # fmt: skip
"""Kinds of columns other than values; the first that fits counts."""

_UNIT_WORDS = re.compile(
    r"\([^()]*\b(?:thousand|million|billion|crore|lakh|dollar|euro|unaudited|audited|except)"
    r"[^()]*\)"
    r"|\b(?:in )?(?:[a-z]{3} )?(?:thousand|million|billion|crore|lakh|mio|mrd)s?\b"
    r"(?: of (?:dollars|euros|yen|pounds))?"
    r"|[$€£¥₹%]\w{0,3}|\b(?:un)?audited\b|\bas (?:of|at)\b"
    r"|\b(?:ended|ending|month|year|quarter|week|period|fiscal|fy|the|for)s?\b"
)
"""Words of a head that state its unit or its period."""

_MONTH_NAMES = re.compile(rf"\b{MONTH}(?!\w)")
_STATUSES = {
    "prior": "prior", "previous": "prior", "previously": "prior", "former": "prior",
    "formerly": "prior", "original": "prior", "originally": "prior", "old": "prior",
    "current": "current", "updated": "current", "revised": "current", "new": "current",
    "latest": "current",
    "low": "low", "high": "high", "restated": "restated", "adjusted": "adjusted",
}  # fmt: skip
"""Words that distinguish columns, in one form."""

_OUTLOOK = frozenset(
    ["outlook", "guidance", "forecast", "estimate", "expectation", "target", "projection", "range"]
)
"""Words that all columns of an outlook may have."""

_OUTLOOK_MONTH = re.compile(
    r"(?P<opening>\b(?:as\sof|in)\s|\((?=[a-z]+\.?\)))?"
    rf"\b(?P<month>{MONTH})(?![a-z])"
    rf"(?:\s(?:{'|'.join(sorted(_OUTLOOK))})\b|(?(opening)(?!\s\d)|(?!)))"
)
"""A month that names an outlook: may outlook, outlook given in may, prior (may)."""

DEFAULT = frozenset(["actual", "current", "consolidated", "total", "reported", "company"])
"""Words of the column that a statement without such words means."""


class Head(NamedTuple):
    """Content of the head of a column, or of a label."""

    text: str = ""
    year: int | None = None
    span: str | None = None
    """`Q1` to `Q4`, `Q` (some quarter), `H1`, `H2`, `6M`, `9M` or `FY`."""

    month: int | None = None
    """Month in which the period ends, if a date says so."""

    kind: Kind = "value"
    words: frozenset[str] = frozenset()
    """Words except period and unit."""

    names: frozenset[str] = frozenset()
    """Stems of these, of words without a subject (net, gross, less than) and small numbers."""

    @property
    def has_period(self) -> bool:
        """Whether it contains a year, a part of a year or a day."""
        return bool(self.year or self.span or self.month)


@lru_cache(maxsize=4096)
def read_head(text: str) -> Head:
    """Read the head of a column, or a label, in upper or lower case."""
    lower = " ".join(text.lower().split())
    kind: Kind = next((kind for kind, pattern in _KINDS if pattern.search(lower)), "value")
    years: list[str] = []
    span: str | None = None
    month: int | None = None
    bare = lower
    part = _PART.search(bare)
    if part:
        span = _part(part)
        bare = f"{bare[: part.start()]} {bare[part.end() :]}"
        if part["year"]:
            years.append(part["year"])
    years += [match["year"] for match in _TWO_YEARS.finditer(bare)]
    bare = _TWO_YEARS.sub(" ", bare)
    for date in _DATE.finditer(bare):
        years += _years_of_date(date)
        month = _month_of_date(date) or month
    bare = _DATE.sub(" ", bare)
    years += [match["year"] or match["year2"] for match in _SHORT_YEAR.finditer(bare)]
    bare = _SHORT_YEAR.sub(" ", bare)
    years += _FULL_YEAR.findall(bare)
    bare = _FULL_YEAR.sub(" ", bare)
    span = span or next((name for name, pattern in _SPANS if pattern.search(bare)), None)
    for _, pattern in _SPANS:
        bare = pattern.sub(" ", bare)
    is_open = len(set(years)) > 1 and kind == "value"
    year = _full_year(years[0]) if years and not is_open else None
    bare = _MONTH_NAMES.sub(" ", _UNIT_WORDS.sub(" ", bare))
    months = outlook_months(lower)
    names = names_in(bare).union(votes(lower), _RATE.findall(lower), months)
    return Head(text, year, span, month, kind, column_words(bare) | months, names)


_BALLOT = frozenset(["vote", "non-vote", "abstention"])
_VOTES = (
    ("for", re.compile(r"\bvotes?\s(?:(?:were\s)?cast\s)?for\b|\bin favou?r\b|\bfavou?red\b")),
    ("against", re.compile(r"\bagainst\b")),
    ("withheld", re.compile(r"\bwithh[eo]ld\b")),
    ("abstain", re.compile(r"\babst(?:ain|ention)")),
    ("broker", re.compile(r"\bbroker\b")),
    ("1 year", re.compile(r"\b(?:1|one)\syear\b|\bannual|\bevery\syear\b")),
    ("2 years", re.compile(r"\b(?:2|two)\syears\b|\bbiennial")),
    ("3 years", re.compile(r"\b(?:3|three)\syears\b|\btriennial")),
)
"""Counts in the columns of a ballot, in one form."""


def votes(lower: str) -> frozenset[str]:
    """Return the columns of a ballot that a head or a statement in lower case mentions."""
    return frozenset(name for name, pattern in _VOTES if pattern.search(lower))


def outlook_months(lower: str) -> frozenset[str]:
    """Return the months that name outlooks in a lower-case head or statement: may guidance."""
    return frozenset(f"{match['month'][:3]} outlook" for match in _OUTLOOK_MONTH.finditer(lower))


def column_words(text: str) -> frozenset[str]:
    """Return the words of a head or a statement that distinguish columns, in one form."""
    lower = text.lower()
    statuses = {_STATUSES[word] for word in re.findall(r"[a-z]+", lower) if word in _STATUSES}
    words = content_words(lower) - _OUTLOOK - _STATUSES.keys()
    vote_words = votes(lower)
    return frozenset(statuses).union(
        words - _BALLOT if vote_words else words, vote_words, outlook_months(lower)
    )


def _part(match: re.Match[str]) -> str:
    """Return the part of a year that a match of `_PART` names: `Q1`, `H2`, `9M`."""
    if match["months"]:
        return "FY" if match["months"] == "12" else f"{match['months']}M"
    if match["ordinal"]:
        part = "H" if match["of"] == "half" else "Q"
        return part + _ORDINALS.get(match["ordinal"], match["ordinal"][0])
    part = match["part"] or match["part2"]
    number = match["number"] or match["number2"]
    return f"{part.replace('t', 'q')}{number}".upper()


def _years_of_date(date: re.Match[str]) -> list[str]:
    """Return the year of a match of `_DATE` in two or four digits, if it has one."""
    groups = [date[f"year{number}"] for number in range(1, 6)]
    return [year for year in groups if year]


def _month_of_date(date: re.Match[str]) -> int | None:
    """Return the month that a match of `_DATE` names, if it does so in letters."""
    name = date["month1"] or date["month2"] or date["month3"]
    return MONTHS.index(name) + 1 if name else None


def _full_year(digits: str) -> int:
    """Return a year that is written in two or four digits."""
    return int(digits) if len(digits) == 4 else int(f"20{digits}")


_ALWAYS = frozenset(["basic", "diluted"])
"""Words that distinguish rows, although they carry no subject."""


_RATE = re.compile(r"(?<![\d.,])\d{1,2}\.\d{1,3}(?=%)")
"""A rate, which names notes."""

_SMALL_NUMBER = re.compile(rf"(?<![\d.,])\d{{1,2}}(?![\d.,]*\d)|\b(?:{SPELLED_DIGIT})\b")
_FUNCTION_WORDS = frozenset(
    ["and", "are", "for", "from", "had", "has", "it", "that", "the", "was", "were", "which", "with"]
)
_LOSS_BEFORE = re.compile(r"\bloss (?:after|before|for|from)\b")
"""A loss that a row of profits holds: profit/(loss) before tax."""

_PLURAL_OWNER = re.compile(r"s['’](?!\w)")
_DASH = re.compile(r"(?<=[a-z])[-–—/](?=[a-z])")
_COUNTRIES = (
    (re.compile(r"\b(?:[Uu]\.[Ss]\.(?:[Aa]\.)?|USA?\b)"), "united states"),
    (re.compile(r"\b(?:[Uu]\.[Kk]\.|UK\b|uk\b)"), "united kingdom"),
    (re.compile(r"\b(?:EU|eu)\b"), "european union"),
)
"""Names that are too short for words, with their long forms."""


def label_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a label that a statement about its row must have."""
    lower = _DASH.sub(" ", _in_full(text))
    plain = _plain_words(lower)
    return stems(content_words(lower) | (_ALWAYS & plain) or plain)


def statement_words(text: str) -> frozenset[str]:
    """Return the stems of all words of a statement, even if they carry no subject."""
    lower = _in_full(text)
    parts = _DASH.sub(" ", lower)
    loss_words = {"income", "profit"} if _LOSS_BEFORE.search(lower) else frozenset()
    return stems(content_words(lower) | _plain_words(lower) | _plain_words(parts) | loss_words)


def names_in(text: str) -> frozenset[str]:
    """Return marks that distinguish cells: the stems of words, small numbers and rates."""
    lower = _in_full(text)
    numbers = {str(BELOW_TWENTY.get(word, word)) for word in _SMALL_NUMBER.findall(lower)}
    words = _plain_words(_DASH.sub(" ", lower)) | _plain_words(lower)
    names = stems(words - _FUNCTION_WORDS - BELOW_TWENTY.keys())
    return names.union(numbers, votes(lower), outlook_months(lower), _RATE.findall(lower))


def _in_full(text: str) -> str:
    """Return a text in lower case, with the names of countries in full."""
    for pattern, name in _COUNTRIES:
        text = pattern.sub(name, text)
    return _PLURAL_OWNER.sub("s", text.lower())


def _plain_words(lower: str) -> frozenset[str]:
    """Return all words of a text without plural endings."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z][a-z&'-]{2,}", lower))


def spans_of(text: str) -> frozenset[str]:
    """Return the parts of years that a statement mentions."""
    lower = text.lower()
    parts = {_part(match) for match in _PART.finditer(lower)}
    without_parts = _PART.sub(" ", lower)
    spans = {name for name, pattern in _SPANS if pattern.search(without_parts)}
    return frozenset(parts | spans)


def years_of(text: str) -> frozenset[int]:
    """Return the years that a statement mentions."""
    lower = _FISCAL_YEAR.sub(r"20\g<year>", text.lower())
    years = _FULL_YEAR.findall(lower)
    years += [match["year"] or match["year2"] for match in _SHORT_YEAR.finditer(lower)]
    for date in _DATE.finditer(lower):
        years += _years_of_date(date)
    return frozenset(map(_full_year, years))


def months_of(text: str) -> frozenset[int]:
    """Return the months of the days that a statement mentions."""
    months = map(_month_of_date, _DATE.finditer(text.lower()))
    return frozenset(month for month in months if month)
