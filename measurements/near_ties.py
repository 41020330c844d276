"""How often two sentences score nearly the same: `python -m measurements.near_ties FOLDER`.

FOLDER is a copy of the ECTSum repository. Sentences of every second call, each with its prefix, are
the corpus; sentences of the other calls are the searches.
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from arag_inspect.benchmarks.ectsum.reader import read_ectsum
from arag_inspect.corpus import Document, embedding_model
from arag_inspect.corpus.embedding.models import Vectors
from arag_inspect.text.sentences import split_sentences

from .measure import processor

NEIGHBOURS = 6
"""Sentences compared: the five that a search returns by default, and the next."""

CLOSE = 1e-6
"""The digit to which cosines are rounded."""

LAST_DIGITS = 2e-7
"""Largest change of a cosine between processors."""

_CANDIDATES = 64
"""Sentences whose cosines are computed in float64."""

_SEARCHES = 500
"""Searches computed together."""


class Counts(NamedTuple):
    """Searches of each kind."""

    searches: int
    close: int
    """Two neighbours are closer than `CLOSE`."""

    at_an_edge: int
    """A neighbour lies within `LAST_DIGITS` of where rounding goes up or down."""

    undecided: int
    """The order of two neighbours can change if both change by `LAST_DIGITS`."""


def near_ties(folder: Path, split: str, number: int) -> Counts:
    """Search for sentences of half of the calls among those of the other half.

    Args:
        folder: Copy of the ECTSum repository.
        split: Part of it.
        number: Maximum sentences searched for, and maximum searched.
    """
    documents = list(read_ectsum(split, source=folder).documents)  # type: ignore[arg-type]
    passages = list(dict.fromkeys(islice(_sentences(documents[::2], prefix=True), number)))
    searches = list(dict.fromkeys(islice(_sentences(documents[1::2], prefix=False), number)))
    model = embedding_model()
    vectors, queries = model.encode(passages), model.encode_queries(searches)
    print(f"{len(searches):,} searches among {len(passages):,} distinct sentences")
    parts = [
        count(_best_cosines(queries[start : start + _SEARCHES], vectors))
        for start in range(0, len(queries), _SEARCHES)
    ]
    return Counts(*map(sum, zip(*parts, strict=True)))


def count(cosines: npt.NDArray[np.float64]) -> Counts:
    """Count the searches with cosines that nearly tie.

    Args:
        cosines: The highest of each search, descending, shape (searches, neighbours).
    """
    gaps = cosines[:, :-1] - cosines[:, 1:]
    places = cosines / CLOSE
    to_an_edge = np.abs(places - np.floor(places) - 0.5) * CLOSE
    lowest = np.round(cosines - LAST_DIGITS, 6)
    highest = np.round(cosines + LAST_DIGITS, 6)
    first_may_not_lead = lowest[:, :-1] <= highest[:, 1:]
    always_tie = (lowest[:, :-1] == highest[:, 1:]) & (highest[:, :-1] == lowest[:, 1:])
    return Counts(
        len(cosines),
        int((gaps < CLOSE).any(axis=1).sum()),
        int((to_an_edge < LAST_DIGITS).any(axis=1).sum()),
        int((first_may_not_lead & ~always_tie).any(axis=1).sum()),
    )


def _best_cosines(queries: Vectors, vectors: Vectors) -> npt.NDArray[np.float64]:
    """Return the highest cosines of each query, shape (queries, `NEIGHBOURS`)."""
    near = np.argpartition(-(queries @ vectors.T), _CANDIDATES, axis=1)[:, :_CANDIDATES]
    products = queries[:, None, :].astype(np.float64) * vectors[near]
    return -np.sort(-products.sum(axis=2), axis=1)[:, :NEIGHBOURS]


def _sentences(documents: Sequence[Document], *, prefix: bool) -> Iterator[str]:
    for document in documents:
        for section in document.sections:
            for start, end in split_sentences(section.text):
                sentence = section.text[start:end]
                yield f"{section.prefix} {sentence}" if prefix else sentence


def main() -> None:
    """Count near ties in searches over real sentences."""
    parser = argparse.ArgumentParser(prog="python -m measurements.near_ties", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="copy of the ECTSum repository")
    parser.add_argument("--split", default="val", help="[default: %(default)s]")
    parser.add_argument("--number", type=int, default=11_000, help="[default: %(default)s]")
    given = parser.parse_args()
    counts = near_ties(given.folder, given.split, given.number)
    print(f"processor: {processor()}; {embedding_model().machine}")
    for text, searches in (
        (f"two of the first {NEIGHBOURS} are closer than {CLOSE:g}", counts.close),
        (f"one of them is within {LAST_DIGITS:g} of a rounding edge", counts.at_an_edge),
        ("last digits can change the order of two", counts.undecided),
    ):
        print(f"{text}: {searches:,} of {counts.searches:,} ({searches / counts.searches:.2%})")


if __name__ == "__main__":
    main()
