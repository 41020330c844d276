"""Gold and predicted facts of a sample."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from ..._util.errors import InputError
from ...judge.judge import Judgement
from .listing import NamedFact, json_facts, list_facts, metadata_facts, numbered, sentence_facts

Predicted = Literal["auto", "grader", "json", "sentences"]


@dataclass
class Sides:
    """The facts of a sample, and their origin."""

    gold: list[NamedFact]
    predicted: list[NamedFact]
    gold_origin: str
    predicted_origin: str
    listings: list[Judgement[Any]]

    @property
    def gold_texts(self) -> dict[str, str]:
        """Gold facts by the codes shown to a judge: `G1`, `G2`."""
        return {f"G{number}": fact.text for number, fact in enumerate(self.gold, 1)}

    @property
    def predicted_texts(self) -> dict[str, str]:
        """Predicted facts by the codes shown to a judge: `P1`, `P2`."""
        return {f"P{number}": fact.text for number, fact in enumerate(self.predicted, 1)}

    @property
    def ids(self) -> dict[str, str]:
        """Ids of all facts by code."""
        codes, facts = (*self.gold_texts, *self.predicted_texts), (*self.gold, *self.predicted)
        return {code: fact.id for code, fact in zip(codes, facts, strict=True)}

    @property
    def failed(self) -> Judgement[Any] | None:
        """A listing that the grader could not produce."""
        return next((listing for listing in self.listings if listing.verdict is None), None)


class _Facts(NamedTuple):
    texts: list[str]
    origin: str
    listing: Judgement[Any] | None = None


def check_gold(gold: str) -> None:
    """Raise if the source of gold facts is unknown.

    Raises:
        InputError: The source is unknown.
    """
    if gold in ("auto", "bank", "reference"):
        return
    if gold.startswith("metadata:") and gold != "metadata:":
        return
    raise InputError(f"gold {gold!r} is unknown; choose from auto, bank, reference, metadata:KEY")


class Stored(NamedTuple):
    """Gold facts in a sample's metadata."""

    facts: list[NamedFact]
    origin: str
    """`bank`, `metadata:KEY`, or `reference` if the reference is to be used."""


def stored_facts(state: TaskState, gold: str) -> Stored:
    """Find the gold facts in a sample's metadata; see `fact_match` for `gold`."""
    if gold.startswith("metadata:"):
        return Stored(metadata_facts(state, gold.removeprefix("metadata:")), gold)
    facts = [] if gold == "reference" else metadata_facts(state, "facts")
    return Stored(facts, "bank" if facts or gold == "bank" else "reference")


async def find_sides(
    state: TaskState, target: Target, gold: str, predicted: Predicted, grader: Model
) -> Sides:
    """Find the facts of a sample; those of the answer only if there are gold facts.

    Args:
        state: The sample.
        target: Its reference.
        gold: `auto`, `bank`, `reference` or `metadata:KEY`, see `fact_match`.
        predicted: `auto`, `json`, `sentences` or `grader`, see `fact_match`.
        grader: Lists the facts of a text.
    """
    gold_facts, origin = stored_facts(state, gold)
    listings = []
    if origin == "reference":
        how: Predicted = "sentences" if predicted == "sentences" else "auto"
        reference_facts = await _facts("\n".join(target), how, grader)
        gold_facts = numbered(reference_facts.texts, "gold")
        origin = f"reference:{reference_facts.origin}"
        listings.append(reference_facts.listing)
    answer_facts = _Facts([], predicted)
    if gold_facts:
        answer_facts = await _facts(state.output.completion, predicted, grader)
        listings.append(answer_facts.listing)
    return Sides(
        gold_facts,
        numbered(answer_facts.texts, "predicted"),
        origin,
        answer_facts.origin,
        [listing for listing in listings if listing is not None],
    )


async def _facts(text: str, how: Predicted, grader: Model) -> _Facts:
    """Return the facts of an answer or a reference."""
    if not text.strip():
        return _Facts([], "empty")
    if how in ("auto", "json"):
        texts = json_facts(text, whole=how == "auto")
        if texts is not None or how == "json":
            return _Facts(texts or [], "json" if texts is not None else "no_json")
    if how == "sentences":
        return _Facts(sentence_facts(text), how)
    listing = await list_facts(grader, text)
    return _Facts([fact.description for fact in listing.verdict or []], "grader", listing)
