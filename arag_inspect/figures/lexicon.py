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


NUMBERED = (
    r"class|client|customer|fund|furnace|line|mill|plant|series|site|supplier|tenant|train|tranche"
    r"|unit|vendor"
)
"""Nouns of several things that letters or numbers tell apart: plant 2, customer b."""


def _metrics() -> dict[str, tuple[Family, str]]:
    """Read the metrics with their family and pattern, in the order of matching."""
    metrics = packaged_yaml(__package__, "metrics.yaml")
    return {name: next(iter(entry.items())) for name, entry in metrics.items()}


_METRICS = _metrics()
FAMILIES: dict[str, Family] = {name: family for name, (family, _) in _METRICS.items()}
"""In which units each metric is given."""

_NAMES = tuple(_METRICS)
METRIC = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<m{i}>{pattern})" for i, (_, pattern) in enumerate(_METRICS.values()))
    + r")(?![\w&])"
)
"""The name of a metric; `metric_name` says of which."""


def metric_name(match: re.Match[str]) -> str:
    """Return the metric of a match of `METRIC`."""
    return _NAMES[int((match.lastgroup or "m0")[1:])]


_NOT_TARGET = (
    r"(?!(?:\s[^\s;]+){0,7}?\s"
    r"(?:guid|expect|range|consensus|estimate|forecast|target|plan|outlook))"
)
"""Not before a target: above guidance says nothing of a rise."""

_A_BASE = r"(?=\s(?:the\s)?(?:\$|\d|last|prior|a\s|year))"
"""Before what a level is compared with: above last year."""

_BY = r"(?= (?:by\b|[$€£]?\d))"
"""After verbs that otherwise say of a loss or range how large it became."""

_NO_WIDTH = r"(?<!loss )(?<!losses )(?<!share )(?<!range )(?<!guidance )(?<!outlook )(?<!was )(?<!were )(?<!been )"
"""Not after a loss, or a range that became narrower."""

_TO = r"(?= (?:[a-z]+ly )?(?:to|from)\b)"
"""After the same verbs of a margin or spread, which is higher when wider."""

_STEPPED = r"(?:crept|edged|inched|moved|nudged|ticked|trended|went)"
"""Verbs after which "up to" is a rise, not a limit."""

UP = re.compile(
    r"\b(?:rose|ris(?:e[ns]?|ing)"
    r"|(?<!made )(?<!make )(?<!makes )(?<!making )(?<!set )(?<!signed )up(?! to)"
    r"|increas(?:e[sd]?|ing)|grew"
    r"|grow(?:s|n|ing|th(?! by| rate| decreas| declin| fell| drop| slow| eased))?"
    r"|improv(?:e[sd]?|ing|ements?)|gain(?:s|ed)?|advance[sd]?|jump(?:s|ed)?|surg(?:e[sd]?|ing)"
    r"|climb(?:s|ed)?|expan(?:d(?:s|ed|ing)?|sion)|accelerat\w+|rais(?:e[sd]?|ing)"
    r"|boost(?:s|ed|ing)?|lift(?:s|ed|ing)?|strengthen(?:s|ed)?|soar(?:s|ed)?|doubled|tripled"
    rf"|quadrupled|higher|widen(?:s|ed|ing)?{_BY}|{_NO_WIDTH}widen(?:s|ed|ing)?{_TO}"
    rf"|{_STEPPED} up|rebounded|swelled|ballooned|spiked|leap(?:ed|t)"
    rf"|(?:ahead of|above{_A_BASE}|exceed\w*|better than){_NOT_TARGET})\b"
)
"""Words that a figure rose, or is higher than its base."""

DOWN = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?(?! (?:due|within)\b)|down(?! the\b)|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)"
    r"|drop(?:s|ped)?|lower(?:s|ed|ing)?|reduc(?:e[sd]?|ing|tions?)|slip(?:s|ped)?"
    r"|(?!contracted (?:backlog|capacity|revenue|sales|volumes?|r&d))contract(?:s(?! (?:are|is|was|were)\b)|ed|ion)"
    r"|sl(?:id|ides?|iding)|s[aiu]nk(?:s|ing)?|slump\w*|shr[aiu]nk(?:s|ing)?|weaken(?:s|ed)?"
    r"|cut(?:s|ting)?|trim(?:s|med|ming)?|eased|dipped|compress(?:ed|ion)|plunged|halved"
    rf"|(?:narrow|tighten)(?:s|ed|ing)?{_BY}"
    rf"|{_NO_WIDTH}(?:narrow|tighten)(?:s|ed|ing)?{_TO}|plummeted|retreated|receded|dwindled"
    r"|drag|(?:knock(?:s|ed|ing)?|shav(?:e[sd]?|ing)|t(?:ook|akes?|aking))(?=\s[^,;]{1,40}\soff\b)"
    r"|softened|deteriorat\w+|worsen\w*|erosion|tumbled"
    rf"|(?:short of|below{_A_BASE}|beneath|worse than){_NOT_TARGET})\b"
)
"""Words that a figure fell, or is lower than its base."""

FLAT = re.compile(
    r"\b(?:flat|unchanged|in line with (?:last|the prior)"
    r"|remain(?:s|ed|ing)?(?= at| \$| unchanged| the same)|stays|reaffirm\w*|reiterat\w*"
    r"|maintain(?:s|ed|ing)?|confirm(?:s|ed|ing)?|continue to expect|stable|little changed"
    r"|(?:held|holding|kept|stayed) (?:steady|firm|constant|level)|steady at|affirm\w*)\b"
)
"""Words that a figure stayed as it was."""

QUALITY = re.compile(r"improv|better|wors|deteriorat")
"""Start of a word of change that praises or blames."""

BETTER_LOW = re.compile(
    r"\b(?:(?:claims|combined|cost|efficiency|expense|loss|(?:cost|debt|npl|non-?performing)[a-z -]*) ratio"
    r"|(?:accident|attrition|charge-?off|default|delinquency|incident|injury|loss|tax|vacancy) rate"
    r"|attrition|churn|costs?(?! savings?)|days sales outstanding|debt|delinquenc(?:y|ies)|dso"
    r"|emissions|expenses?|gearing|leverage|loss(?:es)?|turnover rate)\b"
)
"""What improves by falling."""

DIRECTIONS: dict[Direction, re.Pattern[str]] = {"up": UP, "down": DOWN, "flat": FLAT}
_GUIDED = (
    r"(?<!as )(?<!than )expect(?:s|ed|ing)?(?! items)|anticipat(?:e[sd]?|ing)|guidance"
    r"|guid(?:e[sd]?|ing)(?= to|\b)|(?<!economic )outlook|forecast(?:s|ed|ing)?|projections?"
    r"|(?:company|firm|it|management) projects"
    r"|project(?:ed|ing"
    r"|s(?="
    r" (?:to|about|capital|comparable|free|gross|operating|organic|same|fy|full|fiscal|revenue"
    r"|sales|net|per|earnings|adjusted|normalized|core|eps|gaap|q\d|20|first|second|third"
    r"|fourth|an?)\b))"
    r"|sees"
    r"|see(?:ing)?(?= (?:"
    r"fy|full|q\d|20|fiscal|revenue|sales|adjusted|eps|gaap|capital|third|fourth|first|second"
    r"|a range|an? ))"
    r"|will(?! also have)|would be|plans? to|targets?|targeting|targeted"
    r"|(?:company|firm|bank|retailer|group|board) plans|capital plan|estimat(?:e|es|ing)"
    r"|intends?|should|goals?|objectives?|ambitions?|on track|likely|look(?:s|ing)? for"
    r"|(?:current|earlier|former|initial|new|old|original|previous|prior|revised|updated) range"
    r"|looking at(?= (?:about |approximately |around |roughly )?\S?$)|(?:is|are) estimated"
    r"|we project|company projects|we see|we plan|planning|(?:is|are|range) to be"
    r"|expectations? (?:is|are|remains?)|the range for|assum(?:e[sd]?|ing|ption)|we model"
    r"|(?:rais|lower|reduc|narrow|increas|updat|revis|tighten)(?:e|ed|ing) (?:our|its) "
    r"(?:[a-z0-9-]+ ){0,6}range"
    r"|predict(?:s|ed|ing)?|fores(?:ee(?:s|ing|n)?|aw)|envisag(?:e[sd]?|ing)"
    r"|envision(?:s|ed|ing)?|slated|poised|aim(?:s|ing)?(?= (?:to|for))"
)
GUIDANCE = re.compile(rf"(?<!than )(?<!as )\b(?:{_GUIDED})\b")
"""Words of an outlook."""

EXPECTATION = (
    r"analysts?|budget|consensus|estimates?|expectations?|expected|forecasts?|goals?|guidance"
    r"|(?:bottom|high|low|lower|top|upper) end|mid-?point|guided|outlook|planned|plans?|predicted|projected|projections?|street|targeted|targets?"
)
"""Words for what was expected, by the company or by others."""

AFTER = re.compile(
    r"\b(?:after|follow(?:ed|ing))\s(?:an?\s|the\s)?"
    r"(?:(?:growth|rise|increase|gain|decline|drop|fall)s?\s)?(?:of\s)?\S?$"
)
"""Words before an earlier figure: 3.7%, after 5.1% in the quarter before."""

_RESULT = (
    r"(?: (?:basic|consolidated|diluted|free|group|gross|net|operating|pre-?tax|segment|total))*"
    r" (?:basis|cash|earnings|ebita?|ebitda|eps|figures?|growth|income|loss|margins?|pbt|profits?"
    r"|rate|results?|revenues?|sales)\b"
)
_ADJUSTED = (
    r"adjusted|adj|adjusting(?! (?:its|our|the)\b)|non-?gaap|pro[\s-]forma|core|normali[sz]ed|underlying|excluding"
    rf"|operating(?= (?:eps|ffo|earnings per))|headline(?={_RESULT})"
)
_GAAP = (
    r"(?<!non-)(?<!non)gaap|ifrs"
    r"|(?:(?<=our )|(?<=the )|(?<=its )|(?<=['’]s )|(?<=of )|(?<=in )|(?<=with )|(?<=against )|(?<=versus )|(?<=compared to )|(?<=\ba )|^|(?<=; )|(?<=- ))reported"
    rf"(?={_RESULT}|\s\s)"  # also where the figure after it was cut out
    rf"|as-reported|reported(?= and adjusted)|statutory(?! (?:tax )?rate)(?={_RESULT})"
)
BASIS = re.compile(rf"\b(?:(?P<adjusted>{_ADJUSTED})|(?P<gaap>{_GAAP}))\b")
"""Words that a figure is adjusted, or as reported by the rules of accounting."""

COMPARATOR = re.compile(
    r"\b(?:compare[sd]? (?:with|to)|versus|vs\.?|against) an? "
    r"(?:decline|decrease|drop|fall|gain|increase|rise) of\s?$"
    r"|\b(?:instead of|rather than|(?<!anywhere )(?<!range )(?<!ranges )(?<!ranging )from|versus|vs\.?|against"
    r"|compare[sd]? (?:with|to)|in comparison (?:with|to)"
    r"|(?<!more )(?<!less )(?<!greater )(?<!fewer )(?<!other )than|ahead of|short of"
    r"|(?<!to )(?<!of )(?<!at )(?<!or )(?<!just )(?<!slightly )(?<! in )(?<!was )(?<!were )"
    r"(?<!is )(?<!are )(?:below|above|beneath)"
    r"|relative to|had been)(?:\s(?:attributable|available|related) to(?: [a-z]+)?"
    r"|\s(?!"
    r"(?:[a-z]+ing|at|by|up|down|and|but|like|such|that|though|although|while|whereas"
    r"|yet|to|for|was|were|is|came|dipped|eased|edged|reached|rose|grew|fell|climbed"
    r"|advanced|increased|improved|expanded|widened|gained|jumped|shrank|slid|soared"
    r"|surged|declined|decreased|dropped|narrowed|contracted|slipped|totaled"
    r"|operations|growth|rise|increase|gain|decline|decrease|drop)\b)"
    r"(?:[a-z'’&-]+|q[1-4](?:['’]s)?|(?:19|20)\d\d)){0,6}?\s*\(?$"
)
"""Words right before a figure that another is compared with, and what it is of."""

NEGATION = re.compile(
    r"(?i)\b(?:not(?! (?:only|just|merely|simply)\b)"
    r"|no(?! (?:matter|less|fewer|more|later|doubt)\b|-)|nor|neither|never(?!-)|none|cannot"
    r"|hardly|barely|rarely|unable|avoid\w*|lack(?:s|ing|ed)?|fail(?:s|ed)?|refus(?:e[sd]?|ing)"
    r"|declined? to(?= [a-z])|den(?:y|ies|ied))\b"
    r"|n['’]t\b"
)
"""A word that negates what follows, or a part of its sentence."""

RATES = ("percent", "points", "basis_points")
"""Units of rates and of their changes."""

PART_VERB = re.compile(r"\b(?:(?:exclud|includ)(?:ed?|es|ing)|net of|of which)\b")
PART = re.compile(rf"{PART_VERB.pattern}(?P<name>[^,;]*)$")
"""Before a figure that is part of another, and moves neither with it nor against it."""

MOVE = re.compile(
    r"\b(?:"
    r"up|down|rose|fell|grew|increased?|decreased?|declined?|higher|lower|growth|gained|dropped"
    r"|improved)\b"
)
"""Words that say how a figure moved and not what it is of."""

CLAUSE_END = re.compile(r"[;,]\s|(?<!\b[a-z])\.\s|\b(?:versus|vs|compared|against)\b")
"""After a figure, the end of the words that are about it."""
