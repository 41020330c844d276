"""Cues in an answer besides its figures: no result, two results at once, years."""

import re
from collections.abc import Sequence

from ...text.refusals import declines
from ..periods import ANY_PERIOD
from ..quantity import Quantity

_NOTHING = re.compile(
    r"\b(?:nothing|none|nil|zero|unchanged|flat)\b|\b(?:not|n['’]t) chang|\bno change\b"
    r"|(?:^|\W)no (?:[a-z-]+ ){1,5}(?:was|were|is|are|had|has|have|outstanding|remain\w*)\b"
    r"|\b(?:was|were|is|are|had|has|have|recorded|reported|incurred|paid) no [a-z]",
    re.IGNORECASE,
)
"""Answers such as "none", "nothing" and "unchanged"."""

_EITHER = re.compile(
    r"\beither\b(?P<first>[^;\n]{1,120}?)\bor\b(?P<second>[^;\n]{1,120})"
    r"|(?:^|[.;]\s)(?P<guess>[^;\n]{1,120}?),?\sor\s(?:maybe|perhaps|possibly)\b"
    r"(?P<other>[^;\n]{1,120})",
    re.I,
)
"""Two sides when an answer leaves open which one is right."""

_ADVERSE = re.compile(
    r"\b(?:headwinds?|drags?|outflows?|deficits?|shortfalls?"
    r"|(?:adverse|negative|unfavou?rable) (?:effect|impact)s?) (?:was |were |is |of |at )*"
    r"(?:about |approximately )?$"
)
"""Words before an amount that make it negative."""

_YEAR_BEFORE = re.compile(r"\b((?:19|20)\d\d)\)?\s?[:=–-]\s?(?:it was |about )?$")
"""A year to which the figure after it is assigned: 2022: $5 million."""

_YEAR_AFTER = re.compile(
    r"\s?(?:\(|in |for |during )(?:fiscal |fy ?)?(?:year )?((?:19|20)\d\d)\b"
    r"(?!\s?[:=]| (?:form |10-|annual|reports?\b|filings?\b|proxy|notes?\b|dollars\b))",
    re.I,
)
"""A year right after its figure: $5 million in fiscal 2022."""

_YEAR = re.compile(r"(?<![\d.,$])(?:19|20)\d\d(?![\d.,%]\d)")
"""A year in a question."""

_OTHER_YEAR = re.compile(
    r"\b(?:after|ago|before|due|earlier|end(?:ed|ing)|expect\w*|filings?|follow\w*|forecast\w*"
    r"|guid\w*|last|later|matur\w*|next|plan\w*|preceding|previous|prior|project\w*|reports?"
    r"|since|subsequent\w*|target\w*|10-[kq]s?)\b"
)
"""Words of a question that may ask for a year that it does not mention."""


_CELLS = re.compile(r"\|\s?\S?\d[\d.,]{0,15}\W{0,3}\|\s?\S?\d")
"""Two figures in cells side by side."""


def says_nothing(answer: str) -> bool:
    """Return whether an answer without figures says that there is none, or no change."""
    return _NOTHING.search(answer) is not None and not declines(answer)


def alternatives(answer: str) -> list[tuple[str, str]]:
    """Return the two sides of each "either ... or ..." or "..., or perhaps ..." of an answer."""
    return [
        (match["first"] or match["guess"], match["second"] or match["other"])
        for match in _EITHER.finditer(answer)
    ]


def is_adverse(text: str, figure: Quantity) -> bool:
    """Return whether the words before a figure make it negative: a headwind of $9 million."""
    return _ADVERSE.search(text[: figure.span.start].lower()) is not None


def is_cell_without_heading(figure: Quantity, text: str) -> bool:
    """Return whether a figure is one of several in a row that names no period, alone in a text."""
    start = text.rfind("\n", 0, figure.span.start) + 1
    line = text[start:].split("\n", 1)[0]
    has_rows_above = "|" in text[:start]
    return bool(_CELLS.search(line)) and not has_rows_above and figure.period == ANY_PERIOD


def years_of(figures: Sequence[Quantity], text: str) -> list[int | None]:
    """Return the year that a text gives for each of its figures."""
    return [year_beside(figure, text) or figure.period.year for figure in figures]


def year_beside(figure: Quantity, text: str) -> int | None:
    """Return the year that a text assigns to a figure right before or after it."""
    before = _YEAR_BEFORE.search(text[: figure.span.start])
    year_match = before or _YEAR_AFTER.match(text, figure.span.end)
    return int(year_match[1]) if year_match else None


def end_with_year(figure: Quantity, text: str) -> int:
    """Return where a figure ends, with the year right after it if it has one."""
    year = _YEAR_AFTER.match(text, figure.span.end)
    return year.end() if year else figure.span.end


def years_between(question: str) -> range:
    """Return the years from the first to the last of a question; empty if others may be meant."""
    years = [] if _OTHER_YEAR.search(question) else list(map(int, _YEAR.findall(question)))
    return range(min(years), max(years) + 1) if years else range(0)


def asked_years(question: str, count: int) -> list[int | None]:
    """Return the years of a question that lists as many years as there are figures, else none."""
    listed_years = _YEAR.findall(question)
    if len(listed_years) != count or len({*listed_years}) != count:
        return [None] * count
    return [int(year) for year in listed_years]
