"""Fictional companies: their names, industries and people."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random

from .templates import Bank, load_table, parse_bank


@dataclass(frozen=True, slots=True)
class Indicator:
    """An operating figure that an industry reports."""

    name: str
    kind: str
    """`percent`, `count` or `usd`."""
    low: float
    high: float
    noun: str = ""
    """What a count counts."""
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Industry:
    """An industry, with what its companies report and talk about."""

    name: str
    tags: frozenset[str]
    suffixes: tuple[str, ...]
    segments: tuple[str, ...]
    indicators: tuple[Indicator, ...]
    words: Mapping[str, tuple[str, ...]]
    phrases: Bank
    gross_margin: tuple[float, float]
    operating_margin: tuple[float, float]
    capex: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Analyst:
    """Somebody who asks questions."""

    name: str
    broker: str


@dataclass(frozen=True, slots=True)
class Company:
    """A fictional company that holds calls."""

    ticker: str
    name: str
    industry: Industry
    segments: tuple[str, ...]
    chief: str
    successor: str
    """Who leads the company if the chief executive leaves."""
    finance: str
    relations: str
    analysts: tuple[Analyst, ...]
    year: int
    """Year of the first call."""
    quarter: int
    """Quarter of the first call, from 1."""
    calls: int


@cache
def industries() -> tuple[Industry, ...]:
    """Load the industries."""
    return tuple(
        Industry(
            name,
            frozenset(table["tags"]),
            tuple(table["suffixes"]),
            tuple(table["segments"]),
            tuple(Indicator(**row) for row in table["indicators"]),
            {key: tuple(words) for key, words in table["words"].items()},
            parse_bank(table["phrases"]),
            tuple(table["gross_margin"]),
            tuple(table["operating_margin"]),
            tuple(table["capex"]),
        )
        for name, table in load_table("industries").items()
    )


@cache
def _coinages() -> tuple[tuple[str, str], ...]:
    """Combine syllables to names with tickers, all distinct."""
    table = load_table("names")
    syllables = product(
        table["beginnings"].items(), table["middles"].items(), table["endings"].items()
    )
    return tuple((a + b + c, (x + y + z).upper()) for (x, a), (y, b), (z, c) in syllables)


def company_count() -> int:
    """Count the companies there can be."""
    return len(_coinages())


def _coin(index: int, seed: int) -> tuple[str, str]:
    """Coin the name and ticker of a company; no two indices of one seed share them."""
    coinages = _coinages()
    stride = 104_729
    return coinages[
        (index * stride + Random(f"{seed}:coin").randrange(len(coinages))) % len(coinages)
    ]


def _people(rng: Random, number: int) -> list[str]:
    table = load_table("names")
    first, last = rng.sample(table["first"], number), rng.sample(table["last"], number)
    return [f"{a} {b}" for a, b in zip(first, last, strict=True)]


def _brokers(rng: Random, number: int) -> list[str]:
    table = load_table("names")
    return [
        f"{name} {rng.choice(table['broker_suffixes'])}"
        for name in rng.sample(table["brokers"], number)
    ]


def found(index: int, seed: int) -> Company:
    """Found the company of that index.

    Args:
        index: Position in the sequence of companies, below `company_count()`.
        seed: Seed of the whole sequence.
    """
    rng = Random(f"{seed}:company:{index}")
    coined, ticker = _coin(index, seed)
    industry = rng.choice(industries())
    chief, successor, finance, relations, *analysts = _people(rng, 13)
    return Company(
        ticker=ticker,
        name=f"{coined} {rng.choice(industry.suffixes)}",
        industry=industry,
        segments=tuple(rng.sample(industry.segments, rng.choice((2, 3, 3, 4)))),
        chief=chief,
        successor=successor,
        finance=finance,
        relations=relations,
        analysts=tuple(map(Analyst, analysts, _brokers(rng, len(analysts)))),
        year=rng.randint(2016, 2022),
        quarter=rng.randint(1, 4),
        calls=rng.randint(4, 8),
    )


def coin_target(rng: Random) -> str:
    """Coin the name of a company that may be bought; it holds no calls."""
    table = load_table("names")
    return f"{rng.choice(table['last'])} {rng.choice(('Works', 'Labs', 'Group', 'Partners', 'Brothers'))}"
