"""Scoring models: one per process, loaded on first use."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, TypeVar

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from arag_inspect._util.errors import InputError, one_line
from arag_inspect._util.extras import LOADING, extra
from arag_inspect.corpus.embedding.model_files import is_local, model_folder
from arag_inspect.corpus.embedding.probes import device_name, name_arithmetic
from arag_inspect.judge.unscored import UnscoredError

Item = TypeVar("Item")
Result = TypeVar("Result")

_MODELS: "dict[tuple[object, ...], LocalModel[Any, Any]]" = {}
_REGISTERING = threading.Lock()


class LocalModel(Generic[Item, Result]):
    """A model that loads on first use and processes one item at a time, in a worker thread."""

    def __init__(self, load: Callable[[], Callable[[Item], Result]]) -> None:
        """Prepare a model without loading it.

        Args:
            load: Loads it and returns the function that processes an item.
        """
        self.failure: str | None = None
        self._load = load
        self._process: Callable[[Item], Result] | None = None
        self._lock = threading.Lock()
        self._turn: RunVar[anyio.Lock] = RunVar("arag_inspect_local_model_turn")

    async def apply(self, item: Item) -> Result:
        """Process one item.

        Raises:
            UnscoredError: The model cannot be loaded (`scoring_failed`); it is not tried again.
        """
        turn = self._turn.get(None) or anyio.Lock()
        self._turn.set(turn)
        try:
            async with turn:  # unlike a blocked thread, a waiting task can be cancelled
                return await anyio.to_thread.run_sync(self._apply, item)
        except InputError as error:
            raise UnscoredError("scoring_failed", error.message) from None

    def _apply(self, item: Item) -> Result:
        with self._lock:
            if self.failure is not None:
                raise InputError(self.failure)
            if self._process is None:
                try:
                    with LOADING:
                        self._process = self._load()
                except InputError as error:
                    self.failure = error.message
                    raise
            return self._process(item)


def local_model(
    key: tuple[object, ...], load: Callable[[], Callable[[Item], Result]]
) -> LocalModel[Item, Result]:
    """Return the process's model for a key, shared with scorers loaded by path.

    Args:
        key: Everything that the model depends on.
        load: Loads it and returns the function that processes an item.
    """
    with _REGISTERING:
        model = _MODELS.get(key)
        if model is None or model.failure is not None:
            model = _MODELS[key] = LocalModel(load)
        return model


@contextmanager
def load_transformer(kind: str, name: str) -> Iterator[str]:
    """Load a transformer quietly and without a download; report a failure in one line.

    Args:
        kind: Purpose of the model.
        name: Local folder, or repository in the Hugging Face cache; the model of the extra
            `offline` comes from its package.

    Yields:
        Argument of `from_pretrained`.

    Raises:
        InputError: The model cannot be loaded.
    """
    with extra("retrieval"):
        import torch  # noqa: F401
        from transformers.utils import logging

    failure = f"{kind} model {name!r} cannot be loaded"
    if not is_local(name):
        raise InputError(
            f"{failure} (it is not on this machine); fetch it with: hf download {name}"
        )
    logging.disable_progress_bar()
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield str(model_folder(name, f"{kind} model"))
    except InputError:
        raise
    except Exception as error:  # transformers passes on any error of its readers
        raise InputError(f"{failure} ({one_line(error)}); choose another model") from error
    finally:
        logging.set_verbosity(verbosity)


def limit_length(tokenizer: Any, config: Any) -> int:
    """Set a tokenizer's limit to the model's positions if it has none.

    Args:
        tokenizer: Tokenizer of transformers; its `model_max_length` is set.
        config: Configuration of the model.

    Returns:
        Maximum tokens of an input.
    """
    positions = getattr(config, "max_position_embeddings", None) or 512
    padding = getattr(config, "pad_token_id", None) or 0
    # RoBERTa's positions start after the padding
    usable_length = positions - padding - 1 if padding else positions
    tokenizer.model_max_length = min(tokenizer.model_max_length, usable_length)
    return int(tokenizer.model_max_length)


def device() -> str:
    """Return the device for models."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


@cache
def arithmetic() -> str:
    """Return the arithmetic of models on `device`, for signatures, e.g. `float32`."""
    import torch

    return name_arithmetic("float32", device_name(torch.device(device())))
