"""ROUGE, by hand and by the library."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score
from rouge_score.rouge_scorer import RougeScorer

from arag_inspect.scorers import rouge
from arag_inspect.scorers.rouge import KEYS, _rouge_scorer
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")


def scored(answer: str, target: str | list[str]) -> Score:
    task = Task(dataset=[Sample(input="?", target=target)], scorer=rouge())
    log = run(task, scripted(Script(answer)))
    assert log.samples and log.samples[0].scores
    return log.samples[0].scores["rouge"]


def test_by_hand() -> None:
    # answer: 4 tokens, reference: 5; shared: 3 words, and 1 pair of words of 3 and of 4
    score = scored("sales rose ten percent", "sales grew by ten percent")
    assert isinstance(score.value, dict) and score.metadata
    assert score.value["rouge1"] == pytest.approx(2 * (3 / 4) * (3 / 5) / (3 / 4 + 3 / 5))
    assert score.value["rouge2"] == pytest.approx(2 * (1 / 3) * (1 / 4) / (1 / 3 + 1 / 4))
    assert score.metadata["precision"]["rouge1"] == pytest.approx(3 / 4)
    assert score.metadata["recall"]["rouge1"] == pytest.approx(3 / 5)
    assert score.value["rouge1_recall"] == pytest.approx(3 / 5)
    assert score.value["rouge2_recall"] == pytest.approx(1 / 4)
    assert "stemmer:yes" in score.metadata["signature"]
    assert "rouge-score:" in score.metadata["signature"]


def test_stems() -> None:
    score = scored("margins improved", "margin improving")
    assert isinstance(score.value, dict) and score.value["rouge1"] == 1.0


def test_summary_level_takes_sentences() -> None:
    reference = "Revenue was $4.2 billion.\nMargins fell in the U.S. business."
    answer = "Margins fell in the U.S. business. Revenue was $4.2 billion."
    score = scored(answer, reference)
    expected = RougeScorer(["rougeLsum"], use_stemmer=True).score(
        reference, answer.replace(". Rev", ".\nRev")
    )
    assert isinstance(score.value, dict)
    assert score.value["rougeLsum"] == pytest.approx(expected["rougeLsum"].fmeasure) == 1.0
    assert score.value["rougeL"] < 1


def test_best_of_several_references() -> None:
    score = scored("the cat sat", ["a dog ran", "the cat sat"])
    assert isinstance(score.value, dict) and score.value["rouge2"] == 1.0


def test_recall_counts_the_reference_that_is_recalled_best() -> None:
    # F1 is best for the second reference (1/2 against 2/7), recall for the first (1 against 2/5)
    score = scored("the cat sat on mats today", ["cat", "cat sat under two tables"])
    assert isinstance(score.value, dict) and score.metadata
    assert score.value["rouge1_recall"] == 1.0
    assert score.metadata["recall"]["rouge1"] == pytest.approx(2 / 5)


def test_empty_answer_scores_zero_and_says_so() -> None:
    score = scored("", "something")
    assert isinstance(score.value, dict) and set(score.value.values()) == {0}
    assert score.explanation == "The answer is empty."


@pytest.mark.parametrize("text", ["Привет, мир", "你好 世界", "नमस्ते दुनिया", "Größe über Öl"])
def test_words_of_any_script_count(text: str) -> None:
    score = scored(text, text.upper())
    assert isinstance(score.value, dict) and set(score.value.values()) == {1}


def test_letters_of_scripts_without_spaces_are_words() -> None:
    score = scored("收入增长", "收入下降")
    assert isinstance(score.value, dict)
    assert (score.value["rouge1"], score.value["rouge2"]) == (0.5, pytest.approx(1 / 3))


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_words_of_plain_letters_are_those_of_the_library(data: st.DataObject) -> None:
    texts = st.text("abcdES ’“”–—$€£.,%()0123456789\n½™•", max_size=60)
    pairs = [(data.draw(texts), f"x {data.draw(texts)}") for _ in range(10)]
    library = RougeScorer(list(KEYS), use_stemmer=True)
    for answer, reference in pairs:
        ours, theirs = (scorer.score(reference, answer) for scorer in (_rouge_scorer(), library))
        assert ours == theirs


@pytest.mark.parametrize("target", ["", "  ", "!!!"])
def test_without_a_reference_there_is_no_score(target: str) -> None:
    score = scored("something", target)
    assert score.value != score.value and score.reason == "no_reference"


def test_texts_whose_subsequences_would_fill_the_memory_are_unscored() -> None:
    score = scored("a " * 6_000, "b " * 6_000)
    assert score.value != score.value and score.reason == "too_long"
    assert score.explanation and "36,000,000 cells" in score.explanation
