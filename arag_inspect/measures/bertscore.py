"""BERTScore: resemblance to the reference by embeddings of tokens."""

import math
from collections import defaultdict
from functools import lru_cache, partial
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.extras import configure_openmp
from arag_inspect.corpus import DEFAULT_MODEL
from arag_inspect.corpus.embedding.unpadded import ALONE, compute_in_equal_lengths
from arag_inspect.judge.unscored import no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures.local_model import (
    LocalModel,
    arithmetic,
    device,
    limit_length,
    load_transformer,
    local_model,
)
from arag_inspect.measures.scorer import Positive, scorer

KEYS = ("bertscore_precision", "bertscore_recall", "bertscore_f1")

PUBLISHED = "ProsusAI/finbert"

_CACHED = 128
"""Maximum references whose embeddings are kept, each up to 1.5 MB."""

ReferencedAnswer = tuple[str, tuple[str, ...]]
"""An answer and its references."""


class BestMatch(NamedTuple):
    """Match of an answer with its best reference."""

    precision: float
    recall: float
    f1: float
    truncated: list[str]
    """Truncated texts: `answer`, `reference`."""

    layers: int


@scorer(
    MeasureSpec(
        "bertscore_precision",
        "BERTScore precision",
        "BERT P",
        "Mean similarity of the answer's tokens to their best matches in the reference.",
    ),
    MeasureSpec(
        "bertscore_recall",
        "BERTScore recall",
        "BERT R",
        "Mean similarity of the reference's tokens to their best matches in the answer.",
    ),
    MeasureSpec(
        "bertscore_f1",
        "BERTScore F1",
        "BERTScore",
        "Harmonic mean of BERTScore precision and recall.",
        role="secondary",
        exported="bertscore_f1",
    ),
    family="overlap",
    tie=1e-4,
    signature=("model", "layer", "idf", "rescaled", "arithmetic", "bert-score", "transformers"),
    sets={"summary": "all"},
)
def bertscore(
    *,
    model: str = DEFAULT_MODEL,
    num_layers: Positive | None = None,
) -> Scorer:
    """Match contextual token embeddings (Zhang et al., 2020), by `bert-score`.

    1. Precision, recall and F1 of `bert_score.score` without idf weights and without rescaling to a
       baseline: values are comparable only within one model and layer, and high even for texts with
       little in common.
    2. The embeddings are from the layer that bert-score's authors tuned for the model, 10 of 12 for
       FinBERT. For a model that is not in their table, such as a local folder, they are from the
       layer at three quarters, rounded up (9 of 12). The signature contains the layer.
    3. A text longer than the model's window (512 tokens for FinBERT) is truncated by the tokenizer;
       `truncated` in the metadata lists such texts.
    4. With several references, the one with the best F1 counts, for all three keys.
    5. The default model comes with the extra `offline`. `published` is ProsusAI/finbert, which
       published values of financial texts use; choose it to compare with them.
    6. An empty answer scores 0; a missing reference leaves the sample unscored, and so does a model
       that cannot be loaded (reason `scoring_failed`).

    There is one model per process, and repeated references are embedded once.

    Args:
        model: Local folder, or repository in the Hugging Face cache, or `published`.
        num_layers: Layer whose output is matched, from 1.
    """
    model = PUBLISHED if model == "published" else model
    key = ("bertscore", model, num_layers)
    matcher: LocalModel[ReferencedAnswer, BestMatch] = local_model(
        key, partial(_Matcher, model, num_layers)
    )

    async def score(state: TaskState, target: Target) -> Score:
        references = tuple(reference for reference in target if reference.strip())
        if not references:
            raise no_reference(state)
        answer = state.output.completion
        match = await matcher.apply((answer, references))
        return Score(
            value=dict(zip(KEYS, match[:3], strict=True)),
            metadata={
                "signature": {
                    "libraries": ("bert-score", "transformers"),
                    "model": model,
                    "layer": match.layers,
                    "idf": False,
                    "rescaled": False,
                    "arithmetic": arithmetic(),
                },
                "truncated": match.truncated,
            },
        )

    return score


class _Embedded(NamedTuple):
    """A text as processed by bert-score."""

    vectors: Any
    """Shape (1, tokens, dimension)."""

    weights: Any
    """Shape (1, tokens); 0 for the special tokens."""

    truncated: bool


class _Matcher:
    """bert-score's model; not thread-safe."""

    def __init__(self, model: str, num_layers: int | None) -> None:
        configure_openmp()
        with load_transformer("BERTScore", model) as name:
            from bert_score import utils
            from transformers import AutoConfig

            config = AutoConfig.from_pretrained(name)
            if "t5" in name and "t5" not in config.model_type:
                raise ValueError("bert-score takes 't5' in a path for a T5 model: rename the path")
            self.layers = num_layers or utils.model2layers.get(
                model, math.ceil(0.75 * config.num_hidden_layers)
            )
            self._tokenizer = utils.get_tokenizer(name)
            self._window = limit_length(self._tokenizer, config)
            self._model = utils.get_model(name, self.layers).float().to(device())
        self._weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
        self._weights |= {self._tokenizer.sep_token_id: 0, self._tokenizer.cls_token_id: 0}
        self._embed_reference = lru_cache(_CACHED)(self._embed)

    def __call__(self, item: ReferencedAnswer) -> BestMatch:
        """Match an answer with the reference that has the best F1."""
        answer, references = item
        embedded_references = {text: self._embed_reference(text) for text in references}
        if not answer.strip():  # bert-score fails on an empty text with transformers 5
            return BestMatch(0.0, 0.0, 0.0, [], self.layers)
        embedded_answer = self._embed(answer)
        values = {
            text: _compare_embeddings(embedded_answer, reference)
            for text, reference in embedded_references.items()
        }
        best = max(values, key=lambda text: values[text][2])
        sides = {"answer": embedded_answer, "reference": embedded_references[best]}
        truncated = [side for side, text in sides.items() if text.truncated]
        return BestMatch(*values[best], truncated, self.layers)

    def _embed(self, text: str) -> _Embedded:
        from bert_score.utils import sent_encode

        length = len(sent_encode(self._tokenizer, text))
        [embedded] = compute_in_equal_lengths(self._embed_copies, [text], [length], at_most=ALONE)
        return embedded

    def _embed_copies(self, copies: list[str]) -> list[_Embedded]:
        """Embed copies of one text together, and return it once."""
        from bert_score.utils import get_bert_embedding

        vectors, _, weights = get_bert_embedding(
            copies, self._model, self._tokenizer, self._weights, device=self._model.device
        )
        is_cut = vectors.shape[1] >= self._window and self._is_cut(copies[0])
        return [_Embedded(vectors[:1].cpu().clone(), weights[:1].cpu().clone(), is_cut)]

    def _is_cut(self, text: str) -> bool:
        encoded_text = self._tokenizer(text.strip(), truncation=False, verbose=False)
        return len(encoded_text["input_ids"]) > self._window


def _compare_embeddings(answer: _Embedded, reference: _Embedded) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one pair."""
    import torch
    from bert_score.utils import greedy_cos_idf

    reference_tokens, answer_tokens = (
        (text.vectors.clone(), torch.ones_like(text.weights), text.weights.clone())
        for text in (reference, answer)  # copies, since bert-score changes both
    )
    precision, recall, f1 = map(float, greedy_cos_idf(*reference_tokens, *answer_tokens))
    return precision, recall, f1
