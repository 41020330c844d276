"""One judge's grade of one dimension, and the faults of unsupported statements."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from inspect_ai.model import Model
from rapidfuzz import fuzz

from arag_inspect.judge.judge import judge
from arag_inspect.judge.judgement import Judgement, JudgingCost
from arag_inspect.judge.long_source import ShownSource, fit_source
from arag_inspect.judge.material import GradingMaterial, show_source
from arag_inspect.measure import Scale
from arag_inspect.measures._geval.criteria import Criteria, score_points
from arag_inspect.measures._geval.expected_score import ExpectedScore, expected_score
from arag_inspect.measures._geval.statement_lists import (
    STATEMENTS,
    Entry,
    GradedList,
    ListKind,
    graded_form,
    list_kind,
    not_found,
    poor_grades,
)
from arag_inspect.models.dry import is_dry
from arag_inspect.prompts import fence, fill, load_prompt
from arag_inspect.text.matching import occurrences, quotations

GroundingClass = Literal["invented", "not_retrieved", "misread"]
FAULTS: tuple[GroundingClass, ...] = ("invented", "not_retrieved", "misread")

_SAME = 85
"""Similarity (rapidfuzz, 0 to 100) above which two quotations are the same statement."""


def faults(entries: Sequence[Entry], source: Sequence[Entry]) -> dict[str, GroundingClass]:
    """Classify each unsupported statement by two judgements.

    1. `misread`: the passages that were read contradict it, or state it with another meaning.
    2. `invented`: neither they nor the whole source support it.
    3. `not_retrieved`: the whole source supports it in a part that the system had not read.
    4. Statements unsupported only by the whole source are `invented` too.

    Args:
        entries: Statements not supported by the text the system has read.
        source: Statements not supported by the whole source.

    Returns:
        Fault by statement.
    """
    faults_by_statement: dict[str, GroundingClass] = {}
    for item in entries:
        if item.verdict in ("contradicted", "distorted"):
            faults_by_statement[item.text] = "misread"
        else:
            invented = _has_similar_entry(item, source)
            faults_by_statement[item.text] = "invented" if invented else "not_retrieved"
    return faults_by_statement | {
        item.text: "invented" for item in source if not _has_similar_entry(item, entries)
    }


def _has_similar_entry(item: Entry, entries: Sequence[Entry]) -> bool:
    return any(
        fuzz.partial_ratio(item.text.casefold(), other.text.casefold()) >= _SAME
        for other in entries
    )


_WHOLE = "the whole document"
_PART = "what the system has read; the document may contain more"


class DimensionGrade(NamedTuple):
    """A judge's grade of an answer in one dimension."""

    judgement: Judgement[GradedList]
    criteria: Criteria
    value: float | None
    """The integer, or the expected score if requested; None without a verdict."""

    weighing: ExpectedScore | None = None
    quotes: Sequence[tuple[str, bool]] = ()
    """Quotations in the reasoning, and whether each occurs in the material or the answer."""

    parts: int = 1
    """Number of parts in which the source was read."""

    kind: ListKind | None = None
    """The judge's list; None if the dimension has none."""

    not_found: Sequence[str] = ()
    """Texts of entries that do not occur in the answer or the reference."""

    def with_cost(self, *costs: JudgingCost) -> "DimensionGrade":
        """Return the grade with further costs, see `Judgement.with_cost`."""
        return self._replace(judgement=self.judgement.with_cost(*costs))

    @property
    def entries(self) -> Sequence[Entry]:
        """The statements or items that the judge listed."""
        return self.judgement.verdict.entries if self.judgement.verdict else ()

    @property
    def unsupported(self) -> Sequence[Entry]:
        """Statements of the answer that the source does not support."""
        entries = self.entries if self.kind is STATEMENTS else ()
        return [entry for entry in entries if STATEMENTS.weights[entry.verdict] == 0]

    @property
    def share(self) -> float | None:
        """Share computed from the list; None without a list or without entries that count."""
        verdict = self.judgement.verdict
        return self.kind.share(verdict) if self.kind and verdict else None

    def as_dict(self) -> dict[str, Any]:
        """Return the entry for a score's metadata."""
        entry = {
            **self.judgement.as_dict(),
            "verdict": self.value,
            "quotes": [{"text": text, "stands": is_verbatim} for text, is_verbatim in self.quotes],
            "parts": self.parts,
        }
        if self.kind:
            entry |= {
                self.kind.key: [listed_entry.model_dump() for listed_entry in self.entries],
                "not_found": len(self.not_found),
                "share": self.share,
            }
        return entry | ({"weighing": self.weighing._asdict()} if self.weighing else {})

    def explanation(self) -> str:
        """Return the whole reasoning, with the faults that the program found."""
        missing = [text for text, is_verbatim in self.quotes if not is_verbatim]
        notes = [f"Quoted, but not found in the material: “{text}”" for text in missing]
        if self.weighing and self.weighing.unread:
            notes.append(f"Sampled replies that could not be read: {self.weighing.unread}")
        if self.judgement.contradiction:
            notes.append(f"The score contradicts the list: {self.judgement.contradiction}.")
        notes += [f"Listed, but not found word for word: “{text}”" for text in self.not_found]
        return "\n".join([self.judgement.text, *notes])


async def judge_dimension(
    grader: Model,
    criteria: Criteria,
    scale: Scale,
    against: GradingMaterial,
    answer: str,
    *,
    name: str,
    samples: int,
    max_source_tokens: int | None,
) -> DimensionGrade:
    """Let a judge grade an answer by criteria.

    Args:
        grader: The judge.
        criteria: The criteria.
        scale: Lowest and highest score.
        against: Material to grade against. A source over the judge's window is read in parts.
        answer: The answer.
        name: Name of the judge in a panel.
        samples: Replies to average for an expected score without log-probabilities; 0 asks for the
            integer.
        max_source_tokens: Longest source shown at once, in tokens; None derives it from the judge's
            window.
    """
    shown_source = ShownSource(against, Judgement(name))
    if against.kind == "source":
        shown_source = await fit_source(grader, name, against, answer, max_source_tokens)
    if shown_source.is_unreadable:
        return DimensionGrade(shown_source.quoting, criteria, None)
    material = shown_source.material
    if material.parts > 1:
        material = material._replace(origin=f"quotations from {against.origin}")
    kind = list_kind(criteria.dimension, against.kind)
    prompt = _prompt(criteria, scale, material, answer, kind)
    listed_texts = [answer] if kind is STATEMENTS else against.texts
    form = graded_form(kind, criteria.dimension, scale, () if is_dry(grader) else listed_texts)
    weighing = None
    if samples:
        judgement, weighing = await expected_score(grader, prompt, form, scale, samples)
    else:
        judgement = await judge(grader, prompt, form)
    judgement = replace(judgement, grader=name).with_cost(shown_source.quoting.cost)
    if judgement.verdict is None:
        return DimensionGrade(judgement, criteria, None, parts=material.parts, kind=kind)
    quotes = quotations(judgement.replies[-1])
    return DimensionGrade(
        judgement,
        criteria,
        weighing.value if weighing else judgement.verdict.score,
        weighing,
        list(zip(quotes, occurrences(quotes, [*against.texts, answer]), strict=True)),
        material.parts,
        kind,
        not_found(judgement.verdict.entries, listed_texts),
    )


def _prompt(
    criteria: Criteria,
    scale: Scale,
    against: GradingMaterial,
    answer: str,
    kind: ListKind | None,
) -> str:
    material = rulings = listing = ""
    grading = "mean"
    if against.kind == "source":
        material = show_source(against)
        extent = _WHOLE if against.whole else _PART
        rulings = fill(load_prompt("judge/geval_source"), extent=extent)
    elif against.kind == "reference":
        material = fence("reference", against.joined)
        rulings = load_prompt("judge/geval_reference")
    if kind is not None:
        listing = load_prompt(f"judge/lists/{kind.key}")
        if criteria.dimension == kind.dimension:
            grading = kind.key
    points = score_points(scale.low, scale.high)
    return fill(
        load_prompt("judge/geval"),
        dimension=criteria.dimension,
        definition=criteria.definition,
        criteria=criteria.text,
        low=scale.low,
        high=scale.high,
        material=material,
        summary=fence("summary", answer),
        rulings=rulings,
        listing=listing,
        grading=fill(load_prompt(f"judge/grades/{grading}"), poor=poor_grades(scale), **points),
    ).strip()
