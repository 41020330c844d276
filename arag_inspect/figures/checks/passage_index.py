"""The figures and table rows of the passages that a text is checked against."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby

from ...corpus.documents.aligned_tables import write_bars
from ...text.content_words import stems
from ...text.layout import unwrap
from ...text.sentences import Span
from ..comparison.changes import with_compared_lengths, with_directions
from ..comparison.compare import near_in_size, same_quantity, subject
from ..computed.groups import Groups
from ..extract import check_numbers, extract_amounts
from ..quantity import Quantity
from ..tables.margins import margin_rows
from ..tables.named_cells import NamedCells
from ..tables.rows import TableRow, read_tables
from .antecedents import Antecedents
from .companies import Companies
from .company_parts import CompanyParts
from .entities import Entities
from .rivals import Rivals
from .stated_figures import PassageFigure

_MOST = 50_000
"""Numbers of the passages; a filing of 300 pages has about 10,000, read in a second."""

_MOST_ALIKE = 100
"""Figures of one quantity that a claim is compared with."""

_NEAREST = 20
"""Figures of its subject below and above a claim that it is compared with."""

_SCALES = ("thousand", "million", "billion", "trillion")
_NOWHERE = Span(0, 0)


class PassageIndex:
    """Figures of all passages, by amount and by subject.

    Args:
        passages: Texts.
        documents: Name of the document of each passage; empty if unknown.
    """

    def __init__(self, passages: Sequence[str], documents: Sequence[str] = ()) -> None:
        check_numbers(passages, _MOST)
        self._rows: dict[str, list[TableRow]] = defaultdict(list)
        """Rows of tables by the first word of their label in the order of the alphabet."""

        self._label_words: set[str] = set()
        self._bases: set[tuple[frozenset[str], frozenset[str], bool]] = set()
        """Words and metrics of labels, with whether there is an adjusted row of that label."""

        self.groups = Groups()

        self._rows_by_metric: dict[str, list[TableRow]] = defaultdict(list)
        self._by_dimension: dict[str, list[PassageFigure]] = defaultdict(list)
        self._by_subject: dict[Hashable, list[PassageFigure]] = defaultdict(list)
        seen: set[PassageFigure] = set()
        all_rows: list[TableRow] = []
        length = 0
        plain_passages = [write_bars(unwrap(passage)) for passage in passages]
        for passage in plain_passages:
            rows_of_passage, prose = read_tables(passage)
            rows = [replace(row, table=row.table + length) for row in rows_of_passage]
            length += len(passage)
            self.groups.add_rows(rows)
            rows += margin_rows(rows)
            all_rows += rows
            self._add_rows(rows)
            figures = with_compared_lengths(with_directions(extract_amounts(prose)))
            antecedents = Antecedents(prose)
            for span, of_sentence in groupby(figures, key=lambda figure: figure.sentence):
                sentence = passage[span.start : span.end]
                antecedent = antecedents.of(span)
                figures_of_sentence = list(of_sentence)
                self.groups.add_sentence(sentence, figures_of_sentence)
                for figure in figures_of_sentence:
                    passage_figure = PassageFigure(without_position(figure), sentence, antecedent)
                    if passage_figure not in seen:
                        seen.add(passage_figure)
                        self._add(passage_figure)
        for alike in (*self._by_dimension.values(), *self._by_subject.values()):
            alike.sort(key=_size)
        passage_figures = list(chain.from_iterable(self._by_dimension.values()))
        self.entities = Entities(passage_figures)
        self.company_parts = CompanyParts(passage_figures, self.entities)
        self.companies = Companies(plain_passages, documents)
        self.rivals = Rivals(passage_figures)
        self.cells = NamedCells(all_rows)

    def rows(self, claim: Quantity, words: frozenset[str]) -> list[TableRow]:
        """Return the rows of a claim's kind whose label matches some words best.

        Sorted alphabetically, as the order of a set varies between processes.
        """
        candidates = chain.from_iterable(self._rows.get(word, ()) for word in sorted(words))
        named_rows = [row for row in candidates if row.label <= words]
        return _most_named(self._of_kind(claim, named_rows), words)

    def rows_of_metric(self, claim: Quantity, words: frozenset[str]) -> list[TableRow]:
        """Return the rows of a claim's metric that its words mention, by any name of the metric."""
        rows = self._rows_by_metric.get(claim.metric or "", ())
        qualifiers = stems(claim.qualifiers) & self._label_words
        named_rows = [row for row in rows if qualifiers <= row.label and row.bare <= words]
        return _most_named(self._of_kind(claim, named_rows), words)

    def _of_kind(self, claim: Quantity, rows: Sequence[TableRow]) -> list[TableRow]:
        """Return the rows with figures of a claim's kind and on its basis.

        A label that has rows on only one basis counts for both.
        """
        is_adjusted = claim.basis == "adjusted"
        on_basis = [
            row
            for row in rows
            if row.is_adjusted == is_adjusted
            or (row.label, row.metrics, is_adjusted) not in self._bases
        ]
        return [row for row in on_basis if row.may_have(claim)]

    def _add_rows(self, rows: Sequence[TableRow]) -> None:
        for row in rows:
            self._rows[min(row.label)].append(row)
            self._label_words |= row.label
            self._bases.add((row.label, row.metrics, row.is_adjusted))
            for metric in row.metrics:
                self._rows_by_metric[metric].append(row)

    def _add(self, passage_figure: PassageFigure) -> None:
        figure = passage_figure.figure
        self._by_dimension[figure.dimension].append(passage_figure)
        if figure.metric is not None:
            self._by_subject[subject(figure)].append(passage_figure)

    def same_quantity(self, claim: Quantity) -> list[PassageFigure]:
        """Return the figures with the quantity of the claim; of very many the first."""
        matches: list[PassageFigure] = []
        for of_dimension in self._by_dimension.values():
            near = near_in_size(of_dimension, claim, _size)[:_MOST_ALIKE]
            matches += [match for match in near if same_quantity(claim, match.figure)]
        return matches

    def in_other_scales(self, claim: Quantity) -> Iterator[tuple[Quantity, PassageFigure]]:
        """Yield a claim in each other scale, e.g. millions, with the figures of that quantity."""
        if claim.scale not in _SCALES:
            return
        for scale in _SCALES:
            if scale != claim.scale:
                rescaled = replace(claim, scale=scale)
                for match in self.same_quantity(rescaled):
                    yield rescaled, match

    def comparable(self, claim: Quantity) -> list[PassageFigure]:
        """Return the figures of the claim's subject that are nearest to it in size."""
        of_subject = self._by_subject.get(subject(claim), [])
        middle = bisect_left(of_subject, abs(claim.amount), key=_size)
        return of_subject[max(0, middle - _NEAREST) : middle + _NEAREST]


def _most_named(rows: Sequence[TableRow], words: frozenset[str]) -> list[TableRow]:
    """Return the rows that share most words of their label, block and columns with some words."""
    sizes = [len(row.words & words) for row in rows]
    most = max(sizes, default=0)
    return [row for row, size in zip(rows, sizes, strict=True) if size == most]


def without_position(figure: Quantity) -> Quantity:
    """Return a figure without its position, so that repeated ones are equal."""
    return replace(figure, span=_NOWHERE, sentence=_NOWHERE)


def _size(passage_figure: PassageFigure) -> float:
    """Return the size of a figure, by which they are sorted."""
    return abs(passage_figure.figure.amount)
