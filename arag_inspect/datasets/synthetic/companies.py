"""Fictional companies: their names, industries and people."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from random import Random
from typing import Any

from .templates import load_table


@dataclass(frozen=True, slots=True)
class Company:
    """A fictional company that holds calls."""

    ticker: str
    name: str
    industry: Mapping[str, Any]
    """Table of the industry in `phrases/industries.toml`."""
    segments: tuple[str, ...]
    chief: str
    finance: str
    relations: str
    analysts: tuple[tuple[str, str], ...]
    """Names with their brokers."""
    year: int
    """Year of the first call."""
    quarter: int
    """Quarter of the first call, from 1."""
    calls: int
    growth_step: int
    """Precision of stated growth, in tenths of a percent."""

    @property
    def first(self) -> int:
        """Index of the first simulated quarter with a call."""
        return 4 + self.quarter - 1


@cache
def _coinages() -> tuple[tuple[str, str], ...]:
    """Combine syllables to names with tickers, all distinct."""
    table = load_table("names")
    syllables = product(*(table[part].items() for part in ("beginnings", "middles", "endings")))
    return tuple((a + b + c, (x + y + z).upper()) for (x, a), (y, b), (z, c) in syllables)


def company_count() -> int:
    """Count the companies there can be."""
    return len(_coinages())


def make_company(index: int, seed: int) -> Company:
    """Make the company of that index; no two of one seed share a name or ticker.

    Args:
        index: Position in the sequence of companies, below `company_count()`.
        seed: Seed of the whole sequence.
    """
    rng, table = Random(f"{seed}:company:{index}"), load_table("names")
    start = Random(f"{seed}:coin").randrange(company_count())
    coined, ticker = _coinages()[(index * 104_729 + start) % company_count()]
    industry = rng.choice(list(load_table("industries").values()))
    names = zip(rng.sample(table["first"], 12), rng.sample(table["last"], 12), strict=True)
    chief, finance, relations, *analysts = [f"{first} {last}" for first, last in names]
    brokers = rng.sample(table["brokers"], len(analysts))
    return Company(
        ticker=ticker,
        name=f"{coined} {rng.choice(industry['suffixes'])}",
        industry=industry,
        segments=tuple(rng.sample(industry["segments"], rng.choice((2, 3, 3, 4)))),
        chief=chief,
        finance=finance,
        relations=relations,
        analysts=tuple(
            (name, f"{broker} {rng.choice(table['broker_suffixes'])}")
            for name, broker in zip(analysts, brokers, strict=True)
        ),
        year=rng.randint(2016, 2022),
        quarter=rng.randint(1, 4),
        calls=rng.randint(4, 8),
        growth_step=rng.choice((1, 1, 10)),
    )


def coin_target(rng: Random) -> str:
    """Coin the name of a company that may be bought; it holds no calls."""
    suffix = rng.choice(("Works", "Labs", "Group", "Partners", "Brothers"))
    return f"{rng.choice(load_table('names')['last'])} {suffix}"
