"""Tests of ROUGE, by hand and against the library."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import Score
from rouge_score.rouge_scorer import RougeScorer

from arag_inspect.measures.rouge import KEYS, _rouge_scorer
from arag_inspect.scorers import rouge
from tests.measures.cases import answered

REFERENCE = "Revenue was $4.2 billion.\nMargins fell in the U.S. business."
ANSWER = "Margins fell in the U.S. business. Revenue was $4.2 billion."
SCRIPTS = ("Привет, мир", "你好 世界", "नमस्ते दुनिया", "Größe über Öl")
NOTHING = ("", "  ", "!!!")
CASES: dict[str, tuple[str, str | list[str]]] = {
    "by hand": ("sales rose ten percent", "sales grew by ten percent"),
    "stems": ("margins improved", "margin improving"),
    "sentences": (ANSWER, REFERENCE),
    "best": ("the cat sat", ["a dog ran", "the cat sat"]),
    "recalled": ("the cat sat on mats today", ["cat", "cat sat under two tables"]),
    "empty": ("", "something"),
    "without spaces": ("收入增长", "收入下降"),
    "long": ("a " * 6_000, "b " * 6_000),
    **{text: (text, text.upper()) for text in SCRIPTS},
    **{f"to {target!r}": ("something", target) for target in NOTHING},
}


@pytest.fixture(scope="module")
def scores() -> dict[str, Score]:
    return dict(zip(CASES, answered(rouge(), [*CASES.values()]), strict=True))


def values(score: Score) -> dict[str, float]:
    assert isinstance(score.value, dict)
    return {key: float(str(value)) for key, value in score.value.items()}


def test_rouge_matches_hand_computed_values(scores: dict[str, Score]) -> None:
    # answer: 4 tokens, reference: 5; shared: 3 words, and 1 word pair of 3 and of 4
    found, metadata = values(scores["by hand"]), scores["by hand"].metadata or {}
    assert found["rouge1"] == pytest.approx(2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5))
    assert found["rouge2"] == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    assert metadata["precision"]["rouge1"] == pytest.approx(3 / 4)
    assert metadata["recall"]["rouge1"] == pytest.approx(3 / 5)
    assert found["rouge1_recall"] == pytest.approx(3 / 5)
    assert found["rouge2_recall"] == pytest.approx(1 / 4)
    assert "stemmer:yes" in metadata["signature"] and "rouge-score:" in metadata["signature"]


def test_rouge_uses_stemming_and_best_reference(scores: dict[str, Score]) -> None:
    assert values(scores["stems"])["rouge1"] == values(scores["best"])["rouge2"] == 1.0


def test_rouge_lsum_splits_sentences(scores: dict[str, Score]) -> None:
    found = values(scores["sentences"])
    expected = RougeScorer(["rougeLsum"], use_stemmer=True).score(
        REFERENCE, ANSWER.replace(". Rev", ".\nRev")
    )
    assert found["rougeLsum"] == pytest.approx(expected["rougeLsum"].fmeasure) == 1.0
    assert found["rougeL"] < 1


def test_rouge_recall_uses_reference_with_best_recall(scores: dict[str, Score]) -> None:
    # F1 is best for the second reference (1/2 against 2/7), recall for the first (1 against 2/5)
    assert values(scores["recalled"])["rouge1_recall"] == 1.0
    assert values(scores["best"])["rouge1_recall"] == 1.0  # the second
    recall = (scores["recalled"].metadata or {})["recall"]
    assert recall["rouge1"] == pytest.approx(2 / 5)


def test_empty_answer_scores_zero_with_explanation(scores: dict[str, Score]) -> None:
    assert set(values(scores["empty"]).values()) == {0}
    assert scores["empty"].explanation == "The answer is empty."


def test_rouge_counts_words_of_any_script(scores: dict[str, Score]) -> None:
    assert {value for text in SCRIPTS for value in values(scores[text]).values()} == {1}
    found = values(scores["without spaces"])  # each character is a word
    assert (found["rouge1"], found["rouge2"]) == (0.5, pytest.approx(1 / 3))


@settings(max_examples=20)
@given(st.data())
def test_rouge_equals_library_on_latin_text(data: st.DataObject) -> None:
    texts = st.text("abcdES ’“”–—$€£.,%()0123456789\n½™•", max_size=60)
    pairs = [(data.draw(texts), f"x {data.draw(texts)}") for _ in range(10)]
    library = RougeScorer(list(KEYS), use_stemmer=True)
    for answer, reference in pairs:
        ours, theirs = (scorer.score(reference, answer) for scorer in (_rouge_scorer(), library))
        assert ours == theirs


def test_rouge_is_unscored_without_reference_or_for_overlong_text(scores: dict[str, Score]) -> None:
    for target in NOTHING:
        assert scores[f"to {target!r}"].reason == "no_reference"
    assert scores["long"].value != scores["long"].value and scores["long"].reason == "too_long"
    assert "36,000,000 pairs of words" in str(scores["long"].explanation)
