"""What tells a figure of a source from an equal one that a statement is about."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from . import lexicon
from .facets import conflicting_facets, read_facets, required_facets
from .labels import labels, metrics
from .periods import ANY_PERIOD
from .quantity import Quantity

Property = Literal[
    "value", "sign", "direction", "period", "base", "basis", "status", "precision", "denial",
    "change", "subject", "facet", "unit",
]  # fmt: skip
"""A property in which two figures may differ."""

_DONE = re.compile(
    r"\b(?!"
    r"(?:authori[sz]|approv|allow|permitt?|entitl|commit+|pledg|budget|earmark|need|unus|dat"
    r"|renew|new|relat|bas|limit|increas|expand)ed\b)[a-z]{2,}ed\b"
    r"|\b(?:spent|paid|bought|sold|drew|made|gave|took|built|cost)\b"
)
"""A verb in the past, which says what was done."""

_ASSERTED = re.compile(
    r"\b(?:is|are|was|were|stands at|has|have|employs|holds|operates|owns)\s"
    r"(?:(?:about|almost|approximately|around|between|nearly|over|roughly|some) )?\S?$"
)
"""Words before a figure that is said to be so, not to be aimed at."""

_EXPECTATION = re.compile(rf"\b(?:{lexicon.EXPECTATION})\b")
_OF = re.compile(
    r"^\W*of\s+(?:(?:our|the|its|their|all|total|net|consolidated|group)\s)*((?:[a-z&-]+\s?){1,3})"
)
"""After a percentage: the whole that it is of."""


def distinction(claim: Quantity, source: Quantity) -> Property | None:
    """Return what tells a figure of a source from the figure that a claim is about."""
    if source.derived:
        return None if claim.change == source.change else "change"
    if not (source.alone or source.shared):
        return None  # a cell of a table
    if source.status in ("hypothetical", "authorized") and _is_done(claim):
        return "status"
    if source.status == "guidance" and claim.status is None and _is_asserted(claim):
        return "status"
    if _is_share_or_change(claim, source):
        return "change"
    if _is_of_other_base(claim, source):
        return "base"
    if claim.per != source.per and None not in (claim.per, source.per):
        return "unit"
    if has_other_facets(claim, source) or _is_one_of_two(claim, source):
        return "facet"
    if _is_unlike_expected(claim, source):
        return "facet"
    if _is_period_beside(claim, source):
        return "period"
    another = _is_share_of_another(claim, source) or _names_another(claim, source)
    return "subject" if another else None


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


def _is_period_beside(claim: Quantity, source: Quantity) -> bool:
    """Return whether a statement names the year of the figure beside the one of the source."""
    year = claim.period.year
    if year is None or source.period != ANY_PERIOD or source.after.strip():
        return False
    elsewhere = metrics(source.beside) or str(year) in f"{source.alone} {source.shared}"
    return str(year) in source.beside and not elsewhere


def _is_share_of_another(claim: Quantity, source: Quantity) -> bool:
    """Return whether two percentages are of different things: of revenue, of costs."""
    if source.unit != "percent" or source.change or claim.change:
        return False
    return is_share_of_another(claim, source.after)


def is_share_of_another(claim: Quantity, after: str) -> bool:
    """Return whether a percentage is of another whole than the words after one name: of revenue."""
    of_claim = _share_of(claim)
    of_source = _OF.search(after.lower())
    if of_claim is None or of_source is None:
        return False
    claimed = labels(of_claim[1])
    stated = labels(of_source[1])
    return bool(claimed and stated) and claimed.isdisjoint(stated)


def _share_of(figure: Quantity) -> re.Match[str] | None:
    """Return the whole of which a figure is a share, if it is one: 40% of sales."""
    if figure.unit != "percent" or figure.change:
        return None
    return _OF.search(figure.after)


def _is_share_or_change(claim: Quantity, source: Quantity) -> bool:
    """Return whether one figure is a share of something and the other how far something moved."""
    return (claim.change and _share_of(source) is not None) or (
        source.change and _share_of(claim) is not None
    )


def _is_done(figure: Quantity) -> bool:
    """Return whether a statement says that something was done."""
    return figure.status == "actual" or (
        figure.status is None and bool(_DONE.search(f"{figure.shared} {figure.alone}"))
    )


def _is_asserted(figure: Quantity) -> bool:
    """Return whether a statement says that a figure is so: it was, or it moved there."""
    has_moved = figure.level is True and figure.direction in ("up", "down")
    return has_moved or _ASSERTED.search(figure.before) is not None


def _facets(figure: Quantity) -> Mapping[str, str]:
    """Return the facets of a figure."""
    near = f"{figure.before} {figure.after}"
    facets = read_facets(near, figure.alone, figure.shared)
    further = read_facets(figure.onward, "", "").get("expectation")
    if further and "expectation" not in facets:
        return {**facets, "expectation": further}
    return facets


def _is_unlike_expected(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim says otherwise than its source that a figure beat what was expected.

    A source that names no expectation leaves that open.
    """
    claimed = _EXPECTATION.search(f"{claim.before} {claim.onward}")
    named = _EXPECTATION.search(f"{source.before} {source.onward} {source.beside}")
    if claimed is None or named is None:
        return False
    return "expectation" in _facets(claim) and "expectation" not in _facets(source)


@cache
def _names_of_expectations() -> frozenset[str]:
    """Return the names of what was expected, which do not tell of what a figure is."""
    return frozenset(labels(lexicon.EXPECTATION.replace("?", "").replace("|", " ")))


def _names_another(claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim has more words about the figures beside its source than about it.

    If it has as many of both, return whether it also lacks words about its source. Words that the
    claim has about its other figures too do not count.
    """
    about = labels(source.alone)
    others = labels(source.beside)
    distinct = about - others
    named = (
        labels(f"{claim.alone} {claim.shared}") - labels(claim.beside) - _names_of_expectations()
    )
    mistaken = named & others - about - labels(source.shared) - {source.metric}
    right = named & distinct
    if claim.metric in mistaken and (claim.metric in labels(claim.alone) or not claim.beside):
        return True
    if len(mistaken) == len(right):
        return bool(mistaken) and right != distinct
    return len(mistaken) > len(right)


def _is_of_other_base(claim: Quantity, source: Quantity) -> bool:
    """Return whether two changes are from different years, or from a year and the last one."""
    years = {claim.against, source.against}
    return len(years) == 2 and None not in years
