"""Find where the words about a figure of a sentence end and those about the next begin."""

import re
from typing import Literal, NamedTuple

from .. import lexicon
from .labels import labels

Link = Literal["clause", "item", "base", "aside", "next"]
"""How a figure follows the one before it: in a clause of its own, as the next item of a list, as
what it is compared with, in parentheses, or in the same phrase ("rose 5% to $4 million")."""

_MOVED = (
    "climbed|declined|decreased|dropped|expanded|fell|gained|grew|improved|increased|jumped"
    "|outpaced|rose|shrank|slipped"
)
"""Verbs of change after the subject of another clause: sales fell 4% as prices rose 3%."""

_CLAUSE = re.compile(
    r";\s|:\s(?=\S{0,40}[a-z])"
    r"|\s[–—-]{1,2}\s(?=\S{0,40}[a-z])|—(?=\S{0,40}[a-z])"
    r"|(?<!\b[a-z])\.\s"
    r"|,?\s(?:while|whereas|but|although|though|yet)\s"
    rf"|,?\sas\s(?=(?:[a-z&'’-]+\s){{1,4}}(?:{_MOVED})\b)"  # as prices rose
    r"|,?\s(?:and\s)?(?=(?:we|it|they|management|the\scompany)\s)"  # and we
    r"|,\s(?=of\swhich\s)"
)
"""Between two clauses."""

_ITEM = re.compile(r",\s(?:and|or|plus)\s|,\s(?!(?:19|20)\d\d\b)|\s(?:and|or|plus)\s|(?<=\))\s")
"""Between two items of a list."""

_ASIDE = re.compile(r"\s?[(\[]\s?")
"""Before a figure in parentheses."""

_ENCLOSED_ALONE = re.compile(r"\W?$")
"""Between a parenthesis and a figure that opens it: (+14%)."""

_OPENS_INSERTION = re.compile(r",\s(?:after|before|excluding|including|less|net\sof)\s[^,;]*$")
"""Between a name and its figure, words that lead to another: net debt, after cash of."""

_STRONG = re.compile(r",\s(?:and|or|plus)\s")
"""Before the last item of a list, rather than within an item."""

_LEADS_ON = re.compile(
    r"(?:^|\s)(?:of|was|were|is|are|at|to|by|from|than|with|be|totall?ed)\s*\S?$"
)
"""At the end of words that are about the figure after them."""

_EXCEEDS = re.compile(
    r"\s(?:exceed(?:ed|s)|outpac(?:ed|es)|outstripp?(?:ed|s)|surpass(?:ed|es)|topp?(?:ed|s))\s"
    r"(?=[a-z])"
)
"""Between the labels of two figures, one of them larger: ore sales exceeded coal sales."""

_EXPECTATION = re.compile(
    r"\s(?:beat|exceed\w*|surpass\w*|topp\w+|miss\w*|(?:was|were|is|came\sin|fell|well|just)\s"
    r"(?:above|ahead\sof|below|better\sthan|short\sof|shy\sof|under|worse\sthan))\s"
    rf"(?=(?:[\w'’-]+\s){{0,5}}?(?:{lexicon.EXPECTATION}))"
)
"""Between a result and what was expected, on the same subject."""

UNMEASURED = re.compile(
    r"(?:,?\sand|,)\s(?:(?:remained|stayed|was|were)\s(?:[a-z]+ly\s)?"
    rf"(?:{lexicon.words('flat')})|declined|decreased|fell|grew|improved|increased|rose|shrank)\b"
    r"[^,;\d]*?(?=,?\sand\s|[,;]|\.?\s*$)"
)
"""An item of a list without a figure: rose 5% in Asia, was flat in Europe and fell 2% in Canada."""

_TO = re.compile(r"\sto\s\S?$")
_VERB = re.compile(r"\s(?:should|will|would|is|are|was|were|has|had|can|could|may)\s")
"""Between two figures, the verb of the second figure's subject."""

_WITH = re.compile(r"\s(?:with|through|(?:after|before)(?=\s[a-z]+ing\b))\s")
_FROM_OR_TO = re.compile(r"\b(?:from|to)\b")

OPENING = (
    r"\s*(?:(?:and|but)\s)?"
    r"(?:excluding|including|without|in|for|during|over|on|at|as\sof|through|with|versus|this|last)"
    r"\s[^,;]*(?:,\s(?:19|20)\d\d\b[^,;]*)?(?:,\swhich\s[^,;]*)?"
)
"""A phrase of time or place that opens a clause, with a relative clause about it."""

_FRAME_ALONE = re.compile(
    rf"{OPENING}|\s*(?:(?:and|but)\s)?(?:adjusted|as\sreported|(?:non-?)?gaap|reported|underlying)"
)
"""Words between two edges that belong to what follows: the earlier edge applies."""


class Edge(NamedTuple):
    """Where the words about one figure end and those about the next begin."""

    link: Link
    end: int
    """End of the words about the first figure."""

    start: int
    """Start of the words about the second figure."""


def find_edge(gap: str, is_same_unit: bool) -> Edge:
    """Find the edge in the words between two figures."""
    aside = _ASIDE.search(gap)
    if aside and ")" not in gap[aside.end() :]:
        return _edge_of_name(gap, aside) or Edge("aside", *aside.span())
    items = list(_ITEM.finditer(gap))
    clauses = list(_CLAUSE.finditer(gap))
    if clauses:
        edge = clauses[-1]
        for earlier in [*clauses[:-1], *items]:
            if _FRAME_ALONE.fullmatch(gap, earlier.end(), edge.start()):
                edge = earlier  # "; for the second quarter it sees"
        return Edge("clause", *edge.span())
    base = lexicon.COMPARATOR.search(gap) or lexicon.AFTER.search(gap)
    base = base or _EXPECTATION.search(gap)
    if base:
        return Edge("base", base.start(), base.start())
    if items:
        inserted = _OPENS_INSERTION.search(gap)
        items = [item for item in items if inserted and item.end() <= inserted.start()] or items
        strong = [item for item in items if _STRONG.fullmatch(item[0])]
        commas = [item for item in items if item[0].startswith(",")]
        edge = (strong or commas or items[:1])[-1]
        unmeasured = UNMEASURED.search(gap)
        if unmeasured and unmeasured.start() <= edge.start():
            return Edge("item", unmeasured.start(), items[-1].end())
        return Edge("item", *edge.span())
    verb = _EXCEEDS.search(gap) or _VERB.search(gap) or _WITH.search(gap)
    if verb:
        return Edge("item", verb.start(), verb.start())
    leads_on = _LEADS_ON.search(gap) is not None
    if is_same_unit and leads_on and labels(gap) and not _FROM_OR_TO.search(gap):
        return Edge("item", 0, 0)  # "income of $3 million partly offset expenses of"
    to = _TO.search(gap)
    if to:
        return Edge("next", to.start(), to.start())
    start = 0 if leads_on else len(gap)
    return Edge("next", start, start)


def _edge_of_name(gap: str, aside: re.Match[str]) -> Edge | None:
    """Return the edge before a name with its figure in parentheses: food (+4%), toys (+2%)."""
    items = list(_ITEM.finditer(gap, 0, aside.start()))
    if not items or not _ENCLOSED_ALONE.match(gap, aside.end()):
        return None
    commas = [item for item in items if item[0].startswith(",")]
    edge = items[0] if gap.startswith(")") else (commas or items)[-1]
    return Edge("item", *edge.span())
