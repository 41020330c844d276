"""Other figures of the passages that fit a statement better than the one with its value."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from .compare import conflicting
from .distinctions import Property, has_other_facets
from .entities import Entities, segment_of, words_of
from .facets import read_facets
from .figure_context import PassageFigure
from .labels import metrics
from .lexicon import BASIS, RATES
from .quantity import Quantity


class Rivals:
    """The figures of passages by kind: metric, dimension, and level or change.

    Args:
        reads: Figures of the passages.
        entities: Names beside them.
    """

    def __init__(self, reads: Iterable[PassageFigure], entities: Entities) -> None:
        self._entities = entities
        self._by_kind: dict[Hashable, list[PassageFigure]] = defaultdict(list)
        for read in reads:
            if not read.figure.derived:
                self._by_kind[_kind(read.figure)].append(read)

    def difference(self, claim: Quantity, sentence: str, read: PassageFigure) -> Property | None:
        """Return in what another figure fits a claim better than the one with its value.

        That is whether it is adjusted, whether it excludes items, or the part of the company that
        it is of: the claim and the other figure both state it, and the source does not, or the
        source alone does.
        """
        source = read.figure
        alike = self._by_kind.get(_kind(source), ())
        others = [other for other in alike if _may_be(claim, other, source)]
        if claim.basis is None and source.basis == "adjusted":
            has_unadjusted = any(other.figure.basis == "gaap" for other in alike)
            if has_unadjusted or _is_beside_adjusted(claim):
                return "basis"
        adds_basis = claim.basis == "adjusted" and source.basis is None
        if adds_basis and any(other.figure.basis == "adjusted" for other in others):
            return "basis"
        adds_exclusion = _excludes(claim) and not _excludes(source)
        if adds_exclusion and any(_excludes(other.figure) for other in others):
            return "facet"
        return "subject" if self._fits_name(claim, sentence, read, others) else None

    def _fits_name(
        self, claim: Quantity, sentence: str, read: PassageFigure, others: Sequence[PassageFigure]
    ) -> bool:
        """Return whether claim and other figures are of a part and the source is not, or the reverse."""
        parts = self._entities.parts
        of_claim = parts(claim, sentence)
        of_source = parts(read.figure, read.sentence)
        named = [(other, parts(other.figure, other.sentence)) for other in others]
        if of_claim and of_source:
            return False
        if of_claim:
            rivals = [other for other, names in named if of_claim <= names]
            return _claims_part(of_claim, read, rivals)
        segment = segment_of(read.figure)
        part = of_source | segment
        if not part or not _is_given_by_part(claim):
            return False
        names_part = not part.isdisjoint(words_of(sentence.lower()))
        has_whole = any(
            not names and _may_hold(other.figure, read.figure) for other, names in named
        )
        has_other_part = any(names - of_source for _, names in named)
        is_of_part = bool(segment) or has_other_part
        return has_whole and is_of_part and not names_part


def _claims_part(
    names: frozenset[str], read: PassageFigure, rivals: Sequence[PassageFigure]
) -> bool:
    """Return whether a claim names a part of which there are other figures, and its source none.

    A name before the sentence of the source holds for it, unless it is that of a rival.

    Args:
        names: Names of the part in the claim.
        read: Figure with the value of the claim.
        rivals: Other figures of that part.
    """
    has_part = any(_may_hold(read.figure, rival.figure) for rival in rivals)
    is_after_rival = any(rival.sentence in read.lead for rival in rivals)
    near = read.sentence if is_after_rival else f"{read.lead} {read.sentence}"
    return has_part and names.isdisjoint(words_of(near.lower()))


def _is_given_by_part(figure: Quantity) -> bool:
    """Return whether parts of a company publish such figures too, unlike earnings per share."""
    return figure.metric is not None and figure.unit in ("currency", *RATES)


def _may_hold(whole: Quantity, part: Quantity) -> bool:
    """Return whether one figure may be the sum of another and more."""
    is_sum = whole.unit in ("currency", "count") and not whole.change
    return not is_sum or abs(whole.amount) > abs(part.amount)


def _kind(figure: Quantity) -> Hashable:
    """Return what rivals have in common."""
    return figure.metric, figure.dimension, figure.change


def _may_be(claim: Quantity, other: PassageFigure, source: Quantity) -> bool:
    """Return whether a claim may be about another figure than that with its value."""
    figure = other.figure
    return (
        abs(figure.amount) != abs(source.amount)
        and (figure.amount_high is None) == (source.amount_high is None)
        and figure.period.prior == source.period.prior
        and not set(conflicting(claim, figure)) - {"sign", "direction", "basis"}
        and not has_other_facets(claim, figure)
    )


def _is_beside_adjusted(claim: Quantity) -> bool:
    """Return whether a claim sets a figure beside an adjusted one: $1.10, or $1.40 adjusted."""
    is_same_metric = metrics(claim.beside) <= {claim.metric}
    return is_same_metric and any(mark["adjusted"] for mark in BASIS.finditer(claim.beside))


def _excludes(figure: Quantity) -> bool:
    """Return whether the words about a figure say that it excludes items."""
    return read_facets("", figure.alone, figure.shared).get("items") == "excluding"
