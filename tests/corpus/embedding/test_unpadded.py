"""Tests that models get no padding, so that a text's vector is independent of other texts."""

from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest

from arag_inspect.corpus import Corpus
from arag_inspect.corpus.embedding.models import DType, cross_encoder, embedding_model
from arag_inspect.corpus.embedding.unpadded import compute_in_equal_lengths
from arag_inspect.measures.bertscore import bertscore
from arag_inspect.scorers import embedding_coverage, nli_contradiction
from tests.lazy import transformers
from tests.measures.cases import answered
from tests.measures.models import record_masks, save_tiny
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("real_vectors")

TEXTS = TABLES["texts"]
NAMES = ("chair", "chief", "analyst", "operator")
LONG = "revenue and profit grew in the quarter " * 200


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_vector_does_not_depend_on_other_texts_in_batch(dtype: DType) -> None:
    model = embedding_model(dtype=dtype)
    for encode in (model.encode, model.encode_queries):
        together = encode(TEXTS)
        alone = np.vstack([encode([text]) for text in TEXTS])
        assert np.abs(together - alone).max() <= 5e-7  # with padding in bfloat16: 1e-3


@pytest.mark.usefixtures("logs")
def test_models_receive_batches_without_padding(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    masks = record_masks(monkeypatch, transformers.BertModel)
    answer, reference = " ".join(f"{text}." for text in TEXTS), f"{TEXTS[2]} {TEXTS[4]} {LONG}"

    embedding_model().encode([*TEXTS, LONG])
    assert _take_unpadded_calls(masks)

    corpus = Corpus.open(synthetic_folder)

    async def search() -> None:
        async with anyio.create_task_group() as group:
            for text in TEXTS:
                group.start_soon(corpus.semantic_search, text, 3)

    anyio.run(search)
    assert _take_unpadded_calls(masks)

    answered(embedding_coverage(), [(answer, reference), (reference, answer)])
    assert _take_unpadded_calls(masks)

    answered(bertscore(), [(text, [reference, answer]) for text in [*TEXTS, LONG]])
    assert _take_unpadded_calls(masks)

    labels: dict[str, Any] = {"id2label": {0: "neutral", 1: "contradiction", 2: "entailment"}}
    save_tiny(
        tmp_path / "nli",
        transformers.BertForSequenceClassification,
        48,
        num_hidden_layers=1,
        **labels,
    )
    answered(nli_contradiction(model=str(tmp_path / "nli")), [(answer, reference)])
    assert _take_unpadded_calls(masks)

    one: dict[str, Any] = {"id2label": {0: "fit"}}
    save_tiny(
        tmp_path / "fit", transformers.BertForSequenceClassification, 48, num_hidden_layers=1, **one
    )
    cross_encoder(str(tmp_path / "fit")).scores("Who grew?", [*TEXTS, LONG])
    assert _take_unpadded_calls(masks)


@pytest.mark.usefixtures("logs")
def test_concurrent_texts_of_equal_length_are_encoded_separately(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus.open(synthetic_folder)
    anyio.run(corpus.semantic_search, "Who grew?", 1)  # the first also encodes the probes
    masks = record_masks(monkeypatch, transformers.BertModel)
    long = [
        f"What did the {name} say about margins in the third quarter of the year?" for name in NAMES
    ]

    async def search() -> None:
        async with anyio.create_task_group() as group:
            for text in long:
                group.start_soon(corpus.semantic_search, text, 3)

    anyio.run(search)
    answered(embedding_coverage(), [(text, long[0]) for text in long])
    answered(bertscore(), [(text, long[0]) for text in long])
    fit: dict[str, Any] = {"id2label": {0: "fit"}}
    save_tiny(
        tmp_path / "fit", transformers.BertForSequenceClassification, 48, num_hidden_layers=1, **fit
    )
    cross_encoder(str(tmp_path / "fit")).scores("Who grew?", long)
    assert len(masks) >= 4 * len(long) - 4 and all(len(mask) == 1 for mask in masks)


def _take_unpadded_calls(masks: list[np.ndarray]) -> bool:
    """Return whether the model was called, and never with padding; reset the calls."""
    unpadded = bool(masks) and all(mask.all() for mask in masks)
    masks.clear()
    return unpadded


def test_in_equal_lengths_returns_results_in_item_order() -> None:
    batches: list[list[str]] = []

    def upper(batch: list[str]) -> list[str]:
        batches.append(batch)
        return [text.upper() for text in batch]

    items = ["bb", "a", "cc", "dd", "e", ""]
    lengths = [20, 40, 20, 20, 40, 0]
    results = compute_in_equal_lengths(upper, items, lengths, at_most=2)
    assert results == ["BB", "A", "CC", "DD", "E", ""]
    # at least 16 tokens: an empty text is computed 16 times
    assert batches == [["bb", "cc"], ["dd"], ["a", "e"], [""] * 16]


@pytest.mark.parametrize(("words", "copies"), [(1, 6), (6, 2), (13, 2), (14, 1), (30, 1)])
def test_short_query_is_encoded_as_several_copies(
    monkeypatch: pytest.MonkeyPatch, words: int, copies: int
) -> None:
    masks = record_masks(monkeypatch, transformers.BertModel)
    embedding_model().encode_queries(["sales " * words])
    assert [mask.shape for mask in masks] == [(copies, words + 2)]
