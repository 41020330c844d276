"""Clauses of a sentence of financial prose."""

import re

from ..text.sentences import Span

_MORE = (
    r"(?:well |just |slightly )?(?:ahead|above|against|below|better|short|worse)|up|down|flat|higher|lower|an?|or|compared|versus|representing|respectively|in|for|at|of|per|on"
    r"|from|to|excluding|including|net of|which (?:was|is|were|are|has to be|represents?|compares?|compared|exclude[sd]?|include[sd]?)"
)
"""Words after a comma with which the same clause goes on."""

_VERBS = (
    r"has|have|had|was|were|is|are|will|expects?|plans?|sees|anticipates?|projects?|forecasts?|intends?"
    r"|it|its|we|our|the company|grew|rose|fell|made|paid|bought|sold|set|cut|put|beat|took|saw|[a-z]{3,}ed"
)
"""Words after "and" with which another clause begins."""

_EDGE = re.compile(
    rf";\s|:\s|,\s(?!(?:(?:{_MORE})\b|[\d$€£]))|,?\s(?:while|whereas|but|although|though|yet)\s"
    r"|\s(?:(?:aided|boosted|driven|helped|hurt|offset|weighed down) by|because of|due to|(?:mainly|primarily) from|owing to|thanks to)\s|\son\s(?=(?:better|higher|lower|reduced|softer|solid|strong|stronger|weak|weaker)\b)"
    rf"|\s(?:after|before|when|in which)\s(?=[^,;]*\b(?:{_VERBS})\b)|\sand\s(?=(?:{_VERBS})\b)"
)


_OPENING = re.compile(
    r"\s*(?:and |but )?(?:in|for|during|over|on|at|by|as of|through|with|given|taking|this|last)\b[^,;$\d]*(?:(?:19|20)\d\d|q[1-4])?[^,;$\d]*"
)
"""A phrase with which a clause opens: for fiscal 2022, we expect."""


def clause_around(sentence: str, start: int, end: int) -> Span:
    """Return the clause of a lower-case sentence that holds a position.

    Args:
        sentence: Sentence in lower case.
        start: Start of a figure.
        end: End of it.
    """
    first, last = 0, len(sentence)
    for edge in _EDGE.finditer(sentence):
        if edge.end() <= start:
            if not _OPENING.fullmatch(sentence, first, edge.start()):
                first = edge.end()
        elif edge.start() >= end:
            last = edge.start()
            break
    return Span(first, last)
