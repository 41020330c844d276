"""Words of a sentence as a rule sees them: which are denied, which have an opposite, what is named."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple


class _Pair:
    """Words that are the opposite of others."""

    def __init__(self, name: str, one: str, other: str) -> None:
        self.name = name
        self._sides = [re.compile(rf"\b(?:{side})\b", re.IGNORECASE) for side in (one, other)]

    def sides(self, text: str, denied: set[int]) -> frozenset[int]:
        """On which sides a text stands, 0 and 1; what denies a word stands on the other one.

        Args:
            text: A sentence.
            denied: Where denied words begin.
        """
        return frozenset(
            1 - side if match.start() in denied else side
            for side, pattern in enumerate(self._sides)
            for match in pattern.finditer(text)
        )


_PAIRS = (
    _Pair("granted, denied", r"grant(?:s|ed|ing)?", r"den(?:y|ies|ied|ying)"),
    _Pair(
        "upheld, struck down",
        r"upheld|upholds?|upholding|sustain(?:s|ed)?",
        r"str(?:uck|ikes?) down|overturn(?:s|ed)?|invalidat(?:e[sd]?|ing)|set(?:s|ting)? aside",
    ),
    _Pair(
        "allowed, forbidden",
        r"allow(?:s|ed|ing)?|permit(?:s|ted|ting)?|authoriz(?:e[sd]?|ing)",
        r"prohibit(?:s|ed|ing)?|forbid(?:s|den)?|forbade|bar(?:s|red)|ban(?:s|ned)?",
    ),
    _Pair(
        "approved, rejected",
        r"accept(?:s|ed|ing)?|approv(?:e[sd]?|ing)|adopt(?:s|ed|ing)?",
        r"reject(?:s|ed|ing)?|refus(?:e[sd]?|ing)",
    ),
    _Pair("guilty, acquitted", r"guilty|convict(?:s|ed)", r"innocent|acquit(?:s|ted)?"),
    _Pair("liable, immune", r"liable", r"immune"),
    _Pair("admitted, excluded", r"admit(?:s|ted)?|admissible", r"exclud(?:e[sd]?|ing)|suppress(?:es|ed|ing)?"),
    _Pair("required, optional", r"mandatory|obligatory|compulsory|required", r"optional|voluntary|discretionary"),
    _Pair("won, lost", r"won|wins?|winning|prevail(?:s|ed)?|succeed(?:s|ed)?", r"los(?:e|es|t|ing)|fail(?:s|ed)?"),
    _Pair(
        "rose, fell",
        r"up|increas(?:e[sd]?|ing)|ris(?:e[sn]?|ing)|rose|gr[eo]w(?:s|n|ing)?|gain(?:s|ed)?|higher|rais(?:e[sd]?|ing)"
        r"|jump(?:s|ed)?|surg(?:es?|ed|ing)|climb(?:s|ed)?|expand(?:s|ed|ing)?|improv(?:e[sd]?|ing)",
        r"down|decreas(?:e[sd]?|ing)|f[ae]ll(?:s|en|ing)?|declin(?:e[sd]?|ing)(?! to)|drop(?:s|ped|ping)?|lower(?:s|ed|ing)?"
        r"|reduc(?:e[sd]?|ing)|shr[aiu]nk(?:s|ing)?|plunge[sd]?|slid|contract(?:ed|ing)|worsen(?:s|ed|ing)?|cut(?:s|ting)?",
    ),
    _Pair("strong, weak", r"strong(?:er)?|strength|robust", r"weak(?:er|ness)?|soft(?:er|ness)?"),
    _Pair("profit, loss", r"profits?|profitable", r"loss(?:es)?|unprofitable"),
    _Pair("beat, missed", r"beat(?:s|en)?|exceed(?:s|ed|ing)?|above", r"miss(?:es|ed)?|below|short of"),
    _Pair(
        "supported, opposed",
        r"support(?:s|ed|ing)?|favou?r(?:s|ed|ing)?",
        r"oppos(?:e[sd]?|ing)|object(?:s|ed)? to",
    ),
    _Pair("safe, dangerous", r"safe(?:r)?|harmless", r"unsafe|dangerous|harmful"),
    _Pair(
        "on a condition, on none",
        r"unless|except|only (?:if|where|when)|provided that|on condition that",
        r"whether or not|regardless|irrespective|even (?:if|where|when)|in (?:any|every) case",
    ),
)  # fmt: skip
"""Opposites: of one sentence all such words must stand on one side, of the other on the other."""

_STANDARDS = tuple(
    tuple(re.compile(one, re.IGNORECASE) for one in row)
    for row in (
        (
            r"beyond (?:a |all )?reasonable doubt",
            r"clear and convincing",
            r"preponderance|more likely than not|balance of probabilit(?:y|ies)",
        ),
        (r"\bwarrants?\b", r"probable cause", r"reasonable suspicion"),
        (r"strict scrutiny", r"intermediate scrutiny", r"rational[- ]basis"),
        (r"\bde novo\b", r"clear(?:ly)? err", r"abuse of discretion"),
    )
)
"""Legal standards; those of a row exclude each other."""

_TOKEN = re.compile(r"[A-Za-z][A-Za-z'’-]*|[;:,.()]")
_END = frozenset(";:,.()")
_NEGATION = re.compile(
    r"(?:not(?! (?:only|merely|just|least)\b)|no(?! (?:more|less|fewer|later|earlier|sooner)\b)|nor|neither|never|none|cannot|without"
    r"|\w+n['’]t|(?:fail(?:s|ed)?|refus(?:es|ed)|unable|declin(?:es|ed))(?= to\b))(?![\w'’-])",
    re.IGNORECASE,
)
"""Denies the next word that says something."""

_WHOLLY_DENIED = re.compile(
    r"^\W*(?:it is|this is)?\s*(?:not true|untrue|false|wrong|not the case|incorrect)\b", re.IGNORECASE
)  # fmt: skip
_DENYING = re.compile(
    r"^(?:un|non-?|in(?=valid|admissib|correct|complete|eligib|capab|sufficien|adequa|consisten|effectiv)"
    r"|im(?=possib|proper|material)|il(?=legal)|ir(?=relevan|responsib|reversib)|dis(?=agree|approv|allow|satisf))(?=[a-z]{4})"
)
"""Denies the word that it begins."""

_SUFFIXES = sorted(
    re.findall(
        r"\w+",
        "ence ences ance ances ment ments ation ations ion ions ity ities ingly ing ings ional al ive ably able ible er ers ed "
        "es ly s e y",
    ),
    key=len,
    reverse=True,
)
_STEM = 4
"""Least letters of a stem."""

_EMPTY = frozenset(
    re.findall(
        r"\S+",
        "a about after against all also although an and any are as at be because been before being both but by can could did do "
        "does done each either even few for from further gaap had has have he her here him his how i if in into is it it's its "
        "itself longer may might more most much must non-gaap of off on once one only onto or other our out over own per said "
        "same say says shall she should so some such than that the their them then there these they this those through to too "
        "under until up upon us very was we were what when where whether which while who whom whose why will with within would "
        "you your",
    )
)
"""Words that carry nothing."""

_NO_NAME = frozenset(
    re.findall(
        r"\S+",
        "january february march april may june july august september october november december monday tuesday wednesday thursday "
        "friday saturday sunday i the court justice chief mr mrs ms dr inc co corp company q1 q2 q3 q4 fy gaap non-gaap eps ebitda",
    )
)


class Wording(NamedTuple):
    """What a sentence says, as far as single words tell."""

    stems: frozenset[str]
    """Of the words that carry it."""

    denied: frozenset[str]
    """Those of them that are denied wherever they stand."""

    affirmed: frozenset[str]
    """Those that are denied nowhere."""

    names: frozenset[str]
    """Capitalised words within the sentence, months and titles left out."""

    openers: frozenset[str]
    """The word that it begins with, which may be a name."""

    whole: bool
    """Whether the sentence is denied as a whole."""

    sides: tuple[frozenset[int], ...]
    """Sides of each pair of opposites that it stands on, turned round where the word is denied."""

    standards: tuple[frozenset[int], ...]
    """Which of each row of legal standards it names."""

    def opposes(self, other: "Wording") -> Iterator[str]:
        """What the two say in opposite ways, given that they are about the same."""
        if self.whole != other.whole:
            yield "one denies what the other says"
        turned = (self.denied & other.affirmed) | (self.affirmed & other.denied)
        yield from (f"only one of them denies '{stem}'" for stem in sorted(turned))
        for pair, here, there in zip(_PAIRS, self.sides, other.sides, strict=True):
            if len(here) == len(there) == 1 and here != there:
                yield f"opposites: {pair.name}"
        for here, there in zip(self.standards, other.standards, strict=True):
            if len(here) == len(there) == 1 and here != there:
                yield "one legal standard stands for another"


@lru_cache(maxsize=8192)
def read_wording(text: str) -> Wording:
    """Read the words of one sentence."""
    tokens = list(_TOKEN.finditer(text))
    denials = [match.end() for match in _NEGATION.finditer(text)]
    denied: set[str] = set()
    affirmed: set[str] = set()
    places: set[int] = set()
    pending = False
    for token in tokens:
        word = token[0].lower().replace("’", "'")
        if any(token.start() < end <= token.end() for end in denials):
            pending = True
        elif word in _END:
            pending = False
        elif word not in _EMPTY and len(word) > 2:
            turned = pending
            if prefix := _DENYING.match(word):
                word, turned = word[prefix.end() :], not pending
            (denied if turned else affirmed).add(stem(word))
            if pending:
                places.add(token.start())
            pending = pending and word.endswith("ly")
    names = [t for t in tokens if t[0][0].isupper() and t[0].lower() not in _NO_NAME]
    opening = tokens[0].start() if tokens else -1
    return Wording(
        stems=frozenset(denied | affirmed),
        denied=frozenset(denied - affirmed),
        affirmed=frozenset(affirmed - denied),
        names=frozenset(_bare(t[0]) for t in names if t.start() != opening),
        openers=frozenset(_bare(t[0]) for t in names if t.start() == opening),
        whole=_WHOLLY_DENIED.match(text) is not None,
        sides=tuple(pair.sides(text, places) for pair in _PAIRS),
        standards=tuple(
            frozenset(place for place, one in enumerate(row) if one.search(text))
            for row in _STANDARDS
        ),
    )


def stem(word: str) -> str:
    """A word without what inflection and derivation add to it, roughly: `defer` of `deference`."""
    word = _bare(word)
    for _ in range(2):
        fitting = (one for one in _SUFFIXES if word.endswith(one) and len(word) - len(one) >= _STEM)
        word = word.removesuffix(next(fitting, ""))
        if len(word) > _STEM and word[-1] == word[-2] and word[-1] not in "aeiousl":
            word = word[:-1]
    return word


def _bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s").rstrip("'-")
