"""Tests of contradiction scores, by hand and against transformers, with tiny models."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.scorer import Score

from arag_inspect.scorers import nli_contradiction
from tests.lazy import torch, transformers
from tests.measures.cases import answered
from tests.measures.models import WORDS, count_batches, save_tiny

pytestmark = pytest.mark.usefixtures("logs")

LABELS = ("neutral", "Contradiction", "entailment")

ANSWER = ["Revenue rose ten percent.", "Profit fell.", "Sales grew in the quarter."]
REFERENCE = ["Revenue fell.", "Profit rose by twelve percent.", "The outlook fell.", "Sales flat."]


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., str]:
    """Make a tiny classifier; with `logits`, it rates every pair the same."""

    def make(
        logits: tuple[float, ...] | None = None, labels: tuple[str, ...] = LABELS, seed: int = 0
    ) -> str:
        def classifier(config: Any) -> Any:
            model = transformers.BertForSequenceClassification(config)
            if logits is not None:
                model.classifier.weight.data.zero_()
                model.classifier.bias.data = torch.tensor(logits)
            return model

        folder = tmp_path / f"nli{len(list(tmp_path.iterdir()))}"
        ids = {label: index for index, label in enumerate(labels)}
        label_names = {"id2label": dict(enumerate(labels)), "label2id": ids}
        save_tiny(
            folder, classifier, 48, seed, num_hidden_layers=2, initializer_range=0.6, **label_names
        )
        return str(folder)

    return make


def scored(answer: str, target: str | list[str], **options: Any) -> Score:
    return answered(nli_contradiction(**options), [(answer, target)])[0]


def contradictions(folder: str, premises: list[str], hypotheses: list[str]) -> dict[Any, float]:
    """Return the pairs that contradict each other according to transformers, run one at a time."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder)
    probabilities = {}
    for pair in product(premises, hypotheses):
        with torch.no_grad():
            logits = model(**tokenizer(*pair, return_tensors="pt")).logits[0]
        shares = logits.softmax(-1).tolist()
        if shares[1] == max(shares) and shares[1] >= 0.5:
            probabilities[pair] = shares[1]
    return probabilities


def test_nli_contradiction_equals_pairwise_transformers_inference(make: Callable[..., str]) -> None:
    for seed in range(7, 30):  # find a model whose verdicts vary, and change when pairs are swapped
        folder = make(seed=seed)
        against = contradictions(folder, ANSWER, REFERENCE)
        contradicted = {hypothesis for _, hypothesis in against}
        swapped = {hypothesis for hypothesis, _ in contradictions(folder, REFERENCE, ANSWER)}
        if 0 < len(contradicted) < 4 and len(contradicted) != len(swapped):
            break
    else:
        pytest.fail("no model says what this test needs")

    score = scored(" ".join(ANSWER), " ".join(REFERENCE), model=folder)
    assert score.value == pytest.approx(1 - len(contradicted) / 4)
    assert score.metadata
    pairs = score.metadata["contradictions"]
    assert {(pair["answer"], pair["reference"]) for pair in pairs} == against.keys()
    assert [pair["probability"] for pair in pairs] == pytest.approx(
        sorted(against.values(), reverse=True), abs=1e-4
    )


# softmax of (0, ln 8, 0) is (0.1, 0.8, 0.1)
ALWAYS = (0.0, 2.0794415, 0.0)


def test_nli_contradiction_lists_all_contradictions_and_signature(make: Callable[..., str]) -> None:
    score = scored("Profit fell. Sales fell.", "Profit rose. Sales rose.", model=make(ALWAYS))
    assert score.value == 0 and score.metadata
    assert [pair["probability"] for pair in score.metadata["contradictions"]] == pytest.approx(
        [0.8] * 4
    )
    assert score.explanation == "2 of 2 reference sentences are contradicted."
    assert "arithmetic:float32|" in score.metadata["signature"]


@pytest.mark.parametrize(
    ("answer", "target", "logits", "value"),
    [
        ("Profit fell.", "Profit rose.", (0.0, 0.71, 0.0), 0),  # 0.504
        ("Profit fell.", "Profit rose.", (0.0, 0.68, 0.0), 1),  # 0.497
        ("Profit fell.", ["Profit rose.", "Sales rose. Sales grew."], ALWAYS, 0),
        ("profit " * 200, "sales " * 200, ALWAYS, 0),  # longer than the window
    ],
)
def test_nli_contradiction_returns_expected_values(
    make: Callable[..., str], answer: str, target: Any, logits: Any, value: float
) -> None:
    score = scored(answer, target, model=make(logits))
    assert score.value == value
    if isinstance(target, list):
        assert score.explanation == "3 of 3 reference sentences are contradicted."


def test_empty_answer_has_no_sentence_to_check(make: Callable[..., str]) -> None:
    assert scored("", "Profit rose.", model=make(ALWAYS)).reason == "no_sentences"


def test_contradiction_label_is_read_from_model_config(make: Callable[..., str]) -> None:
    always = make(ALWAYS, labels=("CONTRADICTION", "entailment", "neutral"))
    assert scored("Profit fell.", "Profit rose.", model=always).value == 1
    for labels in (("good", "bad", "ugly"), ("score",)):
        score = scored("Profit fell.", "Profit rose.", model=make(labels=labels))
        assert score.value != score.value and score.reason == "scoring_failed"
        assert f"no label 'contradiction' but {', '.join(labels)};" in str(score.explanation)


def test_nli_contradiction_rejects_pickled_weights(make: Callable[..., str]) -> None:
    folder = Path(make(ALWAYS))
    model = transformers.BertForSequenceClassification.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    score = scored("Profit fell.", "Profit rose.", model=str(folder))
    assert score.reason == "scoring_failed" and "model.safetensors" in str(score.explanation)


def test_nli_model_is_loaded_once_and_pairs_are_inferred_individually(
    make: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, batches = count_batches(
        monkeypatch,
        transformers.AutoModelForSequenceClassification,
        transformers.BertForSequenceClassification,
    )
    model = make()
    cases = [
        (f"{a} {b} rose. {b} {a} fell.", "Sales rose. Profit fell.")
        for a, b in product(WORDS[:2], WORDS[4:6])
    ]
    for _ in range(2):
        scores = answered(nli_contradiction(model=model), cases)
        assert len(scores) == 4 and all(score.reason is None for score in scores)
    assert loaded == [model]
    assert batches == [1] * (2 * 4 * 4)
