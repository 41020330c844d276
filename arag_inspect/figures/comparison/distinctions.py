"""Distinguish a figure of a source from an equal figure that a statement is about."""

import re
from collections.abc import Mapping
from typing import Literal

from ...text.content_words import content_stems
from ..lexicon import PART, PART_VERB
from ..periods import ANY_PERIOD, find_periods, without_periods
from ..quantity import Quantity
from ..wording.dates import is_moved
from ..wording.facets import conflicting_facets, read_facets, required_facets
from ..wording.labels import identifiers, labels, metrics, names_of
from ..wording.verbs import IRREGULAR_PAST, stems_of, verbs

_PAST = re.compile(
    r"(?<!\bbe )(?<!\bis )(?<!\bare )(?<!\bif )"
    rf"\b(?:[a-z]{{3,}}ed|came|cost|cut|hit|hurt|went|{IRREGULAR_PAST})\b"
)
"""A verb that says what has happened."""

_PREPOSITION = r"(?:are|as|at|by|during|for|from|in|is|on|that|to|was|were|with)\b"
_NAME = rf"(?P<name>(?:(?!{_PREPOSITION})[\w&'’-]+\s?)+)"
_WHOLE = re.compile(rf"\sof\s{_NAME}")
"""After a percentage, the whole that it is a share of: 42% of total loans."""

_RANKED_BY = re.compile(rf"\b(?:by|in terms of)\s{_NAME}")
"""Beside a rank, what it is by: fourth-largest by assets."""

_EXCLUDED = re.compile(r"\b(?:as opposed to|instead of|not|rather than)\s(?P<name>[^,;.]{1,60})")
"""After a figure, what it is not: leased rather than owned."""

_OUT_OR_IN = (
    r"(?<!not )(?<!n't )\b"
    r"(?:(?P<out>before|exclud(?:es?|ing)|gross of)|after|includ(?:es?|ing)|net of)"
)
_SIDE = re.compile(
    rf"{_OUT_OR_IN}\s(?:deducting\s)?(?P<name>[^,;.\d]{{1,60}}?)"
    rf"(?=\s{_PREPOSITION}|[^\w\s'’&-]|\s\s|\s*$)"
)
"""The name of what a figure excludes or includes."""

_SIDE_OF_PART = re.compile(rf"{_OUT_OR_IN}\s(?:an?\s|the\s|about\s|approximately\s)*\S?$")
"""The words before an amount that a figure excludes or includes."""

_HEAD = re.compile(r"\b(?:an?|the|[a-z]+ed)\s(?P<name>[a-z-]+(?:\s[a-z-]+){0,2})\sof\s\S?$")
"""The noun of an amount: a pretax gain of $5 million."""

_CAUSE = re.compile(
    r"(?:^|,)\s*(?:and\s)?with\s(?P<name>[a-z][^,;]*?)\s[a-z]+ing\s(?:us\s)?(?:[a-z]+\s)?\S?$"
)
"""Before what one cause contributed: up 8%, with acquisitions adding."""

_VERB_BEFORE = re.compile(
    rf"\b(?P<verb>[a-z]{{3,}}ed|{IRREGULAR_PAST})\s"
    r"(?:(?:about|approximately|around|nearly|over|roughly|some)\s)?$"
)
"""The verb right before a figure: delivered about 5."""

_CHANGE_IN = re.compile(
    r"\s(?:decline|decrease|drop|fall|gain|growth|improvement|increase|reduction|rise)\s(?:in|of)\s"
)
"""After a change whose subject follows: a 2% fall in volume."""

Property = Literal[
    "value", "sign", "direction", "period", "base", "basis", "status", "precision", "denial",
    "change", "subject", "facet", "unit",
]  # fmt: skip
"""A property in which two figures may differ."""


def distinction(claim: Quantity, source: Quantity) -> Property | None:
    """Return what tells a figure of a source from the figure that a claim is about."""
    if not (source.wording.alone or source.wording.shared):
        return None  # a cell of a table
    if source.status in ("hypothetical", "authorized") and claim.status == "actual":
        return "status"
    is_undone = source.status == "hypothetical" and claim.status is None
    if is_undone and _PAST.search(claim.wording.before):
        return "status"
    if any(is_moved(event, source.wording.events) for event in claim.wording.events):
        return "period"
    is_of_year_before = source.period.prior and source.period.year is not None
    if is_of_year_before and not (claim.period.prior or claim.period.year):
        return "period"
    if _is_of_other_part_of_year(claim, source):
        return "period"
    year = source.counterpart.year
    is_compared = source.counterpart.other_end is not None and not claim.period.prior
    if year and is_compared and claim.period.year not in (None, year):
        return "period"
    if claim.per != source.per and None not in (claim.per, source.per):
        return "unit"
    if has_other_facets(claim, source) or _is_one_of_two(claim, source):
        return "facet"
    if _is_on_other_side(claim, source):
        return "facet"
    contrast = source.wording.contrast
    is_unnamed = contrast and contrast.isdisjoint(names_of(claim))
    is_of_part = not source.wording.said_of_part.isdisjoint(verbs(claim.wording.about))
    if is_unnamed or is_of_part or _is_of_another_whole(claim, source):
        return "subject"
    is_another = (
        _has_other_verb(claim, source)
        or _is_part(claim, source)
        or _is_of_cause(claim, source)
        or _is_excluded(claim, source)
        or _is_numbered_otherwise(claim, source)
    )
    return "subject" if is_another or _names_another(claim, source) else None


def scope_of_items(figure: Quantity) -> str | None:
    """Return whether the words about a figure include or exclude items; None if they do neither."""
    return read_facets("", figure.wording.alone, figure.wording.shared).get("items")


def has_other_facets(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim has a facet, e.g. "organic", that its source lacks or contradicts."""
    return bool(conflicting_facets(_facets(claim), _facets(source)))


def _is_of_other_part_of_year(claim: Quantity, source: Quantity) -> bool:
    """Return whether a figure beside the source, but not the source, has the claim's quarter."""
    span = claim.period.span
    is_of_quarter = span is not None and span.startswith("Q")
    if not is_of_quarter or source.period.span or not source.period.year or source.wording.compares:
        return False
    return any(mention.period.span == span for mention in find_periods(source.wording.beside))


def _sides(text: str) -> dict[str, str]:
    """Return what a text says to be excluded or included, by name."""
    sides = {}
    for match in _SIDE.finditer(text):
        side = "out" if match["out"] else "in"
        sides.update(dict.fromkeys(labels(match["name"]), side))
    return sides


def _is_on_other_side(claim: Quantity, source: Quantity) -> bool:
    """Return whether one figure excludes what the other includes, or is before what it is after.

    Parts differ in the same way: one profit "excludes $5 million", another "includes $5 million".
    """
    of_claim = _sides(claim.wording.about)
    of_source = _sides(source.wording.about)
    beside = _sides(source.wording.beside).items() - of_source.items()
    differs = any(of_source.get(name, side) != side for name, side in of_claim.items())
    if differs or not beside.isdisjoint(of_claim.items()):
        return True
    parts = [_SIDE_OF_PART.search(figure.wording.before) for figure in (claim, source)]
    return len({part["out"] is None for part in parts if part}) > 1


def _is_one_of_two(claim: Quantity, source: Quantity) -> bool:
    """Return whether a statement also fits another figure of the source beside this figure.

    It does if the two differ only in a facet that the statement lacks.
    """
    open_facets = required_facets(_facets(source)) - _facets(claim).keys()
    open_facets.discard("weeks")
    beside = source.wording.beside
    return bool(open_facets and beside.strip()) and not metrics(beside)


def _is_part(claim: Quantity, source: Quantity) -> bool:
    """Return whether a source has a figure as a part of another, and a claim as a whole.

    "Debt was $5 million" is not about the bonds in "debt of $9 million, including bonds of $5
    million".
    """
    part = PART.search(source.wording.before)
    is_unsaid = PART_VERB.search(claim.wording.about) is None
    if part is None or metrics(part["name"]) or not is_unsaid:
        return False
    after = source.wording.after
    words = f"{part['name']} {after}"
    names = labels(words if claim.period == ANY_PERIOD else without_periods(words))
    return bool(names) and (names - metrics(after) or names).isdisjoint(names_of(claim))


def _has_other_verb(claim: Quantity, source: Quantity) -> bool:
    """Return whether a count's verb is that of a count beside its source: delivered 5, built 6."""
    if not claim.unit == source.unit == "count":
        return False
    claimed = _verb_before(claim)
    of_source = _verb_before(source)
    if not (claimed and of_source) or claimed == of_source:
        return False
    return claimed <= verbs(f"{source.wording.shared} {source.wording.beside}")


def _verb_before(figure: Quantity) -> frozenset[str]:
    """Return the stem of the verb right before a figure; empty if none is there."""
    verb = _VERB_BEFORE.search(figure.wording.before)
    return stems_of([verb["verb"]]) if verb else frozenset()


def _is_of_cause(claim: Quantity, source: Quantity) -> bool:
    """Return whether a figure is one cause's part in the source, but the whole change in the claim.

    "Sales rose 5%" is not about "sales rose 8%, with acquisitions adding 5%".
    """
    cause = _CAUSE.search(source.wording.before)
    if cause is None or "effect" in _facets(claim):
        return False
    names = labels(cause["name"])
    about_whole = labels(f"{source.wording.beside} {source.wording.shared}") - names
    return claim.metric in about_whole and names.isdisjoint(names_of(claim))


def _is_excluded(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim mentions what its source says that the figure is not."""
    wording = source.wording
    excluded = _EXCLUDED.search(wording.onward)
    if excluded is None or _EXCLUDED.search(claim.wording.onward):
        return False
    about = f"{wording.shared} {wording.before} {wording.onward[: excluded.start()]}"
    return not (labels(excluded["name"]) - labels(about)).isdisjoint(names_of(claim))


def _is_numbered_otherwise(claim: Quantity, source: Quantity) -> bool:
    """Return whether two names differ in a letter, number or year: plant 1 and plant 2."""
    names = identifiers(claim.wording.about)
    others = identifiers(source.wording.alone)
    return bool(names and others) and names.isdisjoint(others)


def _is_of_another_whole(claim: Quantity, source: Quantity) -> bool:
    """Return whether two shares are of different wholes, or two ranks by different measures.

    "42% of total loans" and "42% of deposits" are shares of different wholes.
    """
    claim_whole = _whole(claim)
    source_whole = _whole(source)
    if not (claim_whole and source_whole):
        return False
    names = _all_names(claim_whole["name"])
    others = _all_names(source_whole["name"])
    return bool(names and others) and names.isdisjoint(others | labels(source.wording.shared))


def _whole(figure: Quantity) -> re.Match[str] | None:
    """Return the name of what a percentage is a share of, or a rank is by."""
    if figure.unit == "rank":
        return _RANKED_BY.search(figure.wording.about)
    return _WHOLE.match(figure.wording.after) if figure.unit == "percent" else None


def _all_names(text: str) -> frozenset[str]:
    """Return the names in a text, names of metrics also as written, without years."""
    stems = (stem for stem in content_stems(text) if not stem[0].isdigit())
    return labels(text).union(stems)


def _facets(figure: Quantity) -> Mapping[str, str]:
    """Return the facets of a figure."""
    wording = figure.wording
    near = f"{wording.before} {wording.after}"
    facets = read_facets(near, f"{figure.text.lower()} {wording.alone}", wording.shared)
    said_onward = read_facets(wording.onward, "", "").get("expectation")
    further = figure.counterpart.expectation or said_onward
    if further and "expectation" not in facets:
        return {**facets, "expectation": further}
    return facets


def _names_another(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim has more words about the figures beside its source than about it.

    If it has as many of both, return whether it also lacks words about its source. Words that the
    claim has about its other figures too do not count.
    """
    about = labels(source.wording.alone)
    others = labels(source.wording.beside)
    distinct = about - others
    is_complete = _CHANGE_IN.match(claim.wording.after) is not None
    about_claim = labels(claim.wording.alone) if is_complete else names_of(claim)
    names = about_claim - labels(claim.wording.beside)
    mistaken = names & others - about - labels(source.wording.shared) - {source.metric}
    if "expectation" in _facets(claim):
        mistaken -= labels(source.wording.onward)  # what was expected, and by whom
    right = names & distinct
    if len(distinct) <= 1 and _fits_by_facet(claim, source):
        return False
    is_of_metric = claim.metric in labels(claim.wording.alone) or not claim.wording.beside
    if claim.metric in mistaken and is_of_metric:
        return True
    head = _HEAD.search(claim.wording.before)
    if head and labels(head["name"]) and labels(head["name"]) <= mistaken:
        return True
    if len(mistaken) == len(right):
        return bool(mistaken) and right != distinct
    return len(mistaken) > len(right)


def _fits_by_facet(claim: Quantity, source: Quantity) -> bool:
    """Return whether a facet of claim and source tells the source from the figures beside it.

    "Organic sales rose 4%" fits the first figure of "sales rose 4% organically, 7% as reported".
    """
    common = _facets(claim).items() & _facets(source).items()
    beside = read_facets("", source.wording.beside, "")
    return any(facet in beside and beside[facet] != value for facet, value in common)
