"""What tells a figure of a source from an equal one that a statement is about."""

import re
from collections.abc import Mapping
from typing import Literal

from ...text.content_words import content_stems
from ..lexicon import PART, PART_VERB
from ..periods import ANY_PERIOD, without_periods
from ..quantity import Quantity
from ..wording.dates import is_moved
from ..wording.facets import conflicting_facets, read_facets, required_facets
from ..wording.labels import identifiers, labels, metrics
from ..wording.verbs import IRREGULAR_PAST, verbs

_PAST = re.compile(
    rf"(?<!\bbe )(?<!\bis )(?<!\bare )(?<!\bif )\b(?:[a-z]{{3,}}ed|came|cost|cut|hit|hurt|went|{IRREGULAR_PAST})\b"
)
"""A verb that says what has happened."""

_NAME = r"(?P<name>(?:(?!(?:are|as|at|by|during|for|from|in|is|on|that|to|was|were|with)\b)[\w&'’-]+\s?)+)"
_WHOLE = re.compile(rf"\sof\s{_NAME}")
"""After a percentage, the whole that it is a share of: 42% of total loans."""

_RANKED_BY = re.compile(rf"\b(?:by|in terms of)\s{_NAME}")
"""Beside a rank, what it is by: fourth-largest by assets."""

_EXCLUDED = re.compile(r"\b(?:as opposed to|instead of|not|rather than)\s(?P<name>[^,;.]{1,60})")
"""After a figure, what it is not: leased rather than owned."""

Property = Literal[
    "value", "sign", "direction", "period", "base", "basis", "status", "precision", "denial",
    "change", "subject", "facet", "unit",
]  # fmt: skip
"""A property in which two figures may differ."""


def distinction(claim: Quantity, source: Quantity) -> Property | None:
    """Return what tells a figure of a source from the figure that a claim is about."""
    if not (source.alone or source.shared):
        return None  # a cell of a table
    if source.status in ("hypothetical", "authorized") and claim.status == "actual":
        return "status"
    if source.status == "hypothetical" and claim.status is None and _PAST.search(claim.before):
        return "status"
    if any(is_moved(event, source.events) for event in claim.events):
        return "period"
    is_of_year_before = source.period.prior and source.period.year is not None
    if is_of_year_before and not (claim.period.prior or claim.period.year):
        return "period"
    if claim.per != source.per and None not in (claim.per, source.per):
        return "unit"
    if has_other_facets(claim, source) or _is_one_of_two(claim, source):
        return "facet"
    is_unnamed = source.contrast and source.contrast.isdisjoint(_labels(claim))
    is_of_part = not source.said_of_part.isdisjoint(verbs(f"{claim.shared} {claim.alone}"))
    if is_unnamed or is_of_part or _is_of_another_whole(claim, source):
        return "subject"
    is_another = (
        _is_part(claim, source)
        or _is_excluded(claim, source)
        or _is_numbered_otherwise(claim, source)
    )
    return "subject" if is_another or _names_another(claim, source) else None


def scope_of_items(figure: Quantity) -> str | None:
    """Return whether a figure is said to include some items or to leave them out; None if neither."""
    return read_facets("", figure.alone, figure.shared).get("items")


def has_other_facets(claim: Quantity, source: Quantity) -> bool:
    """Return whether a figure has a facet that another one lacks or has otherwise."""
    return bool(conflicting_facets(_facets(claim), _facets(source)))


def _is_one_of_two(claim: Quantity, source: Quantity) -> bool:
    """Return whether a source has a figure beside this one that a statement fits as well.

    It does where only a facet that the statement leaves open tells the two apart.
    """
    open_facets = required_facets(_facets(source)) - _facets(claim).keys()
    open_facets.discard("weeks")
    return bool(open_facets and source.beside.strip()) and not metrics(source.beside)


def _is_part(claim: Quantity, source: Quantity) -> bool:
    """Return whether a source gives a figure as a part of another one, and a claim does not name it."""
    part = PART.search(source.before)
    is_unsaid = PART_VERB.search(f"{claim.shared} {claim.alone}") is None
    if part is None or metrics(part["name"]) or not is_unsaid:
        return False
    named = f"{part['name']} {source.after}"
    names = labels(named if claim.period == ANY_PERIOD else without_periods(named))
    return bool(names) and (names - metrics(source.after) or names).isdisjoint(_labels(claim))


def _is_excluded(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim names what its source says that the figure is not."""
    excluded = _EXCLUDED.search(source.onward)
    if excluded is None or _EXCLUDED.search(claim.onward):
        return False
    about = f"{source.shared} {source.before} {source.onward[: excluded.start()]}"
    return not (labels(excluded["name"]) - labels(about)).isdisjoint(_labels(claim))


def _is_numbered_otherwise(claim: Quantity, source: Quantity) -> bool:
    """Return whether the names of two figures differ by a letter, number or year: plant 1, plant 2."""
    names = identifiers(f"{claim.alone} {claim.shared}")
    others = identifiers(source.alone)
    return bool(names and others) and names.isdisjoint(others)


def _is_of_another_whole(claim: Quantity, source: Quantity) -> bool:
    """Return whether two percentages are shares of wholes with other names, or ranks by other measures."""
    of_claim = _whole(claim)
    of_source = _whole(source)
    if not (of_claim and of_source):
        return False
    names = _all_names(of_claim["name"])
    others = _all_names(of_source["name"])
    return bool(names and others) and names.isdisjoint(others | labels(source.shared))


def _whole(figure: Quantity) -> re.Match[str] | None:
    """Return the name of what a percentage is a share of, or a rank is by."""
    if figure.unit == "rank":
        return _RANKED_BY.search(f"{figure.shared} {figure.alone}")
    return _WHOLE.match(figure.after) if figure.unit == "percent" else None


def _all_names(text: str) -> frozenset[str]:
    """Return the names in a text, those of metrics as they are written too, without years."""
    stems = (stem for stem in content_stems(text) if not stem[0].isdigit())
    return labels(text).union(stems)


def _facets(figure: Quantity) -> Mapping[str, str]:
    """Return the facets of a figure."""
    near = f"{figure.before} {figure.after}"
    facets = read_facets(near, f"{figure.text.lower()} {figure.alone}", figure.shared)
    further = figure.expectation or read_facets(figure.onward, "", "").get("expectation")
    if further and "expectation" not in facets:
        return {**facets, "expectation": further}
    return facets


def _names_another(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim has more words about the figures beside its source than about it.

    If it has as many of both, return whether it also lacks words about its source. Words that the
    claim has about its other figures too do not count.
    """
    about = labels(source.alone)
    others = labels(source.beside)
    distinct = about - others
    named = _labels(claim) - labels(claim.beside)
    mistaken = named & others - about - labels(source.shared) - {source.metric}
    if "expectation" in _facets(claim):
        mistaken -= labels(source.onward)  # what was expected, and by whom
    right = named & distinct
    if len(distinct) <= 1 and _fits_by_facet(claim, source):
        return False
    if claim.metric in mistaken and (claim.metric in labels(claim.alone) or not claim.beside):
        return True
    if len(mistaken) == len(right):
        return bool(mistaken) and right != distinct
    return len(mistaken) > len(right)


def _fits_by_facet(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim has a facet of its source, and the figures beside that have another value."""
    common = _facets(claim).items() & _facets(source).items()
    beside = read_facets("", source.beside, "")
    return any(facet in beside and beside[facet] != value for facet, value in common)


def _labels(figure: Quantity) -> frozenset[str]:
    """Return the names in all words about a figure."""
    return labels(f"{figure.alone} {figure.shared}")
