"""Find the parts of SEC filings and earnings releases by their headings."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Literal, NamedTuple

Kind = Literal["10K", "10Q", "8K", "EARNINGS"]

RISK_FACTORS, MDA = "Risk Factors", "Management's Discussion and Analysis"
FRONT, BACK = "Cover and Contents", "Signatures and Exhibits"


class FilingLine(NamedTuple):
    """A paragraph, heading or table row of a document."""

    page: int
    text: str


class Heading(NamedTuple):
    """Start of a part of a document."""

    place: int
    """Index of its first line."""

    title: str


class _Item(NamedTuple):
    number: str
    title: str
    keys: tuple[str, ...]
    """Start of the heading, in lower case without spaces."""


class _Candidate(NamedTuple):
    place: int
    order: int
    """Index of the item in the form."""

    weight: float


_10K = (
    _Item("1", "Business", ("business", "descriptionofbusiness")),
    _Item("1A", RISK_FACTORS, ("riskfactors",)),
    _Item("1B", "Unresolved Staff Comments", ("unresolvedstaffcomments",)),
    _Item("1C", "Cybersecurity", ("cybersecurity",)),
    _Item("2", "Properties", ("properties", "descriptionofproperty")),
    _Item("3", "Legal Proceedings", ("legalproceedings",)),
    _Item("4", "Mine Safety Disclosures", ("minesafety", "submissionofmatters", "reserved")),
    _Item("5", "Market for Common Equity", ("marketfor",)),
    _Item("6", "Selected Financial Data", ("selected", "reserved", "removedand")),
    _Item("7", MDA, ("managementsdiscussion", "managementdiscussion")),
    _Item("7A", "Market Risk", ("quantitativeandqualitative", "quantitativeandqualititative")),
    _Item("8", "Financial Statements", ("financialstatements", "consolidatedfinancial")),
    _Item("9", "Disagreements with Accountants", ("changesinanddisagreements",)),
    _Item("9A", "Controls and Procedures", ("controlsandprocedures",)),
    _Item("9B", "Other Information", ("otherinformation",)),
    _Item("9C", "Foreign Jurisdictions", ("disclosureregardingforeign",)),
    _Item("10", "Directors and Governance", ("directors",)),
    _Item("11", "Executive Compensation", ("executivecompensation",)),
    _Item("12", "Security Ownership", ("securityownership",)),
    _Item("13", "Related Transactions", ("certainrelationships",)),
    _Item("14", "Principal Accountant Fees", ("principalaccount",)),
    _Item("14", "Exhibits and Schedules", ("exhibit", "financialstatementschedules")),  # to 2002
    _Item("15", "Exhibits and Schedules", ("exhibit", "financialstatementschedules")),
    _Item("16", "Form 10-K Summary", ("formksummary", "ksummary")),
)
_20F = (
    _Item("3D", RISK_FACTORS, ("riskfactors",)),
    _Item("4", "Business", ("informationon",)),
    _Item("4A", "Unresolved Staff Comments", ("unresolvedstaffcomments",)),
    _Item("5", MDA, ("operatingandfinancialreview",)),
    _Item("6", "Directors and Governance", ("directors",)),
    _Item("8", "Financial Information", ("financialinformation",)),
    _Item("11", "Market Risk", ("quantitativeandqualitative",)),
    _Item("12", "Description of Securities", ("description",)),
    _Item("17", "Financial Statements", ("financialstatements",)),
    _Item("18", "Financial Statements", ("financialstatements",)),
    _Item("19", "Exhibits and Schedules", ("exhibits",)),
)
_40F = (
    _Item("", "Business", ()),
    _Item("", RISK_FACTORS, ()),
    _Item("", "Dividends", ()),
    _Item("", "Directors and Governance", ()),
    _Item("", MDA, ()),
    _Item("", "Controls and Procedures", ()),
    _Item("", "Financial Statements", ()),
)
"""Parts of a Canadian annual information form, which has no numbered items."""

_10Q = (
    _Item("1", "Financial Statements", ("financialstatements", "consolidatedfin", "condensed")),
    _Item("2", MDA, ("managementsdiscussion", "managementdiscussion")),
    _Item("3", "Market Risk", ("quantitativeandqualitative",)),
    _Item("4", "Controls and Procedures", ("controlsandprocedures",)),
    _Item("1", "Legal Proceedings", ("legalproceedings",)),
    _Item("1A", RISK_FACTORS, ("riskfactors",)),
    _Item("2", "Sales of Equity Securities", ("unregistered", "issuerpurchases", "purchases")),
    _Item("5", "Other Information", ("otherinformation",)),
    _Item("6", "Exhibits", ("exhibit",)),
)
_FULL_TITLES = {
    "descriptionofthebusiness": "Business",
    "generaldevelopmentofthebusiness": "Business",
    "dividends": "Dividends",
    "dividendsanddistributions": "Dividends",
    "directorsandofficers": "Directors and Governance",
    "riskfactors": RISK_FACTORS,
    "managementsdiscussionandanalysis": MDA,
    "managementsdiscussionandanalysisoffinancialconditionandresultsofoperations": MDA,
    "managementsdiscussionandanalysisofresultsofoperationsandfinancialcondition": MDA,
    "quantitativeandqualitativedisclosuresaboutmarketrisk": "Market Risk",
    "financialstatementsandsupplementarydata": "Financial Statements",
    "controlsandprocedures": "Controls and Procedures",
    "legalproceedings": "Legal Proceedings",
    "unresolvedstaffcomments": "Unresolved Staff Comments",
    "consolidatedfinancialstatements": "Financial Statements",
    "reportofindependentregisteredpublicaccountingfirm": "Financial Statements",
}
"""Headings without item numbers, for filings that do not number them."""

_ITEM = re.compile(
    r"(?:part\s*[ivx]+\W+)?i\s?t\s?e\s?m\s?s?\s*(?:no\b\.?|number)?\s*"
    r"(?P<number>\d{1,2})(?:(?:\s?\(?|\.)(?P<letter>[a-d]\b)\)?)?"
    r"(?:\.?,?\s*(?:and|&)\s*(?:item\s*)?\d{1,2}[abc]?\b)?(?P<title>\W.*|)",
    re.IGNORECASE,
)
_MENTION = re.compile(
    r"[\"“”‘(]|.{0,160}?(?:[”\"]|\b(?:of|in|to|see) (?:this|our|the (?:company|form|annual)))", re.I
)
_CONTENTS = re.compile(r"\s\d{1,3}(?:\s?[-–]\s?\d{1,3})?$|\(continued\)$", re.IGNORECASE)
_LETTERED = re.compile(r"(?:\d{1,2}\.?\s?)?[A-K]\s?[.)]\s*")
_DECORATION = re.compile(r"^[#>\s]+|\*\*|__|(?<!\w)\*|\*(?!\w)| \|(?= )|^\| |\s\|$")
"""Marks of Markdown, and bars between the cells of a heading."""

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
_LETTERS = re.compile(r"[^a-z]")

_MOVABLE = (RISK_FACTORS, MDA, "Financial Statements")
"""Parts that may be elsewhere than in the form's order."""

_POINTER = 2000
"""Characters; a shorter item may only refer to where its text is."""


def find_sections(lines: Sequence[FilingLine], kind: Kind) -> list[Heading]:
    """Find the parts of a document.

    10-K and 10-Q: the items of the form (also of 10-K405, 10-K/A, 20-F, and the titles of 40-F,
    whichever has most), distinguished from the table of contents and
    from mentions by their order, by the amount of text that follows, and by the title
    of the item. 8-K: its numbered events and exhibits. Earnings
    releases: outlook, statements, reconciliations and other parts
    of such releases.

    Args:
        lines: The document.
        kind: Kind of document.

    Returns:
        Headings in order, the first at line 0; empty if no parts are found.
    """
    lines = [line._replace(text=_DECORATION.sub("", line.text).strip()) for line in lines]
    if kind in ("10K", "10Q"):
        forms = (_10K, _20F, _40F) if kind == "10K" else (_10Q,)
        headings = max((_form_headings(lines, form) for form in forms), key=len)
    elif kind == "8K":
        headings = list(_event_headings(lines))
    else:
        headings = list(_release_headings(lines))
    if not headings:
        return []
    front = "Results" if kind == "EARNINGS" else FRONT
    cover = [] if headings[0].place == 0 else [Heading(0, front)]
    parts = groupby([*cover, *headings], key=attrgetter("title"))
    return [next(same) for _, same in parts]


def _form_headings(lines: Sequence[FilingLine], items: Sequence[_Item]) -> list[Heading]:
    candidates = list(_numbered(lines, items))
    chosen = _in_order(candidates)
    if len(chosen) < 3:
        candidates = sorted([*candidates, *_unnumbered(lines, items)])
        chosen = _in_order(candidates)
    titles = [*(item.title for item in items), BACK]
    headings = [Heading(candidate.place, titles[candidate.order]) for candidate in chosen]
    has_main_part = any(heading.title in (RISK_FACTORS, MDA) for heading in headings)
    if not has_main_part and sum(candidate.weight >= 1 for candidate in chosen) < 3:
        return []  # an amendment may have other items only
    return sorted([*headings, *_elsewhere(lines, items, headings)])


def _elsewhere(
    lines: Sequence[FilingLine], items: Sequence[_Item], headings: Sequence[Heading]
) -> Iterator[Heading]:
    """Yield parts that have no item, or whose item only refers to other pages."""
    starts = dict.fromkeys((RISK_FACTORS, MDA), 0)
    ends = [*(heading.place for heading in headings[1:]), len(lines)]
    for heading, end in zip(headings, ends, strict=True):
        length = sum(len(text) for text in _texts(lines, heading.place, end - heading.place))
        if heading.title in _MOVABLE and length < _POINTER:
            starts[heading.title] = end
        else:
            starts.pop(heading.title, None)
    for candidate in _unnumbered(lines, items):
        title = items[candidate.order].title
        if candidate.weight >= 1 and candidate.place >= starts.get(title, len(lines)):
            del starts[title]
            yield Heading(candidate.place, title)


def _numbered(lines: Sequence[FilingLine], items: Sequence[_Item]) -> Iterator[_Candidate]:
    """Yield lines like `Item 7A. Quantitative and ...` whose title fits the number."""
    contents = _contents(lines)
    for index, line in enumerate(lines):
        if _squeezed(line.text) in ("signatures", "signature"):
            yield _Candidate(index, len(items), 0.5)
        match = _ITEM.match(line.text)
        if match is None or index in contents:
            continue
        title = match["title"].strip(" .:|—–-\t") or " ".join(_texts(lines, index + 1, 2))
        if _MENTION.match(title):
            continue
        number = match["number"] + (match["letter"] or "").upper()
        for order, item in enumerate(items):
            if item.number == number and _squeezed(title).startswith(item.keys):
                yield _Candidate(index, order, 1 + _extent(lines, index))


def _unnumbered(lines: Sequence[FilingLine], items: Sequence[_Item]) -> Iterator[_Candidate]:
    orders = {item.title: order for order, item in enumerate(items)}
    for index, line in enumerate(lines):
        bare = _LETTERED.sub("", line.text, count=1) if len(line.text) < 100 else ""
        title = _FULL_TITLES.get(_squeezed(bare))
        if title in orders and not _CONTENTS.search(line.text):
            yield _Candidate(index, orders[title], 0.5 + _extent(lines, index))


def _contents(lines: Sequence[FilingLine]) -> set[int]:
    """Return the lines of a table of contents: many on a page, most with page numbers."""
    indices_by_page: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        if _ITEM.match(line.text):
            indices_by_page.setdefault(line.page, []).append(index)
    contents: set[int] = set()
    for indices in indices_by_page.values():
        numbered = [index for index in indices if _CONTENTS.search(lines[index].text)]
        if len(indices) >= 5 and len(numbered) * 2 > len(indices):
            contents.update(index for index in indices if index <= numbered[-1])
    return contents


def _extent(lines: Sequence[FilingLine], index: int) -> float:
    """Return from 0 to 1 how much running text follows a heading before the next item."""
    length = 0
    for text in _texts(lines, index + 1, 10):
        if _ITEM.match(text):
            break
        length += len(text)
    return min(1.0, length / 2000)


def _in_order(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return the heaviest sequence of candidates whose items are in the form's order."""
    chains: dict[int, tuple[float, tuple[_Candidate, ...]]] = {-1: (0.0, ())}
    for candidate in candidates:
        earlier = [chain for order, chain in chains.items() if order < candidate.order]
        weight, chosen = max(earlier, key=itemgetter(0))
        weight += candidate.weight
        if weight > chains.get(candidate.order, (0.0,))[0]:
            chains[candidate.order] = weight, (*chosen, candidate)
    return list(max(chains.values(), key=itemgetter(0))[1])


def _event_headings(lines: Sequence[FilingLine]) -> Iterator[Heading]:
    for index, line in enumerate(lines):
        event, exhibit = _EVENT.match(line.text), _EXHIBIT.match(line.text)
        starts_page = index == 0 or lines[index - 1].page != line.page
        if event is not None and not _MENTION.match(event["title"]):
            title = event["title"] or "".join(_texts(lines, index + 1, 1))
            yield Heading(index, _short(title) or f"Item {event['number']}")
        elif exhibit is not None and starts_page:
            yield Heading(index, f"Exhibit {exhibit['number']}")
        elif _squeezed(line.text) in ("signatures", "signature"):
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


def _squeezed(text: str) -> str:
    return _LETTERS.sub("", text.lower())


def _short(title: str, most: int = 80) -> str:
    """Return the title of an event: its first sentence, cut at a word."""
    title = re.split(r"\.\s", title.strip())[0].strip(" .")
    return title if len(title) <= most else title[:most].rsplit(" ", 1)[0]
