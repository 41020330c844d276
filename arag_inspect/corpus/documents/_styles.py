"""The styles of a page's elements: from their attribute, and by class, id and name."""

import re
from collections import defaultdict
from typing import Any

_MEDIA = re.compile(r"@media(?![^{]*\b(?:screen|all)\b)[^{}]{0,200}\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}")
_SELECTOR = re.compile(
    r"(?:(?<![a-z0-9])(?P<tag>[a-z][a-z0-9]*))?(?P<kind>[.#])(?P<name>[\w-]+)", re.I
)


class Styles:
    """The rules of a page's style sheets that match a pattern.

    Only selectors of a single class or id, with or without an element's name, are read.

    Args:
        tree: The page.
        pattern: Pattern of the rules to keep.
    """

    def __init__(self, tree: Any, pattern: re.Pattern[str]) -> None:
        self._rules: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
        for style in tree.iter("style"):
            css = _MEDIA.sub("", re.sub(r"/\*.*?\*/", "", style.text or "", flags=re.DOTALL))
            for block in css.split("}"):
                head, _, rules = block.rpartition("{")
                selectors = head.rpartition("{")[2].split(",") if pattern.search(rules) else ()
                for match in map(_SELECTOR.fullmatch, map(str.strip, selectors)):
                    if match:
                        self._rules[match.groups()].append(rules)

    def style_of(self, element: Any) -> str:
        """Return the style of an element."""
        style: str = element.get("style") or ""
        if not self._rules:
            return style
        names = [(".", name) for name in (element.get("class") or "").split()]
        names += [("#", element.get("id"))]
        rules: list[str] = []
        for name in names:
            rules += self._rules.get((None, *name), ())
            rules += self._rules.get((element.tag, *name), ())
        return ";".join([*rules, style])
