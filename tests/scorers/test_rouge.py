"""ROUGE, by hand and by the library."""

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score
from rouge_score.rouge_scorer import RougeScorer

from arag_inspect.scorers import rouge
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


def test_empty_answer_scores_zero_and_says_so() -> None:
    score = scored("", "something")
    assert isinstance(score.value, dict) and set(score.value.values()) == {0}
    assert score.explanation == "The answer is empty."


@pytest.mark.parametrize("target", ["", "  "])
def test_without_a_reference_there_is_no_score(target: str) -> None:
    score = scored("something", target)
    assert score.value != score.value and score.reason == "no_reference"
