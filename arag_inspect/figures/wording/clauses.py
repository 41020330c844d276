"""Cut a sentence into the words about each of its figures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...text.sentences import Span
from .. import lexicon
from ..numbers.ranges import QuantityToken
from .contrast import contrast
from .edges import OPENING, UNMEASURED, Link, find_edge
from .labels import labels
from .pairs import read_pairs
from .verbs import IRREGULAR_PAST, verbs, without_verbs
from .wholes import Whole, find_wholes

_MOST = 12
"""Most figures of a sentence whose words are divided; longer lists are printed tables."""

_NEAR = 80
"""Characters on either side of a figure of a long list that are read."""

_PHRASE_END = re.compile(
    r"[;:]\s|(?<!\b[a-z])\.\s"
    r"|,?\s(?:because|due\sto|driven\sby|owing\sto|thanks\sto|reflecting"  # a reason
    r"|(?:helped|aided|boosted|hurt|offset)\sby|despite|given|which|when"
    r"|as(?!\s(?:(?:\w+ly\s)?(?:reported|published|restated|adjusted)|of|compared|opposed)\b))\s"
    r"|,\s(?!(?:19|20)\d\d\b)(?!"  # a comma, but not: , up 3% or , 2023
    r"(?:respectively|excluding|including|net\sof|on\san?|in|at|for|before|after|up|down|or"
    r"|above|ahead|below|better|worse)\s)"
    r"|,?\s(?:while|whereas|but|although|though|yet)\s"  # another clause
)
"""Where the words about a figure end: before a reason or another clause."""

_FRAME = re.compile(rf"{OPENING},\s")
"""An opening phrase that applies to the whole sentence: for fiscal 2022, we expect."""

_CIRCUMSTANCE = re.compile(
    r"\s*(?:"
    r"in|for|during|on|at|as|excluding|including|net|before|after|versus|compared|year|over"
    r"|this|last)\b"
)
"""Start of a phrase after the last item of a list that is about all of its items."""

_COUNTED = re.compile(
    r"\s(?:(?!(?:and|at|by|for|from|in|of|on|to|with)\b)[a-z-]+\s){0,2}?"
    r"(?:[a-z-]*[a-rt-z]s|aircraft|people)\b"
)
"""The noun that a number counts."""

_ON_WHAT = re.compile(r"\s(?:on|to)\s[^,;.\d]{1,40}")
_SUBJECT = re.compile(
    r"(?P<subject>[^,;]{1,60}?(?:,\s[^,;\d]{1,40},)?)\s(?:also\s)?"
    rf"(?:[a-z]{{2,}}ed|{IRREGULAR_PAST}|had|has|saw|with)\s"
)
"""A subject, perhaps with its name between commas, whose verb governs later objects too."""

_NEXT_VERB = re.compile(
    rf"(?:having\s|after\s|before\s|then\s)*(?:[a-z]{{2,}}(?:ed|ing)|{IRREGULAR_PAST})\s"
)
"""Start of a later item with a verb of its own: drew 310 MW and occupied 4 million square feet."""

_COMPOSED = re.compile(
    r"(?P<whole>[^,;]{1,80}?)\s(?:is|are|was|were)\s[a-z]+\s"
    r"(?:up\s)?(?:between|by|from|into|of)\s(?=[a-z])"
)
"""A whole before the first of its parts: sales were made up of ore (5%), coal (3%) and."""

_PARTS = re.compile(r",\s(?:that|which)\s(?:compris|consist|includ)es?\s[^,;]{1,100},")
"""The names of the parts of a whole: rated loans, which include doubtful loans."""

_OPENING_WITH_FIGURE = re.compile(
    r"(?:^|[;.]\s|\b(?:and|but),?\s)\s*"
    r"(?P<phrase>(?:after|before|excluding|net\sof|without)\s[^,;]*)$"
)
"""A phrase with a figure that opens a clause and is about the figure after it."""

_OF_WHICH = re.compile(r"of\swhich\s")
"""Before a part of the figure before: a line of $9 million, of which $4 million was drawn."""

_PREPOSITION = r"(?:at|by|during|for|from|in|on|over|through|to|under|with)\b"
_NO_NOUN = re.compile(rf"\W*$|\s?[,.;)]|\s{_PREPOSITION}")
"""After a figure without a noun: sold 12, and bought 9."""

_NOUN = re.compile(rf"(?:\s(?!{_PREPOSITION})[a-z'-]+){{1,8}}")
"""After a figure, its noun and perhaps a verb."""

_SAME_IN_OTHER_CURRENCY = re.compile(r"\s?\(.?|,?\sor\s(?:about\s|approximately\s)?.")
"""Between an amount and the same in another currency, with its first character: 5 euros (US$6)."""

_NOWHERE = Span(0, 0)


@dataclass(slots=True)
class Scope:
    """The words about one figure of a sentence."""

    link: Link = "clause"
    head: int = 0
    """Position of the figure that it is linked with."""

    before: Span = _NOWHERE
    """Words before it that are about it alone."""

    after: Span = _NOWHERE
    """Words after it that are about it alone."""

    extra: str = ""
    """Words elsewhere that are about it alone."""

    shared: str = ""
    """Words of its clause that are about its neighbours too."""

    alone: str = ""
    """All words about it alone."""

    said_of_part: frozenset[str] = frozenset()
    """Verbs that are about a part of it and not about all of it."""

    contrast: frozenset[str] | None = None
    """Names by which it differs from the figure compared with it; None if only its time differs."""

    @property
    def words(self) -> str:
        """All words about it."""
        return f"{self.shared} {self.alone}"


def scopes(text: str, amounts: Sequence[QuantityToken]) -> list[Scope]:
    """Divide the words of a sentence among its figures.

    Each step adds to what the steps before it found:

    1. Words between two figures are divided at the strongest edge. The end of a clause is stronger
       than a comparison, a parenthesis or the end of a list item. In "sales rose 5%, while costs
       fell 3%", "while costs fell" is about the 3%.
    2. Words before the first figure of a clause are about all of its figures: "sales were $5
       million and $6 million". If the clause is a list with a label before each figure, each label
       is about its figure alone: "sales of ore $5 million, of coal $6 million".
    3. Figures that are compared differ by the names between them.
    4. A figure without a noun has the noun of the one before it.
    5. An amount has the words about the same amount in another currency.
    6. A part has the words about its whole; the whole has only the words that say what it is.
    7. In a sentence of several clauses, shared words are about the only figure of its unit alone.
    8. "Respectively" pairs labels and figures by position: "sales and costs were $5 million and $4
       million, respectively".

    Args:
        text: Sentence in lower case.
        amounts: Its figures from left to right, without dates and years.
    """
    if not 1 <= len(amounts) <= _MOST:
        return [_only(text, amount) for amount in amounts]
    results = _divide(text, amounts)
    starts = [i for i, scope in enumerate(results) if scope.link == "clause"]
    clauses = [range(start, stop) for start, stop in pairwise([*starts, len(results)])]
    for clause in clauses:
        _share(text, results, clause)
        _share_nouns(text, amounts, results, clause)
    _share_openings(text, results)
    _contrast_compared(text, results)
    _inherit_nouns(text, amounts, results)
    _join_currencies(text, amounts, results)
    for whole in find_wholes(text, amounts):
        _tell_part_from_whole(results, whole)
    for whole_scope, part_scope in pairwise(results):
        if _OF_WHICH.match(text, *part_scope.before):
            part_scope.shared += whole_scope.words
            whole_scope.said_of_part = verbs(part_scope.alone) - verbs(whole_scope.words)
    if len(clauses) > 1:
        for clause in clauses:
            _claim_shared_words(amounts, results, clause)
    for scope in results:
        scope.alone, scope.shared = (
            _PARTS.sub(" ", words) for words in (scope.alone, scope.shared)
        )
    for position, pair in read_pairs(text, amounts).items():
        results[position] = Scope(extra=pair.item, shared=pair.shared, alone=pair.item)
    return results


def _share_openings(text: str, results: Sequence[Scope]) -> None:
    """Add to a figure the opening phrase with another figure: excluding $5 million, sales."""
    for left, right in pairwise(results):
        opening = _OPENING_WITH_FIGURE.search(_words(text, left.before))
        comma = text.find(", ", left.after.start, right.before.end)
        if opening and comma >= 0:
            right.shared += f" {opening['phrase']} {text[left.after.start : comma]}"


def _contrast_compared(text: str, results: Sequence[Scope]) -> None:
    """Find the names by which each figure differs from the figure compared with it."""
    for left, scope in pairwise(results):
        between = text[left.after.start : scope.before.end]
        scope.contrast = contrast(between, _words(text, scope.after), results[scope.head].words)


def _join_currencies(text: str, amounts: Sequence[QuantityToken], results: Sequence[Scope]) -> None:
    """Share the words about an amount with the same amount in another currency: C$31 (US$22)."""
    for index, (left, right) in enumerate(pairwise(amounts)):
        are_currencies = None not in (left.currency, right.currency)
        if not are_currencies or left.currency == right.currency:
            continue
        if _SAME_IN_OTHER_CURRENCY.fullmatch(text, left.end, right.start + 1):
            first, second = results[index : index + 2]
            first.alone = second.alone = f"{first.alone} {second.alone}"
            first.shared = second.shared = f"{first.shared} {second.shared}"


def _tell_part_from_whole(results: Sequence[Scope], whole: Whole) -> None:
    """Give a part all words about its whole, and the whole only the words that say what it is.

    In "of the 1,860 beds, 1,432 were occupied", the 1,432 are occupied beds, the 1,860 only beds.
    """
    part_scope = results[whole.part]
    whole_scope = results[whole.whole]
    part_scope.alone += f" {whole.noun} {whole_scope.alone}"
    about_both = f"{part_scope.alone} {part_scope.shared}"
    whole_scope.said_of_part = verbs(about_both) - verbs(whole.noun)
    whole_scope.alone = whole.noun
    whole_scope.shared = without_verbs(about_both, whole_scope.said_of_part)


def _inherit_nouns(text: str, amounts: Sequence[QuantityToken], results: Sequence[Scope]) -> None:
    """Give a figure without a noun the noun of the previous figure with the same unit.

    For a count, the noun says what it counts: opened 22 clinics and closed 6. For money, it says
    what the money was for: we spent $5 million on research, and they spent $3 million.
    """
    nouns: dict[str | None, str] = {}
    for amount, scope in zip(amounts, results, strict=True):
        is_count = amount.unit in (None, "count")
        if not (is_count or amount.unit in ("currency", "per_share")):
            continue
        noun = (_COUNTED if is_count else _ON_WHAT).match(text, amount.end)
        is_bare = is_count or not text[amount.end : scope.after.end].strip(" .")
        if noun:
            nouns[amount.unit] = noun[0]
        elif is_bare and scope.link in ("clause", "item"):
            scope.shared += nouns.get(amount.unit, "")


def _claim_shared_words(
    amounts: Sequence[QuantityToken], results: Sequence[Scope], clause: range
) -> None:
    """Count the shared words of a clause as about a figure alone if no other has its unit."""
    units = [amounts[index].unit for index in clause]
    for index in clause:
        scope = results[index]
        if units.count(amounts[index].unit) == 1:
            scope.alone = scope.words


def _only(text: str, amount: QuantityToken) -> Scope:
    """Return the words near a figure of a long list, which may be about its neighbours too."""
    before = text[max(0, amount.start - _NEAR) : amount.start]
    after = text[amount.end : amount.end + _NEAR]
    return Scope(shared=f"{before} {after}")


def _divide(text: str, amounts: Sequence[QuantityToken]) -> list[Scope]:
    """Give each figure the words on its side of the edges."""
    results = [Scope(before=Span(0, amounts[0].start))]
    for index, (left, right) in enumerate(pairwise(amounts)):
        scope = results[index]
        gap = text[left.end : right.start]
        link, end_of_words, start_of_words = find_edge(gap, left.unit == right.unit)
        if link == "clause" and scope.link == "aside" and ")" not in gap:
            link = "aside"  # "(0.6% last quarter; 0.4% a year ago)"
        edge = left.end + end_of_words
        scope.after = _phrase(text, left.end, edge)
        closing = text.find(")", left.end, edge) if scope.link == "aside" else -1
        if closing >= 0:  # "of $27 (2019: $12) in 2020": what follows is about the first figure
            results[scope.head].extra += text[closing + 1 : edge]
            scope.after = Span(left.end, closing)
        head = scope.head if link == "item" or (link == scope.link == "aside") else index
        results.append(Scope(link, head, Span(left.end + start_of_words, right.start)))
    last = results[-1]
    start = amounts[-1].end
    end = len(text)
    closing = text.find(")", start) if last.link == "aside" else -1
    if closing >= 0:
        results[last.head].extra += _words(text, _phrase(text, closing + 1, end))
        end = closing
    last.after = _phrase(text, start, end)
    return results


def _phrase(text: str, start: int, end: int) -> Span:
    """Return the words after a figure that are about it, up to a reason or another clause."""
    edge = _PHRASE_END.search(text, start, end) or UNMEASURED.search(text, start, end)
    return Span(start, edge.start() if edge else end)


def _share(text: str, results: list[Scope], clause: range) -> None:
    """Decide which words of a clause are about several of its figures.

    A label holds until the next one: an item without a label has the label of the item before.
    """
    first = results[clause[0]]
    items = [results[i] for i in clause[1:] if results[i].link == "item"]
    labelled_items = [scope for scope in items if _names(text, scope.before)]
    shared, label = _divided_lead(text, _words(text, first.before), labelled_items)
    tail = _words(text, results[clause[-1]].after)
    unfollowed = not any(_names(text, results[i].after) for i in clause[:-1])
    if labelled_items and unfollowed and _CIRCUMSTANCE.match(tail):
        shared += f" {tail}"
    for index in clause:
        scope = results[index]
        before = label if scope is first else _words(text, scope.before)
        if scope in labelled_items:
            label = before
        scope.alone = f"{before} {_words(text, scope.after)} {scope.extra}"
        scope.shared = f"{shared} {label}"
        if scope.link in ("aside", "base"):
            head = results[scope.head]
            scope.shared += f"{head.extra} {_words(text, head.after)}"


def _share_nouns(
    text: str, amounts: Sequence[QuantityToken], results: Sequence[Scope], clause: range
) -> None:
    """Give figures without a noun the previous figure's noun: sold 4 stores, and 3 in Ohio."""
    nouns: dict[str | None, str] = {}
    for index in clause:
        scope = results[index]
        unit = amounts[index].unit
        if scope.link in ("item", "base") and _NO_NOUN.match(text, amounts[index].end):
            scope.shared += nouns.get(unit, "")
        else:
            noun = _NOUN.match(text, scope.after.start, scope.after.end)
            nouns[unit] = noun[0] if noun else ""


def _divided_lead(text: str, lead: str, items: Sequence[Scope]) -> tuple[str, str]:
    """Divide the words before the first figure of a clause.

    Args:
        text: Sentence in lower case.
        lead: Words before the first figure.
        items: The later figures that have labels before them.

    Returns:
        The words about all figures, and the label of the first one.
    """
    if not items:
        return lead, ""
    frame = _FRAME.match(lead)
    shared = frame[0] if frame else ""
    label = lead.removeprefix(shared)
    composed = _COMPOSED.match(label)
    if composed:
        return shared + composed["whole"], label[composed.end() :]
    subject = _SUBJECT.match(label)
    if subject and all(_opens_with_verb(text, scope.before) for scope in items):
        return shared + subject["subject"], label[subject.end("subject") :]
    if not any(lexicon.METRIC.search(text, *scope.before) for scope in items):
        names = [match[0] for match in lexicon.METRIC.finditer(label)]
        return shared + " ".join(names), lexicon.METRIC.sub(" ", label)
    if subject and lexicon.METRIC.search(label, subject.end()):
        shared += subject["subject"]  # "the snacks segment had sales of $4 million and profit of"
    return shared, label


def _opens_with_verb(text: str, span: Span) -> bool:
    """Return whether words open with a verb, and not with a metric: operating income."""
    return _NEXT_VERB.match(text, *span) is not None and not lexicon.METRIC.match(text, *span)


def _words(text: str, span: Span) -> str:
    return text[span.start : span.end]


def _names(text: str, span: Span) -> bool:
    """Return whether words identify something, not only its movement."""
    return bool(labels(lexicon.MOVE.sub(" ", text[span.start : span.end])))
