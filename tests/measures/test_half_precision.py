"""Tests that models with half-precision weights compute in float32."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertForSequenceClassification, BertModel

from arag_inspect.corpus.embedding.models import cross_encoder, embedding_model
from arag_inspect.scorers import bertscore, embedding_coverage, nli_contradiction
from tests.measures.cases import answered
from tests.measures.models import save_tiny

pytestmark = pytest.mark.usefixtures("logs")

NLI = {"id2label": {0: "neutral", 1: "contradiction", 2: "entailment"}}
PAIRS: list[tuple[str, str | list[str]]] = [("Sales rose.", "Sales fell by ten percent.")]

USES: dict[str, tuple[Any, dict[str, Any], Callable[[str], object]]] = {
    "embedding": (BertModel, {}, lambda model: embedding_model(model).encode(["Sales rose."])),
    "reranking": (
        BertForSequenceClassification,
        {"id2label": {0: "fit"}},
        lambda model: cross_encoder(model).scores("Who grew?", ["Sales rose."]),
    ),
    "bertscore": (BertModel, {}, lambda model: answered(bertscore(model=model), PAIRS)),
    "coverage": (BertModel, {}, lambda model: answered(embedding_coverage(model=model), PAIRS)),
    "nli": (
        BertForSequenceClassification,
        NLI,
        lambda model: answered(nli_contradiction(model=model), PAIRS),
    ),
}
"""Model class, settings and use."""


@pytest.mark.parametrize("half", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("use", USES)
def test_model_computes_in_float32_whatever_its_weights_are_kept_in(
    use: str, half: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, settings, compute = USES[use]
    folder = tmp_path / "model"
    save_tiny(folder, lambda config: kind(config).to(half), 48, num_hidden_layers=2, **settings)
    reloaded = kind.from_pretrained(folder)
    assert reloaded.dtype == half

    computed_in: set[torch.dtype] = set()
    forward = BertModel.forward

    def recorded_forward(self: BertModel, *args: Any, **options: Any) -> Any:
        computed_in.update(parameter.dtype for parameter in self.parameters())
        return forward(self, *args, **options)

    monkeypatch.setattr(BertModel, "forward", recorded_forward)
    compute(str(folder))
    assert computed_in == {torch.float32}
