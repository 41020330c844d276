"""Recognise costs, which statements print in brackets because they are deducted."""

import re

from ..quantity import Quantity

_COST = re.compile(
    r"\b(?:amorti[sz]ation|capex|charges?|costs?|depreciation|expen(?:ditures?|s(?:es?|ed))"
    r"|impairments?|paid|pay(?:ments?)?|provisions?|r&d|research and development|spen[dt]|spending"
    r"|tax(?:es|ation)?|write-?(?:downs?|offs?))\b(?! savings?\b)"
)
"""Words of a question for a cost."""

_NOT_COST = re.compile(
    r"\b(?:after|before|benefits?|credits?|deficits?|earnings|ebitda?|excluding|gains?"
    r"|(?:net|operating|pre-?tax|taxable) income|loss|margins?|profits?|rates?|ratios?|refunds?"
    r"|results?|shares?|surplus|flows?)\b(?! (?:loss|provisions?)\b)"
)
"""Words for amounts that have a sign, or that are not costs: tax benefit, profit before tax."""

_EITHER_SIGN = re.compile(r"\b(?:net|provisions? for|tax(?:es|ation)?)\b")
"""Words of costs that may also be a gain: if a gold answer has them in brackets, it may be one."""


def is_deducted(question: str, gold: Quantity | None) -> bool:
    """Return whether a question asks for a cost, for which brackets are not a minus sign.

    Args:
        question: Words of the question that identify the quantity, in lower case.
        gold: Figure of the gold answer.
    """
    if gold is None or gold.dimension in ("percent", "points"):
        return False
    is_cost = _COST.search(question) is not None and _NOT_COST.search(question) is None
    return is_cost and not (is_in_brackets(gold) and _EITHER_SIGN.search(question))


def is_in_brackets(figure: Quantity | None) -> bool:
    """Return whether a figure is printed in brackets: (9.3), which the words about it allow."""
    if figure is None or not figure.negative or "(" not in figure.text:
        return False
    return _NOT_COST.search(figure.wording.before) is None
