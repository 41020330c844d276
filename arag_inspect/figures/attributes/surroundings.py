"""The words around one number of a sentence."""

import re
from bisect import bisect_left
from functools import cached_property

from .. import lexicon
from ..numbers.ranges import QuantityToken
from ..wording.edges import UNMEASURED
from ..wording.mentions import Sentence

_SAME_AGAIN = re.compile(r"\s?(?:,?\s?or|\()\s?")
"""Between two numbers that are the same in other words: a loss of $5 million, or $0.19."""


_OF_EXPECTATION = re.compile(
    rf"\s(?:(?!(?:and|but|or)\b)[a-z]+\s){{0,3}}?(?:{lexicon.EXPECTATION})\b"
)
"""After a figure that was expected: the 81% target, the $4 we had forecast."""

_AS_FIRST_REPORTED = re.compile(
    r"\s(?:[a-z]+\s){0,4}?"
    r"(?:originally|previously|first|initially) (?:announced|published|reported)\b"
)
"""After a figure as it was before a restatement, which is of the same period."""

DISTANCE = re.compile(
    r"(?:\s(?:a|per)\sshare)?"
    r"\s(?:above|ahead of|below|better than|short of|shy of|under|worse than)\b"
)
"""After the distance of a figure from what was expected: $1.27, four cents above consensus."""

_NOT_BEYOND = re.compile(r"(?:\bnot|n't) (?:[a-z]+ )?(?:above|below|beneath)\s$")
"""Before a bound that a figure kept to."""

_LIMIT = re.compile(r"\b(?:ceiling|covenant|floor|limit|maximum|minimum|permitted|required)\b")
"""Words for a limit or requirement, e.g. of a ratio; not an earlier figure."""

_BEFORE_LIMIT = re.compile(r"(?:up to|(?:from|on|under) (?:an?|its|our|the)) $")
"""Before a limit that what was done is part of: $4 million was drawn on the $9 million line."""

_LONGEST_LIMIT = 12
"""Characters of these words."""

_CONDITION = re.compile(r"\bif\s[^,;]*$")
"""Before the verb of a condition: if the rate had been 1% higher."""


class Surroundings:
    """The words around one number of a sentence; all positions refer to the sentence.

    Args:
        sentence: Sentence with the number.
        quantity: Number as written.
    """

    def __init__(self, sentence: Sentence, quantity: QuantityToken) -> None:
        self.sentence = sentence
        self.quantity = quantity
        self.text = sentence.text
        self.start = quantity.start
        self.end = quantity.end
        self.amounts = sentence.amounts
        self.index = bisect_left(self.amounts, self.start, key=lambda amount: amount.start)
        """Position of the number among the amounts of its sentence."""

        self.scope = sentence.scopes[self.index]
        self.left = self._end_before(self.index)
        """End of the number before."""

        following = self.amounts[self.index + 1 :]
        self.right = following[0].start if following else len(self.text)
        """Start of the number after."""

        self.clause = sentence.clause(self.start, self.end)
        self.near = max(self.left, self.clause.start)
        """Start of the words before the number that are about no other."""

        self.lead = self.text[: self.start]
        self.before = self.words_before(self.index)
        """Words between the previous number and this number."""

        self.after = self.text[self.end : self.right]
        """Words between this number and the next."""

        self.is_none_at_all = self.text[self.start : self.end] == "any"
        """Whether it is the "any" of "did not pay any dividends", a zero with its negation."""

        self.is_compared = self._follows_comparator() or bool(lexicon.AFTER.search(self.before))
        """Whether another number is compared with this one."""

    @cached_property
    def beside(self) -> str:
        """Words that are about other numbers of its unit alone, or about items without a number."""
        about = []
        for scope, amount in zip(self.sentence.scopes, self.amounts, strict=True):
            is_other = amount is not self.quantity and self._is_of_its_unit(amount)
            if is_other and (self._is_limit(self.quantity) or not self._is_limit(amount)):
                about.append(scope.alone)
        if self.quantity.unit in lexicon.RATES:
            about += UNMEASURED.findall(self.text)
        return " ".join(about)

    def _is_of_its_unit(self, amount: QuantityToken) -> bool:
        """Return whether an amount has the unit of the number; parts need not say "per share"."""
        may_be_part = self.quantity.unit == "per_share" and amount.unit == "currency"
        is_plain = amount.scale in (None, "one") and amount.value_high is None
        return amount.unit == self.quantity.unit or (may_be_part and is_plain)

    def _is_limit(self, amount: QuantityToken) -> bool:
        """Return whether an amount is a limit, such as an authorisation, that was used in part."""
        start = max(0, amount.start - _LONGEST_LIMIT)
        return _BEFORE_LIMIT.search(self.text, start, amount.start) is not None

    @cached_property
    def before_in_clause(self) -> str:
        """Words before the number in its clause."""
        if self.scope.link not in ("clause", "item"):
            return self.before
        return self.text[self.scope.before.start : self.start]

    @cached_property
    def onward(self) -> str:
        """Words after the number to the end of its clause, also those about other numbers."""
        end = self.scope.after.end
        following = slice(self.index + 1, None)
        for scope, amount in zip(
            self.sentence.scopes[following], self.amounts[following], strict=True
        ):
            is_distance = DISTANCE.match(self.text, amount.end) is not None
            if scope.link == "clause" or (scope.link == "item" and not is_distance):
                break
            end = scope.after.end
        return self.text[self.end : end]

    def is_same_again(self, index: int) -> bool:
        """Return whether an amount is the previous amount in other words."""
        between = self.text[self._end_before(index) : self.amounts[index].start]
        is_next_in_aside = between == ", " and self.sentence.scopes[index - 1].link == "aside"
        return index > 0 and (is_next_in_aside or _SAME_AGAIN.fullmatch(between) is not None)

    def words_before(self, index: int) -> str:
        """Return the words between an amount and the previous amount.

        If the two are the same in other words, return the words before both.
        """
        first = index - 1 if self.is_same_again(index) else index
        return self.text[self._end_before(first) : self.amounts[first].start]

    def _end_before(self, index: int) -> int:
        return self.amounts[index - 1].end if index else 0

    def _follows_comparator(self) -> bool:
        """Return whether "from", "versus" or the like precede the number."""
        comparator = lexicon.COMPARATOR.search(self.before)
        if comparator is None:
            return False
        if _NOT_BEYOND.search(self.before) or _OF_EXPECTATION.match(self.after):
            return False  # "did not fall below 90%", "short of the 81% target"
        if _AS_FIRST_REPORTED.match(self.after):
            return False
        words = comparator[0]
        if words.startswith("had been") and _CONDITION.search(self.before, 0, comparator.start()):
            return False
        if any(kind.search(words) for kind in (lexicon.GUIDANCE, lexicon.BASIS, _LIMIT)):
            return False  # "short of guidance of $7.30", "versus GAAP earnings of $1.23"
        is_from = words.startswith("from")
        if is_from and self.before[: comparator.start()].endswith(" and "):
            return False  # "from $1 to $2 on a GAAP basis and from $3 to $4"
        # "profit came from 300 stores": nothing before that it could be compared with
        is_alone = not (self.left or self.sentence.directions)
        return not (is_alone and is_from)
