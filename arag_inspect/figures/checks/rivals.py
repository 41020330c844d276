"""Figures of the passages on another basis, which may fit a statement better than the one with its value."""

from collections import defaultdict
from collections.abc import Iterable

from ...types.sample import Basis
from ..comparison.compare import conflicting
from ..comparison.distinctions import scope_of_items
from ..quantity import Quantity
from .passage_figure import PassageFigure

_BASES: tuple[Basis | None, ...] = ("adjusted", "gaap", None)


class Rivals:
    """The figures of passages by their basis and metric.

    Args:
        reads: Figures of the passages.
    """

    def __init__(self, reads: Iterable[PassageFigure]) -> None:
        self._on_basis: dict[tuple[Basis | None, str], list[Quantity]] = defaultdict(list)
        for read in reads:
            figure = read.figure
            if figure.metric and not figure.derived:
                self._on_basis[figure.basis, figure.metric].append(figure)

    def differ_in_basis(self, claim: Quantity, read: PassageFigure) -> bool:
        """Return whether a figure on another basis fits a claim better.

        A claim of an adjusted figure does not fit one of which that is not said, if the passages
        have an adjusted one; nor does a claim that says nothing fit an adjusted figure, if they
        have one of the accounts. Nor does one that says what is left out or included fit one of
        which that is not said, if they have one of which it is.
        """
        source = read.figure
        better: tuple[Basis | None, ...] = ()
        if claim.basis == "adjusted" and source.basis is None:
            better = ("adjusted",)
        elif claim.basis is None and source.basis == "adjusted":
            better = ("gaap", None)
        items = None if scope_of_items(source) else scope_of_items(claim)
        if source.metric is None or not (better or items):
            return False
        return any(
            (basis in better or (items and scope_of_items(other) == items))
            and _is_meant(other, claim, source)
            for basis in _BASES
            for other in self._on_basis.get((basis, source.metric), ())
        )


def _is_meant(figure: Quantity, claim: Quantity, source: Quantity) -> bool:
    """Return whether a claim may be about a figure of its source's metric on another basis."""
    is_unsaid = figure.basis is None and source.basis == "adjusted"
    if is_unsaid and (figure.period, figure.qualifiers) != (source.period, source.qualifiers):
        return False
    return (
        figure.dimension == source.dimension
        and figure.period.prior == source.period.prior
        and _is_other_of_kind(figure, source)
        and _may_be_meant(figure, claim)
    )


def _may_be_meant(figure: Quantity, claim: Quantity) -> bool:
    """Return whether a claim may be about a figure: no period, base or status is against it."""
    return set(conflicting(claim, figure)) <= {"sign", "direction", "basis"}


def _is_other_of_kind(figure: Quantity, source: Quantity) -> bool:
    """Return whether a figure differs from another, but is a change or a range only if that is."""
    is_range = figure.amount_high is not None
    return (
        figure.change == source.change
        and is_range == (source.amount_high is not None)
        and abs(figure.amount) != abs(source.amount)
    )
