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
        """Predicted facts likewise: `P1`, `P2`."""
        return {f"P{number}": fact.text for number, fact in enumerate(self.predicted, 1)}

    @property
    def ids(self) -> dict[str, str]:
        """Ids of all facts by code."""
        codes, facts = (*self.gold_texts, *self.predicted_texts), (*self.gold, *self.predicted)
        return {code: fact.id for code, fact in zip(codes, facts, strict=True)}

    @property
    def failed(self) -> Judgement[Any] | None:
        """A listing that the grader could not produce."""
        return next((one for one in self.listings if one.verdict is None), None)


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
    found = [] if gold == "reference" else metadata_facts(state, "facts")
    return Stored(found, "bank" if found or gold == "bank" else "reference")


async def find_sides(
    state: TaskState, target: Target, gold: str, predicted: Predicted, grader: Model
) -> Sides:
    """Find the facts of a sample; those of the answer only if there are gold facts.

    Args:
        state: The sample.
        target: Its reference.
        gold: `auto`, `bank`, `reference` or `metadata:KEY`, see `fact_match`.
        predicted: Likewise.
        grader: Lists the facts of a text.
    """
    named, origin = stored_facts(state, gold)
    listings = []
    if origin == "reference":
        how: Predicted = "sentences" if predicted == "sentences" else "auto"
        stated = await _facts("\n".join(target), how, grader)
        named, origin = numbered(stated.texts, "gold"), f"reference:{stated.origin}"
        listings.append(stated.listing)
    said = _Facts([], predicted)
    if named:
        said = await _facts(state.output.completion, predicted, grader)
        listings.append(said.listing)
    return Sides(
        named,
        numbered(said.texts, "predicted"),
        origin,
        said.origin,
        [one for one in listings if one is not None],
    )


async def _facts(text: str, how: Predicted, grader: Model) -> _Facts:
    """Return the facts of an answer or a reference."""
    if not text.strip():
        return _Facts([], "empty")
    if how in ("auto", "json"):
        found = json_facts(text, whole=how == "auto")
        if found is not None or how == "json":
            return _Facts(found or [], "json" if found is not None else "no_json")
    if how == "sentences":
        return _Facts(sentence_facts(text), how)
    listing = await list_facts(grader, text)
    return _Facts([one.description for one in listing.verdict or []], "grader", listing)
