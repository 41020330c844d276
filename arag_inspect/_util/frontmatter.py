"""Markdown files with front matter: built-in and user rubrics and taxonomies."""

import re
from typing import Any, NamedTuple

import yaml

from .errors import InputError
from .yaml_values import parse_yaml

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


class MarkdownDoc(NamedTuple):
    """A parsed Markdown file."""

    place: str
    """Location, for errors."""

    front: dict[str, Any]
    body: str


def parse_frontmatter(text: str, place: str) -> MarkdownDoc:
    """Parse a file's text; see `load_doc`."""
    match = _FRONT.match(text.replace("\r\n", "\n"))
    try:
        front = parse_yaml(match["front"]) if match else None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise InputError(f"front matter of {place} cannot be read ({reason})") from None
    if match is None or not isinstance(front, dict):
        raise InputError(f"{place} has no front matter between --- lines")
    return MarkdownDoc(place, front, match["body"].strip())
