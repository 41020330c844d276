"""Parse YAML of plain types, and the front matter of Markdown."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from .errors import InputError, one_line

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_LONGEST_INT = 250


class _Loader(yaml.SafeLoader):
    """A loader of plain types that rejects aliases and integers too large for a float.

    Aliases can expand a few lines to gigabytes.
    """

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("*NAME is an alias; write out the value that it refers to")
        node = super().compose_node(parent, index)
        if node is not None and node.tag.endswith(":int") and len(node.value) > _LONGEST_INT:
            raise yaml.YAMLError(f"a whole number has more than {_LONGEST_INT} digits")
        return node


def parse_yaml(text: str) -> Any:
    """Parse a YAML value of plain types.

    Raises:
        yaml.YAMLError: It is not YAML, contains an alias or an impossible value, or is nested too
            deeply.
    """
    try:
        return yaml.load(text, _Loader)
    except RecursionError:
        raise yaml.YAMLError("lists and mappings are nested too deeply") from None
    except ValueError as error:  # e.g. a date such as 2021-13-01
        raise yaml.YAMLError(str(error)) from None


def read_yaml(path: Path, subject: str) -> Any:
    """Read a YAML file of the user.

    Args:
        path: The file.
        subject: Noun for it in messages.

    Raises:
        InputError: The file is missing or is not valid YAML.
    """
    try:
        return parse_yaml(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{subject} {path} cannot be read: {one_line(error)}") from None


class MarkdownDoc(NamedTuple):
    """A parsed Markdown file."""

    name: str
    """Path or name of the file, for errors."""

    front: dict[str, Any]
    body: str


def parse_frontmatter(text: str, name: str) -> MarkdownDoc:
    """Parse a Markdown file's text, which begins with YAML between `---` lines.

    Raises:
        InputError: The front matter is missing or is not valid YAML.
    """
    match = _FRONT.match(text.replace("\r\n", "\n"))
    try:
        front = parse_yaml(match["front"]) if match else None
    except yaml.YAMLError as error:
        raise InputError(f"front matter of {name} cannot be read ({one_line(error)})") from None
    if match is None or not isinstance(front, dict):
        raise InputError(f"{name} has no front matter between --- lines")
    return MarkdownDoc(name, front, match["body"].strip())
