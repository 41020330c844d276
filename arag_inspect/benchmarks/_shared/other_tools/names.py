"""Names that other tools give to questions, answers and scores."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from arag_inspect._util.files import packaged_yaml

VOCABULARY: dict[str, Any] = packaged_yaml(__package__, "names.yaml")
"""The names of `names.yaml`."""

ROLES: Mapping[str, Sequence[str]] = VOCABULARY["roles"]
"""Known names of each role in the form of `normal`, best first."""

BARE: Sequence[str] = VOCABULARY["bare"]
"""Names of the reference in a question set, and of the system's answer in results."""

KNOWN = frozenset(BARE).union(*ROLES.values())
"""Every known name of a column."""

SCORE = re.compile(
    r"(?:.*[_.])?(?:scores?|verdict|correct|correctness|accuracy|f1|relevancy|relevance|precision"
    r"|recall|faithfulness|groundedness|similarity|hallucination|toxicity|bias|completeness"
    r"|exact_match|bleu|rouge|rouge_?[12l]|bert_?score)(?:_value)?",
)
"""Names of columns with scores, if their values are numbers or verdicts."""

LOWER_IS_BETTER = re.compile(r"(?i).*(hallucination|toxicity|bias|noise|error|distance)")

BOOLEANS = {
    **dict.fromkeys(VOCABULARY["booleans"]["true"], True),
    **dict.fromkeys(VOCABULARY["booleans"]["false"], False),
}
"""Words for true and false, as spreadsheets write them."""

VERDICTS = {
    **{word: float(value) for word, value in BOOLEANS.items()},
    **dict.fromkeys(("correct", "right", "pass", "passed", "yes"), 1.0),
    **dict.fromkeys(("incorrect", "wrong", "fail", "failed", "no"), 0.0),
}
"""Words that are read as a score."""

_DOCUMENTS = r"(?:documents?|contexts?|texts?|filings?|reports?|passages?|corpus|sources?|data)"
_GIVEN = (
    r"(?:available|found|mentioned|stated|disclosed|provided|specified|reported|given|answerable"
    r"|present|in)"
)
NO_ANSWER = re.compile(
    rf"(?:(?:the )?(?:information|answer|question) (?:is )?)?not {_GIVEN}"
    rf"(?: (?:in|from|by|within))?(?: (?:the|any|provided|given|source))*(?: {_DOCUMENTS})?"
    r"|un-?answerable|n/?a|k\. ?a|keine angaben?|n/[dcv]|(?-i:n\. ?[dv])"
    r"|no answer(?: (?:found|present|available|possible))?"
    r"|cannot be answered.*|(?:there is )?(?:no|insufficient) (?:information|context|evidence)"
    r"(?: (?:available|provided))?|i do(?: not|n't) know|unknown"
    rf"|(?:the )?(?:provided |given )?{_DOCUMENTS} (?:do|does)(?: not|n't) (?:say|contain|answer"
    r"|mention|provide|state|disclose|specify|include|give|report|address)\b.*",
    re.IGNORECASE,
)
"""The whole text of a reference to a question that the documents do not answer."""

IMPOSSIBLE = {"is_impossible": True, "unanswerable": True, "is_unanswerable": True}
IMPOSSIBLE |= {"answerable": False, "is_answerable": False}
"""Columns that state whether a question has an answer, and their value if not."""


def normal(name: str) -> str:
    """Return a name in lower case with underscores: `expectedOutput` is `expected_output`."""
    name = name.strip().removeprefix("__metadata:")
    separated_name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\s:/-]+", "_", separated_name).lower()


def known_name(name: str) -> str:
    """Return the known name that a column corresponds to, or an empty string.

    A column may be within a mapping (`inputs.question`), or the member of a mapping with its text
    (`expectedOutput.text`).
    """
    name = normal(name.removesuffix("/value"))
    outer_name, _, member = name.rpartition(".")
    returned = VOCABULARY["returned"]
    if name in KNOWN:
        return name
    if outer_name in returned["within"] and member in returned["passages"]:
        return "retrieved_contexts"
    known_outer = known_name(outer_name) if outer_name else ""
    if known_outer and member in _members(known_outer):
        return known_outer
    wrapper, _, inner = name.partition(".")
    known_inner = known_name(inner) if inner and wrapper in VOCABULARY["wrappers"] else ""
    is_reference = known_inner in BARE and wrapper in VOCABULARY["asked"]
    return "reference" if is_reference else known_inner


def directness(name: str) -> tuple[int, int]:
    """Return how directly a column contains the text of its known name; the lowest is best."""
    outer_name, _, member = normal(name).rpartition(".")
    members = _members(known_name(name))
    return outer_name.count(".") + bool(outer_name), members.index(
        member
    ) if member in members else 0


def _members(name: str) -> list[str]:
    """Return the members with the text of a column of a known name, best first."""
    members: dict[str, list[str]] = VOCABULARY["members"]
    if name in ROLES["question"]:
        return members["question"]
    further_names = ROLES["reference"] if name in ROLES["reference"] else []
    return [*members["other"], *further_names]


def field_of(name: str) -> str:
    """Return a column's name without the member with its text, in the form of `normal`."""
    outer_name, _, member = normal(name).rpartition(".")
    is_member = outer_name and member in _members(known_name(outer_name))
    return outer_name if is_member else normal(name)
