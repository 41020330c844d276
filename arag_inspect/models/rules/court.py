"""What a program can check of a summary of a judgment: citations, outcome, vote, separate opinions."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPINION = re.compile(
    r"^(?:CHIEF )?JUSTICE [A-Z][\w'’-]+\b.{0,300}?(?P<what>delivered|announced|concurring|dissenting)",
    re.MULTILINE,
)
_CITATION = re.compile(r"\b\d{1,4} (?:[A-Z][A-Za-z]*\. ?)+(?:\d(?:d|th) )?\d{1,5}\b")
_JUDGMENT = re.compile(r"judgment[^.]{0,120}?\b(?:is|are)\b(?P<what>[^.]{0,200})", re.I)
_OUTCOME = re.compile(r"\b(?:affirmed|reversed|vacated)\b", re.I)
_ABBREVIATED = re.compile(r"\b(Dr|Mrs?|Ms|Inc|Co|No|St|v)\.")
_VOTE = re.compile(r"\b(?P<more>[4-9])\s?(?:[-–]|to)\s?(?P<fewer>[0-5])\b")
_UNANIMOUS = re.compile(r"\bunanimous", re.I)


class Fault(NamedTuple):
    """An error of a summary, with its grade in the legal rubric."""

    grade: int
    what: str


def faults(summary: str, source: str, reference: str) -> list[Fault]:
    """Errors of a summary of a judgment that can be seen without understanding it.

    1. A reported case is cited that neither opinion nor reference cites: critical.
    2. The judgment is said to be affirmed, reversed or vacated where the opinion says none such: fail.
    3. The vote is not that of the reference, or is called unanimous over a dissent: critical.
    4. There is a concurrence or a dissent, and the summary does not mention any: major.

    Args:
        summary: What is judged.
        source: The opinion; anything else has no faults of this kind.
        reference: A good summary, or nothing.
    """
    parts = {match["what"] for match in _OPINION.finditer(source)}
    if not parts:
        return []
    return [
        *_citations(summary, f"{source}\n{reference}"),
        *_outcome(summary, source),
        *_vote(summary, reference, "dissenting" in parts),
        *_left_out(summary, parts),
    ]


def _citations(summary: str, known: str) -> Iterator[Fault]:
    for cited in sorted(set(_CITATION.findall(summary)) - set(_CITATION.findall(known))):
        yield Fault(2, f"{cited} is cited nowhere in the opinion")


def _outcome(summary: str, source: str) -> Iterator[Fault]:
    true = _outcomes(source)
    for outcome in sorted(_outcomes(summary) - true) if true else ():
        yield Fault(1, f"the judgment is not {outcome}")


def _outcomes(text: str) -> set[str]:
    """All that a text says a judgment is."""
    whole = _ABBREVIATED.sub(r"\1", text)
    told = (match["what"] for match in _JUDGMENT.finditer(whole))
    return {outcome.lower() for what in told for outcome in _OUTCOME.findall(what)}


def _vote(summary: str, reference: str, dissent: bool) -> Iterator[Fault]:
    told, true = (
        {match.groups() for match in _VOTE.finditer(text)} for text in (summary, reference)
    )
    for more, fewer in sorted(told - true) if true else ():
        yield Fault(2, f"the vote was not {more}-{fewer}")
    if dissent and _UNANIMOUS.search(summary):
        yield Fault(2, "the court was not unanimous")


def _left_out(summary: str, parts: set[str]) -> Iterator[Fault]:
    for what, stem in (("concurring", "concur"), ("dissenting", "dissent")):
        if what in parts and stem not in summary.lower():
            yield Fault(3, f"there is a {what} opinion, and it is left out")
