"""Find figures of the passages that fit a statement better than the figure with its value."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ...types.sample import Basis
from ..comparison.compare import conflicting
from ..comparison.distinctions import scope_of_items
from ..lexicon import DIRECTIONS, FAMILIES, GUIDANCE
from ..quantity import Quantity, Unit
from ..wording.labels import labels
from .stated_figures import PassageFigure
from .subjects import is_same_metric

_BASES: tuple[Basis | None, ...] = ("adjusted", "gaap", None)

_MORE = 2
"""Fewest names of a statement that a rival has and its source lacks: one may be chance."""


class Rivals:
    """The figures of passages by their unit and the names in the words about them.

    Args:
        passage_figures: Figures of the passages.
    """

    def __init__(self, passage_figures: Iterable[PassageFigure]) -> None:
        self._by_unit: dict[Unit, list[PassageFigure]] = defaultdict(list)
        self._on_basis: dict[tuple[Basis | None, str | None], list[Quantity]] = defaultdict(list)
        """Figures of a known metric by their basis, if it is stated, and that metric."""

        self._by_name: dict[Unit, Mapping[str, Sequence[PassageFigure]]] = {}
        """Figures by the names in the words about them, for units that were asked for."""

        for passage_figure in passage_figures:
            figure = passage_figure.figure
            self._by_unit[figure.unit].append(passage_figure)
            if figure.metric:
                self._on_basis[figure.basis, figure.metric].append(figure)

    def fit_better(self, claim: Quantity, match: PassageFigure) -> bool:
        """Return whether another figure fits a claim better than the figure with its value.

        "Frozen pizza sales in France rose 5%" has a match in "Sales rose 5%", but a better one in
        "Frozen pizza sales in France rose 3%". The better figure is of the same kind. The words
        about it have all names that claim and match share, and at least two more of the claim
        (three if they share none), or it has the claim's metric and the match has another one.
        Names of metrics do not count among these: a source may use other words for a metric.
        """
        source = match.figure
        claim_names = _claimed_names(claim)
        shared = claim_names & (_names(match.sentence.lower()) | _names(source.wording.about))
        metric = claim.metric if claim.wording.is_metric_beside else None
        if metric and (source.metric is None or is_same_metric(metric, source.metric)):
            metric = None
        missing = claim_names - shared - FAMILIES.keys()
        least = _MORE if shared else _MORE + 1
        by_name = self._figures_by_name(source.unit)
        for name in missing.union([metric] if metric else []):
            for other in by_name.get(name, ()):
                names = _names(other.figure.wording.about)
                is_of_metric = metric is not None and other.figure.metric == metric
                is_telling = is_of_metric and other.figure.period.prior == claim.period.prior
                has_all = claim.metric is None and not shared and claim_names <= names
                has_more = shared <= names and (
                    is_telling or has_all or len(missing & names) >= least
                )
                is_rival = _is_other_of_kind(other.figure, source)
                if has_more and is_rival and _may_be_meant(other.figure, claim):
                    return True
        return False

    def differ_in_basis(self, claim: Quantity, match: PassageFigure) -> bool:
        """Return whether a figure on another basis fits a claim better.

        There are three such cases:

        - "Adjusted EPS was $2.00" has a match in "EPS was $2.00", but the passages also have
          another adjusted EPS.
        - "EPS was $2.00" has a match in "adjusted EPS was $2.00", but the passages also have
          another EPS that is not called adjusted.
        - "Revenue excluding fuel was $2 million" has a match in "revenue was $2 million", but the
          passages also have another revenue that excludes fuel.
        """
        source = match.figure
        better: tuple[Basis | None, ...] = ()
        if claim.basis == "adjusted" and source.basis is None:
            better = ("adjusted",)
        elif claim.basis is None and source.basis == "adjusted":
            better = ("gaap", None)
        items = None if scope_of_items(source) else scope_of_items(claim)
        if not (better or items):
            return False
        return any(
            (basis in better or (items and scope_of_items(other) == items))
            and _is_meant(other, claim, source)
            for basis in _BASES
            for other in self._on_basis.get((basis, source.metric), ())
        )

    def _figures_by_name(self, unit: Unit) -> Mapping[str, Sequence[PassageFigure]]:
        """Return the figures of a unit by the names in the words about them."""
        if unit not in self._by_name:
            by_name: dict[str, list[PassageFigure]] = defaultdict(list)
            for passage_figure in self._by_unit[unit]:
                for name in _names(passage_figure.figure.wording.about):
                    by_name[name].append(passage_figure)
            self._by_name[unit] = by_name
        return self._by_name[unit]


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
    """Return whether a figure has another amount than a source, but the same kind of amount."""
    is_range = figure.amount_high is not None
    return (
        figure.change == source.change
        and is_range == (source.amount_high is not None)
        and abs(figure.amount) != abs(source.amount)
    )


def _claimed_names(claim: Quantity) -> frozenset[str]:
    """Return the names in the words about a claim, without words of change and outlook."""
    about = claim.wording.about
    still = about
    for pattern in (*DIRECTIONS.values(), GUIDANCE):
        still = pattern.sub(" ", still)
    return _names(about) & _names(still)


def _names(text: str) -> frozenset[str]:
    """Return the names in a text in lower case, with the parts of compounds separated."""
    return labels(text.replace("-", " "))
