"""The items of the SEC's forms: numbers, titles and beginnings of headings."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arag_inspect._util.files import packaged_yaml

RISK_FACTORS = "Risk Factors"
MDA = "Management's Discussion and Analysis"
FRONT = "Cover and Contents"
BACK = "Signatures and Exhibits"

_LETTERS = re.compile(r"[^a-z]")
_STATEMENTS = re.compile(
    r"financialstatements|financialinformation|balancesheets?|statementsof(?:consolidated)?(?:income|earnings|operations)"
)
_LONGEST = 150
"""Longest heading of financial statements, in characters."""


class FilingLine(NamedTuple):
    """A paragraph, heading or table row of a document."""

    page: int
    text: str


class Heading(NamedTuple):
    """Start of a part of a document."""

    line: int
    """Index of its first line."""

    title: str


class Item(NamedTuple):
    number: str
    title: str
    keys: tuple[str, ...]
    """Start of the heading, in lower case without spaces."""

    def fits(self, heading: str) -> bool:
        """Return whether a heading, without its number, belongs to the item.

        For financial statements, it may begin with the company's name or a word such as
        `Unaudited`, or be the first statement's title.
        """
        letters = squeeze(heading)
        if letters.startswith(self.keys):
            return True
        is_statements = self.title == "Financial Statements" and len(heading) <= _LONGEST
        return is_statements and _STATEMENTS.search(letters) is not None


_TABLE: dict[str, Any] = packaged_yaml(__package__, "filing_items.yaml")
FORMS: Mapping[str, Sequence[Item]] = {
    form: [Item(number, title, tuple(keys)) for number, title, keys in items]
    for form, items in _TABLE["forms"].items()
}
"""Items of each form, in order."""

FULL_TITLES: Mapping[str, str] = _TABLE["titles"]
"""Headings of filings without item numbers."""


def squeeze(text: str) -> str:
    """Return the letters of a heading in lower case, on which PDF readers agree."""
    return _LETTERS.sub("", text.lower())
