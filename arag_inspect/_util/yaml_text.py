"""Parse untrusted YAML: of files, and before the text of Markdown files."""

import re
from typing import Any, NamedTuple

import yaml

from .errors import InputError, one_line

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


class _Loader(yaml.SafeLoader):
    """A loader of plain types that refuses aliases, by which a few lines can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("*NAME is an alias; write out the value that it stands for")
        return super().compose_node(parent, index)


def parse_yaml(text: str) -> Any:
    """Parse a YAML value of plain types.

    Raises:
        yaml.YAMLError: It is not YAML, holds an alias, is nested too deeply, or holds a value that
            cannot exist.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError:
        raise yaml.YAMLError("lists and mappings are nested too deeply") from None
    except ValueError as error:  # e.g. a date such as 2021-13-01
        raise yaml.YAMLError(str(error)) from None


class MarkdownDoc(NamedTuple):
    """A parsed Markdown file."""

    place: str
    """Location, for errors."""

    front: dict[str, Any]
    body: str


def parse_frontmatter(text: str, place: str) -> MarkdownDoc:
    """Parse a Markdown file's text, which begins with YAML between `---` lines.

    Raises:
        InputError: There is none, or it cannot be read.
    """
    match = _FRONT.match(text.replace("\r\n", "\n"))
    try:
        front = parse_yaml(match["front"]) if match else None
    except yaml.YAMLError as error:
        raise InputError(f"front matter of {place} cannot be read ({one_line(error)})") from None
    if match is None or not isinstance(front, dict):
        raise InputError(f"{place} has no front matter between --- lines")
    return MarkdownDoc(place, front, match["body"].strip())
