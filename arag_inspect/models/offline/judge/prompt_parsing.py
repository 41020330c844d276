"""Parse the prompts sent to the rule-based judge."""

import re
from collections.abc import Callable
from typing import NamedTuple, Self

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

    def reply(self, reasoning: str, verdict: str) -> str:
        """Return a reply in the requested form: the verdict alone if no line is requested."""
        codes = _CODE.findall(self.words)
        return f"{reasoning}\nVERDICT {codes[-1]}: {verdict}" if codes else verdict

    def texts(self, tag: str) -> list[str]:
        """Return every text with this fence."""
        return [block.text for block in self.blocks if block.tag == tag]

    def text(self, tag: str) -> str | None:
        """Return all text with this fence as one text; None if there is none."""
        texts = self.texts(tag)
        return "\n\n".join(texts) if texts else None


class Opinion(NamedTuple):
    """A reply of the rule-based judge."""

    reasoning: str
    verdict: str


class Rule(NamedTuple):
    """One protocol of the rule-based judge."""

    mark: str
    """Phrase that identifies its prompt; searched outside of fences only."""

    judge: Callable[[JudgePrompt], Opinion]
