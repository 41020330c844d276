"""Excerpts of the text that was read, nearest to a sentence."""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

from arag_inspect.text.sentences import split_sentences

_WORD = re.compile(r"[a-z][a-z'&-]{2,}|\d+(?:[.,]\d+)*")
_WORDS = 200
"""Maximum words of an excerpt; neighbouring excerpts overlap by one sentence."""


class ExcerptRanker:
    """Excerpts of texts, ranked by the words that they share with a sentence."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Split texts into excerpts."""
        excerpts = chain.from_iterable(map(_cut_excerpts, texts))
        self._excerpts = list(dict.fromkeys(excerpts))
        self._words = [set(_WORD.findall(excerpt.lower())) for excerpt in self._excerpts]
        counts = Counter(chain.from_iterable(self._words))
        self._weight = {
            word: math.log(1 + len(self._excerpts) / count) for word, count in counts.items()
        }

    def nearest(self, sentence: str, most: int) -> list[str]:
        """Return the excerpts that share the most words with a sentence, weighted by rarity."""
        words = set(_WORD.findall(sentence.lower()))
        scores = [self._sum_weights(words & excerpt_words) for excerpt_words in self._words]
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[:most]
        return [self._excerpts[index] for index in sorted(best)]

    def _sum_weights(self, words: Collection[str]) -> float:
        return sum(self._weight[word] for word in words)


def nearest_excerpts(texts: Sequence[str], sentences: Sequence[str], most: int) -> list[str]:
    """Return the distinct excerpts nearest to the sentences, at most `most`, in sentence order."""
    ranker = ExcerptRanker(texts)
    nearest = [ranker.nearest(sentence, 1) for sentence in sentences]
    return list(dict.fromkeys(chain.from_iterable(nearest)))[:most]


def _cut_excerpts(text: str) -> list[str]:
    """Split into whole sentences up to the length of an excerpt."""
    spans = split_sentences(text)
    if not spans:
        return []
    excerpts = []
    first_index = 0
    length = 0
    for index, span in enumerate(spans):
        words = len(text[span.start : span.end].split())
        if index > first_index and length + words > _WORDS:
            last_span = spans[index - 1]
            excerpts.append(text[spans[first_index].start : last_span.end])
            first_index = max(index - 1, first_index + 1)
            length = len(text[last_span.start : last_span.end].split())
        length += words
    excerpts.append(text[spans[first_index].start :])
    return excerpts
