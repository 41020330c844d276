"""A document as the corpus takes it in: named sections of plain text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that no chunk crosses."""

    title: str
    """Name of the part, e.g. `Prepared Remarks` or `Risk Factors`; empty where a document has no parts."""

    text: str
    """Plain text. A line break always ends a sentence."""

    prefix: str
    """What stands before each chunk, e.g. `[COMPANY: AAN | TYPE: EARNINGS_CALL | PERIOD: Q3_2021]`."""

    whole: bool = False
    """Whether the part is one chunk as it stands, however long: somebody else has cut it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A source document: an earnings call, a filing."""

    doc_id: str
    """Unique within the corpus."""

    company: str
    """Ticker or name, as it stands in the prefix."""

    period: str
    """Reporting period, as it stands in the prefix, e.g. `Q3_2021`."""

    sections: tuple[Section, ...]
    """Parts in reading order."""
