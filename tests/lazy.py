"""Large libraries that are imported when a test first uses them, not when tests are collected."""

from importlib import import_module
from typing import Any


class _Lazy:
    """A module whose attributes are those of a module that is imported on first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest looks for marks and fixtures in each module
            raise AttributeError(attribute)
        return getattr(import_module(self._name), attribute)


bert_score: Any = _Lazy("bert_score")
modules: Any = _Lazy("sentence_transformers.sentence_transformer.modules")
safetensors: Any = _Lazy("safetensors.torch")
sentence_transformers: Any = _Lazy("sentence_transformers")
torch: Any = _Lazy("torch")
transformers: Any = _Lazy("transformers")
