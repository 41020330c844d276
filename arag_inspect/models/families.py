"""Families of models; judges tend to favour models of their family."""

import re

from .._util.names import short_name

_FAMILIES = {
    "claude": "claude",
    "llama": "llama",
    "mistral": "mistral",
    "mixtral": "mistral",
    "ministral": "mistral",
    "qwen": "qwen",
    "qwq": "qwen",
    "deepseek": "deepseek",
    "grok": "grok",
    "command": "command",
    "nova": "nova",
    "phi": "phi",
    "gpt": "gpt",
    "chatgpt": "gpt",
    "o1": "gpt",
    "o3": "gpt",
    "o4": "gpt",
    "gemini": "gemini",
    "gemma": "gemini",
}
"""Family of a model by a word in its name."""


def model_family(model: str) -> str:
    """Return the family of a model from its name.

    E.g. `claude` for `openrouter/anthropic/claude-sonnet-4-6`. If the family is unknown,
    return the name up to its first digit.
    """
    name = short_name(model).lower()
    words = re.findall(r"[a-z]+\d?(?=[\W_]|$)|[a-z]+", name)
    matches = [_FAMILIES[word] for word in words if word in _FAMILIES]
    matches += [family for word, family in _FAMILIES.items() if name.startswith(word)]
    return matches[0] if matches else re.split(r"[-_:.\d]", name)[0] or name
