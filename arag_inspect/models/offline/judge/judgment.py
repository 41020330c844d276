"""Errors of a summary of a judgment that can be seen without understanding it."""

import re
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from ....quantities import verify_claims
from .court import (
    Opinion,
    Speaker,
    citations,
    division,
    for_parties,
    opinions,
    outcomes,
    shared,
    speaker,
    without_references,
)
from .nli import infer
from .overlap import sentences

_HOLDS = re.compile(r"\bwe (?:therefore |accordingly |thus |also |further |now )?(?:hold|conclude)\b|^Held:", re.I)  # fmt: skip
_PRONOUN = re.compile(r"^(?:He|She)\b")

_CLAUSE = re.compile(r"[;:]|, (?:and|but)\b")

_TOLD = 0.5
"""Share of the words of a holding that a sentence of the summary must have to tell it."""

_HELD = 0.6
"""Share of the words of a sentence that an opinion must have to be where it is from."""

_APART = 0.25
"""By how much less the opinion must have that the sentence is given to."""


class Fault(NamedTuple):
    """An error of a summary, with its grade in the legal rubric."""

    grade: int
    what: str


def faults(summary: str, source: str, reference: str) -> list[Fault]:
    """Errors of a summary of a judgment, by rule.

    1. A reported case is cited that neither opinion nor reference cites: critical.
    2. The judgment is said to be affirmed, reversed or vacated where the opinion says none such, or not as to that party: fail.
    3. The vote is not that of the reference, or is called unanimous over a dissent: critical.
    4. There is a concurrence or a dissent, and the summary does not mention any: major.
    5. The court holds something (`We hold that`) of which no sentence of the summary has half of the words: major.
    6. A sentence that is told as the court's contradicts what the court holds (`inference.infer`): critical.
    7. A sentence is given to a judge or to the court, and stands in another opinion: critical.
    8. A figure stands nowhere in opinion or reference: critical.

    Args:
        summary: What is judged.
        source: The opinion; anything else has no faults of this kind.
        reference: A good summary, or nothing.
    """
    parts = opinions(source)
    if not parts:
        return []
    holdings = _holdings(parts)
    told = _told(summary)
    return [
        *_citations(summary, f"{source}\n{reference}"),
        *_outcome(summary, source),
        *_vote(summary, reference, any(part.speaker.role == "dissent" for part in parts)),
        *_left_out(summary, parts),
        *_omitted(holdings, told),
        *_wrong(holdings, told),
        *_misattributed(told, parts),
        *_invented(summary, [source, reference]),
    ]


class _Told(NamedTuple):
    """A sentence of a summary, and whose opinion it tells."""

    text: str
    speaker: Speaker


def _told(summary: str) -> list[_Told]:
    found: list[_Told] = []
    for text in sentences(summary):
        who = found[-1].speaker if found and _PRONOUN.match(text) else speaker(text)
        found.append(_Told(text, who))
    return found


def _holdings(parts: Sequence[Opinion]) -> list[str]:
    return [
        sentence
        for part in parts
        if part.speaker.role == "court"
        for sentence in part.sentences
        if _HOLDS.search(sentence)
    ]


def _citations(summary: str, known: str) -> Iterator[Fault]:
    for cited in sorted(citations(summary) - citations(known)):
        yield Fault(2, f"{cited} is cited nowhere in the opinion")


def _outcome(summary: str, source: str) -> Iterator[Fault]:
    true = outcomes(source)
    for outcome in sorted(outcomes(summary) - true) if true else ():
        yield Fault(1, f"the judgment is not {outcome}")
    known = for_parties(source)
    for party, outcome in for_parties(summary).items():
        if known.get(party, outcome) != outcome:
            yield Fault(1, f"the judgment is not {outcome} as to {party}")


def _vote(summary: str, reference: str, dissent: bool) -> Iterator[Fault]:
    told, true = division(summary) - {"unanimous"}, division(reference) - {"unanimous"}
    for vote in sorted(told - true) if true else ():
        yield Fault(2, f"the vote was not {vote}")
    if dissent and "unanimous" in division(summary):
        yield Fault(2, "the court was not unanimous")


def _left_out(summary: str, parts: Sequence[Opinion]) -> Iterator[Fault]:
    roles = {part.speaker.role for part in parts}
    for role, what, stem in (
        ("concurrence", "concurring", "concur"),
        ("dissent", "dissenting", "dissent"),
    ):
        if role in roles and stem not in summary.lower():
            yield Fault(3, f"there is a {what} opinion, and it is left out")


def _omitted(holdings: Sequence[str], told: Sequence[_Told]) -> Iterator[Fault]:
    for holding in (one for one in holdings if not one.startswith("Held:")):
        if max((shared(holding, one.text) for one in told), default=0.0) < _TOLD:
            yield Fault(3, f"a holding is left out: {holding}")


def _wrong(holdings: Sequence[str], told: Sequence[_Told]) -> Iterator[Fault]:
    for one in told:
        if one.speaker.role in (None, "court"):
            for holding in holdings:
                found = infer(one.text, holding)
                if found.label == "contradiction":
                    yield Fault(2, f"a holding is told wrongly ({found.why}): {one.text}")
                    break


def _misattributed(told: Sequence[_Told], parts: Sequence[Opinion]) -> Iterator[Fault]:
    for one in told:
        if one.speaker == Speaker():
            continue
        others = [part for part in parts if part.speaker.is_other(one.speaker)]
        own = [part for part in parts if part not in others]
        best = max(others, key=lambda part: _holding(part, one.text), default=None)
        if best is not None and own:
            held = _holding(best, one.text)
            if held >= _HELD and held - max(_holding(part, one.text) for part in own) >= _APART:
                yield Fault(2, f"words of {best.speaker} are given to {one.speaker}: {one.text}")


def _holding(part: Opinion, text: str) -> float:
    """How much of what a sentence tells an opinion has, clause by clause: a summary may join two of its sentences."""
    clauses = [one for one in _CLAUSE.split(text) if shared(one, one)] or [text]
    return fmean(max(shared(one, place) for place in part.sentences) for one in clauses)


def _invented(summary: str, known: Sequence[str]) -> Iterator[Fault]:
    for claim in verify_claims(without_references(summary), known):
        if claim.verdict == "not_found":
            yield Fault(2, f"{claim.figure.text} stands nowhere in the opinion")
