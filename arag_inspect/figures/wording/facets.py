"""Words that distinguish figures of one metric: as reported or organic, before or after tax."""

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ..._util.files import packaged_yaml


class _Lexicon(NamedTuple):
    pattern: re.Pattern[str]
    values: Mapping[str, tuple[str, str]]
    """Facet and value by the name of their group in the pattern."""

    required: frozenset[tuple[str, str]]
    """Facets and values that a source must state if a statement does."""

    prevailing: frozenset[str]
    """Values that are compatible with others of the same facet."""

    nearby: frozenset[str]
    """Facets that are read between a figure and its neighbours only."""


@cache
def _lexicon() -> _Lexicon:
    lexicon = packaged_yaml(__package__, "facets.yaml")
    values: dict[str, tuple[str, str]] = {}
    groups: list[str] = []
    required: set[tuple[str, str]] = set()
    nearby: set[str] = set()
    for kind in ("stated", "differing", "near"):
        for facet, patterns in lexicon[kind].items():
            if kind == "near":
                nearby.add(facet)
            for value, pattern in patterns.items():
                name = f"f{len(values)}"
                values[name] = (facet, value)
                groups.append(rf"(?=(?P<{name}>\b(?:{pattern})(?!\w))?)")
                if kind == "stated" and value not in lexicon["implied"]:
                    required.add((facet, value))
    starts = r"(?<![\w-])(?=[a-z\d])"
    return _Lexicon(
        re.compile(starts + "".join(groups)),
        values,
        frozenset(required),
        frozenset(lexicon["prevailing"]),
        frozenset(nearby),
    )


@lru_cache(maxsize=8192)
def _read_values(text: str) -> dict[str, frozenset[str]]:
    """Return the values that a text states, by facet."""
    lexicon = _lexicon()
    values_by_facet: dict[str, set[str]] = defaultdict(set)
    for match in lexicon.pattern.finditer(text):
        for name, words in match.groupdict().items():
            if words:
                facet, value = lexicon.values[name]
                values_by_facet[facet].add(value)
    return {
        facet: frozenset(values & lexicon.prevailing or values)
        for facet, values in values_by_facet.items()
    }


@lru_cache(maxsize=8192)
def read_facets(near: str, alone: str, shared: str) -> Mapping[str, str]:
    """Return the facets of a figure: from the words about it alone, or from shared words.

    A facet is left out if the words state two values for it.

    Args:
        near: Words between the figure and its neighbours, in lower case.
        alone: Words about the figure alone.
        shared: Words about its neighbours too.
    """
    lexicon = _lexicon()
    shared_values = _read_values(shared)
    alone_values = _read_values(alone)
    facets = {
        facet: values
        for facet, values in (shared_values | alone_values).items()
        if facet not in lexicon.nearby
    }
    for facet in shared_values.keys() & alone_values.keys():
        prevailing = shared_values[facet] & lexicon.prevailing
        if prevailing:
            facets[facet] = prevailing
    for facet, values in _read_values(near).items():
        if facet in lexicon.nearby:
            facets[facet] = values
    return {facet: min(values) for facet, values in facets.items() if len(values) == 1}


def conflicting_facets(claim: Mapping[str, str], source: Mapping[str, str]) -> list[str]:
    """Return the facets that two figures state differently, or that only the claim states."""
    required = _lexicon().required
    return [
        facet
        for facet, value in claim.items()
        if (facet in source and source[facet] != value)
        or (facet not in source and (facet, value) in required)
    ]


def required_facets(facets: Mapping[str, str]) -> set[str]:
    """Return the facets of a figure that a source must state if a statement does."""
    required = _lexicon().required
    return {facet for facet, value in facets.items() if (facet, value) in required}
