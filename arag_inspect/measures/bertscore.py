"""BERTScore: resemblance to the reference by embeddings of tokens."""

import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, partial
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from arag_inspect._util.extras import configure_openmp
from arag_inspect.corpus import DEFAULT_MODEL
from arag_inspect.corpus.embedding.unpadded import ALONE, in_equal_lengths
from arag_inspect.judge.unscored import no_reference
from arag_inspect.measure import MeasureSpec
from arag_inspect.measures._local_model import (
    SharedModel,
    arithmetic,
    device,
    limit_length,
    load_transformer,
    resolve_model,
    shared_model,
)
from arag_inspect.measures.scorer import Positive, scorer

KEYS = ("bertscore_precision", "bertscore_recall", "bertscore_f1")

PUBLISHED = "ProsusAI/finbert"

_MOST_AT_ONCE = 256
"""Maximum samples that one thread takes at once."""

_CACHE_BYTES = 256 * 2**20
"""Memory limit for the embeddings of references."""

Item = tuple[str, tuple[str, ...]]
"""An answer and its references."""


class BestMatch(NamedTuple):
    """Match of an answer with its best reference."""

    precision: float
    recall: float
    f1: float
    truncated: list[str]
    """Which of the two texts was truncated: `answer`, `reference`."""

    layers: int


@scorer(
    MeasureSpec("bertscore_precision", "BERTScore precision", "BERT P", "Of the answer's tokens."),
    MeasureSpec("bertscore_recall", "BERTScore recall", "BERT R", "Of the reference's tokens."),
    MeasureSpec(
        "bertscore_f1",
        "BERTScore F1",
        "BERTScore",
        "Of both.",
        role="secondary",
        exported="bertscore_f1",
    ),
    family="overlap",
    tie=1e-4,
    signature=("model", "layer", "idf", "rescaled", "arithmetic", "bert-score", "transformers"),
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
    2. The embeddings are those of the layer that bert-score's authors tuned for the model, 10 of 12
       for FinBERT; for a model that is not in their table, such as a local folder, those after
       three quarters of its layers, rounded up (9 of 12). The signature names the layer.
    3. A text longer than the model's window (512 tokens for FinBERT) is truncated by the tokenizer;
       `truncated` in the metadata names which.
    4. With several references, the one with the best F1 counts, for all three keys.
    5. The default model comes with the extra `offline`. `published` is ProsusAI/finbert, with which
       values of financial texts are published; runs to be compared with these name it.
    6. An empty answer scores 0; a missing reference leaves the sample unscored, and so does a model
       that cannot be loaded (reason `scoring_failed`).

    There is one model per process; samples scored at the same time share its batches; repeated
    references are embedded once.

    Args:
        model: Local folder or repository on the Hugging Face hub, or `published`.
        num_layers: Layer whose output is matched, from 1.
    """
    name = resolve_model(model, PUBLISHED)

    @cache
    def matcher() -> SharedModel[Item, BestMatch]:
        return shared_model(
            ("bertscore", name, num_layers),
            partial(_Matcher, name, num_layers),
            at_most=_MOST_AT_ONCE,
        )

    async def score(state: TaskState, target: Target) -> Score:
        references = tuple(reference for reference in target if reference.strip())
        if not references:
            raise no_reference(state)
        answer = state.output.completion
        match = await matcher().submit((answer, references))
        return Score(
            value=dict(zip(KEYS, match[:3], strict=True)),
            metadata={
                "signature": {
                    "libraries": ("bert-score", "transformers"),
                    "model": name,
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
    """bert-score's model and its batches; not thread-safe."""

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
        self._kept: dict[str, _Embedded] = {}

    def __call__(self, items: Sequence[Item]) -> list[BestMatch]:
        """Match answers with their references, each text embedded once."""
        from bert_score.utils import sent_encode

        references = set(chain.from_iterable(sentences for _, sentences in items))
        embedded_by_text = {text: self._kept.pop(text) for text in references if text in self._kept}
        answers = {answer for answer, _ in items if answer.strip()}
        new_texts = (answers | references) - embedded_by_text.keys()
        texts = sorted(new_texts)
        lengths = [len(sent_encode(self._tokenizer, text)) for text in texts]
        results = in_equal_lengths(self._embed, texts, lengths, at_most=ALONE)
        embedded_by_text |= zip(texts, results, strict=True)
        self._kept |= {text: embedded_by_text[text] for text in references}
        size = sum(entry.vectors.nbytes for entry in self._kept.values())
        while size > _CACHE_BYTES:
            size -= self._kept.pop(next(iter(self._kept))).vectors.nbytes
        return [self._best(answer, sentences, embedded_by_text) for answer, sentences in items]

    def _embed(self, texts: list[str]) -> list[_Embedded]:
        """Embed texts of the same number of tokens."""
        from bert_score.utils import get_bert_embedding

        vectors, _, weights = get_bert_embedding(
            texts, self._model, self._tokenizer, self._weights, device=self._model.device
        )
        vectors = vectors.cpu()
        weights = weights.cpu()
        may_be_cut = vectors.shape[1] >= self._window
        embeddings = []
        for row, text in enumerate(texts):
            is_cut = may_be_cut and self._is_cut(text)
            row_slice = slice(row, row + 1)
            embeddings.append(
                _Embedded(vectors[row_slice].clone(), weights[row_slice].clone(), is_cut)
            )
        return embeddings

    def _is_cut(self, text: str) -> bool:
        encoded_text = self._tokenizer(text.strip(), truncation=False, verbose=False)
        return len(encoded_text["input_ids"]) > self._window

    def _best(
        self, answer: str, references: tuple[str, ...], embedded_by_text: dict[str, _Embedded]
    ) -> BestMatch:
        """Return the match with the reference that has the best F1."""
        if not answer.strip():  # bert-score fails on one with transformers 5
            return BestMatch(0.0, 0.0, 0.0, [], self.layers)
        values = {
            text: _compare_embeddings(embedded_by_text[answer], embedded_by_text[text])
            for text in references
        }
        best = max(values, key=lambda text: values[text][2])
        sides = {"answer": answer, "reference": best}
        truncated = [side for side, text in sides.items() if embedded_by_text[text].truncated]
        return BestMatch(*values[best], truncated, self.layers)


def _compare_embeddings(answer: _Embedded, reference: _Embedded) -> tuple[float, float, float]:
    """Return precision, recall and F1 of one pair."""
    import torch
    from bert_score.utils import greedy_cos_idf

    sides = (
        (text.vectors.clone(), torch.ones_like(text.weights), text.weights.clone())
        for text in (reference, answer)  # copies, since bert-score changes both
    )
    precision, recall, f1 = map(float, greedy_cos_idf(*next(sides), *next(sides)))
    return precision, recall, f1
