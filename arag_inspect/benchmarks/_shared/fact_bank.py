"""The fact bank: facts of each document against which summaries are scored."""

import json
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from arag_inspect._util.files import digest
from arag_inspect.benchmark.rows import read_models
from arag_inspect.corpus import EDITED_FACTS, FACTS, GRADER_FACTS, Chunk, align
from arag_inspect.figures import Quantity, extract_quantities
from arag_inspect.types.sample import Fact, Importance, SampleFact

Origin = Literal["key_sentence", "generator", "reference", "grader"]

_LETTERS: dict[Origin, str] = {"key_sentence": "k", "reference": "r", "grader": "g"}
_READ = (
    "text",
    "metric",
    "value",
    "value_high",
    "scale",
    "unit",
    "currency",
    "negative",
    "basis",
    "status",
    "direction",
)
"""Fields of a figure that the bank keeps."""


class FactRecord(BaseModel):
    """One line of `facts.jsonl`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fact_id: str = Field(min_length=1)
    """Unique in the folder."""

    doc_id: str
    text: str = Field(min_length=1)
    """The fact, as shown to a judge."""

    sentence: str = ""
    """Source of the fact: a sentence of the document or the reference, verbatim."""

    chunk_id: int | None = None
    """Chunk with the sentence; None if not found."""

    origin: Origin
    key: bool = True
    """Whether summaries are scored on it; other facts are true of the document too."""

    kind: str = ""
    """Kind assigned by a grader."""

    importance: Importance | None = None
    """Assigned by a grader or an annotator; None if not judged."""

    edited: bool = False
    """Whether an annotator has revised the document's facts of this origin."""

    readings: tuple[dict[str, Any], ...] = ()
    """Its figures as `extract_quantities` reads them, without unstated fields."""

    digest: str = ""
    """Digest of the line as the package wrote it; reveals an annotator's changes."""

    @property
    def fingerprint(self) -> str:
        """Return the `digest` of an unchanged line."""
        content = [self.doc_id, self.text, self.sentence, self.key, self.kind]
        if self.importance:
            content.append(self.importance)
        return digest(json.dumps(content), length=8)


def bank_fact(
    fact_id: str,
    doc_id: str,
    text: str,
    origin: Origin,
    chunks: Sequence[Chunk],
    *,
    sentence: str | None = None,
    kind: str = "",
    key: bool = True,
) -> FactRecord:
    """Make a fact from a text, with its figures and its chunk.

    Args:
        fact_id: Unique in the folder.
        doc_id: Document of the fact.
        text: The fact.
        origin: Origin of the fact.
        chunks: Chunks of the document.
        sentence: Sentence to locate in the chunks; None for the text itself.
        kind: Kind assigned by a grader.
        key: Whether summaries are scored on it.
    """
    sentence = text if sentence is None else sentence
    return FactRecord(
        fact_id=fact_id,
        doc_id=doc_id,
        text=text,
        sentence=sentence,
        chunk_id=align(sentence, chunks).chunk_id,
        origin=origin,
        kind=kind,
        key=key,
        readings=tuple(_figure_reading(f) for f in extract_quantities(text) if f.unit != "year"),
    )


def bank_sentences(
    doc_id: str, sentences: Iterable[str], origin: Origin, chunks: Sequence[Chunk]
) -> list[FactRecord]:
    """Make a fact of each sentence, numbered in order: `<doc_id>#k01`, `#r01`."""
    return [
        bank_fact(fact_id(doc_id, origin, number), doc_id, text, origin, chunks)
        for number, text in enumerate(sentences, 1)
    ]


def fact_id(doc_id: str, origin: Origin, number: int) -> str:
    """Return the id of a document's fact, e.g. `ABM_q1_2021#k01`."""
    return f"{doc_id}#{_LETTERS[origin]}{number:02}"


def bank_text(facts: Iterable[FactRecord]) -> str:
    """Return the contents of `facts.jsonl`."""
    records = (fact.model_copy(update={"digest": fact.fingerprint}) for fact in facts)
    return "".join(f"{fact.model_dump_json(exclude_defaults=True)}\n" for fact in records)


def key_facts(facts: Iterable[FactRecord]) -> list[dict[str, Any]]:
    """Return the key facts for a sample's metadata, with their chunks."""
    entries = []
    for fact in facts:
        if fact.key:
            key_fact = SampleFact(
                id=fact.fact_id,
                text=fact.text,
                chunk_id=fact.chunk_id,
                sentence=fact.sentence if fact.sentence != fact.text else "",
                importance=fact.importance,
            )
            entries.append(key_fact.model_dump(exclude_defaults=True))
    return entries


def count_facts(facts: Sequence[FactRecord]) -> dict[str, int]:
    """Return the counts for the manifest."""
    optional = {
        EDITED_FACTS: sum(fact.edited for fact in facts),
        GRADER_FACTS: sum(fact.origin == "grader" for fact in facts),
    }
    counts = {"facts": len(facts), "key_facts": sum(fact.key for fact in facts)}
    return counts | {name: count for name, count in optional.items() if count}


def read_bank(folder: Path) -> list[FactRecord]:
    """Read the facts of a prepared folder; empty if it has no bank.

    Raises:
        InputError: A line is not a fact, or an id occurs twice.
    """
    return list(read_models(folder / FACTS, FactRecord, key="fact_id").values())


def _figure_reading(figure: Quantity) -> dict[str, Any]:
    stated_fields = {name: getattr(figure, name) for name in _READ}
    stated_fields["period"] = str(figure.period).removeprefix("-") or None
    return {name: value for name, value in stated_fields.items() if value or value == 0.0}


_GUIDED = {"up": ", raised", "down": ", lowered", "flat": ", unchanged", None: ""}


def bank_generated(
    facts: Sequence[Fact], key: Collection[str], doc_id: str, chunks: Sequence[Chunk]
) -> list[FactRecord]:
    """Make lines of the bank from a document's typed facts.

    Args:
        facts: Every figure that the document states.
        key: Ids of the key facts.
        doc_id: The document.
        chunks: Its chunks.
    """
    metrics = {fact.metric for fact in facts}
    records = []
    for fact in facts:
        record = bank_fact(
            fact.fact_id,
            doc_id,
            describe_fact(fact, metrics),
            "generator",
            chunks,
            sentence=fact.sentence,
            key=fact.fact_id in key,
        )
        records.append(record)
    return records


def describe_fact(fact: Fact, metrics: Collection[str]) -> str:
    """Describe a fact in a few words: `revenue of $1.13 billion in Q2 2022, up`.

    Args:
        fact: The fact.
        metrics: Metrics of the document; distinguishes `revenue growth`, the change of a metric,
            from `basket size growth`, a metric.
    """
    basis = {"gaap": "GAAP ", "adjusted": "adjusted ", None: ""}[fact.basis]
    span, _, year = fact.period.partition("_")
    period = f"fiscal {year}" if span == "FY" else f"{span} {year}"
    if fact.status == "guidance":
        return (
            f"guidance for {basis}{fact.metric} in {period}: "
            f"{amount(fact)}{_GUIDED[fact.direction]}"
        )
    base = re.sub(" (?:growth|change)$", "", fact.metric)
    if base != fact.metric and base in metrics and fact.direction:
        return f"{basis}{base} in {period} {fact.direction} {amount(fact)}"
    trend = f", {fact.direction}" if fact.direction else ""
    return f"{basis}{fact.metric} of {amount(fact)} in {period}{trend}"


def amount(fact: Fact) -> str:
    """Write the figure of a fact, with its range."""
    bounds = [end for end in (fact.value, fact.value_high) if end is not None]
    scale = "" if fact.scale == "one" else f" {fact.scale}"
    amounts = []
    for end in bounds:
        number = f"{end:,.2f}" if fact.unit == "usd_per_share" else f"{end:,.10g}"
        sign = "$" if fact.unit in ("usd", "usd_per_share") else ""
        percent = "%" if fact.unit == "percent" else ""
        amounts.append(f"{sign}{number}{percent}{scale}")
    unit = {"usd_per_share": " per share", "basis_points": " basis points"}.get(fact.unit or "", "")
    return " to ".join(amounts) + unit
