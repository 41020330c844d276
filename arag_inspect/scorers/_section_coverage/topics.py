"""Topics of earnings calls, by their words."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

import yaml

LEAST = 2
"""Fewest sentences of a call about a topic."""


@cache
def _topics() -> Mapping[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("topics.yaml").read_text(encoding="utf-8")
    words_by_topic: dict[str, list[str]] = yaml.safe_load(text)
    return {
        topic: re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, words))})", re.IGNORECASE)
        for topic, words in words_by_topic.items()
    }


def count_topics(sentences: Iterable[str]) -> dict[str, int]:
    """Count the sentences about each topic, including topics without a sentence."""
    counts = dict.fromkeys(_topics(), 0)
    for sentence in sentences:
        for topic, words in _topics().items():
            counts[topic] += words.search(sentence) is not None
    return counts
