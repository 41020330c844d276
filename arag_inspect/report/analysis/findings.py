"""The key finding in words: only what the figures show, and "not shown" where they do not."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from ...types.measures import MAIN
from ..load.records import Benchmark, Run
from ..tables.cost import known, skipped
from ..tables.table import P, Signed, show
from .comparisons import Comparison

_QUESTIONS = (
    ("arag", "stuffing", "Retrieval", "reading the whole document"),
    ("arag", "naive_rag", "An agent that searches", "a single search"),
    ("naive_rag", "stuffing", "A single search", "reading the whole document"),
    ("stuffing", "closed_book", "Reading the document", "answering from memory"),
)
"""Does the first add value over the second, and how to ask that."""


class Finding(NamedTuple):
    """The answer to a question, as plain text."""

    claim: str
    """E.g. `Retrieval adds value over reading the whole document`, or that this is not shown."""

    reasons: str
    """For what and with which model, and the figures that it rests on."""


def key_findings(benchmark: Benchmark, comparisons: Sequence[Comparison]) -> tuple[Finding, ...]:
    """One finding for each question that the runs can answer."""
    told = []
    for first, second, subject, rival in _QUESTIONS:
        for a, b in product(_runs(benchmark, first), _runs(benchmark, second)):
            own = _of_pair(comparisons, a.system, b.system)
            if a.model == b.model and own:
                told.append(_finding(benchmark, a, b, (subject, rival), own))
    if not told:
        for a, b in combinations(benchmark.runs, 2):
            if own := _of_pair(comparisons, a.system, b.system):
                told.append(_finding(benchmark, a, b, None, own))
    if told:
        return tuple(told)
    why = (
        "there are no two systems with a main measure in common"
        if len(benchmark.runs) > 1
        else f"there is one system only, {benchmark.systems[0]}"
    )
    return (Finding(f"Nothing is shown for {benchmark.name}", f"because {why}."),)


def _finding(
    benchmark: Benchmark,
    a: Run,
    b: Run,
    question: tuple[str, str] | None,
    own: Sequence[Comparison],
) -> Finding:
    main, *others = own
    where = f"for {benchmark.name} with {' and '.join(dict.fromkeys((a.model, b.model)))}"
    claim = _claim(main, question)
    if question and main.winner == b.system:
        where += f", where {b.system} is better"
    sentences = [f"{where}, because {_reason(main)}."]
    shown = [one for one in others if one.winner]
    if shown:
        sentences.append(f"Also shown: {'; '.join(_reason(one) for one in shown)}.")
    undecided = [one.measure.label for one in others if not one.winner]
    if undecided:
        sentences.append(f"Not shown to differ: {', '.join(undecided)}.")
    return Finding(claim, " ".join([*sentences, *_price(a, b)]))


def _claim(main: Comparison, question: tuple[str, str] | None) -> str:
    """Whether the first adds value over the second, or else which is better."""
    if question is None:
        if main.winner is None:
            return f"That {main.a} and {main.b} differ in {main.measure.label} is not shown"
        other = main.b if main.winner == main.a else main.a
        return f"{main.winner} is better than {other}"
    subject, rival = question
    if main.winner is None:
        return f"That {subject[0].lower()}{subject[1:]} adds value over {rival} is not shown"
    return f"{subject} {'adds' if main.winner == main.a else 'does not add'} value over {rival}"


def _reason(one: Comparison) -> str:
    paired = one.paired
    difference = show(Signed(paired.difference, paired.low, paired.high))
    figures = (
        f"{one.measure.label} is {show(paired.mean_a)} for {one.a} and {show(paired.mean_b)} for "
        f"{one.b} on {paired.n} samples, a difference of {difference}"
    )
    return (
        f"{figures} (p after correction: {show(P(one.p_adjusted))})"
        if one.winner
        else f"{figures}: {one.doubt}"
    )


def _price(a: Run, b: Run) -> Iterator[str]:
    """What the one costs next to the other."""
    for take, form, verb, much in (
        (lambda sample: sample.cost_usd, "${:.4f}", "costs", "much"),
        (lambda sample: sample.tokens, "{:,.0f}", "takes", "many tokens"),
    ):
        own, other = known(a, take), known(b, take)
        if own.any() and other.any():
            yield (
                f"A question {verb} {own.mean() / other.mean():.1f} times as {much} with "
                f"{a.system} ({form.format(own.mean())}, {_answers(a, own.size)}) as with "
                f"{b.system} ({form.format(other.mean())}, {_answers(b, other.size)})."
            )
            return


def _answers(run: Run, n: int) -> str:
    """What a mean of effort is over, and what is left out of it."""
    left_out = skipped(run)
    return f"n {n}" + (f", {left_out} skipped" if left_out else "")


def _of_pair(comparisons: Sequence[Comparison], a: str, b: str) -> list[Comparison]:
    """Comparisons of two systems on the main measures, in their order, and as a against b."""
    return sorted(
        (one for one in comparisons if (one.a, one.b) == (a, b) and one.measure.name in MAIN),
        key=lambda one: MAIN.index(one.measure.name),
    )


def _runs(benchmark: Benchmark, solver: str) -> list[Run]:
    return [run for run in benchmark.runs if run.solver == solver]
