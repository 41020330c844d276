"""Find the parts of SEC filings and earnings releases by their headings."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from operator import attrgetter, itemgetter
from typing import Literal, NamedTuple

from arag_inspect.corpus import Section

from .filing_items import (
    BACK,
    FORMS,
    FRONT,
    FULL_TITLES,
    MDA,
    RISK_FACTORS,
    FilingLine,
    Heading,
    Item,
    squeeze,
)
from .page_index import OTHER, PageIndex, read_page_index

FilingKind = Literal["10K", "10Q", "8K", "EARNINGS"]


class _Candidate(NamedTuple):
    line: int
    order: int
    """Index of the item in the form."""

    weight: float


_ITEM = re.compile(
    r"(?:part\s*[ivx]+\W+(?:(?:financial|other)\s+information\W+)?)?i\s?t\s?e\s?m\s?s?\s*"
    r"(?:no\b\.?|number)?\s*(?P<number>\d{1,2})(?:(?:\s?\(?|\.)(?P<letter>[a-d]\b)\)?)?"
    r"(?:\.?,?\s*(?:and|&)\s*(?:item\s*)?\d{1,2}[abc]?\b)?(?P<title>\W.*|)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"[\"“”‘(]|.{0,160}?(?:[”\"]|\b(?:of|in|to|see) (?:this|our|the (?:company|form|annual)))", re.I
)
_CONTENTS = re.compile(r"\s\d{1,3}(?:\s?[-–]\s?\d{1,3})?$|\(continued\)$", re.IGNORECASE)
_LETTERED = re.compile(r"(?:\d{1,2}\.?\s?)?[A-K]\s?[.)]\s*")
_DECORATION = re.compile(r"^[#>\s]+|\*\*|__|(?<!\w)\*|\*(?!\w)| \|(?= )|^\| |\s\|$")
"""Markdown markup, and bars between the cells of a heading."""

_EVENT = re.compile(r"item\s*(?P<number>\d\.\d\d)\W*(?P<title>.*)", re.IGNORECASE)
_EXHIBIT = re.compile(r"exhibit\s*(?P<number>99(?:\.\d+)?)\b", re.IGNORECASE)
_RELEASE = (
    (r"\b(?:outlook|guidance)\b", "Outlook"),
    (r"\bconference call\b|\bwebcast\b", "Conference Call"),
    (r"^about\b", "About the Company"),
    (r"\bforward.looking\b", "Forward-Looking Statements"),
    (r"\breconciliations?\b|\bnon.gaap\b", "Non-GAAP Reconciliations"),
    (r"\bbalance sheets?\b|\bstatements? of financial (?:position|condition)\b", "Balance Sheet"),
    (r"\bcash flows?\b(?=$| statement| \()", "Cash Flow Statement"),
    (r"\bstatements? of (?:\w+ )?(?:income|earnings|operations)\b", "Income Statement"),
    (
        r"\b(?:segment|category|sales by) (?:information|results|data|summary|category)\b",
        "Segments",
    ),
)
_COVER = re.compile(
    r"^[^\w\n]{0,20}form[ \t]{1,9}(?P<form>10-?K|10-?Q|8-?K|20-?F|40-?F)(?:405|SB)?"
    r"(?:/A)?[^\w\n]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
_KINDS: dict[str, FilingKind] = {"10Q": "10Q", "8K": "8K"}
"""Kinds by form; 10-K, 20-F and 40-F are annual reports."""

_COVER_LENGTH = 5000
"""Characters at the start of a filing that are searched for the form."""

_MOVABLE = (RISK_FACTORS, MDA, "Financial Statements")
"""Parts that may appear out of the form's order."""

_POINTER = 2000
"""Longest item, in characters, that may be only a reference to its text."""


def find_sections(lines: Sequence[FilingLine], kind: FilingKind) -> list[Heading]:
    """Find the parts of a document.

    10-K and 10-Q: the items of the form (also of 10-K405, 10-K/A, 20-F, and the titles of 40-F,
    whichever has most). Their order, their titles and the amount of text that follows distinguish
    them from the table of contents and from mentions. 8-K: its numbered events and exhibits.
    Earnings releases: outlook, statements, reconciliations and other parts of such releases.

    Args:
        lines: The document.
        kind: Kind of document.

    Returns:
        Headings in order, the first at line 0; empty if no parts are found.
    """
    lines = [line._replace(text=_DECORATION.sub("", line.text).strip()) for line in lines]
    if kind in ("10K", "10Q"):
        forms = ("10K", "20F", "40F") if kind == "10K" else ("10Q",)
        headings = max((_form_headings(lines, FORMS[form]) for form in forms), key=len)
        headings = [] if _are_all_front(headings, lines) else headings
    elif kind == "8K":
        headings = list(_event_headings(lines))
    else:
        headings = list(_release_headings(lines))
    if not headings:
        return []
    front = "Results" if kind == "EARNINGS" else FRONT
    cover = [] if headings[0].line == 0 else [Heading(0, front)]
    parts = groupby([*cover, *headings], key=attrgetter("title"))
    return [next(group) for _, group in parts]


def filing_form(text: str) -> FilingKind | None:
    """Return the form stated on the document's cover; None if missing."""
    match = _COVER.search(text[:_COVER_LENGTH])
    if match is None:
        return None
    return _KINDS.get(match["form"].upper().replace("-", ""), "10K")


def split_filing(filing: Section, kind: FilingKind) -> list[tuple[str, str]]:
    """Split a filing into the titles and texts of its parts; empty if none are found.

    Args:
        filing: Its text; an index of pages gives parts only if its pages are known.
        kind: Its form.
    """
    lines = filing.text.split("\n")
    offsets = accumulate((len(line) + 1 for line in lines), initial=0)
    located = [
        FilingLine(filing.page_at(offset) or 0, line)
        for offset, line in zip(offsets, lines, strict=False)
    ]
    filled_lines = [number for number, line in enumerate(lines) if line.strip()]
    headings = find_sections([located[number] for number in filled_lines], kind)
    starts = [filled_lines[heading.line] for heading in headings[1:]]
    bounds = pairwise([0, *starts, len(lines)]) if headings else ()
    return [
        (heading.title, "\n".join(lines[start:end]).strip("\n"))
        for heading, (start, end) in zip(headings, bounds, strict=True)
    ]


def _form_headings(lines: Sequence[FilingLine], items: Sequence[Item]) -> list[Heading]:
    index = read_page_index(lines, items)
    candidates = list(_find_numbered_headings(lines, items, index))
    selected = _heaviest_sequence(candidates)
    titles = [item.title for item in items] + [BACK]
    if not any(titles[candidate.order] in (RISK_FACTORS, MDA) for candidate in selected):
        page_headings = index.headings(lines)
        if page_headings:
            return page_headings
    if len(selected) < 3:
        candidates = sorted([*candidates, *_find_unnumbered_headings(lines, items)])
        selected = _heaviest_sequence(candidates)
    headings = [Heading(candidate.line, titles[candidate.order]) for candidate in selected]
    has_main_part = any(heading.title in (RISK_FACTORS, MDA) for heading in headings)
    if not has_main_part and sum(candidate.weight >= 1 for candidate in selected) < 3:
        return []  # an amendment may have other items only
    return sorted([*headings, *_find_headings_elsewhere(lines, items, headings)])


def _are_all_front(headings: Sequence[Heading], lines: Sequence[FilingLine]) -> bool:
    """Return whether more than nine tenths of the text are cover, signatures or untitled pages."""
    titles = {heading.line: heading.title for heading in headings}
    lengths: Counter[str] = Counter()
    title = FRONT
    for number, line in enumerate(lines):
        title = titles.get(number, title)
        lengths[title] += len(line.text)
    front = lengths[FRONT] + lengths[BACK] + lengths[OTHER]
    return front > 0.9 * lengths.total()


def _find_headings_elsewhere(
    lines: Sequence[FilingLine], items: Sequence[Item], headings: Sequence[Heading]
) -> Iterator[Heading]:
    """Yield parts without an item, or whose item only refers to other pages."""
    starts = dict.fromkeys((RISK_FACTORS, MDA), 0)
    ends = [heading.line for heading in headings[1:]] + [len(lines)]
    for heading, end in zip(headings, ends, strict=True):
        length = sum(len(text) for text in _texts(lines, heading.line, end - heading.line))
        if heading.title in _MOVABLE and length < _POINTER:
            starts[heading.title] = end
        else:
            starts.pop(heading.title, None)
    for candidate in _find_unnumbered_headings(lines, items):
        title = items[candidate.order].title
        if candidate.weight >= 1 and candidate.line >= starts.get(title, len(lines)):
            del starts[title]
            yield Heading(candidate.line, title)


def _find_numbered_headings(
    lines: Sequence[FilingLine], items: Sequence[Item], index: PageIndex
) -> Iterator[_Candidate]:
    """Yield lines like `Item 7A. Quantitative and ...` whose title fits the number."""
    for line_number, line in enumerate(lines):
        if squeeze(line.text) in ("signatures", "signature"):
            yield _Candidate(line_number, len(items), 0.5)
        match = _ITEM.match(line.text)
        if match is None or line_number in index.line_numbers:
            continue
        title = match["title"].strip(" .:|—–-\t") or " ".join(_texts(lines, line_number + 1, 2))
        if _MENTION.match(title):
            continue
        number = match["number"] + (match["letter"] or "").upper()
        for order, item in enumerate(items):
            if item.number == number and item.fits(title):
                yield _Candidate(line_number, order, 1 + _relative_extent(lines, line_number))


def _find_unnumbered_headings(
    lines: Sequence[FilingLine], items: Sequence[Item]
) -> Iterator[_Candidate]:
    orders = {item.title: order for order, item in enumerate(items)}
    for index, line in enumerate(lines):
        bare_line = _LETTERED.sub("", line.text, count=1) if len(line.text) < 100 else ""
        title = FULL_TITLES.get(squeeze(bare_line))
        if title in orders and not _CONTENTS.search(line.text):
            yield _Candidate(index, orders[title], 0.5 + _relative_extent(lines, index))


def _relative_extent(lines: Sequence[FilingLine], index: int) -> float:
    """Return from 0 to 1 how much running text follows a heading before the next item."""
    length = 0
    for text in _texts(lines, index + 1, 10):
        if _ITEM.match(text):
            break
        length += len(text)
    return min(1.0, length / 2000)


def _heaviest_sequence(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the heaviest sequence of candidates whose items are in the form's order."""
    chains: dict[int, tuple[float, tuple[_Candidate, ...]]] = {-1: (0.0, ())}
    for candidate in candidates:
        preceding_chains = [chain for order, chain in chains.items() if order < candidate.order]
        weight, selected = max(preceding_chains, key=itemgetter(0))
        weight += candidate.weight
        if weight > chains.get(candidate.order, (0.0,))[0]:
            chains[candidate.order] = weight, (*selected, candidate)
    return list(max(chains.values(), key=itemgetter(0))[1])


def _event_headings(lines: Sequence[FilingLine]) -> Iterator[Heading]:
    for index, line in enumerate(lines):
        event = _EVENT.match(line.text)
        exhibit = _EXHIBIT.match(line.text)
        starts_page = index == 0 or lines[index - 1].page != line.page
        if event is not None and not _MENTION.match(event["title"]):
            title = event["title"] or "".join(_texts(lines, index + 1, 1))
            yield Heading(index, _shorten_title(title) or f"Item {event['number']}")
        elif exhibit is not None and starts_page:
            yield Heading(index, f"Exhibit {exhibit['number']}")
        elif squeeze(line.text) in ("signatures", "signature"):
            yield Heading(index, BACK)


def _release_headings(lines: Sequence[FilingLine]) -> Iterator[Heading]:
    for index, line in enumerate(lines):
        words = [word for word in line.text.split() if word[0].isalpha()]
        capitals = sum(word[0].isupper() for word in words)
        if not 0 < len(words) <= 10 or line.text[-1] in ".;," or capitals * 2 <= len(words):
            continue
        if re.search(r"(?<![\d,.])(?!(?:19|20)\d\d$)\d[\d,.]*\s*\)?$", line.text):
            continue
        for pattern, title in _RELEASE:
            if re.search(pattern, line.text, re.IGNORECASE):
                yield Heading(index, title)
                break


def _texts(lines: Sequence[FilingLine], start: int, number: int) -> list[str]:
    return [line.text for line in lines[start : start + number]]


_LONGEST_TITLE = 80


def _shorten_title(title: str) -> str:
    """Return the title of an event: its first sentence, cut at a word."""
    title = re.split(r"\.\s", title.strip())[0].strip(" .")
    return title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE].rsplit(" ", 1)[0]
