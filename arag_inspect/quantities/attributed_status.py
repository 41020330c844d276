"""Whether a number of a sentence is a result or an outlook, and on which basis it is given."""

import re

from ..types.fact import Basis
from . import lexicon as words
from .mentions import Mention
from .quantity import Status
from .surroundings import Surroundings

_NEW_CLAUSE = re.compile(
    r"\band (?:we|it|(?:its|our|the) [a-z]+|received|collected|paid|returned|repurchased|bought"
    r"|opened|closed|completed|generated|reported|declared|reinstated|ended)\b"
)
"""Where a sentence goes on from an outlook to a result."""
_FAR = 48
"""Characters beyond which a word of outlook after a figure is about something else."""
_JOINT = re.compile(r"\s(?:and|but|while|although)\s")


def basis_of(around: Surroundings, mention: Mention | None) -> Basis | None:
    """Return whether a number is adjusted or not, where the sentence says one."""
    if after := words.BASIS_AFTER.match(around.sentence.text, around.quantity.end):
        return "gaap" if after["on"] in ("gaap", "reported") else "adjusted"
    if mention is not None:
        window = around.sentence.text[max(0, mention[0] - 28) : mention[1]]
        marks = [
            m for m in words.BASIS.finditer(window) if not re.search(r"[\d,;]", window[m.end() :])
        ]
        if len({bool(mark["adjusted"]) for mark in marks[-2:]}) > 1:
            return None  # "adjusted and GAAP earnings per share"
        if marks:
            return "adjusted" if marks[-1]["adjusted"] else "gaap"
    lead = around.sentence.text[: around.quantity.start]
    marks = [
        m
        for m in words.BASIS.finditer(lead)
        if re.search(
            r"\b(?:on an?|under|that brought|that took|all of this put|the)\s(?:[a-z]+\s)?$|^$",
            lead[: m.start()],
        )
        or m[0] in ("excluding", "adjusting")
    ]
    if marks:
        return "adjusted" if marks[-1]["adjusted"] else "gaap"
    return None


def status_of(around: Surroundings, compared: bool) -> Status | None:
    """Return whether a number is a result or an outlook, where the words leave no doubt."""
    text = around.sentence.text
    if around.quantity.spelled and around.quantity.unit == "count":
        return None  # "delays on two projects"
    if words.ESTIMATE.search(around.before):
        return "estimate"
    if compared:  # the verb of the sentence is about the other figure
        return None
    if words.STATED.search(around.before):
        return "actual"
    guided_after = words.GUIDED_AFTER.match(text, around.quantity.end)
    if guided_after and not words.GUIDANCE_BESIDE.search(
        text, around.quantity.end, guided_after.end()
    ):
        return "guidance"
    if words.HELD_AGAINST.match(text, around.clause.start):  # "topping the range of $190 million"
        return None
    clause = text[around.clause.start : around.clause.end]
    own_verb = words.ACTUAL.search(clause)
    start = around.clause.start if own_verb and around.clause.start else 0
    lead = text[start : around.quantity.start]
    guided = [
        m.end()
        for m in words.GUIDANCE.finditer(lead)
        if not words.GUIDANCE_BESIDE.search(lead, max(0, m.end() - 80), m.end())
        or words.ITS_FIGURE.fullmatch(lead, m.end())
    ]
    actual = words.REPORTED.search(lead)
    if any(not _NEW_CLAUSE.search(lead, end) for end in guided):
        return "guidance"
    if actual:
        return "actual"
    if own_verb and around.clause.start:  # "and $800 million of debt was paid down"
        return None
    after = _JOINT.split(text[around.quantity.end : around.nearby], 1)[0][:_FAR]
    outlook = words.GUIDANCE.search(after)
    if outlook is None or words.GUIDANCE_BESIDE.search(after, 0, outlook.end()):
        return None
    return "guidance"
