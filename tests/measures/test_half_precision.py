"""Tests that models with half-precision weights compute in float32."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arag_inspect.corpus.embedding.models import cross_encoder, embedding_model
from arag_inspect.scorers import bertscore, embedding_coverage, nli_contradiction
from tests.lazy import torch, transformers
from tests.measures.cases import answered
from tests.measures.models import save_tiny

pytestmark = pytest.mark.usefixtures("logs")

NLI = {"id2label": {0: "neutral", 1: "contradiction", 2: "entailment"}}
PAIRS: list[tuple[str, str | list[str]]] = [("Sales rose.", "Sales fell by ten percent.")]

USES: dict[str, tuple[str, dict[str, Any], Callable[[str], object]]] = {
    "embedding": ("BertModel", {}, lambda model: embedding_model(model).encode(["Sales rose."])),
    "reranking": (
        "BertForSequenceClassification",
        {"id2label": {0: "fit"}},
        lambda model: cross_encoder(model).scores("Who grew?", ["Sales rose."]),
    ),
    "bertscore": ("BertModel", {}, lambda model: answered(bertscore(model=model), PAIRS)),
    "coverage": ("BertModel", {}, lambda model: answered(embedding_coverage(model=model), PAIRS)),
    "nli": (
        "BertForSequenceClassification",
        NLI,
        lambda model: answered(nli_contradiction(model=model), PAIRS),
    ),
}
"""Model class, settings and use."""


@pytest.mark.parametrize("half", ["bfloat16", "float16"])
@pytest.mark.parametrize("use", USES)
def test_model_computes_in_float32_whatever_its_weights_are_kept_in(
    use: str, half: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class_name, settings, compute = USES[use]
    kind, dtype = getattr(transformers, class_name), getattr(torch, half)
    folder = tmp_path / "model"
    save_tiny(folder, lambda config: kind(config).to(dtype), 48, num_hidden_layers=2, **settings)
    reloaded = kind.from_pretrained(folder)
    assert reloaded.dtype == dtype

    computed_in: set[Any] = set()
    forward = transformers.BertModel.forward

    def recorded_forward(self: Any, *args: Any, **options: Any) -> Any:
        computed_in.update(parameter.dtype for parameter in self.parameters())
        return forward(self, *args, **options)

    monkeypatch.setattr(transformers.BertModel, "forward", recorded_forward)
    compute(str(folder))
    assert computed_in == {torch.float32}
