"""Tell figures of the whole company from figures of its segments and regions."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from ...text.content_words import content_words
from .. import lexicon
from ..comparison.compare import conflicting
from ..quantity import Quantity
from .antecedents import UNNAMING_WORDS
from .entities import WHOLE, Entities, names_beside_metric, words_of
from .stated_figures import PassageFigure

_BESIDE = 20
"""Number of characters between a metric and the word that says that it is of the whole."""

_PART = re.compile(
    r"(?<![a-z])(?P<names>(?:[a-z][a-z&-]+\s){1,2})"
    r"(?<!each\s)(?<!its\s)(?<!our\s)(?<!that\s)(?<!the\s)(?<!this\s)"
    r"(?:business(?:es)?|divisions?|regions?|segments?)\b"
)
"""A name before a noun that only parts of a company have: the dairy segment."""

_REGIONS = frozenset(
    "africa america american americas apac asia asian canada china domestic emea europe european"
    " india international japan latam pacific".split()
)


class CompanyParts:
    """The figures of the whole company and the names of its parts.

    Args:
        figures: Figures with their sentences.
        entities: The names beside them.
    """

    def __init__(self, figures: Sequence[PassageFigure], entities: Entities) -> None:
        self._entities = entities
        sentences = {passage_figure.sentence for passage_figure in figures}
        self._parts = frozenset().union(*map(_parts_within, sentences))
        self._wholes: dict[str, list[Quantity]] = defaultdict(list)
        """Figures that are not of a part, by their dimension."""

        for passage_figure in figures:
            figure = passage_figure.figure
            if _says_whole(figure) or self._parts.isdisjoint(entities.names_of(passage_figure)):
                self._wholes[figure.dimension].append(figure)

    def are_mistaken(self, claimed: PassageFigure, match: PassageFigure) -> bool:
        """Return whether a claim is of the whole, and the figure with its value of a part.

        "Revenue was $120 million" has a match in "Dairy revenue was $120 million", but the
        passages also have the whole: "Total revenue was $410 million". A claim that says "total"
        needs no other figure, if the passages call the name of the part a segment or region.
        """
        claim, part = claimed.figure, match.figure
        names = self._entities.names_of(match)
        if _says_whole(part) or not self._is_of_whole(claimed, names, part):
            return False
        is_known_part = not self._parts.isdisjoint(names)
        if is_known_part and _says_whole(claim):
            return True
        if not (is_known_part or _has_name_beside_metric(match)):
            return False
        return any(
            (is_known_part or _says_whole(whole)) and _may_be_whole_of(whole, part, claim)
            for whole in self._wholes[part.dimension]
        )

    def _is_of_whole(
        self, claimed: PassageFigure, names_of_part: frozenset[str], part: Quantity
    ) -> bool:
        """Return whether a claim says that it is of the whole, or names no part of it."""
        claim, sentence, antecedent = claimed
        words = words_of(claim.wording.about)
        if _says_whole(claim):
            return names_of_part.isdisjoint(words)
        words |= words_of(sentence.lower()) | antecedent.words
        is_narrowed = self._entities.names_of(claimed, is_claim=True) or (
            claim.qualifiers & part.qualifiers
        )
        return names_of_part.isdisjoint(words) and not is_narrowed


def _says_whole(figure: Quantity) -> bool:
    """Return whether a word beside the metric of a figure says that it is of the whole company."""
    about = figure.wording.about
    return any(
        lexicon.metric_name(match) == figure.metric
        and WHOLE.search(about, max(match.start() - _BESIDE, 0), match.end() + _BESIDE)
        for match in lexicon.METRIC.finditer(about)
    )


def _has_name_beside_metric(match: PassageFigure) -> bool:
    """Return whether a name with a capital letter is beside the metric of a figure."""
    names = names_beside_metric(match.figure.wording.about)
    return any(name.capitalize() in match.sentence for name in names)


def _may_be_whole_of(whole: Quantity, part: Quantity, claim: Quantity) -> bool:
    """Return whether a claim may be about a figure of the whole to which a part belongs."""
    is_of_metric = claim.metric is not None and whole.metric == part.metric == claim.metric
    is_alike = (
        whole.amount != part.amount
        and whole.change == part.change
        and whole.period.prior == part.period.prior
        and (whole.amount_high is None) == (part.amount_high is None)
    )
    conflicts = set(conflicting(claim, whole))
    return is_of_metric and is_alike and conflicts <= {"sign", "direction", "basis"}


@lru_cache(maxsize=8192)
def _parts_within(sentence: str) -> frozenset[str]:
    """Return the names of segments, divisions and regions that a sentence mentions."""
    text = sentence.lower().replace("'s", "").replace("’s", "")
    names = _REGIONS.intersection(words_of(text))
    for match in _PART.finditer(text):
        names |= words_of(match["names"])
    return frozenset(
        name for name in names if content_words(name) and not UNNAMING_WORDS.fullmatch(name)
    )
