"""The judge's list beside its grade: statements of an answer, or items of a reference."""

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, create_model

from arag_inspect.judge.parsing import (
    ContradictionError,
    StrictModel,
    VerdictForm,
    integer_form,
    json_form,
)
from arag_inspect.measure import Scale
from arag_inspect.text.content_words import content_stems
from arag_inspect.text.matching import occurrences
from arag_inspect.text.replies import ReplyParseError

_POOR = 2
"""Highest grade, on a scale from 1 to 5, of an unfaithful answer."""

_PARAPHRASED = 0.5
"""Share of an entry's content words, by stem, that a text of which it is a paraphrase has."""


class Entry(StrictModel):
    """One entry of a judge's list."""

    text: str
    """Its words, copied from the answer or the reference."""

    verdict: str


class GradedList(NamedTuple):
    """A grade and the list that supports it."""

    score: int
    entries: Sequence[Entry] = ()

    def __int__(self) -> int:
        return self.score


class ListKind(NamedTuple):
    """A kind of list that a judge makes, and how it is counted."""

    key: str
    """Name of the list in a reply."""

    measure: str
    """Key of the measure, a share, computed from the list."""

    dimension: str
    """Dimension whose grade follows from the list."""

    weights: Mapping[str, float | None]
    """Weight of each verdict in the share; None if such entries do not count."""

    model: type[Entry]
    """Form of an entry in a reply."""

    example: str
    """Example of a verdict for the judge."""

    listed_text: str
    """The judge's name for the text from which it lists statements or items."""

    def share(self, grade: GradedList) -> float | None:
        """Return the mean weight of the entries; None if no entry counts."""
        weights = [self.weights[entry.verdict] for entry in grade.entries]
        weights_that_count = [weight for weight in weights if weight is not None]
        return fmean(weights_that_count) if weights_that_count else None


class _ListedStatement(Entry):
    verdict: Literal["supported", "distorted", "absent", "contradicted", "vague"]


class _ListedItem(Entry):
    verdict: Literal["stated", "partly", "missing", "wrong"]


STATEMENTS = ListKind(
    "statements",
    "supported",
    "faithfulness",
    {"supported": 1.0, "distorted": 0.0, "absent": 0.0, "contradicted": 0.0, "vague": None},
    _ListedStatement,
    '{"statements": [{"text": "words of the summary", "verdict": "supported"}, ...], "score": N}',
    "summary",
)
ITEMS = ListKind(
    "items",
    "stated",
    "coverage",
    {"stated": 1.0, "partly": 0.5, "missing": 0.0, "wrong": 0.0},
    _ListedItem,
    '{"items": [{"text": "words of the reference", "verdict": "stated"}, ...], "score": N}',
    "reference",
)


def list_kind(dimension: str, material: str) -> ListKind | None:
    """Return the kind of a judge's list: statements against a source, or items of a reference."""
    if material == "source":
        return STATEMENTS
    return ITEMS if material == "reference" and dimension == ITEMS.dimension else None


def graded_form(
    kind: ListKind | None, dimension: str, scale: Scale, listed_texts: Sequence[str] = ()
) -> VerdictForm[GradedList]:
    """Return the form of a grade, with its list if any.

    A grade that should follow from its list but contradicts it raises `ContradictionError`; a
    list of another text raises `ReplyParseError`.

    Args:
        kind: Kind of the list; None for a grade alone.
        dimension: Dimension of the grade.
        scale: Lowest and highest grade.
        listed_texts: Texts whose statements or items are listed; none if unknown.
    """
    if kind is None:
        return integer_form(*scale).then(GradedList)

    def read(reply: Any) -> GradedList:
        grade = GradedList(reply.score, getattr(reply, kind.key))
        if _are_of_other_text(grade.entries, listed_texts):
            raise ReplyParseError(f"none of the {kind.key} is in the {kind.listed_text}")
        reason = _contradiction(kind, scale, grade)
        if reason and dimension == kind.dimension:
            raise ContradictionError(reason, grade)
        return grade

    return json_form(_reply_model(kind.key, scale), kind.example).then(read)


@cache
def _reply_model(key: str, scale: Scale) -> type[BaseModel]:
    kind = STATEMENTS if key == STATEMENTS.key else ITEMS
    fields: dict[str, Any] = {
        key: (list[kind.model], ...),  # type: ignore[name-defined]
        "score": (int, Field(ge=scale.low, le=scale.high)),
    }
    return create_model("Verdict", __base__=StrictModel, **fields)


def _contradiction(kind: ListKind, scale: Scale, grade: GradedList) -> str | None:
    """Return why a grade contradicts its list; None if it does not."""
    share = kind.share(grade)
    if share is None:
        return None
    faulty = sum(kind.weights[entry.verdict] == 0 for entry in grade.entries)
    if grade.score == scale.high and faulty:
        fault = "not supported" if kind is STATEMENTS else "missing or wrong"
        return f"the score is {grade.score}, but {faulty} of the {kind.key} are {fault}"
    if kind is STATEMENTS and scale.of_five(grade.score) <= _POOR and not faulty:
        return f"the score is {grade.score}, but all statements are supported"
    if kind is ITEMS and grade.score == scale.low and share >= 0.5:
        return f"the score is {grade.score}, but {share:.0%} of the items are stated"
    return None


def poor_grades(scale: Scale) -> str:
    """Return the grades for which the judge must list an unsupported statement, e.g. `1 or 2`."""
    grades = range(scale.low, scale.high + 1)
    poor = [grade for grade in grades if scale.of_five(grade) <= _POOR]
    if len(poor) == 1:
        return str(poor[0])
    joint = "or" if len(poor) == 2 else "to"
    return f"{poor[0]} {joint} {poor[-1]}"


def not_found(entries: Sequence[Entry], texts: Sequence[str]) -> list[str]:
    """Return the texts of entries that do not occur in their source."""
    copied = [entry.text for entry in entries]
    are_found = occurrences(copied, texts)
    return [text for text, is_found in zip(copied, are_found, strict=True) if not is_found]


def _are_of_other_text(entries: Sequence[Entry], texts: Sequence[str]) -> bool:
    """Return whether there are entries, and none is copied from the texts or paraphrases them."""
    if not (entries and texts) or len(not_found(entries, texts)) < len(entries):
        return False
    stems = content_stems(" ".join(texts))
    return not any(_shares_words(entry, stems) for entry in entries)


def _shares_words(entry: Entry, stems: frozenset[str]) -> bool:
    """Return whether an entry has no content words, or enough of these are among some."""
    words = content_stems(entry.text)
    return len(words & stems) >= _PARAPHRASED * len(words)
