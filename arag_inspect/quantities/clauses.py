"""Clauses of a sentence of financial prose."""

import re
from bisect import bisect_left, bisect_right

from ..text.sentences import Span

_MORE = (
    r"(?:well |just |slightly )?(?:ahead|above|against|below|better|short|worse)|up|down|flat|higher|lower|an?|or|compared|versus|representing|respectively|in|for|at|of|per|on"
    r"|from|to|excluding|including|net of|which (?:was|is|were|are|has to be|represents?|compares?|compared|exclude[sd]?|include[sd]?)"
)
"""Words after a comma with which the same clause goes on."""

_VERBS = (
    r"has|have|had|was|were|is|are|will|expects?|plans?|sees|anticipates?|projects?|forecasts?|intends?"
    r"|it|its|we|our|the company|grew|rose|fell|made|paid|repaid|bought|sold|set|cut|put|beat|took|saw|[a-z]{3,}ed"
)
"""Words after "and" with which another clause begins."""

_EDGE = re.compile(
    rf";\s|:\s|,?\s(?:while|whereas|but|although|though|yet)\s|,\s(?!(?:(?:{_MORE})\b|[\d$€£]))"
    r"|\s(?:(?:aided|boosted|driven|helped|hurt|offset|weighed down) by|because of|due to|(?:mainly|primarily) from|owing to|thanks to)\s|\son\s(?=(?:better|higher|lower|reduced|softer|solid|strong|stronger|weak|weaker)\b)"
    rf"|\s(?:after|before|when|in which)\s(?=[^,;]*\b(?:{_VERBS})\b)|\sand\s(?=(?:{_VERBS})\b)"
)

_OPENING = re.compile(
    r"\s*(?:and |but )?(?:in|for|during|over|on|at|by|as of|through|with|given|taking|this|last)\b[^,;$\d]*"
    r"(?:(?:(?:19|20)\d\d|(?<=q)[1-4])\b[^,;$\d]*)?"
)
"""A phrase with which a clause opens: for fiscal 2022, we expect."""


class Clauses:
    """Where the clauses of a sentence begin and end.

    Args:
        sentence: Sentence in lower case.
    """

    def __init__(self, sentence: str) -> None:
        self._starts = [0]
        self._ends: list[int] = []
        for edge in _EDGE.finditer(sentence):
            self._ends.append(edge.start())
            if not _OPENING.fullmatch(sentence, self._starts[-1], edge.start()):
                self._starts.append(edge.end())
        self._ends.append(len(sentence))

    def around(self, start: int, end: int) -> Span:
        """Return the clause with a figure that starts and ends at some positions."""
        first = self._starts[bisect_right(self._starts, start) - 1]
        return Span(first, self._ends[bisect_left(self._ends, end)])
