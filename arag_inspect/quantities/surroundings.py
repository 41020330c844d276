"""The words around one number of a sentence."""

import re
from bisect import bisect_left
from functools import cached_property

from ..text.sentences import Span
from . import lexicon as words
from .lexer import QuantityToken
from .mentions import Sentence


class Surroundings:
    """The words around one number of a sentence.

    Args:
        sentence: Sentence with the number.
        quantity: Number as written.
    """

    def __init__(self, sentence: Sentence, quantity: QuantityToken) -> None:
        self.sentence = sentence
        self.quantity = quantity
        amounts = sentence.amounts
        self._index = bisect_left(amounts, quantity.start, key=lambda q: q.start)
        self.left = amounts[self._index - 1].end if self._index else 0
        """End of the number before."""

        following = amounts[self._index + 1 : self._index + 2]
        self.right = following[0].start if following else len(sentence.text)
        """Start of the number after."""

        self.before = sentence.text[self.left : quantity.start]
        self.after = sentence.text[quantity.end : self.right]
        stop = words.CLAUSE_END.search(self.after)
        self.nearby = quantity.end + stop.start() if stop else self.right
        """End of what belongs to the number after it."""

    @cached_property
    def clause(self) -> Span:
        """Clause that holds the number."""
        return self.sentence.clauses.around(self.quantity.start, self.quantity.end)

    @cached_property
    def preceding(self) -> "Surroundings":
        """Surroundings of the number before."""
        return Surroundings(self.sentence, self.sentence.amounts[self._index - 1])

    @cached_property
    def is_compared(self) -> bool:
        """Whether "from", "versus" or the like precede the number."""
        if self.left and words.SAME_AGAIN.fullmatch(self.before):  # "from $5 million, or $0.19"
            return self.preceding._follows_comparator
        return self._follows_comparator

    @cached_property
    def _follows_comparator(self) -> bool:
        if comparator := words.COMPARATOR.search(self.before):
            # "profit came from 300 stores": nothing before that it could be compared with
            return bool(
                self.left or self.sentence.directions or not comparator[0].startswith("from")
            )
        return (
            bool(self.left)
            and self.quantity.unit is not None
            and re.fullmatch(r"\s?on(?: the)?\s", self.before) is not None
        )

    @property
    def is_target(self) -> bool:
        """Whether what the number is compared with is an outlook or another basis."""
        comparator = words.COMPARATOR.search(self.before)
        if comparator and (  # "short of guidance of $7.30", "versus GAAP earnings of $1.23"
            words.GUIDANCE.search(comparator[0]) or words.BASIS.search(comparator[0])
        ):
            return True
        return bool(
            re.search(r"\b(?:guid\w+|range|expect\w*|estimate|outlook)\b", self.after[:40])
        ) and (not re.search(r"\bprior|previous", self.before))
