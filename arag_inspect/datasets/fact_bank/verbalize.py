"""Generated facts in words and as lines of the fact bank."""

from collections.abc import Collection, Sequence
from typing import Literal

from ...corpus import Chunk, align
from ...types.fact import Fact
from ...types.fact import Unit as FactUnit
from .bank import FactRecord, Reading

_CHANGES = (" growth", " change")
_ACTUAL = {"up": "up", "down": "down", "flat": "flat", None: "at"}
_GUIDED = {"up": ", raised", "down": ", lowered", "flat": ", unchanged", None: ""}
_UNITS: dict[FactUnit, Literal["currency", "per_share", "percent", "basis_points", "count"]] = {
    "usd": "currency",
    "usd_per_share": "per_share",
    "percent": "percent",
    "basis_points": "basis_points",
    "count": "count",
}


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
    return [
        FactRecord(
            fact_id=fact.fact_id,
            doc_id=doc_id,
            text=in_words(fact, metrics),
            sentence=fact.sentence,
            chunk_id=align(fact.sentence, chunks).chunk_id,
            origin="generator",
            key=fact.fact_id in key,
            readings=() if fact.value is None else (_reading(fact, fact.value),),
        )
        for fact in facts
    ]


def in_words(fact: Fact, metrics: Collection[str]) -> str:
    """Put a fact into a few words: `revenue of $1.13 billion in Q2 2022, up`.

    Args:
        fact: The fact.
        metrics: Metrics of the document; distinguishes `revenue growth`, the change of a metric,
            from `basket size growth`, a metric.
    """
    basis = {"gaap": "GAAP ", "adjusted": "adjusted ", None: ""}[fact.basis]
    span, _, year = fact.period.partition("_")
    period = f"fiscal {year}" if span == "FY" else f"{span} {year}"
    if fact.status == "guidance":
        return f"guidance for {basis}{fact.metric} in {period}: {amount(fact)}{_GUIDED[fact.direction]}"
    base = next(
        (fact.metric.removesuffix(end) for end in _CHANGES if fact.metric.endswith(end)), ""
    )
    if base in metrics and fact.direction:
        return f"{basis}{base} in {period} {_ACTUAL[fact.direction]} {amount(fact)}"
    trend = f", {fact.direction}" if fact.direction else ""
    return f"{basis}{fact.metric} of {amount(fact)} in {period}{trend}"


def amount(fact: Fact) -> str:
    """Write the figure of a fact, with its range."""
    ends = [end for end in (fact.value, fact.value_high) if end is not None]
    scale = "" if fact.scale == "one" else f" {fact.scale}"
    amounts = []
    for end in ends:
        number = f"{end:,.2f}" if fact.unit == "usd_per_share" else f"{end:,.10g}"
        sign = "$" if fact.unit in ("usd", "usd_per_share") else ""
        percent = "%" if fact.unit == "percent" else ""
        amounts.append(f"{sign}{number}{percent}{scale}")
    unit = {"usd_per_share": " per share", "basis_points": " basis points"}.get(fact.unit or "", "")
    return " to ".join(amounts) + unit


def _reading(fact: Fact, value: float) -> Reading:
    money = fact.unit in ("usd", "usd_per_share")
    return Reading(
        text=amount(fact),
        metric=fact.metric,
        value=value,
        value_high=fact.value_high,
        scale=fact.scale,
        unit=_UNITS[fact.unit or "count"],
        currency="usd" if money else None,
        period=fact.period.replace("_", " "),
        basis=fact.basis,
        status=fact.status,
        direction=fact.direction,
    )
