"""Sentences that decline to answer."""

import re

_NOUN = (
    r"(?:documents?|sources?|texts?|passages?|contexts?|reports?|filings?|transcripts?|excerpts?|materials?"
    r"|information|articles?|pages?|sections?|10-[kq]s?)"
)
_DOCUMENT = rf"(?:^\W*|\b(?:the|these|those|this|any|provided|given|your)\ (?:[\w-]+\ ){{0,2}}){_NOUN}\b(?!\ of\b)"
_STATE = (
    r"(?:state|say|mention|give|provide|contain|disclose|specify|include|report|answer|indicate|reveal|address"
    r"|discuss|cover|show|name|list|allow|hold)"
)
_GIVEN = r"(?:mentioned|stated|available|provided|disclosed|given|specified|found|reported|included|known|applicable|covered|discussed|addressed)"
_REFUSAL = re.compile(
    rf"""
      \bI\b[^.;]{{0,60}}?(?:\bdo\ not\b|n't\b|\bcannot\b|\bcan\ not\b|\bcould\ not\b|\bnot\ able\b|\bunable\b)
        \ (?:to\ )?(?:know|find|answer|determine|say|tell|have|see|locate|identify|provide|give)
    | {_DOCUMENT}[^.;]{{0,60}}?(?:\b(?:do|does|did|has|have|is)\ not\b|n't\b|\bcannot\b|\bfails?\ to\b)[^.;]{{0,20}}?\b{_STATE}
    | {_DOCUMENT}[^.;]{{0,40}}?\b(?:lacks?|ha(?:s|ve)\ no|(?:contain|give|make|offer|provide|hold)s?\ no)\b
    | \b(?:none|neither)\ of\ the\ (?:\w+\ ){{0,2}}{_NOUN}\ {_STATE}
    | \b(?:not|nowhere|never|neither)\ (?:\w+ly\ )?{_GIVEN}\ (?:[\w-]+\ ){{0,3}}?(?:in|by|within|from)\ (?:[\w-]+\ ){{1,4}}?{_NOUN}\b
    | (?:^\W*|\bthere\ (?:is|are|was|were)\ )(?:no|not\ enough|insufficient)\ (?:\w+\ )?(?:information|mention|data)\b
    | ^\W*(?:this|that|it|the\ (?:\w+\ ){{0,2}}(?:information|answer|figure|data|value|number))\ (?:is|are|was)\ not\ (?:{_GIVEN}|in\ the\ {_NOUN})\b
    | \b(?:cannot|can't|could\ not|couldn't)\ be\ (?:answered|determined|ascertained|found\ in|inferred|verified)\b
    | (?:\b(?:im|not\ )possible|^\W*(?:\w+,\ )?(?:unable|cannot|can't))\ (?:to\ )?(?:answer|determine|ascertain|infer|say|tell|find)\b
    | ^\W*(?:not\ {_GIVEN}|none\ {_GIVEN}|unknown|unanswerable|n/?a|no\ answer|insufficient)\b[^.]{{0,60}}\W*$
    """,
    re.VERBOSE | re.IGNORECASE,
)


def declines(sentence: str) -> bool:
    """Return whether a sentence says that the documents do not tell, and claims nothing else."""
    return _REFUSAL.search(sentence.replace("\u2019", "'")) is not None
