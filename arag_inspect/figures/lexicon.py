"""Words of financial prose that say what a figure is about."""

import re
from typing import Literal

from .._util.files import packaged_yaml
from ..types.sample import Direction

Family = Literal["money", "rate", "count", "any"]


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
"""Pattern of the name of a month, perhaps abbreviated."""


def _metrics() -> dict[str, tuple[Family, str]]:
    """Read the metrics with their family and pattern, in the order of matching."""
    metrics = packaged_yaml(__package__, "metrics.yaml")
    return {name: next(iter(entry.items())) for name, entry in metrics.items()}


_METRICS = _metrics()
FAMILIES: dict[str, Family] = {name: family for name, (family, _) in _METRICS.items()}
_NAMES = tuple(_METRICS)
METRIC = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<m{i}>{pattern})" for i, (_, pattern) in enumerate(_METRICS.values()))
    + r")(?![\w&])"
)


def metric_name(match: re.Match[str]) -> str:
    """Return the metric of a match of `METRIC`."""
    return _NAMES[int((match.lastgroup or "m0")[1:])]


_NOT_TARGET = r"(?!(?:\s[^\s;]+){0,7}?\s(?:guid|expect|range|consensus|estimate|forecast|target|plan|outlook))"
_A_BASE = r"(?=\s(?:the\s)?(?:\$|\d|last|prior|a\s|year))"
_BY = r"(?= (?:by\b|[$€£]?\d))"
"""After verbs that otherwise say of a loss or range how large it became."""

_NO_WIDTH = r"(?<!loss )(?<!losses )(?<!share )(?<!range )(?<!guidance )(?<!outlook )(?<!was )(?<!were )(?<!been )"
"""Not after a loss, or a range that became narrower."""

_TO = r"(?= (?:[a-z]+ly )?(?:to|from)\b)"
"""After the same verbs of a margin or spread, which is higher when wider."""

_STEPPED = r"(?:crept|edged|inched|moved|nudged|ticked|trended|went)"
"""Verbs after which "up to" is a rise, not a limit."""

UP = re.compile(
    r"\b(?:rose|ris(?:e[ns]?|ing)|(?<!made )(?<!make )(?<!makes )(?<!making )(?<!set )(?<!signed )up(?! to)|increas(?:e[sd]?|ing)|grew|grow(?:s|n|ing|th(?! rate| decreas| declin| fell| drop| slow| eased))?|improv(?:e[sd]?|ing|ements?)|gain(?:s|ed)?"
    r"|advance[sd]?|jump(?:s|ed)?|surg(?:e[sd]?|ing)|climb(?:s|ed)?|expan(?:d(?:s|ed|ing)?|sion)|accelerat\w+|rais(?:e[sd]?|ing)"
    rf"|boost(?:s|ed|ing)?|lift(?:s|ed|ing)?|strengthen(?:s|ed)?|soar(?:s|ed)?|doubled|tripled|quadrupled|higher|widen(?:s|ed|ing)?{_BY}|{_NO_WIDTH}widen(?:s|ed|ing)?{_TO}|{_STEPPED} up"
    r"|rebounded|swelled|ballooned|spiked|leap(?:ed|t)"
    rf"|(?:ahead of|above{_A_BASE}|exceed\w*|better than){_NOT_TARGET})\b"
)
DOWN = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?|down(?! the\b)|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|drop(?:s|ped)?|lower(?:s|ed|ing)?|reduc(?:e[sd]?|ing|tions?)"
    rf"|slip(?:s|ped)?|(?!contracted (?:backlog|capacity|revenue|sales|volumes?|r&d))contract(?:s|ed|ion)|sl(?:id|ides?|iding)|s[aiu]nk(?:s|ing)?|slump\w*|shr[aiu]nk(?:s|ing)?|weaken(?:s|ed)?|cut(?:s|ting)?|trim(?:s|med|ming)?|eased|dipped|compress(?:ed|ion)|plunged|halved|(?:narrow|tighten)(?:s|ed|ing)?{_BY}"
    rf"|{_NO_WIDTH}(?:narrow|tighten)(?:s|ed|ing)?{_TO}|plummeted|retreated|receded|dwindled|softened"
    rf"|deteriorat\w+|worsen\w*|erosion|tumbled|(?:short of|below{_A_BASE}|beneath|worse than){_NOT_TARGET})\b"
)
FLAT = re.compile(
    r"\b(?:flat|unchanged|in line with (?:last|the prior)|remain(?:s|ed|ing)?(?= at| \$| unchanged| the same)|stays|reaffirm\w*|reiterat\w*"
    r"|maintain(?:s|ed|ing)?|confirm(?:s|ed|ing)?|continue to expect|stable|little changed|(?:held|holding|kept|stayed) (?:steady|firm|constant|level)|steady at|affirm\w*)\b"
)
DIRECTIONS: dict[Direction, re.Pattern[str]] = {"up": UP, "down": DOWN, "flat": FLAT}
_GUIDED = (
    r"(?<!as )(?<!than )expect(?:s|ed|ing)?(?! items)|anticipat(?:e[sd]?|ing)|guidance|guid(?:e[sd]?|ing)(?= to|\b)|(?<!economic )outlook|forecast(?:s|ed|ing)?|projections?|(?:company|firm|it|management) projects|project(?:ed|ing|s(?= (?:to|about|capital|comparable|free|gross|operating|organic|same|fy|full|fiscal|revenue|sales|net|per|earnings|adjusted|normalized|core|eps|gaap|q\d|20|first|second|third|fourth|an?)\b))"
    r"|sees|see(?:ing)?(?= (?:fy|full|q\d|20|fiscal|revenue|sales|adjusted|eps|gaap|capital|third|fourth|first|second|a range|an? ))|will(?! also have)|would be|plans? to|targets?|targeting|targeted"
    r"|(?:company|firm|bank|retailer|group|board) plans|capital plan|estimat(?:e|es|ing)|intends?|should|goals?|objectives?|ambitions?|on track|likely|look(?:s|ing)? for|looking at(?= (?:about |approximately |around |roughly )?\S?$)|(?:is|are) estimated|we project|company projects|we see|we plan|planning|(?:is|are|range) to be|expectations? (?:is|are|remains?)|the range for|assum(?:e[sd]?|ing|ption)|we model"
    r"|(?:rais|lower|reduc|narrow|increas|updat|revis|tighten)(?:e|ed|ing) (?:our|its) (?:[a-z0-9-]+ ){0,6}range"
    r"|predict(?:s|ed|ing)?|fores(?:ee(?:s|ing|n)?|aw)|envisag(?:e[sd]?|ing)|envision(?:s|ed|ing)?|slated|poised|aim(?:s|ing)?(?= (?:to|for))"
)
GUIDANCE = re.compile(rf"(?<!than )(?<!as )\b(?:{_GUIDED})\b")
AFTER = re.compile(
    r"\b(?:after|following)\s(?:an?\s|the\s)?(?:growth\s|rise\s|increase\s|gain\s|decline\s|drop\s|fall\s)?(?:of\s)?\S?$"
)
"""Words before an earlier figure: 3.7%, after 5.1% in the quarter before."""

_ADJUSTED = r"adjusted|adj|adjusting|non-?gaap|pro[\s-]forma|core|normalized|underlying|excluding|operating(?= (?:eps|ffo|earnings per))"
_GAAP = r"(?<!non-)(?<!non)gaap|(?:(?<=our )|(?<=the )|(?<=its )|(?<=of )|(?<=in )|(?<=\ba )|^|(?<=; )|(?<=- ))reported(?= (?:basis|earnings|eps|net|diluted|revenue|operating|rate))|as-reported|reported(?= and adjusted)"
BASIS = re.compile(rf"\b(?:(?P<adjusted>{_ADJUSTED})|(?P<gaap>{_GAAP}))\b")
COMPARATOR = re.compile(
    r"\b(?:instead of|rather than|(?<!range )(?<!ranges )(?<!ranging )from|versus|vs\.?|against|compare[sd]? (?:with|to)|in comparison (?:with|to)|(?<!more )(?<!less )(?<!greater )(?<!fewer )than|ahead of|short of|(?<!to )(?<!of )(?<!at )(?<!or )(?<!just )(?<!slightly )(?<! in )(?<!was )(?<!were )(?<!is )(?<!are )(?:below|above|beneath)|relative to|had been)"
    r"(?:\s(?:attributable|available|related) to(?: [a-z]+)?|\s(?!(?:[a-z]+ing|at|by|up|down|and|but|like|such|that|though|although|while|whereas|yet|to|for|was|were|is|came|dipped|eased|edged|reached|rose|grew|fell|climbed|advanced|increased|improved|expanded|widened|gained|jumped|shrank|slid|soared|surged|declined|decreased|dropped|narrowed|contracted|slipped|totaled|operations|growth|rise|increase|gain|decline|decrease|drop)\b)(?:[a-z'’&-]+|(?:19|20)\d\d)){0,6}?\s*\(?$"
)
NEGATION = re.compile(
    r"(?i)\b(?:not(?! (?:only|just|merely|simply)\b)|no(?! (?:matter|less|fewer|more|later|doubt)\b|-)|nor|neither|never(?!-)|none|cannot|hardly|barely|rarely"
    r"|unable|avoid\w*|lack(?:s|ing|ed)?|fail(?:s|ed)?|refus(?:e[sd]?|ing)|declined? to(?= [a-z])|den(?:y|ies|ied))\b|n['’]t\b"
)
"""A word that negates what follows, or a part of its sentence."""

RATES = ("percent", "points", "basis_points")
MOVE = re.compile(
    r"\b(?:up|down|rose|fell|grew|increased?|decreased?|declined?|higher|lower|growth|gained|dropped|improved)\b"
)
"""Words that say how a figure moved and not what it is of."""

CLAUSE_END = re.compile(r"[;,.]\s|\b(?:versus|vs|compared|against)\b")
