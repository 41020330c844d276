"""Vectors of the default model, computed without sentence-transformers, are those it computes."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import DEFAULT_MODEL, embedding_model, packaged_weights
from arag_inspect.corpus.bert_encoder import BertEncoder, is_mean_pooled_bert

TEXTS = [
    "",
    " ",
    "Net sales rose 7.5% to $4.2 billion.",
    "ÜBERSCHUSS — naïve café, 東京 \u0000 \ufeff",
    "margin " * 400,
    *(
        f"In quarter {number}, " + "revenue and costs grew, " * number
        for number in (1, 2, 5, 17, 33)
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the default model, for a test to change."""
    return Path(shutil.copytree(packaged_weights(DEFAULT_MODEL) or "", tmp_path / "model"))


def change(folder: Path, file: str, **values: object) -> None:
    path = folder / file
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def reference(folder: Path) -> SentenceTransformer:
    return SentenceTransformer(str(folder), local_files_only=True, device="cpu")


@pytest.mark.parametrize("window", [256, 16])
def test_vectors_and_token_counts_are_those_of_sentence_transformers(
    folder: Path, window: int
) -> None:
    change(folder, "sentence_bert_config.json", max_seq_length=window)
    model = reference(folder)
    encoder = BertEncoder(folder, torch.float32)
    expected = model.encode(TEXTS, normalize_embeddings=True)
    np.testing.assert_allclose(encoder.encode(TEXTS).numpy(), expected, atol=2e-6)
    for text, vector in zip(TEXTS, expected, strict=True):  # alone, without padding
        np.testing.assert_allclose(encoder.encode([text])[0].numpy(), vector, atol=2e-6)
    rows = model.tokenizer(TEXTS, add_special_tokens=False, truncation=False)["input_ids"]
    assert encoder.count_tokens(TEXTS) == [len(ids) for ids in rows]
    assert encoder.dimension == expected.shape[1]


def test_older_names_of_weights_and_defaults_of_bert_are_read(folder: Path) -> None:
    expected = BertEncoder(folder, torch.float32).encode(TEXTS)
    weights = load_file(folder / "model.safetensors")
    renamed = {
        f"bert.{name}".replace("Norm.weight", "Norm.gamma").replace(
            "Norm.bias", "Norm.beta"
        ): tensor
        for name, tensor in weights.items()
    }
    save_file(renamed, folder / "model.safetensors")
    config = json.loads((folder / "config.json").read_text())
    for name in ("hidden_act", "layer_norm_eps", "num_attention_heads", "position_embedding_type"):
        del config[name]
    (folder / "config.json").write_text(json.dumps(config))
    assert is_mean_pooled_bert(folder)
    assert torch.equal(BertEncoder(folder, torch.float32).encode(TEXTS), expected)


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}),
        ("config.json", {"hidden_act": "relu"}),
    ],
)  # fmt: skip
def test_other_models_are_computed_by_sentence_transformers(
    folder: Path, file: str, changes: dict[str, object]
) -> None:
    assert is_mean_pooled_bert(folder)
    change(folder, file, **changes)
    assert not is_mean_pooled_bert(folder)
    vectors = embedding_model(str(folder), "float32").encode(TEXTS)
    np.testing.assert_allclose(
        vectors, reference(folder).encode(TEXTS, normalize_embeddings=True), atol=2e-6
    )


def test_an_incomplete_model_is_an_error(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.layer.3.output.dense.bias"]
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(InputError, match=r"incomplete: it has no 'encoder.layer.3.output.dense"):
        embedding_model(str(folder), "float32")


def test_the_default_model_is_computed_without_importing_sentence_transformers() -> None:
    code = (
        "import sys; from arag_inspect.corpus import embedding_model; "
        "embedding_model().encode(['Sales rose.']); "
        "print({'transformers', 'sentence_transformers'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
