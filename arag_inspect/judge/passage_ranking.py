"""Find the excerpts of passages that concern a sentence."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from ..text.sentences import split_sentences

_WORD = re.compile(r"[a-z][a-z'&-]{2,}|\d+(?:[.,]\d+)*")
_WORDS = 200
"""Length of an excerpt; neighbours overlap by one sentence."""


class PassageRanker:
    """Passages, split into searchable excerpts.

    Args:
        texts: The passages.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._excerpts = list(dict.fromkeys(part for text in texts for part in _cut(text)))
        self._words = [set(_WORD.findall(excerpt.lower())) for excerpt in self._excerpts]
        counts = Counter(word for words in self._words for word in words)
        self._weight = {
            word: math.log(1 + len(self._excerpts) / count) for word, count in counts.items()
        }

    def nearest(self, sentence: str, most: int) -> list[str]:
        """Return the excerpts that share most words with a sentence, weighted by rarity."""
        words = set(_WORD.findall(sentence.lower()))
        matches = [words & excerpt_words for excerpt_words in self._words]
        scores = [sum(self._weight[word] for word in match) for match in matches]
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[:most]
        return [self._excerpts[index] for index in sorted(best)]


def _cut(text: str) -> list[str]:
    """Split into whole sentences up to the length of an excerpt."""
    spans = split_sentences(text)
    excerpts, first, length = [], 0, 0
    for index, span in enumerate(spans):
        words = len(text[span.start : span.end].split())
        if index > first and length + words > _WORDS:
            last = spans[index - 1]
            excerpts.append(text[spans[first].start : last.end])
            first, length = max(index - 1, first + 1), len(text[last.start : last.end].split())
        length += words
    return [*excerpts, text[spans[first].start :]] if spans else []
