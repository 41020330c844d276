"""Errors in the wording of a summary."""

import re
from itertools import combinations

from ..figures.lexicon import METRIC, metric_name
from ..text.sentences import split_sentences
from ._edits import Edit, PerturbationContext, apply_edits

_PAIRS = (
    "increase/decrease increases/decreases increased/decreased increasing/decreasing "
    "rise/fall rises/falls rose/fell rising/falling risen/fallen "
    "grow/shrink grows/shrinks grew/shrank grown/shrunk growing/shrinking growth/decline "
    "higher/lower up/down gained/dropped improved/worsened improvement/deterioration "
    "improving/worsening expanded/contracted expansion/contraction raised/cut raising/cutting "
    "strong/weak stronger/weaker record/lowest"
).split()
_OPPOSITES = dict(pair.split("/") for pair in _PAIRS)
_FLIPPED = {
    **_OPPOSITES,
    **{right: left for left, right in _OPPOSITES.items()},
    "declined": "increased",
    "declining": "growing",
    "declines": "grows",
    "reduced": "increased",
    "reduction": "increase",
    "lowest": "highest",
    "lowered": "raised",
    "jumped": "plunged",
    "surged": "plunged",
    "climbed": "slid",
}

_DIRECTION = re.compile(
    r"(?<!in the )\b(?!(?:up|down)\b(?! (?:about |nearly |over |approximately |a |by )?[$\d]))"
    rf"(?:{'|'.join(_FLIPPED)})\b",
    re.IGNORECASE,
)

_NEAR = 40
"""Maximum characters between a direction and its figure."""

_SIGNS = {
    "net income": "net loss",
    "net loss": "net income",
    "net earnings": "net loss",
    "earnings per": "loss per",
    "earned": "lost",
    "lost": "earned",
    "loss per": "earnings per",
    "income per": "loss per",
    "profit": "loss",
}

_SIGN = re.compile(rf"\b(?:{'|'.join(_SIGNS)})\b", re.IGNORECASE)

_NAME = re.compile(r"(?<=[a-z,;&]\s)[A-Z][A-Za-z&-]*(?:\s[A-Z][A-Za-z&-]*)*")

_NO_NAME = re.compile(
    "I|GAAP|Non-GAAP|EBITDAX?R?e?|A?FFO|EPS|NOI|U|US|USD|CAD|Q|Quarter|Slide|COVID-?|Fiscal|CEO"
    "|CFO|SG&A|R&D|P&L"
    r"|January|February|March|April|May|June|July|August|September|October|November|December"
)

_NEARLY_THE_SAME = {"eps", "net income"}
"""Metrics that are easily exchanged: "earnings of $1.30 per share"."""

_AUXILIARY = re.compile(
    r"\b(?:was|were|is|are|will|would|can|could|should|(?:has|have|had)(?= \w+(?:ed|en|own)\b))\b",
    re.I,
)

_DENIED = re.compile(r"\b(?:not|no|never|none|without)\b|n['’]t\b", re.IGNORECASE)

_OPENERS = frozenset(
    (
        "a all also an and as at but during excluding finally for from in it looking of on our "
        "overall quarterly reported so that the these this through to today total turning we "
        "while with adjusted net revenue"
    ).split()
)
"""Words written in lower case when they no longer begin a sentence."""


def flip_direction(text: str, context: PerturbationContext) -> str | None:
    """Reverse one direction (rose, fell), else one sign (net income, net loss)."""
    chance = context.random(text)
    for pattern, opposites in ((_DIRECTION, _FLIPPED), (_SIGN, _SIGNS)):
        matches = list(pattern.finditer(text))
        if not matches:
            continue
        matches_near_figures = [
            match for match in matches if re.search(r"\d", text[match.end() : match.end() + _NEAR])
        ]
        match = chance.choice(matches_near_figures or matches)
        new = opposites[match[0].lower()]
        if match[0][0].isupper():
            new = new[0].upper() + new[1:]
        return apply_edits(text, [Edit(*match.span(), new)])
    return None


def swap_entities(text: str, context: PerturbationContext) -> str | None:
    """Swap two names everywhere, or two metrics if there are fewer names."""
    chance = context.random(text)
    for entities in (_names(text), _metrics(text)):
        kinds = sorted({kind for kind, _ in entities})
        pairs = [pair for pair in combinations(kinds, 2) if set(pair) != _NEARLY_THE_SAME]
        if not pairs:
            continue
        first, second = chance.choice(pairs)
        new = {first: _spelling(text, entities, second), second: _spelling(text, entities, first)}
        edits = [Edit(*match.span(), new[kind]) for kind, match in entities if kind in new]
        return apply_edits(text, edits)
    return None


def claim_opposite(text: str, context: PerturbationContext) -> str | None:
    """Negate one sentence by `not`, or by `It is not true that` before it."""
    spans = split_sentences(text)
    candidates = [span for span in spans if not _DENIED.search(text[span.start : span.end])]
    if not candidates:
        return None
    start, end = context.random(text).choice(candidates)
    auxiliary = _AUXILIARY.search(text, start, end)
    if auxiliary:
        return apply_edits(text, [Edit(auxiliary.end(), auxiliary.end(), " not")])
    first_word = text[start:end].split()[0].rstrip(",")
    opener = first_word.lower() if first_word.lower() in _OPENERS else first_word
    return apply_edits(
        text, [Edit(start, start + len(first_word), f"It is not true that {opener}")]
    )


def _names(text: str) -> list[tuple[str, re.Match[str]]]:
    return [(m[0], m) for m in _NAME.finditer(text) if not _NO_NAME.fullmatch(m[0].split()[0])]


def _metrics(text: str) -> list[tuple[str, re.Match[str]]]:
    lower = text.lower() if len(text.lower()) == len(text) else ""
    return [(metric_name(match), match) for match in METRIC.finditer(lower)]


def _spelling(text: str, entities: list[tuple[str, re.Match[str]]], name: str) -> str:
    """Return an entity as the text first writes it."""
    return next(text[slice(*match.span())] for kind, match in entities if kind == name)
