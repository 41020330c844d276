"""Markdown files with front matter: rubrics and taxonomies, those that ship and the user's own."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from ..errors import InputError
from ..prompts import load_prompt

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


class Sheet(NamedTuple):
    """A Markdown file, taken apart."""

    place: str
    """Where it is, for errors."""

    front: dict[str, Any]
    body: str


def load_sheet(folder: str, name: str) -> Sheet:
    """Load a sheet that ships with the package by its name, or the user's own by its path.

    Args:
        folder: Folder of the prompts that holds those that ship, e.g. `rubrics`.
        name: Name of one of them, or the path of a file.

    Raises:
        InputError: The file is missing or has no front matter.
    """
    known = sorted(
        Path(file.name).stem for file in files("arag_inspect.prompts").joinpath(folder).iterdir()
    )
    if name in known:
        return parse_sheet(load_prompt(f"{folder}/{name}"), f"{folder}/{name}.md")
    try:
        text = Path(name).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        shipped = ", ".join(known)
        raise InputError(
            f"{name!r} is none of the {folder} that ship ({shipped}) and cannot be read as a file "
            f"({error})"
        ) from None
    return parse_sheet(text, name)


def parse_sheet(text: str, place: str) -> Sheet:
    """Take a sheet apart; see `load_sheet`."""
    match = _FRONT.match(text.replace("\r\n", "\n"))
    try:
        front = yaml.safe_load(match["front"]) if match else None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"front matter of {place} cannot be read ({reason})") from None
    if match is None or not isinstance(front, dict):
        raise InputError(f"{place} has no front matter between --- lines")
    return Sheet(place, front, match["body"].strip())
