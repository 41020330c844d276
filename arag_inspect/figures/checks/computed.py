"""Figures that a statement computes itself from figures of its source.

They are differences, shares, sums, midpoints and what remains of a whole. The words of the statement
say which, and name its operands better than any other figures: those of one sentence, row or column.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import chain, combinations, permutations, product
from typing import Literal, NamedTuple, get_args

from ...text.content_words import content_stems
from ..comparison.compare import conflicting, same_quantity, tolerance
from ..comparison.distinctions import has_other_facets
from ..lexicon import BASIS, BETTER_LOW, QUALITY, words
from ..periods import without_periods
from ..quantity import Quantity, Unit
from ..tables.column_heads import years_of
from ..tables.figures import TableRow
from ..wording.labels import labels

_Kind = Literal["difference", "growth", "midpoint", "remainder", "share", "sum", "total", "without"]

_SAID: dict[_Kind, re.Pattern[str]] = {
    kind: re.compile(rf"\b(?:{words(f'computed {kind}')})") for kind in get_args(_Kind)
}
"""Words by which a statement says how its figure is computed."""

_MORE = words("more")
_LESS = words("less")
_DISTANCE = re.compile(rf"(?:\s[\w-]+){{0,3}}?\s(?:(?P<more>{_MORE})|{_LESS})\b")
"""After the size of a difference, its direction: 20 tons more than."""

_BY = re.compile(rf"\b(?:(?P<more>{_MORE})|{_LESS})\b.*\bby\s(?:[a-z]+\s)?\S?$")
"""Before the size of a difference, its direction: exceeded its budget by."""

_CHANGED_BY = re.compile(r"\bby\s(?:[a-z]+\s)?\S?$")
_EITHER_WAY = re.compile(r"\b(?:chang|differ|gap|mov|spread|sw[iu]ng)")
_COMPARES = re.compile(rf"\b(?:than|{_MORE}|{_LESS})\b")
"""Between what is compared and what it is compared with."""

_SINCE = re.compile(
    r"\b(?:than|from|since|over|above|below|against|versus|compared (?:to|with))\s(?:\S+\s){0,5}$"
)
"""Before the year of the base of a change."""

_CLAUSE = re.compile(r";\s|,\s(?:although|but|whereas|while)\s")
_WHOLE = re.compile(
    r"\bof\s(?P<name>(?:(?!(?:are|as|at|but|by|for|from|in|is|that|was|were|with)\b)[\w&'’-]+\s?)+)"
)
"""What a share is of."""

_NEGATIVE = re.compile(
    r"\b(?:deficit|lost|outflows?|shortfall|(?<!credit )(?<!for )(?<!loan )loss(?:es)?)\b[^,;]*$"
)
"""Before an amount that is less than zero."""

_GAIN = re.compile(r"\bgains?(?: \w+){0,3} of\s\S?$")
"""Before an amount of a gain, which is a level, as a loss is."""

_COUNT = r"\d{1,3}(?:,?\d{3}){0,2}\b(?!\.\d|\s?(?:%|percent|thousand|million|billion))"
"""A number of things in digits."""

_LEAVING = re.compile(
    r"\b(?:cancell?ed|clos(?:e[sd]?|ing|ures?)|cut|depart\w*|dispos\w+|divest\w*|exit\w*|fewer|laid off"
    r"|left|los(?:es?|ing|t)|reduc\w+|remov\w+|resign\w*|retire\w*|shed|shut\w*|sold|terminat\w+)\b"
)
"""Words that what is counted went."""

_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_ROOT = 4
"""Letters in which a name and its opposite with a prefix agree."""

_QUARTERS = {"H1": frozenset({"Q1", "Q2"}), "H2": frozenset({"Q3", "Q4"})}
_MOST_FIGURES = 24
"""Figures of a sentence, row or column that are combined."""

_MOST_TERMS = 4


@cache
def _general_names() -> frozenset[str]:
    """Return names that may be of any figure."""
    return content_stems(words("general").replace("|", " "))


@cache
def _opposites() -> Sequence[frozenset[str]]:
    """Return groups of names of which each is the opposite of the others."""
    return [labels(names.replace("/", " ")) for names in words("opposites").split("|")]


@dataclass(frozen=True, eq=False)
class _Operand:
    """A figure that may be computed with."""

    figure: Quantity
    source: str
    label: frozenset[str] | None = None
    """Names of the row and column of a cell."""

    @cached_property
    def names(self) -> frozenset[str]:
        """Names in the words about it; for a cell, of its row and column."""
        if self.label is not None:
            return self.label
        names = _names(self.figure.wording.about)
        return names | {self.figure.metric} if self.figure.metric else names

    @cached_property
    def alone(self) -> frozenset[str]:
        """Names in the words about it alone."""
        return _names(self.figure.wording.alone) if self.label is None else self.label

    @cached_property
    def amount(self) -> float:
        """Its amount, less than zero if the words about it say so; of a range the middle."""
        figure = self.figure
        if figure.amount_high is not None:
            return (figure.amount + figure.amount_high) / 2
        is_fall = figure.change and figure.direction == "down"
        is_negative = is_fall or _NEGATIVE.search(figure.wording.before)
        return -abs(figure.amount) if is_negative else figure.amount

    @cached_property
    def kind(self) -> tuple[Unit, str, bool]:
        """Its unit, and whether it is a change; others of this kind can be compared with it."""
        is_change = self.figure.change and not _GAIN.search(self.figure.wording.before)
        return self.figure.unit, self.figure.dimension, is_change

    @cached_property
    def times(self) -> frozenset[str]:
        """Its year, and its part of one."""
        period = self.figure.period
        return frozenset(str(part) for part in (period.year, period.span) if part)


class _Result(NamedTuple):
    """What figures amount to."""

    value: float
    unit: Unit
    parts: tuple[_Operand, ...]
    group: Sequence[_Operand]
    """Figures of the same sentence, row or column."""

    @property
    def names(self) -> frozenset[str]:
        """Names in the words about any of the figures, and their times."""
        return frozenset[str]().union(*(part.names | part.times for part in self.parts))


class _Results:
    """What the figures of all sentences, rows and columns amount to, also by size."""

    def __init__(self, results: Iterable[_Result]) -> None:
        self.all = list(results)
        sizes = [(abs(result.value), position) for position, result in enumerate(self.all)]
        self._sizes = sorted(sizes)

    def near(self, claim: Quantity) -> Iterator[_Result]:
        """Yield those that may round to a claim, in their order."""
        margin = tolerance(claim, claim.amount, claim.step)
        low = bisect_left(self._sizes, abs(claim.amount) - margin, key=_first)
        high = bisect_right(self._sizes, abs(claim.amount) + margin, key=_first)
        for position in sorted(position for _, position in self._sizes[low:high]):
            yield self.all[position]


def _first(pair: tuple[float, int]) -> float:
    return pair[0]


class Groups:
    """The figures of each sentence, row and column."""

    def __init__(self) -> None:
        self._groups: list[list[_Operand]] = []
        self._results: dict[tuple[_Kind, bool, bool], _Results] = {}
        """Results that are equal for all statements, by operation, unit and kind of operands."""

    def add_sentence(self, sentence: str, figures: Sequence[Quantity]) -> None:
        """Add the figures of a sentence."""
        self._groups.append([_Operand(figure, sentence) for figure in figures[:_MOST_FIGURES]])

    def add_rows(self, rows: Sequence[TableRow]) -> None:
        """Add the cells of rows and columns; of amounts that are deducted without their sign."""
        columns: dict[tuple[int, str], list[_Operand]] = defaultdict(list)
        for row in rows:
            label = _names(row.line.strip("| ").partition("|")[0]) | row.block
            are_deducted = not row.signed and all(cell.figure.negative for cell in row.cells)
            parts = []
            for head, figure in row.cells[:_MOST_FIGURES]:
                is_prior = "prior" in head.words
                if is_prior != figure.period.prior or (figure.negative and are_deducted):
                    period = replace(figure.period, prior=is_prior)
                    negative = figure.negative and not are_deducted
                    figure = replace(figure, period=period, negative=negative)
                parts.append(_Operand(figure, row.line, label | _names(head.text)))
                columns[row.table, head.text].append(parts[-1])
            self._groups.append(parts)
        self._groups += [parts[:_MOST_FIGURES] for parts in columns.values()]

    def source(self, claim: Quantity, sentence: str, figures: Sequence[Quantity]) -> str | None:
        """Return the text from which a statement may compute a figure; None without any.

        Args:
            claim: The figure.
            sentence: The statement.
            figures: All figures of the text of the statement.
        """
        if claim.value_high is not None:
            return None
        statement = _ComputingStatement(claim, sentence, figures)
        for kind in sorted(statement.kinds):
            results = self._all_results(kind, statement)
            for result in results.near(claim):
                is_right = statement.equals(result) and _fits(kind, statement, result)
                if is_right and (
                    kind == "growth" or _is_named_best(kind, statement, result, results.all)
                ):
                    return "\n".join(dict.fromkeys(part.source for part in result.parts))
        return None

    def _all_results(self, kind: _Kind, statement: "_ComputingStatement") -> _Results:
        """Return what the figures of all groups amount to when computed in some way."""
        groups = self._groups
        if kind in ("sum", "total"):
            return _Results(chain.from_iterable(_sums(statement, parts) for parts in groups))
        is_rate, is_of_ranges = statement.claim.unit == "percent", statement.is_of_ranges
        operation = _operation(kind, is_rate)
        key = (operation, is_rate, is_of_ranges)
        if key not in self._results:
            of_groups = (_results(operation, is_rate, is_of_ranges, parts) for parts in groups)
            self._results[key] = _Results(chain.from_iterable(of_groups))
        return self._results[key]


def _operation(kind: _Kind, is_rate: bool) -> _Kind:
    """Return by which operation a kind of figure is computed; most are differences."""
    if kind in ("midpoint", "share") or (kind == "remainder" and is_rate):
        return kind
    return "difference"


class _ComputingStatement:
    """What a statement says of a figure that it may compute."""

    def __init__(self, claim: Quantity, sentence: str, figures: Sequence[Quantity]) -> None:
        self.claim = claim
        lower = sentence.lower()
        start = claim.span.start - claim.sentence.start
        end = claim.span.end - claim.sentence.start
        edges = list(_CLAUSE.finditer(lower))
        left = max([0, *(edge.end() for edge in edges if edge.end() <= start)])
        right = min([len(lower), *(edge.start() for edge in edges if edge.start() >= end)])
        self.before, self.after = lower[left:start], lower[end:right]
        self.clause = lower[left:right]
        self.names = _names(self.clause)
        self.years = years_of(self.clause)
        self.times = _QUARTERS.get(claim.period.span or "", frozenset(map(str, self.years)))
        whole = _WHOLE.search(self.after) or _WHOLE.search(self.clause)
        self.whole = _names(whole["name"]) if whole else frozenset()
        others = (other for other in figures if other.sentence == claim.sentence)
        self.others = [other for other in others if other.span != claim.span]
        self._stated: dict[_Operand, bool] = {}
        self.distance = _DISTANCE.match(self.after) or _BY.search(self.before)

    @cached_property
    def kinds(self) -> set[_Kind]:
        """How the figure may be computed."""
        kinds = {kind for kind, pattern in _SAID.items() if pattern.search(self.clause)}
        claim = self.claim
        if claim.change or self.distance or _CHANGED_BY.search(self.before):
            kinds.add("difference")
        if claim.unit != "percent" or claim.change:
            kinds.discard("share")
        if is_net_count(claim, self.clause):
            kinds.add("growth")
        if claim.period.span in _QUARTERS:
            kinds.add("sum")
        if claim.unit == "percent":
            kinds -= {"growth", "without"}
        return kinds if claim.change else kinds | {"remainder"}

    @property
    def is_of_ranges(self) -> bool:
        """Whether the figure may be the middle of a range."""
        return "midpoint" in self.kinds

    @cached_property
    def turn(self) -> int:
        """Whether the figure is how far something is above (1) or below (-1) something else."""
        if self.distance:
            return 1 if self.distance["more"] else -1
        is_either = _EITHER_WAY.search(self.before)
        return 0 if is_either else {"up": 1, "down": -1}.get(self.claim.direction or "", 0)

    def equals(self, result: _Result) -> bool:
        """Return whether a result rounds to the figure."""
        unit = "points" if result.unit == "basis_points" else result.unit
        exact = replace(
            result.parts[0].figure, text="", value=abs(result.value), value_high=None, decimals=9,
            unit=unit, scale="one", size=1.0, bound=None, hedged=False, middle=None,
        )  # fmt: skip
        return same_quantity(self.claim, exact)

    def states(self, part: _Operand) -> bool:
        """Return whether another figure of the statement is one of its source."""
        if part not in self._stated:
            is_stated = any(same_quantity(other, part.figure) for other in self.others)
            self._stated[part] = is_stated
        return self._stated[part]

    def names_or_states(self, part: _Operand) -> bool:
        """Return whether the statement has a name of a figure, or the figure."""
        return not part.names.isdisjoint(self.names) or self.states(part)

    def score(self, result: _Result) -> tuple[int, int, int]:
        """Return how well the statement names the figures of a result."""
        named = result.names & (self.names | self.times)
        return sum(map(self.states, result.parts)), len(named), len(named) - len(result.names)

    def side(self, names: frozenset[str]) -> int:
        """Return whether names stand after the words that compare (1), or before them (-1)."""
        start = len(self.before)
        edges = [match.start() for match in _COMPARES.finditer(self.clause)]
        edge = min(edges, key=lambda place: abs(place - start), default=0)
        if not names.isdisjoint(_names(self.clause[:edge])):
            return -1
        return 0 if names.isdisjoint(_names(self.clause[edge:])) else 1


def _results(
    operation: _Kind, is_rate: bool, is_of_ranges: bool, group: Sequence[_Operand]
) -> Iterator[_Result]:
    """Yield what figures of one group amount to by an operation, perhaps as a rate."""
    ends = _ends(group, is_of_ranges)
    if operation == "midpoint":
        for part in ends:
            yield _Result(part.amount, part.figure.unit, (part,), group)
    elif operation == "remainder":
        for part in ends:
            if part.figure.unit == "percent" and not part.figure.change:
                yield _Result(100 - part.figure.amount, "percent", (part,), group)
    elif operation == "share":
        for part, whole in permutations(ends, 2):
            if part.kind == whole.kind and 0 < part.figure.amount < whole.figure.amount:
                share = 100 * part.figure.amount / whole.figure.amount
                yield _Result(share, "percent", (part, whole), group)
    else:
        for level, base in permutations(ends, 2):
            if level.kind == base.kind and level.figure.dimension != "points":
                value, unit = _difference(level, base, is_rate)
                yield _Result(value, unit, (level, base), group)


def _ends(group: Sequence[_Operand], is_of_ranges: bool) -> list[_Operand]:
    """Return the figures that may be computed with: the ranges, or the others."""
    return [
        part
        for part in group
        if part.figure.value and (part.figure.value_high is not None) == is_of_ranges
    ]


def _difference(level: _Operand, base: _Operand, is_rate: bool) -> tuple[float, Unit]:
    """Return how far a figure is from another one: in percent of it, in points or in its unit."""
    difference = level.amount - base.amount
    if is_rate:
        return 100 * difference / abs(base.figure.amount), "percent"
    unit = level.figure.unit
    return difference, "points" if unit == "percent" else unit


def _sums(statement: _ComputingStatement, group: Sequence[_Operand]) -> Iterator[_Result]:
    """Yield the sums of figures each of which a statement names, or that of all."""
    unit = statement.claim.unit
    of_unit = [part for part in _ends(group, statement.is_of_ranges) if part.figure.unit == unit]
    if len(of_unit) < 2:
        return
    terms = [part for part in of_unit if "total" not in part.names]
    names = [part.names | part.times for part in terms]
    common = frozenset.intersection(*names) if names else frozenset[str]()
    times = statement.times if len(statement.times) > 1 else frozenset[str]()
    distinct = (statement.names | times) - common
    named = [part for part in terms if not distinct.isdisjoint(part.names | part.times)]
    sizes = range(2, min(len(named), _MOST_TERMS) + 1)
    sums = chain.from_iterable(combinations(named, size) for size in sizes)
    for chosen in sums if len(named) > 1 else [tuple(terms)]:
        if len({part.figure.period.prior for part in chosen}) == 1 < len(chosen):
            yield _Result(sum(part.amount for part in chosen), unit, chosen, group)


def _is_named_best(
    kind: _Kind, statement: _ComputingStatement, result: _Result, rivals: Sequence[_Result]
) -> bool:
    """Return whether a statement names the figures of a result better than others that differ.

    Those of another sentence, row or column differ if the statement names more of them.
    """
    score = statement.score(result)
    for rival in rivals:
        if rival.unit != result.unit:
            continue
        of_rival = statement.score(rival)
        is_of_group = rival.group is result.group
        is_better = of_rival >= score if is_of_group else of_rival[:2] > score[:2]
        if is_better and not statement.equals(rival) and _fits(kind, statement, rival):
            return False
    return True


def _fits(kind: _Kind, statement: _ComputingStatement, result: _Result) -> bool:
    """Return whether a statement may be about a result."""
    if not any(map(statement.names_or_states, result.parts)):
        return False
    if all(_differs(kind, statement.claim, part.figure) for part in result.parts):
        return False
    if kind == "difference":
        return _is_difference(statement, result)
    years = {part.figure.period.year for part in result.parts}
    if statement.years and not years <= {None, *statement.years}:
        return False
    if kind == "growth":
        return _is_growth(*result.parts) != _is_fall(statement.claim)
    if kind == "share":
        return _is_share(statement, *result.parts)
    if kind == "remainder" and not _is_remainder(statement, result):
        return False
    is_of_another_whole = statement.whole.isdisjoint(_names(result.parts[0].source))
    return not (result.unit == "percent" and statement.whole and is_of_another_whole)


def _differs(kind: _Kind, claim: Quantity, figure: Quantity) -> bool:
    """Return whether a figure is of another basis, period or facet than what is computed with it."""
    conflicts = set(conflicting(claim, figure))
    if kind in ("sum", "total"):
        conflicts.discard("period")
    has_other = kind != "remainder" and has_other_facets(claim, figure)
    return has_other or not conflicts.isdisjoint({"basis", "period"})


def _is_share(statement: _ComputingStatement, part: _Operand, whole: _Operand) -> bool:
    """Return whether a statement says what share of a figure another one is."""
    mine, theirs = part.figure.period, whole.figure.period
    distinct = part.names - whole.names
    is_named = not distinct or not distinct.isdisjoint(statement.names) or statement.states(part)
    if not is_named or mine.prior != theirs.prior or mine.conflict(theirs):
        return False
    return statement.states(whole) or (bool(statement.whole) and statement.whole <= whole.names)


def _is_remainder(statement: _ComputingStatement, result: _Result) -> bool:
    """Return whether a statement names what is left of a whole beside a part, and not the part."""
    taken, *wholes = sorted(result.parts, key=lambda part: abs(part.figure.amount))
    others = frozenset[str]().union(*(whole.names for whole in wholes))
    if wholes and not statement.names.isdisjoint(taken.names - others):
        return False
    names = product(statement.names - taken.names, taken.names - statement.names)
    is_said = _SAID["remainder"].search(statement.clause)
    return bool(is_said) or any(_are_opposite(name, other) for name, other in names)


def _are_opposite(name: str, other: str) -> bool:
    """Return whether two names are opposites: fixed and floating, current and non-current."""
    if any({name, other} <= names for names in _opposites()):
        return True
    shorter, longer = sorted((name, other), key=len)
    return any(longer.startswith(prefix + shorter[:_ROOT]) for prefix in ("non-", "non", "un"))


def _is_difference(statement: _ComputingStatement, result: _Result) -> bool:
    """Return whether a statement compares a figure with another one, in time or by their names."""
    level, base = result.parts
    turn = statement.turn
    if not turn and not _EITHER_WAY.search(statement.clause):
        return False
    distinct = (level.names - base.names, base.names - level.names)
    named = [names & statement.names for names in distinct]
    if not any(named):
        return _is_move(statement, result)
    are_two = sum(part.kind == level.kind for part in result.group) == 2
    is_left_open = any(names and not of_it for names, of_it in zip(distinct, named, strict=True))
    times = [replace(part.figure.period, prior=False) for part in result.parts]
    if times[0].conflict(times[1]) or (is_left_open and not are_two):
        return False
    is_base = statement.side(named[1]) > statement.side(named[0])
    return not turn or (is_base and turn * result.value > 0)


def _is_move(statement: _ComputingStatement, result: _Result) -> bool:
    """Return whether a statement says how a figure moved from one time to another."""
    level, base = result.parts
    are_same = level.alone <= base.names or base.alone <= level.names
    if not are_same:
        return False
    turn = statement.turn
    are_losses = level.figure.negative or base.figure.negative
    if QUALITY.search(statement.clause) and BETTER_LOW.search(statement.clause) and not are_losses:
        turn = -turn
    is_said = turn * result.value >= 0 and _is_later(level.figure, base.figure)
    return is_said and _are_its_times(statement, level.figure, base.figure, result.group)


def _is_later(level: Quantity, base: Quantity) -> bool:
    """Return whether a figure is of a later time than another one; in doubt, the first one is."""
    mine, theirs = level.period, base.period
    if mine.year and theirs.year and mine.year != theirs.year:
        return mine.year > theirs.year
    are_earlier = (mine.prior or level.moved == "from", theirs.prior or base.moved == "from")
    if are_earlier[0] != are_earlier[1]:
        return are_earlier[1]
    if mine.span and theirs.span and mine.span != theirs.span:
        return mine.span > theirs.span
    return level.span < base.span


def _are_its_times(
    statement: _ComputingStatement, level: Quantity, base: Quantity, parts: Sequence[_Operand]
) -> bool:
    """Return whether a change from one figure to another is over the time that a statement names."""
    of_claim, of_level = (
        replace(figure.period, year=None, prior=False) for figure in (statement.claim, level)
    )
    if of_claim.conflict(of_level):
        return False
    are_of_one_part = level.period.span == base.period.span or not base.period.span
    if statement.claim.against == "year" and not are_of_one_part:
        return False
    if not (level.period.year and base.period.year):
        return True
    named = statement.years
    years = {level.period.year, base.period.year}
    if level.period == base.period or not named <= years:
        return False
    if base.period.year in named:
        lead = statement.clause[: statement.clause.find(str(base.period.year))]
        return named == years or _SINCE.search(lead) is not None
    latest = max(part.figure.period.year or 0 for part in parts)
    return level.period.year in (named or {latest}) and level.period.year - base.period.year <= 1


@lru_cache(maxsize=8192)
def _names(text: str) -> frozenset[str]:
    """Return the names in a text and the bases of its figures, without periods and general words."""
    lower = _POSSESSIVE.sub("", text.lower())
    bases = frozenset(mark.lastgroup or "" for mark in BASIS.finditer(lower))
    return (labels(without_periods(lower)) | bases) - _general_names()


def is_computed(text: str) -> bool:
    """Return whether a text says that a figure is a sum or a difference."""
    lower = text.lower()
    are_said = (_SAID[kind].search(lower) for kind in ("sum", "growth", "difference"))
    return any(are_said) or _says_net(text, _COUNT)


def is_net_count(figure: Quantity, sentence: str) -> bool:
    """Return whether a sentence says that a count is net: a net 15 stores, 15 stores, net."""
    return figure.unit == "count" and _says_net(sentence, re.escape(figure.text.lower()))


def mentions_net(text: str) -> bool:
    """Return whether a text says "net" of anything."""
    return re.search(r"\bnet\b", text.lower()) is not None


def _says_net(text: str, number: str) -> bool:
    """Return whether a text says "net" of a number that a pattern matches."""
    net_number = rf"\bnet (?:of )?{number}\b|\b{number}[^,;.\d]{{1,40}}, net\b"
    return re.search(net_number, text.lower()) is not None


def _is_growth(first: _Operand, second: _Operand) -> bool:
    """Return whether more came than went; the second went unless only the first did."""
    came, went = first.figure, second.figure
    if _is_leaving(came) and not _is_leaving(went):
        came, went = went, came
    return came.amount > went.amount


def _is_leaving(figure: Quantity) -> bool:
    return _LEAVING.search(f"{figure.wording.before} {figure.wording.after}") is not None


def _is_fall(claim: Quantity) -> bool:
    """Return whether the words right beside a net figure say that more went than came."""
    words_after = claim.wording.after.split()[:2]
    return _LEAVING.search(f"{claim.wording.before} {' '.join(words_after)}") is not None
