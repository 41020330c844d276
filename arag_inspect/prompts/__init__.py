"""Prompts as Markdown files, and the loader that fills them."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path

from inspect_ai.util import resource

from .._util.discovery import prompt_folders
from .._util.errors import InputError
from .._util.yaml_text import MarkdownDoc, parse_frontmatter

TAGS = (
    "passage",
    "snippet",
    "source",
    "reference",
    "summary",
    "reasoning",
    "record",
    "claim",
    "question",
    "gold",
    "answer",
    "gold_facts",
    "predicted_facts",
    "transcript",
    "extraction",
    "document",
    "perspective",
    "statement",
    "fact",
    "criterion",
)
"""Tags that fence data in a prompt."""

_UNSEEN = (
    r"\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""Invisible characters: controls, direction marks, joiners, fillers, combining accents."""

_INVISIBLE = f"[{_UNSEEN}]*+"
_GAP = rf"[\s\\{_UNSEEN}]*+"
_BRACKET = r"(?:[<＜﹤‹〈⟨《❮❰˂ᐸ≮]|&(?:lt|#0*+(?:60|x0*+3c));?|%3c|\\(?:u00|x)3c)"

FIELD = re.compile(r"\{\{(\w+)\}\}")
"""A field of a template."""


@cache
def folders() -> tuple[Path, ...]:
    """Return the folders with built-in prompts: this one, and those of benchmarks."""
    return Path(str(files(__package__))), *prompt_folders()


def prompt_file(name: str) -> Path | None:
    """Return the file of a built-in prompt; None if missing."""
    paths = (folder / f"{name}.md" for folder in folders())
    return next((path for path in paths if path.is_file()), None)


@cache
def load_prompt(name: str) -> str:
    """Return the text of a built-in prompt, e.g. `arag` or `styles/qa`.

    Raises:
        FileNotFoundError: There is no prompt of this name.
    """
    path = prompt_file(name) or folders()[0] / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()


@cache
def prompts_digest() -> str:
    """Return the SHA-256 of all built-in prompts, so that logs show when one changed."""
    texts = {}
    for folder in folders():
        for path in folder.rglob("*.md"):
            texts[path.relative_to(folder).as_posix()] = path.read_bytes()
    digest = hashlib.sha256()
    for name, text in sorted(texts.items()):
        digest.update(name.encode() + b"\0" + text)
    return digest.hexdigest()


def custom_prompt(prompt: str | None, default: str) -> str:
    """Return the text of the user's prompt, else of a built-in one.

    Args:
        prompt: Text or path of the user's prompt, or None.
        default: Name of the built-in prompt.
    """
    return load_prompt(default) if prompt is None else resource(prompt).strip()


def fill(template: str, **fields: object) -> str:
    """Replace each `{{name}}` by its value; inserted text is not expanded.

    Raises:
        KeyError: The template names a field without a value.
    """
    return FIELD.sub(lambda match: str(fields[match.group(1)]), template)


def fence(tag: str, text: str, **attributes: object) -> str:
    """Fence text as data: `<tag attribute="...">text</tag>`.

    All tags inside the text are neutralised.

    Args:
        tag: Kind of text.
        text: Text from a document or a model, not to be trusted.
        attributes: Shown in the opening tag, except those that are None.
    """
    marks = _marks("" if tag in TAGS else tag)
    return f"<{tag}{_attributes(attributes)}>\n{marks.sub('‹', text)}\n</{tag}>"


def empty_tag(tag: str, **attributes: object) -> str:
    """Return a tag without text: `<tag attribute="..."/>`."""
    return f"<{tag}{_attributes(attributes)}/>"


def _attributes(attributes: Mapping[str, object]) -> str:
    """Return attributes as written in a tag; those that are None are left out."""
    present = {name: value for name, value in attributes.items() if value is not None}
    return "".join(f' {name}="{_flat(value)}"' for name, value in present.items())


def numbered_fences(tag: str, texts: Iterable[str]) -> str:
    """Fence texts one by one, numbered from 1."""
    return "\n\n".join(fence(tag, text, number=number) for number, text in enumerate(texts, 1))


@cache
def _marks(tag: str) -> re.Pattern[str]:
    """Match an opening bracket that a model could take for one of our tags, or for a further one.

    White space, unseen characters, backslashes, look-alikes of brackets and slashes, full-width
    letters, and the bracket's escapes in HTML, URL and JSON are allowed where an exact tag has
    none.
    """
    names = "|".join(_INVISIBLE.join(map(_letter, name)) for name in filter(None, {tag, *TAGS}))
    return re.compile(
        rf"{_BRACKET}(?={_GAP}(?:[/／∕⁄⧸⟋]|%2f)?{_GAP}(?:{names})(?!\w))", re.IGNORECASE
    )


def _letter(sign: str) -> str:
    """Match a letter of a tag's name, or its full-width form."""
    return f"[{sign}{chr(ord(sign) + 0xFEE0)}]"


def _flat(value: object) -> str:
    """Return an attribute's value on one line, without characters that could end it."""
    return re.sub(r'["<>]', "'", " ".join(str(value).split()))


OPTION_FOLDERS = {"rubric": "rubrics", "taxonomy": "taxonomies", "profile": "profiles"}
"""Folder of built-in files, by the option of a scorer that names one of them."""


def built_in(folder: str) -> list[str]:
    """Return the names of the built-in files of a folder, e.g. `rubrics`."""
    paths = chain.from_iterable(root.glob(f"{folder}/*.md") for root in folders())
    return sorted(path.stem for path in paths)


def load_doc(folder: str, name: str, *, bare: bool = False) -> MarkdownDoc:
    """Load a built-in file by name, or the user's own by path.

    Args:
        folder: Folder of the built-in files, e.g. `rubrics`.
        name: Name of one of them, or the path of a file.
        bare: Whether a file may be YAML or JSON alone.

    Raises:
        InputError: The file is missing or has no front matter.
    """
    names = built_in(folder)
    if name in names:
        return parse_frontmatter(load_prompt(f"{folder}/{name}"), f"{folder}/{name}.md")
    try:
        text = Path(name).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name!r} is not one of the built-in {folder} ({', '.join(names)}) and cannot be read "
            f"as a file ({error})"
        ) from None
    if bare and not text.startswith("---"):
        text = f"---\n{text}\n---\n"
    return parse_frontmatter(text, name)
