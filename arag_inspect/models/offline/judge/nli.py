"""Inference by rule: whether one sentence contradicts or entails another. No model of inference, and no substitute for one."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Literal, NamedTuple

from ....quantities import Quantity, Statement, compare, read_statement, verify_claims
from ....quantities.compare import conflicting, same_quantity
from ....quantities.trends import read_directions
from ....quantities.verify import same_matter
from . import court
from .overlap import SUPPORTED, sentences, word_set
from .wording import Wording, read_wording

Label = Literal["contradiction", "entailment", "neutral"]

_SAME = 0.6
"""Share of the shorter sentence's words that the other must have, so that both are about the same."""

_CLOSELY = 0.75
"""The same where nothing but a figure tells that they are."""

_WORDS = 3
"""Least number of those words."""


_TELLING = frozenset({"period", "basis", "status"})
"""Properties of a figure that make it one of another matter."""


class Inferred(NamedTuple):
    """What a premise means for a hypothesis."""

    label: Label
    why: str = ""
    """What decided."""


def infer(premise: str, hypothesis: str) -> Inferred:
    """Say whether a premise contradicts or entails a hypothesis, as far as a program can see.

    A sentence is contradicted where

    1. the same metric has another figure, sign, direction, period or basis (`figures.agree`), or another direction without any figure;
    2. outcome, vote or author of a court's opinion differ (`court.conflict`);
    3. both are plainly about the same (three words at least, and 60 % of those of the shorter one; no name on either side that the other lacks) and a word is denied in one of them only, both hold one of two opposites, or one legal standard stands for another;
    4. they are nearly the same (75 %) and a figure stands for another one.

    It is entailed where one sentence of the premise holds 60 % of its words, with
    all its names and figures, and denies none of them. Anything else is neutral. What
    nobody would take for rules (other words for the same, conclusions, what the
    sentence before has said) is not seen.

    Args:
        premise: What is taken for true: a sentence, or several.
        hypothesis: One sentence.
    """
    true = _read(hypothesis)
    found = [_infer(_read(sentence), true) for sentence in sentences(premise)]
    for label in ("entailment", "contradiction"):
        if first := next((one for one in found if one.label == label), None):
            return first
    return Inferred("neutral")


class _Sentence(NamedTuple):
    """A sentence with all that the rules look at."""

    text: str
    statement: Statement
    wording: Wording
    directions: frozenset[tuple[str, frozenset[str], str]]
    """Metric, what narrows it down, and direction of each claim of one."""


@lru_cache(maxsize=4096)
def _read(text: str) -> _Sentence:
    claims = frozenset(
        (one.metric, one.narrowed, one.direction) for one in read_directions(text) if not one.denied
    )
    return _Sentence(
        text, read_statement(court.without_references(text)), read_wording(text), claims
    )


def _infer(said: _Sentence, true: _Sentence) -> Inferred:
    if why := next(_conflicts(said, true), None):
        return Inferred("contradiction", why)
    if _holds(said, true):
        return Inferred("entailment", "words, names and figures stand there")
    return Inferred("neutral")


def _conflicts(said: _Sentence, true: _Sentence) -> Iterator[str]:
    if not _differ(said.wording.names, true.wording.names):
        yield from _figures(said.statement, true.statement)
        yield from _directions(said, true)
    if why := court.conflict(said.text, true.text):
        yield why
    if court.speaker(said.text).is_other(court.speaker(true.text)):
        return  # the one may well say the opposite of the other
    if _about_the_same(said, true, _SAME) and _figures_in_common(said, true):
        yield from said.wording.opposes(true.wording)
    if _about_the_same(said, true, _CLOSELY) and not _differ(
        said.wording.stems, true.wording.stems
    ):
        yield from _untyped(said.statement, true.statement)


def _about_the_same(said: _Sentence, true: _Sentence, least: float) -> bool:
    one, other = said.wording, true.wording
    shared = len(one.stems & other.stems)
    shorter = min(len(one.stems), len(other.stems))
    return shared >= max(_WORDS, least * shorter) and not _differ(one.names, other.names)


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether each has something that the other lacks: then they are about two things, not one told at more length."""
    return bool(one - other) and bool(other - one)


def _figures_in_common(said: _Sentence, true: _Sentence) -> bool:
    """Sentences that both have figures, and none in common, are about two things."""
    here, there = said.statement.figures, true.statement.figures
    return not (here and there) or any(_stands(one, there) for one in here)


def _figures(said: Statement, true: Statement) -> Iterator[str]:
    """A figure that the other sentence has otherwise, of the same known metric, and not also as it is."""
    for figure in said.figures:
        akin = [other for other in true.figures if same_matter(figure, other)]
        verdicts = [compare(figure, other) for other in akin]
        if any(verdict.outcome == "supported" for verdict in verdicts):
            continue
        for other, verdict in zip(akin, verdicts, strict=True):
            if verdict.outcome == "contradicted" and figure.metric == other.metric is not None:
                yield f"{figure.text} and {other.text}: {verdict.reason}"


def _directions(said: _Sentence, true: _Sentence) -> Iterator[str]:
    """A metric, narrowed down alike, that rises here and falls there, where no figure could tell."""
    if said.statement.figures and true.statement.figures:
        return
    for (metric, narrowed, here), (other, narrowed_too, there) in product(
        said.directions, true.directions
    ):
        if metric == other and narrowed == narrowed_too and {here, there} == {"up", "down"}:
            yield f"{metric} goes {here} and {there}"


def _untyped(said: Statement, true: Statement) -> Iterator[str]:
    """A figure that takes the place of another one, where not both are of a known metric: those `compare` has compared."""
    new = [one for one in said.figures if not _stands(one, true.figures)]
    gone = [one for one in true.figures if not _stands(one, said.figures)]
    for one, other in product(new, gone):
        if (
            one.dimension == other.dimension
            and None in (one.metric, other.metric)
            and one.change == other.change
            and _TELLING.isdisjoint(conflicting(one, other))
        ):
            yield f"{one.text} and {other.text}"


def _stands(one: Quantity, others: tuple[Quantity, ...]) -> bool:
    return any(same_quantity(one, other) or same_quantity(other, one) for other in others)


def _holds(said: _Sentence, true: _Sentence) -> bool:
    words = word_set(true.text)
    if any(said.wording.opposes(true.wording)):
        return False
    if not words or len(words & word_set(said.text)) / len(words) < SUPPORTED:
        return False
    claims = verify_claims(true.text, [said.text])
    return true.wording.names <= said.wording.names | said.wording.openers and all(
        claim.verdict in ("supported", "unsettled") for claim in claims
    )
