"""The question in a message, and the part of it that asks, without the circumstances."""

import re
from functools import lru_cache

from ...text.content_words import content_words
from ...text.layout import paragraphs
from ...text.sentences import sentences

_ASKS = re.compile(
    r"\b(?:what|which|how (?:many|much|large|high|big|long|far|fast)|calculate|compute|determine"
    r"|find|give|state|provide|name|tell)\b"
)
"""A word with which a question or an order begins."""

_ASKING_CLAUSE = re.compile(
    rf"[,;:]\s(?:(?:and|but|so|then)\s)?(?=(?:by |in |at |to )?{_ASKS.pattern})"
)
"""Between a clause that does not ask and a clause that asks."""

_CIRCUMSTANCE = re.compile(
    r"\b(?:after|although|amid|as a result of|because(?: of)?|before|compared (?:to|with)|despite"
    r"|due to|(?:during|in) the (?:period|quarter|year) of|even though|excluding|following|given"
    r"|in (?:light|spite|view) of|including|net of|owing to|relative to|since|thanks to|that"
    r"|though|unless|versus|when|where|whereas|which|while|who|whose|with(?:out)?)\s[^,;?]*"
)
"""Words for a condition, or for one of several things."""

_BLANK_LINE = re.compile(r"\n\s*\n")

_GENERAL = content_words("amount answer figure number percent percentage rate total value")
"""Words that do not identify a quantity: what was the amount?"""

_NAMES_SUBJECT = re.compile(r"\s*(?:of|for|regarding|concerning|as (?:for|to))\b")
"""Opening of a clause with the quantity: of the loss, how much was insured?"""


def question_in(message: str) -> str:
    """Return the question in a message that may also contain a text.

    That is its last paragraph with a question mark, from the line that has it; without any, the
    last paragraph.

    Args:
        message: Question, perhaps with documents before or after it.
    """
    blocks = [block for block in _BLANK_LINE.split(message) if block.strip()]
    if not blocks:
        return message
    block = next((block for block in reversed(blocks) if "?" in block), blocks[-1])
    lines = [paragraph.text for paragraph in paragraphs(block)]
    first = next((number for number, line in enumerate(lines) if "?" in line), 0)
    return "\n".join(lines[first:])


@lru_cache(maxsize=64)
def asked_part(question: str) -> str:
    """Return the words of a question that identify the quantity asked for.

    "After the loss of a customer, what was revenue?" asks for revenue, not for a loss. A question
    whose asking words identify nothing, as in "Revenue fell. By how much?", is returned whole.

    Args:
        question: Question in lower case.
    """
    asking = [text for text in sentences(question) if _ASKS.search(text)]
    part = " ".join(map(_without_circumstances, asking))
    names_quantity = content_words(_ASKS.sub(" ", part)) - _GENERAL
    return part if names_quantity else question


def _without_circumstances(sentence: str) -> str:
    """Return a sentence that asks without its clauses and phrases of circumstance."""
    clause = _ASKING_CLAUSE.search(sentence)
    if clause and not (_ASKS.match(sentence) or _NAMES_SUBJECT.match(sentence)):
        sentence = sentence[clause.end() :]
    asks = _ASKS.search(sentence)
    if asks is None:
        return sentence
    before = _CIRCUMSTANCE.sub(" ", sentence[: asks.start()])
    after = _CIRCUMSTANCE.sub(" ", sentence[asks.end() :])
    return f"{before}{asks[0]}{after}"
