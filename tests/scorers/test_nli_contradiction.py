"""Contradictions, by hand and against transformers itself, with tiny models."""

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import torch
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.scorer import Score
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
)

from arag_inspect._util.errors import InputError
from arag_inspect.scorers.nli_contradiction import nli_contradiction
from tests.scripted import run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")

WORDS = [
    "revenue",
    "profit",
    "sales",
    "rose",
    "fell",
    "grew",
    "by",
    "ten",
    "twelve",
    "percent",
    "the",
    "in",
    "quarter",
    "outlook",
    "flat",
    ".",
]
LABELS = ("neutral", "Contradiction", "entailment")

ANSWER = ["Revenue rose ten percent.", "Profit fell.", "Sales grew in the quarter."]
REFERENCE = ["Revenue fell.", "Profit rose by twelve percent.", "The outlook fell.", "Sales flat."]


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., str]:
    """Makes a tiny classifier; with `logits`, it says the same of every pair."""

    def make(
        logits: tuple[float, ...] | None = None,
        labels: tuple[str, ...] = LABELS,
        seed: int = 0,
    ) -> str:
        folder = tmp_path / f"nli{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
        (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=48,
            initializer_range=0.6,
            id2label=dict(enumerate(labels)),
            label2id={label: index for index, label in enumerate(labels)},
        )
        model = BertForSequenceClassification(config)
        if logits is not None:
            model.classifier.weight.data.zero_()
            model.classifier.bias.data = torch.tensor(logits)
        model.save_pretrained(folder)
        tokenizer = BertTokenizerFast(str(tmp_path / "vocab.txt"), model_max_length=48)
        tokenizer.save_pretrained(folder)
        return str(folder)

    return make


def evaluate(cases: list[tuple[str, str | list[str]]], **options: Any) -> EvalLog:
    """Run over (answer, target) pairs."""
    dataset = [Sample(id=n, input=str(n), target=target) for n, (_, target) in enumerate(cases)]
    model = scripted(lambda messages, *_: speak(cases[int(messages[-1].text)][0], 1))
    log = run(Task(dataset=dataset, scorer=nli_contradiction(**options)), model, max_samples=100)
    assert log.status == "success"
    return log


def scored(answer: str, target: str | list[str], **options: Any) -> Score:
    log = evaluate([(answer, target)], **options)
    assert log.samples
    return (log.samples[0].scores or {})["nli_contradiction"]


def contradictions(folder: str, premises: list[str], hypotheses: list[str]) -> dict[Any, float]:
    """Return the pairs that contradict each other, by transformers, one at a time."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    probabilities = {}
    for pair in product(premises, hypotheses):
        with torch.no_grad():
            logits = model(**tokenizer(*pair, return_tensors="pt")).logits[0]
        shares = logits.softmax(-1).tolist()
        if shares[1] == max(shares) and shares[1] >= 0.5:
            probabilities[pair] = shares[1]
    return probabilities


def test_equals_one_pair_at_a_time(make: Callable[..., str]) -> None:
    for seed in range(7, 30):  # one whose verdicts differ, and do when the pairs are turned round
        folder = make(seed=seed)
        against = contradictions(folder, ANSWER, REFERENCE)
        contradicted = {hypothesis for _, hypothesis in against}
        swapped = {hypothesis for hypothesis, _ in contradictions(folder, REFERENCE, ANSWER)}
        if 0 < len(contradicted) < 4 and len(contradicted) != len(swapped):
            break
    else:
        pytest.fail("no model says what this test needs")

    score = scored(" ".join(ANSWER), " ".join(REFERENCE), model=folder, batch_size=5)
    assert score.value == pytest.approx(1 - len(contradicted) / 4)
    assert score.metadata
    pairs = score.metadata["contradictions"]
    assert {(pair["answer"], pair["reference"]) for pair in pairs} == against.keys()
    assert [pair["probability"] for pair in pairs] == pytest.approx(
        sorted(against.values(), reverse=True), abs=1e-4
    )


# softmax of (0, ln 8, 0) is (0.1, 0.8, 0.1)
ALWAYS = (0.0, 2.0794415, 0.0)


def test_all_contradicted(make: Callable[..., str]) -> None:
    score = scored("Profit fell. Sales fell.", "Profit rose. Sales rose.", model=make(ALWAYS))
    assert score.value == 0 and score.metadata
    assert [pair["probability"] for pair in score.metadata["contradictions"]] == pytest.approx(
        [0.8] * 4
    )
    assert score.explanation == "2 of 2 reference sentences are contradicted."
    assert "threshold:0.5" in score.metadata["signature"]


@pytest.mark.parametrize(("threshold", "value"), [(0.79, 0), (0.81, 1)])
def test_probability_must_reach_the_threshold(
    make: Callable[..., str], threshold: float, value: float
) -> None:
    model = make(ALWAYS)
    assert scored("Profit fell.", "Profit rose.", model=model, threshold=threshold).value == value


def test_contradiction_must_be_the_likeliest_label(make: Callable[..., str]) -> None:
    model = make((0.1, 0.0, 0.0))  # about a third each, and neutral leads
    assert scored("Profit fell.", "Profit rose.", model=model, threshold=0.2).value == 1
    model = make((0.0, 0.1, 0.0))
    assert scored("Profit fell.", "Profit rose.", model=model, threshold=0.2).value == 0


def test_labels_are_read_from_the_model(make: Callable[..., str]) -> None:
    always = make(ALWAYS, labels=("CONTRADICTION", "entailment", "neutral"))
    assert scored("Profit fell.", "Profit rose.", model=always).value == 1


def test_a_model_without_the_label_is_named_with_its_labels(make: Callable[..., str]) -> None:
    score = scored("Profit fell.", "Profit rose.", model=make(labels=("good", "bad", "ugly")))
    assert score.value != score.value and score.reason == "scoring_failed"
    assert "no label 'contradiction' but good, bad, ugly" in str(score.explanation)


def test_sentences_of_all_references_count(make: Callable[..., str]) -> None:
    score = scored("Profit fell.", ["Profit rose.", "Sales rose. Sales grew."], model=make(ALWAYS))
    assert score.explanation == "3 of 3 reference sentences are contradicted."


def test_an_empty_answer_contradicts_nothing_and_says_so(make: Callable[..., str]) -> None:
    score = scored("", "Profit rose.", model=make(ALWAYS))
    assert score.value == 1 and "empty" in str(score.explanation)


def test_without_a_reference_there_is_no_score(make: Callable[..., str]) -> None:
    score = scored("Profit fell.", " ", model=make(ALWAYS))
    assert score.value != score.value and score.reason == "no_reference"


def test_pairs_longer_than_the_window_are_cut(make: Callable[..., str]) -> None:
    model = make(ALWAYS)
    assert scored("profit " * 200, "sales " * 200, model=model).value == 0


@pytest.mark.parametrize("model", ["/no/such/folder", "nobody/never-cached"])
def test_without_a_model_there_is_no_score_and_no_failure(model: str) -> None:
    log = evaluate([("Profit fell.", "Profit rose.")] * 3, model=model)
    assert log.results and log.results.scores[0].unscored_samples == 3
    for sample in log.samples or []:
        score = (sample.scores or {})["nli_contradiction"]
        assert score.value != score.value and score.reason == "scoring_failed"
        assert f"NLI model {model!r} cannot be loaded (" in str(score.explanation)


def test_pickled_weights_are_not_loaded(make: Callable[..., str]) -> None:
    folder = Path(make(ALWAYS))
    model = BertForSequenceClassification.from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    score = scored("Profit fell.", "Profit rose.", model=str(folder))
    assert score.reason == "scoring_failed" and "model.safetensors" in str(score.explanation)


def test_parameters_that_cannot_be() -> None:
    with pytest.raises(InputError, match="batch_size: Input should be greater"):
        nli_contradiction(batch_size=0)
    with pytest.raises(InputError, match="threshold: Input should be less"):
        nli_contradiction(threshold=2)


def test_one_model_and_shared_batches(
    make: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []
    batches: list[int] = []
    load: Callable[..., Any] = AutoModelForSequenceClassification.from_pretrained
    forward: Callable[..., Any] = BertForSequenceClassification.forward

    def counted_load(name: str, **options: Any) -> Any:
        loaded.append(name)
        return load(name, **options)

    def counted_forward(self: Any, **options: Any) -> Any:
        batches.append(len(options["input_ids"]))
        time.sleep(0.03)  # the others gather
        return forward(self, **options)

    monkeypatch.setattr(AutoModelForSequenceClassification, "from_pretrained", counted_load)
    monkeypatch.setattr(BertForSequenceClassification, "forward", counted_forward)
    model = make()
    words = [word for word in WORDS if word != "."]
    cases = [
        (f"{a} {b} rose. {b} {a} fell.", "Sales rose. Profit fell.")
        for a in words[:4]
        for b in words[4:10]
    ]
    assert len({answer for answer, _ in cases}) == 24
    for _ in range(2):
        log = evaluate([*cases], model=model, batch_size=32)
        assert log.results and log.results.scores[0].scored_samples == 24
    assert loaded == [model]
    assert sum(batches) == 2 * 24 * 4 and max(batches) == 32
    assert len(batches) <= 24  # for 48 samples; one at a time would take 48
