"""Material for the benchmarks: synthetic calls, pieces of them, and agent-style queries."""

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import count, islice
from multiprocessing import get_context
from random import Random
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from arag_inspect.benchmarks.synthetic import generate_calls
from arag_inspect.corpus import Document, EmbeddingModel
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.text.sentences import split_sentences

_BATCH = 500
"""Calls of one seed."""

_PIECE = 4500
"""Characters of a piece: about 1,000 tokens."""

# fmt: off
_PHRASES = (
    "free cash flow", "gross margin", "guidance", "operating income", "full-year outlook",
    "share repurchase", "dividend", "net revenue", "adjusted EBITDA", "earnings per share",
    "supply chain", "same-store sales", "capital expenditures", "operating margin", "backlog",
    "foreign exchange", "tax rate", "inventory", "pricing", "headwind", "organic growth",
    "working capital", "cost savings", "net debt", "bookings", "customer retention", "headcount",
    "inflation", "interest expense", "restructuring", "acquisition", "second half", "market share",
    "TYPE: EARNINGS_CALL", "Chief Financial Officer", "year over year", "basis points",
    "raised our", "we expect", "long-term target", "balance sheet", "cash from operations",
    "new customers", "launch", "digital", "subscription", "capacity", "utilization", "freight",
    "labor", "promotional", "buyback", "churn", "midpoint", "consensus", "record quarter",
    "sequentially", "weather", "tariff", "mix shift",
)
# fmt: on


@cache
def documents(number: int) -> Sequence[Document]:
    """Return the requested number of synthetic calls, with distinct ids."""
    sizes = [min(_BATCH, number - start) for start in range(0, number, _BATCH)]
    if len(sizes) == 1:
        return _generate(0, sizes[0])
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        return [d for batch in pool.map(_generate, range(len(sizes)), sizes) for d in batch]


def pieces(number: int) -> list[str]:
    """Texts of about 1,000 tokens, prefix first, each from one section of a call."""
    found: list[str] = []
    wanted = max(8, number // 3)
    while len(found) < number:
        found = list(islice(_pieces(documents(wanted)), number))
        wanted = wanted * 5 // 4
    return found


class SummaryCase(NamedTuple):
    """A summary of a call, its reference and the call."""

    answer: str
    """Key sentences of the call: about 90 words."""

    reference: str
    source: str


def summary_cases(number: int) -> list[SummaryCase]:
    """Return the summaries of so many calls."""
    calls = (call for seed in count() for call in generate_calls(_BATCH, seed))
    return [
        SummaryCase(
            answer="\n".join(call.evidence),
            reference=call.summary,
            source="\n\n".join(section.text for section in call.document.sections),
        )
        for call in islice(calls, number)
    ]


def sentences(number: int) -> list[str]:
    """Sentences of calls, in reading order, each with the prefix of its chunk before it."""
    found = (
        f"{section.prefix} {section.text[start:end]}"
        for document in documents(number // 50 + 1)
        for section in document.sections
        for start, end in split_sentences(section.text)
    )
    return list(islice(found, number))


def keyword_queries(texts: Sequence[str], number: int) -> list[list[str]]:
    """Queries of one to four keywords: prefix fields, phrases, figures, words of calls."""
    rng = Random(11)
    queries: dict[tuple[str, ...], None] = {}
    while len(queries) < number:
        text = rng.choice(texts)
        company, period = re.findall(r"(?:COMPANY|PERIOD|FILING): \w+", text)[:2]
        kinds = [
            [company, rng.choice([company.split()[1], company])],
            [period, period.split()[1].replace("_", " ")],
            _PHRASES,
            _PHRASES,
            re.findall(r"\$\d[\d.]* \w+|\d+\.\d+%|\d+\.\d+", text) or ["2.5%"],
            re.findall(r"\b[a-z]{6,}\b", text),
            re.findall(r"\b[a-z]+ [a-z]{5,}\b", text),
        ]
        chosen = rng.sample(kinds, rng.randint(1, 4))
        queries[tuple(dict.fromkeys(rng.choice(kind) for kind in chosen))] = None
    return [list(query) for query in queries]


def questions(number: int, documents: Sequence[Document]) -> list[str]:
    """Distinct queries for a search by meaning."""
    rng = Random(12)
    found: dict[str, None] = {}
    while len(found) < number:
        document = rng.choice(documents)
        topic, other = rng.sample(_PHRASES, 2)
        found[f"{document.company} {document.period} {topic} and {other}"] = None
    return list(found)


def _generate(seed: int, number: int) -> list[Document]:
    return [
        replace(call.document, doc_id=f"{seed}_{call.document.doc_id}")
        for call in generate_calls(number, seed)
    ]


def _pieces(documents: Sequence[Document]) -> Iterator[str]:
    for document in documents:
        for section in document.sections:
            parts = max(1, round(len(section.text) / _PIECE))
            size = -(-len(section.text) // parts)
            for start in range(0, len(section.text), size):
                yield f"{section.prefix} {section.text[start : start + size]}"


def random_vectors(rng: np.random.Generator, number: int, dimension: int) -> Vectors:
    """Random unit vectors, shape (number, dimension)."""
    vectors = rng.standard_normal((number, dimension), np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@contextmanager
def stand_ins() -> Iterator[None]:
    """Replace embeddings by random vectors, and token counts by character counts."""
    rng = np.random.default_rng(5)

    def encode(model: EmbeddingModel, texts: Sequence[str]) -> Vectors:
        return random_vectors(rng, len(texts), model.dimension)

    def count_tokens(model: EmbeddingModel, texts: Sequence[str]) -> list[int]:
        return [len(text) * 2 // 9 for text in texts]  # 4.5 characters a token

    with (
        patch.object(EmbeddingModel, "encode", encode),
        patch.object(EmbeddingModel, "count_tokens", count_tokens),
    ):
        yield
