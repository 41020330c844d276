"""A judge by rule: word and figure support. It stands in for a grader where there is none."""

import json
import re
from typing import NamedTuple

from ..corpus import split_sentences
from ..figures import check_claims

_BLOCK = re.compile(
    r"<(?P<tag>source|reference|summary)(?: [^>]*)?>\n(?P<text>.*?)\n</(?P=tag)>", re.S
)
_WORD = re.compile(r"[a-z]{3,}|\d[\d.,]*\d|\d")
_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "our",
        "their",
        "its",
        "but",
        "not",
        "all",
        "will",
        "also",
        "which",
        "into",
        "than",
        "then",
        "they",
        "we",
        "you",
        "about",
        "over",
        "more",
    ]
)
_SUPPORTED = 0.6
"""Share of a sentence's words that one sentence of the other text must hold."""


class _Support(NamedTuple):
    words: float
    """Share of sentences whose words stand in one sentence of the other text."""

    figures: float
    """Share of figures that the other text supports."""


def is_verdict_request(prompt: str) -> bool:
    """Whether a prompt asks for a verdict on a summary."""
    return "Final score: N" in prompt and "<summary>" in prompt


def is_criteria_request(prompt: str) -> bool:
    """Whether a prompt asks for criteria."""
    return "Write exactly five criteria" in prompt


def criteria() -> str:
    """Five criteria, always the same: a rule has no ideas of its own."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    return json.dumps(
        {
            "criteria": [
                {
                    "name": name,
                    "checks": f"{name} of the summary have support.",
                    "low": "none has.",
                    "middle": "half of them have.",
                    "high": "all have.",
                }
                for name in names
            ]
        }
    )


def verdict(prompt: str) -> str:
    """Judge by rule, in the protocol of the prompt.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures told by the
    summary? The score is 1 + 4 times the lesser of both shares, rounded.
    """
    blocks = {match["tag"]: match["text"] for match in _BLOCK.finditer(prompt)}
    summary = blocks.get("summary", "")
    if "reference" in blocks:
        support = _support(blocks["reference"], summary)
    elif "source" in blocks:
        support = _support(summary, blocks["source"])
    else:
        support = _Support(1.0, 1.0)
    score = 1 + round(4 * min(support))
    lines = [
        f"Criterion {number} ({name}): by rule, {support.words:.0%} of sentences and "
        f"{support.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(prompt.split("<")[0]), start=1)
    ]
    return "\n".join([*lines, f"Final score: {score}"])


def _support(text: str, other: str) -> _Support:
    """How far `other` supports `text`."""
    sentences = [
        words for start, end in split_sentences(text) if (words := _words(text[start:end]))
    ]
    places = [_words(other[start:end]) for start, end in split_sentences(other)]
    held = [
        max((len(words & place) / len(words) for place in places), default=0.0) >= _SUPPORTED
        for words in sentences
    ]
    claims = check_claims(text, [other])
    supported = [claim.verdict in ("supported", "unsettled") for claim in claims]
    return _Support(
        words=sum(held) / len(held) if held else 0.0,
        figures=sum(supported) / len(supported) if supported else 1.0,
    )


def _words(sentence: str) -> set[str]:
    return set(_WORD.findall(sentence.lower())) - _STOP
