"""One judge's grade of one dimension, and the faults of statements without support."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, NamedTuple

from inspect_ai.model import Model
from pydantic import Field, create_model
from rapidfuzz import fuzz

from ..measure import Scale
from ..prompts import fence, fill, load_prompt
from ..text.matching import occurrences, quotations
from .criteria import Criteria
from .expected_score import ExpectedScore, expected_score
from .judge import Judgement, judge
from .long_source import quote_if_long
from .material import Places, show_source, with_headers
from .parsing import StrictModel, VerdictForm, integer_form, json_form

Kind = Literal["absent", "contradicted"]
GroundingError = Literal["invented", "not_retrieved", "misread"]
FAULTS: tuple[GroundingError, ...] = ("invented", "not_retrieved", "misread")

_SAME = 85
"""Similarity (rapidfuzz, 0 to 100) above which two quotations are the same statement."""


class Unsupported(StrictModel):
    """A statement of a summary that the material does not support."""

    statement: str
    kind: Kind
    """Not in the material at all, or against it."""


def faults(read: Sequence[Unsupported], source: Sequence[Unsupported]) -> dict[str, GroundingError]:
    """Classify each unsupported statement by two judgements.

    1. `misread`: the passages that were read contradict it.
    2. `invented`: neither they nor the whole source support it.
    3. `not_retrieved`: the whole source supports it, but the system had not read that.
    4. Statements unsupported only by the whole source are `invented` too.

    Args:
        read: Statements not supported by the text the system has read.
        source: Statements not supported by the whole source.

    Returns:
        Fault by statement.
    """
    by_statement: dict[str, GroundingError] = {}
    for item in read:
        if item.kind == "contradicted":
            by_statement[item.statement] = "misread"
        else:
            invented = _is_among(item, source)
            by_statement[item.statement] = "invented" if invented else "not_retrieved"
    return by_statement | {
        item.statement: "invented" for item in source if not _is_among(item, read)
    }


def _is_among(item: Unsupported, others: Sequence[Unsupported]) -> bool:
    return any(
        fuzz.partial_ratio(item.statement.casefold(), other.statement.casefold()) >= _SAME
        for other in others
    )


_WHOLE = "the whole document"
_PART = "what the system has read; the document may contain more"

_EXAMPLE = '{"unsupported": [{"statement": "words of the summary", "kind": "absent"}], "score": N}'


class JudgedAgainst(NamedTuple):
    """Material against which an answer is graded."""

    tag: str
    """`source`, `reference`, or `none`."""

    origin: str = ""
    texts: Sequence[str] = ()
    places: Places = Places()


class DimensionVerdict(NamedTuple):
    """A judge's verdict on an answer."""

    judgement: Judgement["Grounded"]
    criteria: Criteria
    value: float | None
    """The integer, or the expected score if requested; None without a verdict."""

    weighing: ExpectedScore | None = None
    quotes: Sequence[tuple[str, bool]] = ()
    """Quotations in the reasoning, and whether each occurs in the material or the answer."""

    parts: int = 1
    """Number of parts in which the source was read."""

    @property
    def unsupported(self) -> Sequence[Unsupported]:
        """Statements of the answer that the source does not support."""
        return self.judgement.verdict.unsupported if self.judgement.verdict else ()

    def as_dict(self) -> dict[str, Any]:
        """Return the entry for a score's metadata."""
        entry = {
            **self.judgement.as_dict(),
            "verdict": self.value,
            "unsupported": [statement.model_dump() for statement in self.unsupported],
            "quotes": [{"text": text, "stands": stands} for text, stands in self.quotes],
            "parts": self.parts,
        }
        return entry | ({"weighing": self.weighing.as_dict()} if self.weighing else {})

    def explanation(self) -> str:
        """Return the whole reasoning, and the quotations that were not found."""
        missing = [text for text, stands in self.quotes if not stands]
        notes = [f"Quoted, but not found in the material: “{text}”" for text in missing]
        if self.weighing and self.weighing.unread:
            notes.append(f"Sampled replies that could not be read: {self.weighing.unread}")
        return "\n".join([self.judgement.text, *notes])


class Grounded(StrictModel):
    """A score, and the statements that a source does not support."""

    unsupported: list[Unsupported]
    score: int

    def __int__(self) -> int:
        return self.score


async def judge_dimension(
    grader: Model,
    criteria: Criteria,
    scale: Scale,
    against: JudgedAgainst,
    answer: str,
    *,
    name: str | None = None,
    samples: int = 0,
    max_source_tokens: int | None = None,
) -> DimensionVerdict:
    """Let a judge grade an answer by criteria.

    Args:
        grader: The judge.
        criteria: The criteria.
        scale: Lowest and highest score.
        against: Material of the grading. A source longer than the judge's window is read in parts.
        answer: The answer.
        name: Name of the judge in a panel.
        samples: Replies to average for an expected score without log-probabilities; 0 asks for the
            integer.
        max_source_tokens: Longest source shown at once, in tokens; None derives it from the judge's
            window.
    """
    material, parts, quoting = against, 1, None
    if against.tag == "source":
        headed = with_headers(against.texts, against.places.passages)
        texts, parts, quoting = await quote_if_long(grader, headed, answer, max_source_tokens)
        if quoting is not None:
            origin = f"quotations from {against.origin}"
            material = JudgedAgainst("source", origin, texts, Places(whole=against.places.whole))
    if quoting is not None and quoting.verdict is None:
        failed: Judgement[Any] = replace(quoting, grader=name or str(grader))
        return DimensionVerdict(failed, criteria, None)
    prompt, form = _prompt(criteria, scale, material, answer), _form(scale, against.tag)
    weighing = None
    if samples:
        judgement, weighing = await expected_score(grader, prompt, form, scale, samples)
    else:
        judgement = await judge(grader, prompt, form)
    judgement.grader = name or judgement.grader
    if quoting is not None:
        judgement.add_cost(quoting)
    if judgement.verdict is None:
        return DimensionVerdict(judgement, criteria, None, parts=parts)
    quotes = quotations(judgement.replies[-1])
    return DimensionVerdict(
        judgement,
        criteria,
        weighing.value if weighing else judgement.verdict.score,
        weighing,
        list(zip(quotes, occurrences(quotes, [*against.texts, answer]), strict=True)),
        parts,
    )


def _prompt(criteria: Criteria, scale: Scale, against: JudgedAgainst, answer: str) -> str:
    material = rulings = ""
    if against.tag == "source":
        material = show_source(against.origin, against.texts, against.places.passages)
        extent = _WHOLE if against.places.whole else _PART
        rulings = fill(load_prompt("judge/geval_source"), extent=extent)
    elif against.tag == "reference":
        material = fence("reference", "\n\n".join(against.texts))
        rulings = load_prompt("judge/geval_reference")
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
    ).strip()


def _form(scale: Scale, tag: str) -> VerdictForm[Grounded]:
    """Return the form of a verdict: an integer, or JSON with unsupported statements.

    The latter applies if the answer is graded against a source.
    """
    if tag != "source":
        return integer_form(*scale).then(lambda score: Grounded(unsupported=[], score=score))
    return json_form(_grounded(scale), _EXAMPLE)


@cache
def _grounded(scale: Scale) -> type[Grounded]:
    bounds = Field(ge=scale.low, le=scale.high)
    return create_model("Verdict", __base__=Grounded, score=(int, bounds))
