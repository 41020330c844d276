"""System prompts: instructions on work and on writing in the style of a sample."""

import re
from pathlib import Path

from inspect_ai.model import ChatMessageSystem

from arag_inspect._util.errors import InputError, check_choice
from arag_inspect.prompts import built_in, custom_prompt, fill, load_prompt, prompt_file
from arag_inspect.types.sample import SampleMetadata, most_words
from arag_inspect.types.system import ContextSource

DEFAULT_LENGTH = 150
"""Words of a summary whose sample sets no length."""

_BASES: dict[ContextSource, str] = {"document": "document", "none": "memory"}
"""Sources that systems answer from instead of passages."""


def system_message(
    metadata: SampleMetadata,
    default: str,
    custom: str | None = None,
    context: ContextSource = "retrieved",
    **more_fields: str,
) -> ChatMessageSystem:
    """Return the system prompt: instructions on work, then on writing in the sample's style.

    Args:
        metadata: Metadata of the sample.
        default: Name of our prompt.
        custom: The user's prompt instead, as text or path; it may hold `{{writing}}`,
            `{{target_length}}`, `{{most_words}}` and `{{company}}`, `{{period}}`.
        context: Kind of the system's passages.
        more_fields: Further fields of our prompt.
    """
    length = metadata.target_length or DEFAULT_LENGTH
    if prompt_file(f"styles/{metadata.style}") is None:
        check_choice("style of the sample's metadata", metadata.style, built_in("styles"))
    writing = writing_instructions(metadata.style, length, context)
    fields = {
        "target_length": length,
        "most_words": most_words(length),
        "company": metadata.company,
        "period": metadata.period,
    }
    extra_fields = more_fields if custom is None else {}
    try:
        prompt = custom_prompt(custom, _prompt_for_style(default, metadata.style))
        text = fill(prompt, writing=writing, **fields, **extra_fields)
    except KeyError as error:
        names = ", ".join(["writing", *fields])
        raise InputError(f"prompt names an unknown field {error}; it may hold {names}") from None
    return ChatMessageSystem(content=text)


def writing_instructions(style: str, target_length: int, context: ContextSource) -> str:
    """Return writing instructions: the same for all systems, except for the permitted source.

    Only a system that reads the whole document can know that it lacks something, and a system that
    reads nothing has no source.

    Args:
        style: Style of the sample.
        target_length: Words.
        context: Kind of the system's passages.
    """
    basis = _BASES.get(context, "passages")
    return fill(
        load_prompt(f"styles/{style}"),
        target_length=target_length,
        most_words=most_words(target_length),
        support=load_prompt(_prompt_for_style(f"support/{basis}", style)),
    )


def _prompt_for_style(name: str, style: str) -> str:
    """Return the name of a prompt's variant for a style, else of the prompt itself."""
    folder, _, file = name.rpartition("/")
    variant = f"{folder}/{style}/{file}"
    return variant if prompt_file(variant) else name


def check_prompt(prompt: object) -> None:
    """Raise if a user's prompt cannot be filled, when the solver is created.

    Raises:
        InputError: It is not text, names a missing file, or has an unknown field.
    """
    if prompt is None:
        return
    if not isinstance(prompt, str) or not prompt.strip():
        raise InputError(f"prompt must be text or the path of a file, got {prompt!r}")
    is_single_word = "\n" not in prompt and " " not in prompt.strip()
    looks_like_path = is_single_word and re.search(r"[/\\]|\.(?:md|txt)$", prompt)
    if looks_like_path and not Path(prompt).is_file():
        raise InputError(f"prompt file {prompt} not found")
    system_message(SampleMetadata(), "systems/closed_book", prompt)
