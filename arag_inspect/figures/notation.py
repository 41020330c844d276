"""Notation of numbers: scales and currencies (from the Unicode CLDR as Babel has it), words, separators."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple
from unicodedata import normalize, numeric

from ..types.sample import Direction
from .lexicon import METRIC

if TYPE_CHECKING:
    from babel import Locale

_LOCALES = ("en", "en_IN", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "fi", "pl", "ja", "zh", "ko", "hi")  # fmt: skip
"""Locales whose words of scale are read; of words with several powers the first counts."""

_SIGN_LOCALES = (*_LOCALES, "en_GB", "ru", "tr", "th", "uk", "cs")
_MARKET = {
    "m": 6, "mm": 6, "mn": 6, "mln": 6, "mil": 6, "b": 9, "bn": 9, "bil": 9, "bln": 9, "t": 12, "tn": 12, "trn": 12,
    "tril": 12, "trln": 12, "lakh": 5, "lakhs": 5, "lac": 5, "lacs": 5, "crore": 7, "crores": 7, "lakh crore": 12, "lakh crores": 12,
    "oku": 8, "tsd": 3, "ten thousand": 4, "hundred thousand": 5,
    "hundred million": 8, "hundred millions": 8, "hundred billion": 11, "hundred billions": 11,
}  # fmt: skip
"""Abbreviations of markets, and words in Latin letters, that the CLDR lacks or reads otherwise."""

_CUSTOM: dict[str, str | None] = {
    "dollar": "usd", "buck": "usd", "pound": "gbp", "sterling": "gbp", "rupee": "inr", "renminbi": "cny", "rmb": "cny",
    "yen": "jpy", "yuan": "cny", "euro": "eur", "rand": "zar", "baht": "thb", "marks": None, "kr": None, "kr.": None,
    "us dollar": "usd", "u.s. dollar": "usd",
}  # fmt: skip
"""Currencies by the names that people use without a country."""

_SIGNS: dict[str, str | None] = {"$": "usd", "¥": "jpy", "£": "gbp", "s$": "sgd", "rs": "inr", "rs.": "inr", "kr": None, "円": "jpy", "元": "cny", "rm": "myr", "rp": "idr", "rp.": "idr", "tk": "bdt", "zł": "pln", "kč": "czk", "fr.": "chf"}  # fmt: skip
"""Signs whose currency the CLDR leaves open."""

MINOR: dict[str, str | None] = {"cent": None, "cents": None, "¢": None, "c": None, "pence": "gbp", "p": "gbp", "gbx": "gbp"}  # fmt: skip
"""Hundredths of a currency; which one cents are of is unknown."""

_SHORTEST = 5
"""Fewest letters of a currency's name that counts without its country."""


class Units(NamedTuple):
    """What is known of scales and currencies; all keys are in lower case."""

    scales: dict[str, int]
    """Power of ten by word."""

    signs: dict[str, str | None]
    """Code by sign: `€`, `hk$`."""

    names: dict[str, str | None]
    """Code by name: `swedish kronor`, `kronor`; None if several currencies have the name."""

    codes: frozenset[str]
    """Codes of ISO 4217, those of former currencies too, and two that markets use."""


@cache
def units() -> Units:
    """Read the words of scales and currencies."""
    from babel import Locale  # slow to import

    scales = dict(_MARKET)
    signs = dict(_SIGNS)
    for name in _SIGN_LOCALES:
        locale = Locale.parse(name)
        for code, sign in locale.currency_symbols.items():
            if not re.search(r"[^\W\d_]", sign) or sign.endswith("$"):
                signs.setdefault(sign.lower(), code.lower())
        for word, power in _scale_words(locale) if name in _LOCALES else ():
            scales.setdefault(word, power)
    english = Locale.parse("en")
    codes = frozenset(str(code).lower() for code in (*english.currencies, "RMB", "GBX"))
    return Units(scales, signs, _names(), codes)


def _scale_words(locale: "Locale") -> Iterator[tuple[str, int]]:
    for forms in locale.compact_decimal_formats.values():
        for patterns in forms.values():
            for power, pattern in patterns.items():
                number = re.match(r"0+", pattern.pattern)
                word = pattern.pattern.lower().strip("0'. \xa0")
                if number and word:
                    yield word, len(power) - len(number[0])


def _names() -> dict[str, str | None]:
    from babel.core import get_global
    from babel.numbers import get_currency_name

    current = {
        code
        for history in get_global("territory_currencies").values()
        for code, _, end, tender in history
        if tender and end is None
    }
    codes: dict[str, set[str]] = defaultdict(set)
    for code in current:
        for count in (None, 1, 2):
            name = get_currency_name(code, count=count, locale="en").lower()
            codes[name].add(code.lower())
            noun = name.rpartition(" ")[2]
            if len(noun) >= _SHORTEST:
                codes[noun].add(code.lower())
    names = {name: min(values) if len(values) == 1 else None for name, values in codes.items()}
    plural = {f"{name}s": code for name, code in _CUSTOM.items() if len(name) >= _SHORTEST - 1}
    return names | plural | _CUSTOM


_SMALL = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90,
}  # fmt: skip
_PARTS = {"half": 0.5, "quarter": 0.25}

_DIGIT = "|".join(word for word in _SMALL if word != "zero")
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:(?:\s?-\s?|\s)(?:{_DIGIT}))?|{_DIGIT}|zero)"
_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
)  # fmt: skip
SPELLED = (
    rf"{_BELOW_HUNDRED}\spoint(?:\s(?:{_DIGIT}|zero)\b)+|(?:a|one)\sdozen(?=\s[a-z])"
    r"|(?:a|one|three)\squarters?\sof\san?(?=\s(?:million|billion|trillion))"
    rf"|(?:{_BELOW_HUNDRED}|a)\shundred(?:(?:\sand)?\s{_BELOW_HUNDRED})?"
    rf"|{_BELOW_HUNDRED}(?:\sand\sa\s(?:half|quarter))?"
    r"|(?:a\s)?half(?:\san?)?(?=[\s-](?:percent|per\scent|percentage|point|basis|million|billion|trillion))"
    r"|a\squarter(?:\sof\sa)?(?=[\s-](?:percent|per\scent|percentage|point))"
    r"|a(?=\s(?:million|billion|trillion)\b)"
)
"""Pattern of a number in lower-case words, without its scale."""


_FOLDS = {"doubl": 2, "tripl": 3, "trebl": 3, "quadrupl": 4, "quintupl": 5}
FOLD = re.compile(
    rf"\b(?:(?:(?<=to )(?P<verb>double|triple)\b(?!-))|(?P<fold>{'|'.join(_FOLDS)})(?:ed|es|ing)\b(?!\sdown\b)|(?P<half>halv(?:e[sd]?|ing))\b"
    rf"|(?P<half2>(?:by|in)\shalf)\b|(?:(?P<times>{'|'.join(_SMALL)})|(?P<digits>\d{{1,4}}(?:\.\d{{1,3}})?))[\s-]?fold\b)"
)
"""A change by a factor in lower-case words: doubled, threefold, halved, by half."""


def parse_fold(match: re.Match[str]) -> tuple[float, Direction]:
    """Return the change in percent that a match of `FOLD` states, and its direction."""
    if match["half"] or match["half2"]:
        return 50.0, "down"
    times = (
        _FOLDS.get(match["fold"] or (match["verb"] or "")[:-1])
        or _SMALL.get(match["times"])
        or float(match["digits"])
    )
    return abs(times - 1) * 100.0, "up" if times >= 1 else "down"


def parse_spelled(words: str) -> float:
    """Return the value of a number in words, e.g. 120 for "one hundred and twenty".

    Args:
        words: A match of `SPELLED`.
    """
    words, _, decimals_in_words = words.partition(" point ")
    if decimals_in_words:
        digits = "".join(str(_SMALL[word]) for word in decimals_in_words.split())
        return float(f"{parse_spelled(words):g}.{digits}")
    if words.endswith("dozen"):
        return 12.0
    if words.startswith("three quarters"):
        return 0.75
    total = 0.0
    for word in re.split(r"[\s-]+", words):
        if word in _SMALL:
            total += _SMALL[word]
        elif word in _TENS:
            total += _TENS[word]
        elif word == "hundred":
            total = 100 * (total or 1)
        else:
            total += _PARTS.get(word, 0.0)
    return total or float(words == "a")


MIXED = r"\d{1,3}(?:\s?[¼½¾⅓⅔⅛⅜⅝⅞]|[\s-]\d{1,2}/\d{1,2}(?![\d/]))|[¼½¾⅓⅔⅛⅜⅝⅞]"
"""Pattern of a mixed fraction: 4½, 6 3/4."""


def parse_digits(digits: str) -> float:
    """Return the value of digits with commas, or of a match of `MIXED`."""
    whole, _, part = re.sub(r"[\s-]", " ", digits).partition(" ")
    if "/" in part:
        over, under = part.split("/")
        return int(whole) + round(int(over) / max(1, int(under)), 3)
    if digits[-1] in "¼½¾⅓⅔⅛⅜⅝⅞":
        return int(digits[:-1].strip() or 0) + round(numeric(digits[-1]), 3)
    return float(digits.replace(",", ""))


class NumberPhrase(NamedTuple):
    """A figure that is a phrase of words, e.g. "mid-single digits"."""

    start: int
    end: int
    unit: Literal["percent", "multiple", "rank", "currency"]
    value: float
    value_high: float | None = None
    decimals: int = 0


_LEVELS = {"low": 0, "mid": 1, "middle": 1, "high": 2, "upper": 2}
_BANDS = {"single": ((1, 3), (4, 6), (7, 9)), "double": ((10, 30), (40, 60), (70, 90))}
_DECADES = {"teens": 10, **{f"{word[:-1]}ies": value for word, value in _TENS.items()}}
_BAND = re.compile(
    rf"\b(?P<low>{'|'.join(_LEVELS)})(?:[\s-](?:to[\s-])?(?P<high>{'|'.join(_LEVELS)}))?[\s-]"
    rf"(?:(?P<digits>single|double)[\s-]digits?|(?P<decade>{'|'.join(_DECADES)}))\b"
)
_SHARE_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_SHARE = re.compile(
    rf"\b(?P<over>an?|{_DIGIT})[\s-](?P<part>half|halves|thirds?|quarters?|fifths?|tenths?)\sof\s"
    r"(?!an?\b|(?:19|20)\d\d|fiscal|(?:a|one)\s(?:percent|point|million|billion))"
    rf"|(?:(?<=\bby\s)|(?<=\bup\s)|(?<=\bdown\s))(?P<by>an?|{_DIGIT})[\s-](?P<size>thirds?|quarters?|fifths?|tenths?)\b(?!\s(?:of|to|point|percent))"
    rf"|(?<!first\s)(?<!second\s)(?<!back\s)(?<!latter\s)(?<!the\s)\b(?P<half>half)\sof\s(?:its|our|their|the|all|total|[a-z]+s\b)"
    rf"|\b(?P<some>{_DIGIT})\s(?:in|out\sof)\s(?:every\s)?(?P<all>{_DIGIT})\b(?!\s(?:million|billion|percent|years?|months?|quarters?|weeks?))"
)
_RATIO = re.compile(
    rf"(?<![\w.,])(?P<over>\d+(?:\.\d+)?|{_DIGIT})(?:(?:\s?:\s?|[\s-]to[\s-])(?P<one>1(?:\.0+)?|one)|[\s-]for[\s-](?P<under>\d{{1,2}}|{_DIGIT}))(?![\w%]|[.,:]\d|\s(?:percent|million|billion|thousand))"
)
_RATIO_WORD = re.compile(
    r"\b(?:ratio|cover(?:age)?|leverage|book[\s-]to[\s-]bill|split|gearing|times|[a-z]+[\s-]to[\s-](?:assets|capital|deposits?|earnings|ebitda|equity|income|sales|value))\b"
)
_RANK = re.compile(
    rf"\b(?:rank\w*\s(?:as\s)?(?:the\s)?(?:no\.|number|\x23)\s?(?P<place>\d{{1,3}}|{_DIGIT})\b"
    rf"|(?:(?P<digits>\d{{1,3}})(?:st|nd|rd|th)|(?P<word>{'|'.join(_ORDINALS)}))(?=[\s-](?:consecutive|straight|successive|largest|biggest|highest|lowest|place)\b))"
)
_NONE = re.compile(
    r"\b(?P<none>no|nil|zero)\s(?:(?:amounts?|balances?|borrowings|draws|drawings|loans)\b(?=[^,;]{0,40}\b(?:drawn|facility|outstanding|revolver)\b)"
    r"|(?:(?:common|goodwill|outstanding|restructuring|share|stock)\s)*(?:borrowings|buy-?backs|debt|dividends|impairments?|impairment\scharges?|repurchases|restructuring\scharges)\b(?=\s(?:[a-z]+\s)?(?:outstanding|in\s|during|for\sthe|was|were|under|on\sour|at\s)|\W*$|[,;.]))"
)
"""No amount of money, as in "no borrowings outstanding"."""


def find_phrases(sentence: str) -> Iterator[NumberPhrase]:
    """Yield the figures of a lower-case sentence that are phrases: bands, shares, ratios, ranks, none."""
    for match in _BAND.finditer(sentence):
        low, high = _LEVELS[match["low"]], _LEVELS[match["high"] or match["low"]]
        if decade := match["decade"]:
            first, last = _DECADES[decade] + 1 + 3 * low, _DECADES[decade] + 3 + 3 * high
        else:
            bands = _BANDS[match["digits"]]
            first, last = bands[low][0], bands[high][1]
        yield NumberPhrase(*match.span(), "percent", first, last)
    for match in _SHARE.finditer(sentence):
        if match["half"]:
            yield NumberPhrase(match.start(), match.end("half"), "percent", 50)
        elif match["some"]:
            share = _small(match["some"]) / _small(match["all"])
            yield NumberPhrase(*match.span(), "percent", 100 * share)
        else:
            part = (match["part"] or match["size"]).replace("halves", "half").removesuffix("s")
            over = match["over"] or match["by"]
            size = 100 * (1 if over in ("a", "an") else _small(over)) / _SHARE_PARTS[part]
            end = match.end("part" if match["part"] else "size")
            yield NumberPhrase(match.start(), end, "percent", size)
    for match in _RATIO.finditer(sentence):
        tight = ":" in match[0] or match["under"]
        if tight or _RATIO_WORD.search(sentence):
            value = _small(match["over"]) / _small(match["under"] or "1")
            decimals = len(match["over"].partition(".")[2])
            yield NumberPhrase(*match.span(), "multiple", value, decimals=decimals)
    for match in _NONE.finditer(sentence):
        yield NumberPhrase(match.start("none"), match.end("none"), "currency", 0)
    for match in _RANK.finditer(sentence):
        if word := match["word"]:
            yield NumberPhrase(*match.span(), "rank", 1 + _ORDINALS.index(word))
        else:
            yield NumberPhrase(*match.span(), "rank", _small(match["place"] or match["digits"]))


def _small(number: str) -> float:
    return _SMALL[number] if number in _SMALL else float(number)


_THOUSANDS = re.compile(
    r"\d(?<![QqHh\d.,]\d)(?<!\d['’]\d)\d{0,2}(?P<gap>[ \xa0\u2009\u202f'’])\d{3}(?:(?P=gap)\d{3})*(?![\d'’])"
)
_AFTER_CODE = re.compile(r"(?:[A-Z]{3}|[^\w\s.,;:()\[\]/|*-])\s?$")
_BEFORE_UNIT = re.compile(
    r"(?:\.\d+)?\s?(?:[$€£¥₹%]|[A-Z]{3}\b|(?:thousand|[mb]illion|Mi[lo]|Mrd|euro|dollar)|[a-z]{3,}s\b)"
)
_CELL = re.compile(
    r"(?:^|(?<=\|)) ?[-(]?\d{1,3}(?: \d{3}){1,5}(?=(?:\.\d+)?\)? ?(?:\||$))", re.MULTILINE
)
"""A cell or line that is one number with spaces between its thousands."""

_COMMA = re.compile(
    r"\d(?<![\d.,]\d)(?:\d{0,2}(?:[. \xa0\u2009\u202f'’]\d{3}){1,5},\d{1,2}(?![\d,])"
    r"|\d{0,2}(?:\.\d{3}){2,}(?![\d.,]*\d)"
    r"|\d*,\d{1,2}(?=\s?(?:[%€]|[BbMm](?:io|rd|i?l)|Tsd|Pro[zc]ent|per\s?[cm]ent|kr\b|[A-Z]{3}\b)))"
)
"""A number whose comma can only be the decimal one, or whose points can only separate thousands."""

_POINT = re.compile(r"\d\.\d{1,2}(?![.\d])|\d,\d{3}[.,]\d")
"""A number whose point or comma can only be the English one."""

_GERMAN = re.compile(r"\bTEUR\b|T€|\b(?:Mio|Mrd|Tsd)\.")
"""Abbreviations beside which 1.234 is more than a thousand, unless the text has 1,234."""

_SEPARATORS = re.compile(r"(?<=\d)[.,](?=\d)")
_SWAPPED = str.maketrans(".,", ",.")
_CODE = re.compile(
    r"(?<![A-Za-z])(?P<lead>[TKMkm])?(?P<before>[A-Z]{3})(?=(?:[km]|mn|bn|['’]000)?\s?[-−(]?\.?\d)(?!\s?(?:19|20)\d\d\b(?![.,]\d|\s?[bm]))"
    r"|(?<![\w.,])(?!(?:19|20)\d\d\b)\d[\d.,]*+(?:\s?[A-Z]?[a-z]{1,9}\.?)?\s?(?P<after>[A-Z]{3})(?![A-Za-z\d-])"
)
_SCALED = re.compile(r"(?<![\s\d.,])[\s\d.,]*+(?:thousand|million|billion|trillion|[bm]n)(?![a-z])")
_WORDS = frozenset(["ALL", "TOP", "TRY"])
"""Codes that are words: they count before an amount with a scale only."""


def in_one_notation(text: str) -> str:
    """Return a text of the same length in lower case, its numbers with English separators.

    Thousands separated by spaces, apostrophes or points have commas, decimal commas are points,
    typographic apostrophes and spaces are plain. Codes of currencies beside a number, known and
    unknown ones, stay in capitals, so that they are not taken for words.
    """
    text = with_english_separators(text)
    lower = text.lower()
    if len(lower) != len(text):  # a few letters grow when lowered, and spans must stay
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    letters = list(lower.translate(_PLAIN))
    for match in _CODE.finditer(text):
        start, end = match.span("before" if match["before"] else "after")
        scaled = _SCALED.match(text, end) if match["before"] else _SCALED.search(match[0])
        code = text[start:end]
        is_currency = (
            code.lower() in units().codes and code not in _WORDS
        )  # KPMG is no thousand PMG
        metric = METRIC.fullmatch(code.lower()) is not None and code not in _WORDS
        if is_currency or (scaled and not (metric or match["lead"])):
            letters[start:end] = text[start:end]
    return "".join(letters)


def with_english_separators(text: str) -> str:
    """Return a text of the same length whose numbers have plain signs, commas and a decimal point."""
    text = text if text.isascii() else text.translate(_SIGNS_OF_NUMBERS)
    if _COMMA.search(text) or (_GERMAN.search(text) and not re.search(r"\d,\d{3}", text)):
        foreign = _COMMA if _POINT.search(_COMMA.sub("", text)) else _SEPARATORS
        text = foreign.sub(lambda match: match[0].translate(_SWAPPED), text)
    text = _CELL.sub(lambda cell: re.sub(r"(?<=\d) ", ",", cell[0]), text)
    return _THOUSANDS.sub(_grouped, text)


_WIDE = map(chr, (*range(0xFF01, 0xFF5F), *range(0xFFE0, 0xFFE7)))
_SIGNS_OF_NUMBERS = str.maketrans(
    {sign: plain for sign in _WIDE if len(plain := normalize("NFKC", sign)) == 1}
    | dict.fromkeys("‐‑−﹣－", "-")
    | {"٫": ".", "٬": ",", "٪": "%", "×": "x"}
)
"""Full-width signs, kinds of minus, and separators of Arabic."""

_PLAIN = {0x2019: "'", 0xA0: " ", 0x2009: " ", 0x202F: " ", 0x200D: " ", 0x200B: " "}


def _grouped(match: re.Match[str]) -> str:
    if match["gap"] in " " and not (
        _AFTER_CODE.search(match.string, max(0, match.start() - 5), match.start())
        or _BEFORE_UNIT.match(match.string, match.end())
    ):
        return match[0]  # perhaps two columns
    return match[0].replace(match["gap"], ",")
