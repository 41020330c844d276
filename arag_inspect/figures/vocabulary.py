"""Words of financial prose that say what a figure is about."""

import re
from typing import Literal

Family = Literal["money", "rate", "count", "any"]

_METRICS: dict[str, tuple[Family, str]] = {
    "ebitda margin": ("rate", r"ebitd?ax?r?e? margins?"),
    "gross margin": ("rate", r"gross (?:profit )?margins?"),
    "operating margin": ("rate", r"(?:operating|ebita?|operating (?:profit|income)) margins?"),
    "net interest margin": ("rate", r"net interest margin|nim"),
    "net margin": ("rate", r"net (?:income |profit )?margin"),
    "margin": ("rate", r"(?:profit |segment |contribution )?margins?"),
    "effective tax rate": ("rate", r"(?:effective |adjusted )*tax rate|etr"),
    "combined ratio": ("rate", r"combined ratio"),
    "occupancy": ("rate", r"occupancy"),
    "retention": ("rate", r"(?:net )?(?:revenue |dollar )?retention(?: rate)?|renewal rate"),
    "leverage": ("any", r"(?:net )?leverage(?: ratio)?|net debt.to.(?:adjusted )?ebitda"),
    "free cash flow": ("money", r"free cash flows?|fcf"),
    "operating cash flow": (
        "money",
        r"operating cash flows?|cash (?:flows? )?(?:generated |provided )?(?:from|by) (?:operations|operating activities)|cash flows? from operations",
    ),
    "capex": ("money", r"capital (?:expenditures?|spending|projects|investments?|expenditure)|cap ?ex"),
    "dividend": ("money", r"dividends?"),
    "buyback": (
        "any",
        r"(?:share |stock )?(?:repurchases?|buy-?backs?)(?: program| authorization)?|repurchas(?:ed|ing)|b(?:uy|ought) back",
    ),
    "ffo": ("money", r"n?a?ffo|funds from operations"),
    "noi": ("money", r"noi|net operating income"),
    "comparable sales": (
        "any",
        r"(?:same|comparable|comp|like.for.like)[\s-](?:store|restaurant|property|club|salon|system|hotel)?[\s-]?(?:sales|revenues?|noi)|comparable sales|comps",
    ),
    "eps": (
        "money",
        r"(?:earnings|income|profit|loss|losses|ffo|eps)(?: \(loss\))? per (?:[a-z&]+[\s-]){0,3}?(?:share|unit)|nf?eps|eps|earned",
    ),
    "ebitda": ("money", r"ebitd?ax?r?e?"),
    "operating income": (
        "money",
        r"(?:segment )?operating (?:income|profits?|earnings|loss(?:es)?)|income from operations|loss from operations|ebita?",
    ),
    "pretax income": ("money", r"pre-?tax (?:income|profits?|earnings|loss)|income before (?:income )?tax(?:es)?"),
    "gross profit": ("money", r"gross profits?"),
    "net interest income": ("money", r"net interest income|nii"),
    "interest expense": ("money", r"interest expenses?"),
    "net income": (
        "money",
        r"net (?:income|earnings|profits?|loss(?:es)?)|earnings|profit after tax|(?:income|loss) from continuing operations|income|profit|(?:a|the) loss of",
    ),
    "sg&a": ("any", r"sg&a|selling, general,? and administrative(?: expenses?)?|g&a"),
    "r&d": ("any", r"r&d|research and development(?: expenses?| intensity)?"),
    "operating expenses": ("any", r"(?:total )?operating (?:expenses?|costs?)|opex"),
    "depreciation": ("money", r"depreciation(?: and amortization)?|d&a"),
    "remaining performance obligations": ("any", r"remaining performance obligations?|rpo"),
    "backlog": ("any", r"backlog"),
    "bookings": ("any", r"bookings"),
    "orders": ("any", r"orders?"),
    "headcount": ("count", r"head-?count|employees|(?:team|staff) members|workforce|people"),
    "customers": ("any", r"customers|subscribers|members"),
    "stores": ("any", r"stores?|restaurants?|locations|dealerships"),
    "inventory": ("any", r"inventor(?:y|ies)"),
    "debt": ("money", r"(?:total |gross |net )?(?:debt|borrowings)"),
    "liquidity": ("money", r"liquidity|borrowing capacity|available credit"),
    "cash": ("money", r"cash(?: and| &)(?: cash)? equivalents|cash on hand|net cash|cash"),
    "premiums": ("any", r"(?:net |gross )?(?:written |earned )?premiums?(?: written| earned| income)?"),
    "assets under management": ("any", r"(?:total )?assets under management|aum"),
    "deposits": ("any", r"deposits"),
    "loans": ("any", r"loans|loan volume"),
    "book value": ("money", r"(?:tangible )?book value(?: per share)?"),
    "production": ("any", r"production"),
    "volume": ("any", r"volumes?|shipments"),
    "price": ("any", r"pric(?:e|es|ing)"),
    "charge": ("money", r"(?:impairment|restructuring|transition|one-time)(?: charges?| costs?| expenses?)"),
    "savings": ("money", r"savings"),
    "revenue": ("money", r"(?:net |total |core )?(?:revenues?|sales|turnover)|top[\s-]line"),
}  # fmt: skip
"""Metrics in the order in which they are tried: what is specific stands before what is general."""

FAMILIES: dict[str, Family] = {name: family for name, (family, _) in _METRICS.items()}
_NAMES = tuple(_METRICS)
METRIC = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<m{i}>{pattern})" for i, (_, pattern) in enumerate(_METRICS.values()))
    + r")(?![\w&])"
)


def metric_name(match: re.Match[str]) -> str:
    """Which metric a match of `METRIC` is."""
    return _NAMES[int((match.lastgroup or "m0")[1:])]


_NOT_TARGET = r"(?!(?:\s\w+){0,5}?\s(?:guid|expect|range|consensus|estimate|forecast|target|plan|outlook))"
UP = re.compile(
    r"\b(?:rose|ris(?:e[ns]?|ing)|up(?! to)|increas(?:e[sd]?|ing)|grew|grow(?:s|n|ing|th)?|improv(?:e[sd]?|ing|ements?)|gain(?:s|ed)?"
    r"|advance[sd]?|jump(?:s|ed)?|surg(?:e[sd]?|ing)|climb(?:s|ed)?|expan(?:d(?:s|ed|ing)?|sion)|accelerat\w+|rais(?:e[sd]?|ing)"
    r"|lift(?:s|ed|ing)?|strengthen(?:s|ed)?|soar(?:s|ed)?|doubled|tripled|higher"
    rf"|(?:ahead of|above|exceed\w*|better than){_NOT_TARGET})\b"
)
DOWN = re.compile(
    r"\b(?:f[ae]ll(?:s|en|ing)?|down|declin(?:e[sd]?|ing)|decreas(?:e[sd]?|ing)|drop(?:s|ped)?|lower(?:s|ed|ing)?|reduc(?:e[sd]?|ing|tions?)"
    r"|contract(?:s|ed|ion)|slip(?:s|ped)?|slid|shrank|shrunk|weaken(?:s|ed)?|cut(?:s|ting)?|trim(?:s|med|ming)?|eased|dipped|compress(?:ed|ion)|plunged"
    rf"|deteriorat\w+|erosion|tumbled|(?:short of|below|beneath|worse than){_NOT_TARGET})\b"
)
FLAT = re.compile(
    r"\b(?:flat|unchanged|in line with (?:last|the prior)|remain(?:s|ed)?(?= at| \$| unchanged)|remains|stays|reaffirm\w*|reiterat\w*"
    r"|maintain(?:s|ed|ing)?|continue to expect|stable|affirm\w*|leaving)\b"
)
_GUIDED = (
    r"expect(?:s|ed|ing)?(?! items)|anticipat(?:e[sd]?|ing)|guidance|guid(?:e[sd]?|ing)(?= to|\b)|outlook|forecast(?:s|ed|ing)?|project(?:s|ed|ing)(?! (?:in|were|was))"
    r"|see(?:s|ing)?(?= (?:fy|full|q\d|20|fiscal|revenue|sales|adjusted|eps|gaap|capital|third|fourth|first|second|a range|an? ))|will(?= )|would be|plans? to|targets?|targeting|targeted"
    r"|estimat(?:e|es|ing)|intends?|should|on track|likely|looking for|we project|company projects|we see|we plan|to be|assum(?:e[sd]?|ing|ption)|we model"
)
GUIDANCE = re.compile(rf"\b(?:{_GUIDED})\b")
GUIDED_AFTER = re.compile(
    r"[^$\d;.]{0,20}?\b(?:(?:we|i)(?: had)? (?:guided|projected|forecast|gave|laid out|set|provided)|you were given|of our guidance|guidance)\b"
)
ESTIMATE = re.compile(r"\b(?:ibes|refinitiv|consensus|analysts?'? expect\w*|street estimate)\b")
ACTUAL = re.compile(
    r"\b(?:was|were|rose|grew|fell|came|had|did|made|spent|brought|took|won|sold|bought|paid|went|ended|reported|posted|recorded|delivered"
    r"|generated|declared|repurchased|earned|achieved|totaled|reached|finished|closed|amounted|increased|decreased|declined|improved|expanded|dropped"
    r"|contracted|landed|contributed|produced|printed|returned|surged|jumped|advanced|edged|ticked|slipped|climbed|gained|completed|compared|approved|booked|credited|used)\b"
)
_ADJUSTED = r"adjusted|adjusting|non-?gaap|pro[\s-]forma|core|normalized|underlying|excluding|operating(?= (?:eps|ffo|earnings per))"
_GAAP = r"(?<!non-)(?<!non)gaap|reported(?= (?:basis|earnings|eps|net|diluted|revenue|operating))|as-reported"
BASIS = re.compile(rf"\b(?:(?P<adjusted>{_ADJUSTED})|(?P<gaap>{_GAAP}))\b")
BASIS_LEAD = re.compile(
    rf"\b(?:on an? (?:\w+ )?|under |excluding |adjusting for |adjusting |brought |took |put |put all )(?:{_ADJUSTED}|{_GAAP}|[a-z])"
)
BASIS_AFTER = re.compile(
    r"[,)]?\s*(?:(?:per|a) (?:[a-z]+ ){0,3}share )?(?:,\s)?(?:on an? (?P<on>adjusted|non-gaap|gaap|reported|core|pro forma) basis|(?:,\s)?(?P<excluding>excluding (?:special |certain |one-time )?(?:items|charges)))"
)
COMPARATOR = re.compile(
    r"\b(?:from|versus|vs\.?|against|compared (?:with|to)|compares (?:with|to)|comparing to|than|over|on(?= the \$)|ahead of|short of|below|above|beneath|relative to|as opposed to|up on|down on|on)"
    r"(?:\s(?!billion|million|track|to\b|for\b)[a-z'-]+){0,6}?\s*\(?$"
)
STRONG_COMPARATOR = re.compile(
    r"\b(?:from|versus|vs\.?|against|compared (?:with|to)|compares (?:with|to)|compare (?:with|to)|than|ahead of|short of|below|above|beneath|on (?:the )?$|relative to|had been)"
    r"(?:\s(?!up\b|down\b)[a-z'’&-]+){0,6}?\s*\(?$"
)
LOSS = re.compile(
    r"(?:\b(?:net|operating|diluted|adjusted|basic|pre-?tax|core|ebitda|quarterly|qtrly|reported|comprehensive|gaap|q[1-4]|quarter)\s|\b(?:a|an|the|our|of)\s(?:[a-z-]+\s){0,3}|^)"
    r"(?<!credit )(?<!loan )(?<!catastrophe )(?<!cat )loss(?:es)?\b(?! (?:ratio|provision|reserve|adjustment|recover))"
)
"""A loss that turns the figure after it negative."""

_STOP = frozenset(
    "a an and the of to in on at by for from with as is was were are be been being it its our we you they their this that these those which who "
    "or but not no nor so than then there here what when where while will would can could may might should shall do does did done has have had "
    "i us he she his her them also into out over under up down about approximately around roughly nearly almost some more less most least just only "
    "very much well further again both each all any per versus vs against compared compares comparison due between within during through across "
    "after before above below since until because if how such other another own same new company compname co inc corp corporation plc ltd group "
    "quarter quarterly qtrly year years full fiscal fy q1 q2 q3 q4 first second third fourth month months half annual last prior previous ago earlier "
    "period january february march april may june july august september october november december today "
    "million billion thousand mln bln bn trillion percent percentage points point basis bps dollars dollar cents usd share shares diluted basic common "
    "total net gross adjusted gaap non non-gaap reported reports report basis continuing operations operation items item excluding including includes "
    "expects expect expected expecting guidance outlook forecast forecasts sees see range estimate estimates ibes refinitiv anticipate anticipates project "
    "posted posts post delivered recorded generated achieved produced came come landed reached ended finished closed printed reflecting reflects said says "
    "rose rise risen increase increased increases increasing grew grow growth growing improved improvement gained gain advance advanced surged jumped "
    "climbed expanded expansion fell fall fallen decline declined declines decrease decreased dropped drop lower higher reduced contracted flat unchanged "
    "edged ticked slightly strong record quite booked now still currently our's year-over-year year-on-year yoy basis like turning looking starting begin let "
    "me regarding consolidated overall coming contributed gave given amounted totaled representing was, result results attributable which, solid good great "
    "reaffirming reaffirms reaffirm maintaining raising raised raise continue continues updated initial additional remains stays update level line "
    "approximately, cut trim trimming lowering roughly equal compares had set booked posted start begin top business segment division unit".split()
)
_WORD = re.compile(r"[a-z][a-z&'’-]+")


def content_words(text: str) -> frozenset[str]:
    """Words of a text in lower case that carry its subject, without plural endings."""
    return frozenset(
        _singular(word) for word in _WORD.findall(text) if word not in _STOP and len(word) > 2
    )


def _singular(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
