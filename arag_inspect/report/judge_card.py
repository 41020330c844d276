"""Cards of judges, as `arag-inspect validate` writes them, and the line on a judge without a good one."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from ..stats.ranking import Rate
from .benchmark import Benchmark
from .comparisons import primary_measures
from .table import Cell, Share, Table

CARDS = Path("results") / "judge-cards"
"""Folder of the cards, in the working directory."""

_FIGURES = {
    "all_marked": "marked: all errors",
    "untouched": "marked: untouched",
    "low": "untouched in the worse half",
    "retest": "same when judged again",
    "readable": "verdicts read",
}
"""Label of each share of a measure."""

_LARGEST = 1 << 20
"""Bytes of a card; a larger file is none."""


class _CardModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class CardFault(NamedTuple):
    """A bound that a judge does not keep."""

    part: str
    text: str


class MeasureCheck(_CardModel):
    """What a judge makes of texts with known errors, by one measure."""

    measure: str
    readable: Rate | None
    """Verdicts that could be read."""

    marked: dict[str, Rate]
    """Texts with an inserted error that score worse than without it, by kind of error."""

    all_marked: Rate | None
    """The same over all kinds but the instruction to the judge."""

    untouched: Rate | None
    """Untouched texts that score worse when they are judged again."""

    low: Rate | None
    """Untouched texts in the worse half of the scale."""

    retest: Rate | None
    """Texts with the same score when they are judged again."""

    length: float | None
    """Share of texts that score better when everything is said twice, less those that score worse."""

    instruction: float | None
    """The same for bad texts with an instruction to the judge."""

    faults: tuple[CardFault, ...]


class CardPart(_CardModel):
    """One part of a validation."""

    name: str
    passed: bool | None
    """None if it could not be measured."""

    text: str


class JudgeCard(_CardModel):
    """What is known of a judge on one task; the JSON file of `arag-inspect validate`."""

    judge: str
    """Models that judge, as the signatures of scores name them."""

    host: str
    """Hosts of the judges' addresses that were set; empty for a provider's own."""

    ways: dict[str, str]
    """Judge and digest of the prompt in the signatures, by scorer."""

    version: str
    """Of arag-inspect."""

    created: str
    task: str
    corpus: str
    model: str
    """Model that answered."""

    passed: bool
    summary: str
    parts: tuple[CardPart, ...]
    measures: tuple[MeasureCheck, ...]
    bounds: dict[str, float]
    estimated_usd: float | None
    paid_usd: float


def way_of(signatures: Iterable[str]) -> str:
    """Return the judge and the prompt that signatures name; empty if they name no judge."""
    parts = {part for signature in signatures for part in signature.split("|")}
    if not any(part.startswith("judge:") and part != "judge:no" for part in parts):
        return ""
    return "|".join(sorted(part for part in parts if part.startswith(("judge:", "prompt:"))))


def read_cards(folder: Path = CARDS) -> list[JudgeCard]:
    """Read the cards of a folder, the newest first; what is no card is left out."""
    cards = []
    for path in folder.glob("*.json"):
        try:
            if path.stat().st_size <= _LARGEST:
                cards.append(JudgeCard.model_validate_json(path.read_bytes()))
        except (OSError, ValidationError, RecursionError):
            continue
    return sorted(cards, key=lambda card: card.created, reverse=True)


def unproven_judges(benchmark: Benchmark, folder: Path = CARDS) -> tuple[str, ...]:
    """Return a line for each judge of a primary measure whose card fails, and for those without."""
    ways: dict[str, dict[str, str]] = {}
    for scorer in dict.fromkeys(benchmark.spec(key).scorer for key in primary_measures(benchmark)):
        for system in benchmark.systems:
            if way := way_of(benchmark.signatures(scorer, system)):
                ways.setdefault(way.split("|")[0].removeprefix("judge:"), {})[scorer] = way
    cards = read_cards(folder) if ways else []
    newest = {
        judge: next((card for card in cards if card.ways.items() >= own.items()), None)
        for judge, own in ways.items()
    }
    lines = [
        f"The judge {judge} failed its validation: {card.summary}"
        for judge, card in newest.items()
        if card and not card.passed
    ]
    if unchecked := [judge for judge, card in newest.items() if card is None]:
        lines.append(f"Judge not validated (arag-inspect validate): {', '.join(unchecked)}")
    return tuple(lines)


def card_tables(card: JudgeCard) -> list[Table]:
    """Return the parts of a card, and the figures of each measure."""
    verdicts = {True: "pass", False: "fail", None: "not measured"}
    rows: list[tuple[Cell, ...]] = []
    for check in card.measures:
        shares = {f"marked: {kind}": share for kind, share in check.marked.items()}
        shares |= {
            label: share for name, label in _FIGURES.items() if (share := getattr(check, name))
        }
        for label, own in shares.items():
            ends = f"{own.low:.0%} to {own.high:.0%}"
            rows.append((check.measure, label, Share(own.value), ends, own.n))
        nets = {"twice the length": check.length, "instruction": check.instruction}
        for label, net in nets.items():
            if net is not None:
                rows.append((check.measure, f"net rise: {label}", Share(net), "", ""))
    parts = tuple((part.name, verdicts[part.passed], part.text) for part in card.parts)
    columns = ("measure", "figure", "share", "95 %", "texts")
    return [
        Table("parts", "Parts", "", ("part", "", "what was found"), parts),
        Table("figures", "Figures", "", columns, tuple(rows)),
    ]
