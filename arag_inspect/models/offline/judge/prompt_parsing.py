"""What a judge by rule is asked, and how it is found."""

import re
from collections.abc import Callable
from typing import NamedTuple, Self

_BLOCK = re.compile(
    r"<(?P<tag>[a-z_]+)(?P<attributes>(?: [^>\n]*)?)>\n(?P<text>.*?)\n</(?P=tag)>", re.S
)
_CODE = re.compile(r"^VERDICT (?P<code>[0-9a-f]{6}):", re.MULTILINE)
_ATTRIBUTE = re.compile(r'(?P<name>\w+)="(?P<value>[^"]*)"')


class Block(NamedTuple):
    """One fenced text of a prompt."""

    tag: str
    attributes: dict[str, str]
    text: str


class JudgePrompt(NamedTuple):
    """A judge's prompt, taken apart."""

    words: str
    """What is asked: the prompt without its fenced texts."""

    blocks: tuple[Block, ...]
    """What is data, in order."""

    @classmethod
    def parse(cls, prompt: str) -> Self:
        """Take a prompt apart."""
        blocks = tuple(
            Block(match["tag"], dict(_ATTRIBUTE.findall(match["attributes"])), match["text"])
            for match in _BLOCK.finditer(prompt)
        )
        return cls(_BLOCK.sub("", prompt), blocks)

    def reply(self, reasoning: str, verdict: str) -> str:
        """Return a reply in the form that is asked for: the verdict alone where no line is."""
        codes = _CODE.findall(self.words)
        return f"{reasoning}\nVERDICT {codes[-1]}: {verdict}" if codes else verdict

    def texts(self, tag: str) -> list[str]:
        """Every text that is fenced so."""
        return [block.text for block in self.blocks if block.tag == tag]

    def text(self, tag: str) -> str | None:
        """All that is fenced so, as one text; None where nothing is."""
        texts = self.texts(tag)
        return "\n\n".join(texts) if texts else None


class Opinion(NamedTuple):
    """What the judge by rule replies."""

    reasoning: str
    verdict: str


class Rule(NamedTuple):
    """One protocol that the judge by rule speaks."""

    mark: str
    """Phrase by which its prompt is known; searched outside of fences only."""

    judge: Callable[[JudgePrompt], Opinion]
