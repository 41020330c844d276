"""Parse the prompts sent to the rule-based judge, and reply in their form."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self

from inspect_ai.util import JSONSchema

_BLOCK = re.compile(
    r"<(?P<tag>[a-z_]+)(?P<attributes>(?: [^<>\n]*)?)>\n(?P<text>.*?)\n</(?P=tag)>", re.S
)
_CODE = re.compile(r"^VERDICT (?P<code>[0-9a-f]{6}):", re.MULTILINE)
_ATTRIBUTE = re.compile(r'\b(?P<name>\w+)="(?P<value>[^"]*)"')


class Block(NamedTuple):
    """One fenced text of a prompt."""

    tag: str
    attributes: dict[str, str]
    text: str


class JudgePrompt(NamedTuple):
    """A parsed judge prompt."""

    words: str
    """The prompt without its fenced texts."""

    blocks: tuple[Block, ...]
    """Fenced data, in order."""

    @classmethod
    def parse(cls, prompt: str) -> Self:
        """Parse a prompt."""
        blocks = tuple(
            Block(match["tag"], dict(_ATTRIBUTE.findall(match["attributes"])), match["text"])
            for match in _BLOCK.finditer(prompt)
        )
        return cls(_BLOCK.sub("", prompt), blocks)

    def reply(self, reasoning: str, verdict: str | Mapping[str, Any]) -> str:
        """Return a reply in the requested form: the verdict alone if no line is requested."""
        verdict = verdict if isinstance(verdict, str) else json.dumps(verdict)
        codes = _CODE.findall(self.words)
        return f"{reasoning}\nVERDICT {codes[-1]}: {verdict}" if codes else verdict

    def all(self, tag: str) -> list[Block]:
        """Return every block with this fence."""
        return [block for block in self.blocks if block.tag == tag]

    def text(self, tag: str) -> str | None:
        """Return all text with this fence as one text; None if there is none."""
        blocks = self.all(tag)
        return "\n\n".join(block.text for block in blocks) if blocks else None


class Opinion(NamedTuple):
    """A reply of the rule-based judge."""

    reasoning: str
    verdict: str | Mapping[str, Any]
    """Plain text, or an object that is sent as JSON."""


class JudgeRule(NamedTuple):
    """One protocol of the rule-based judge."""

    mark: str
    """Phrase that identifies its prompt; searched outside of fences only."""

    judge: Callable[[JudgePrompt], Opinion]


NOTE = "By a fixed rule of offline/extractive, which has not read the text."


def any_form(schema: JSONSchema) -> str:
    """Return a JSON value of a schema that is the same whatever is judged.

    The first choice, the middle of a scale (rounded down), an empty list, false, and `NOTE` as
    text.
    """
    return json.dumps(_value(schema))


def _value(schema: JSONSchema) -> Any:
    if schema.enum:
        return schema.enum[0]
    if schema.anyOf:
        return _value(schema.anyOf[0])
    if schema.type in ("integer", "number"):
        ends = [int(end) for end in (schema.minimum, schema.maximum) if end is not None]
        return sum(ends) // len(ends) if ends else 0
    if schema.type == "object":
        fields = schema.properties or {}
        return {name: _value(fields[name]) for name in schema.required or fields}
    return {"string": NOTE, "boolean": False, "array": []}.get(str(schema.type))
