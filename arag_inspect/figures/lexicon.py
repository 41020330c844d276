"""Words of financial prose that say what a figure is about."""

import re
from typing import Literal

from ..types.sample import Direction
from .quantity import Base

Family = Literal["money", "rate", "count", "any"]

_METRICS: dict[str, tuple[Family, str]] = {
    "ebitda margin": ("rate", r"ebitd?ax?r?e? margins?"),
    "gross margin": ("rate", r"gross (?:profit )?margins?|gross profit (?:percentage|as a percent(?:age)? of (?:net )?(?:revenues?|sales))"),
    "operating margin": ("rate", r"(?:operating|ebita?|operating (?:profit|income)) margins?"),
    "net interest margin": ("rate", r"net interest margin|nim"),
    "net margin": ("rate", r"net (?:income |profit )?margin"),
    "margin": ("rate", r"(?:profit |segment |contribution )?margins?"),
    "effective tax rate": ("rate", r"(?:effective |adjusted )*tax rate|etr"),
    "occupancy": ("rate", r"occupancy"),
    "retention": ("rate", r"(?:net )?(?:revenue |dollar )?retention(?: rate)?|renewal rate"),
    "leverage": ("any", r"(?:net )?leverage(?: ratio)?|net debt.to.(?:adjusted )?ebitda"),
    "revpar": ("any", r"rev ?par|revenues? per available room"),
    "daily rate": ("any", r"adr|average daily (?:room )?rates?"),
    "revenue per user": ("any", r"arp[ua]|average revenues? per (?:user|account|customer|unit|subscriber)"),
    "recurring revenue": ("any", r"arr|mrr|(?:annual(?:i[sz]ed)? |monthly )?recurring revenues?"),
    "free cash flow": ("money", r"free cash flows?|fcf"),
    "operating cash flow": (
        "money",
        r"operating cash (?:flows?|generation)|cash (?:flows? )?(?:generated |provided )?(?:from|by) (?:operations|operating activities)|cash flows? from operations",
    ),
    "capex": ("money", r"capital (?:expenditures?|spending|projects|investments?|expenditure)|cap ?ex"),
    "dividend": ("money", r"dividends?|payouts?(?! ratio)"),
    "buyback": (
        "any",
        r"(?:share |stock )?(?:repurchases?|buy-?backs?)(?: program| authorization)?|repurchas(?:ed|ing)|b(?:uy|ought) back",
    ),
    "ffo": ("money", r"n?a?ffo|funds from operations"),
    "noi": ("money", r"noi|net operating income"),
    "comparable sales": (
        "any",
        r"(?:same|comparable|comp|like.for.like)[\s-](?:store|restaurant|property|club|salon|system|hotel)?[\s-]?(?:sales|revenues?)|comparable sales|comps",
    ),
    "eps": (
        "money",
        r"(?:net |operating |core |diluted )*(?:earnings|income|profit|loss|losses|eps)(?: \(loss\))? per (?:[a-z&]+[\s-]){0,3}?(?:share|unit)|per[\s-]share (?:earnings|income|profit|loss)|(?:nf|d)?eps",
    ),
    "organic growth": ("any", r"organic (?:(?:net )?(?:sales|revenues?) )?growth|organic (?:net )?(?:sales|revenues?)"),
    "ebitda": ("money", r"ebitd?ax?r?e?"),
    "operating income": (
        "money",
        r"(?:segment )?operating (?:income|profits?|earnings|loss(?:es)?)|income from operations|loss from operations|ebita?|op(?= (?:growth|of)\b)",
    ),
    "pretax income": ("money", r"pre-?tax (?:income|profits?|earnings|loss)|income before (?:income )?tax(?:es)?"),
    "gross profit": ("money", r"gross profits?"),
    "net interest income": ("money", r"net interest income|nii"),
    "interest income": ("money", r"interest income"),
    "interest expense": ("money", r"interest expenses?"),
    "net income": (
        "money",
        r"net (?:income|earnings|profits?|loss(?:es)?)|earnings|profit after tax|(?:income|loss) from continuing operations|income|profit|earned",
    ),
    "sg&a": ("any", r"sg&a|selling, general,? and administrative(?: expenses?)?|g&a"),
    "r&d": ("any", r"r&d|research and development(?: expenses?| intensity)?"),
    "operating expenses": ("any", r"(?:total )?operating (?:expenses?|costs?)|opex"),
    "depreciation": ("money", r"depreciation(?: and amortization)?|d&a"),
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
    "tangible book value": ("money", r"tangible book value(?: per share)?"),
    "book value": ("money", r"(?:tangible )?book value(?: per share)?"),
    "production": ("any", r"production"),
    "volume": ("any", r"volumes?|shipments"),
    "price": ("any", r"pric(?:e|es|ing)"),
    "savings": ("money", r"(?:cost |restructuring )*savings"),
    "charge": ("money", r"(?:impairment|restructuring|transition|one-time)(?: charges?| costs?| expenses?)"),
    "cost of sales": ("money", r"costs? of (?:goods sold|sales|(?:net )?revenues?|products?(?: sold)?|services?)|cogs"),
    "revenue": ("money", r"(?:net |total |core )?(?:revenues?|revs?|sales|turnover)|top[\s-]line"),
}  # fmt: skip
"""Metrics in the order of matching: specific ones before general ones."""

NOT_PER_SHARE = frozenset(
    ["revenue", "gross profit", "ebitda", "capex", "debt", "cash", "liquidity", "interest expense"]
)
"""Metrics that are not given per share."""

BETTER_LOW = frozenset(["debt", "effective tax rate", "leverage", "operating expenses"])
"""Metrics that improve by falling."""

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
    r"\b(?:rose|ris(?:e[ns]?|ing)|up(?! to)|increas(?:e[sd]?|ing)|grew|grow(?:s|n|ing|th(?! rate| decreas| declin| fell| drop| slow| eased))?|improv(?:e[sd]?|ing|ements?)|gain(?:s|ed)?"
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
    r"|(?:company|firm|bank|retailer|group|board) plans|capital plan|estimat(?:e|es|ing)|intends?|should|goals?|objectives?|ambitions?|on track|likely|looking for|we project|company projects|we see|we plan|planning|(?:is|are|range) to be|expectations? (?:is|are|remains?)|the range for|assum(?:e[sd]?|ing|ption)|we model"
    r"|(?:rais|lower|reduc|narrow|increas|updat|revis|tighten)(?:e|ed|ing) (?:our|its) (?:[a-z0-9-]+ ){0,6}range"
    r"|predict(?:s|ed|ing)?|fores(?:ee(?:s|ing|n)?|aw)|envisag(?:e[sd]?|ing)|envision(?:s|ed|ing)?|slated|poised|aim(?:s|ing)?(?= (?:to|for))"
)
GUIDANCE = re.compile(rf"(?<!than )(?<!as )\b(?:{_GUIDED})\b")
HYPOTHETICAL = re.compile(
    r"\b(?:would(?! have (?:been|had|reported|come))|could|might|may(?! \d)|if|assuming|hypothetical(?:ly)?|sensitivity"
    r"|(?:each|every) [\w-]+(?: [a-z-]+){0,2} (?:move|change|increase|decrease|rise|fall|swing))\b"
    r"|(?:^|;\s|\band\s)(?:had|were)\s[^;,]{1,80},\s[^;,]{0,80}\bwould\b"
)
"""A word that makes the figures of its clause neither results nor outlooks."""

AUTHORIZED = re.compile(
    r"\b(?:authori[sz]\w+|entitled|permitted|allowed|capacity|maximum|ceiling|pledged|budget\w*|earmarked|commitments?|approved (?:[a-z]+ ){0,4}(?:program|plan|budget|spending|to))\b[^,;.]*$"
    r"|\bup to (?:an? (?:aggregate|additional|total) (?:of )?)?$"
)
AUTHORIZED_AFTER = re.compile(
    r"\s(?:[a-z]+\s){0,3}(?:authori[sz]ation|limit|ceiling|budget|(?:buy-?back|repurchase|spending|investment) (?:program(?:me)?|plan)|(?:credit |revolving |unsecured |secured )*(?:facility|facilities|line of credit|revolver))\b"
)
"""Words of what may be done, not of what was."""

AFTER = re.compile(
    r"\b(?:after|following)\s(?:an?\s|the\s)?(?:growth\s|rise\s|increase\s|gain\s|decline\s|drop\s|fall\s)?(?:of\s)?\S?$"
)
"""Words before an earlier figure: 3.7%, after 5.1% in the quarter before."""

OUTLOOK = re.compile(
    r"\b(?:guidance|outlook|range|forecast|estimate|goal|target|view|expectation|projection)$"
)
"""End of the name of an earlier outlook."""

TURNED = re.compile(r",|;|\b(?:to|by|now)\b")
"""Words after which a period named before is no longer that of the figure."""

DONE = re.compile(
    r"\b(?!(?:authori[sz]|approv|allow|permitt?|entitl|commit+|pledg|budget|earmark|need|unus|dat|renew|new|relat|bas|limit|increas|expand)ed\b)[a-z]{2,}ed\b|\b(?:spent|paid|bought|sold|drew|made|gave|took|built|cost)\b"
)
"""A verb in the past, which says what was done."""
GUIDANCE_BESIDE = re.compile(
    r"\b(?:exceed\w*|beat\w*|surpass\w*|topp\w+|miss\w*|above|below|beyond|past|ahead of|short of|within|in line with|match\w*|met|hit|than|versus"
    r"|compared (?:to|with)|relative to|(?:at|near|toward) the (?:very )?(?:bottom|high|higher|low|lower|top|upper) end)\s(?:[a-z-]+\s){0,9}(?:guidance|outlook|forecasts?|targets?|guided|projected)$"
)
"""An outlook that a result is compared with."""

ITS_FIGURE = re.compile(
    r"\s(?:(?:range )?of|(?:for(?:\s[\w-]+){1,6}?\s)?(?:is|was|are|were|had been|stands at|stood at))\s(?:about\s|between\s)?"
)
"""Between a word of outlook and its own figure."""

ESTIMATE = re.compile(
    r"(?<!beat )(?<!beats )(?<!beating )(?<!above )(?<!exceeded )(?<!exceeding )(?<!topped )\b(?:ibes|refinitiv|consensus|analysts?'? expect\w*|street estimate)\b"
)
_ADJUSTED = r"adjusted|adj|adjusting|non-?gaap|pro[\s-]forma|core|normalized|underlying|excluding|operating(?= (?:eps|ffo|earnings per))"
_GAAP = r"(?<!non-)(?<!non)gaap|(?:(?<=our )|(?<=the )|(?<=its )|(?<=of )|(?<=in )|(?<=\ba )|^|(?<=; )|(?<=- ))reported(?= (?:basis|earnings|eps|net|diluted|revenue|operating|rate))|as-reported|reported(?= and adjusted)"
BASIS = re.compile(rf"\b(?:(?P<adjusted>{_ADJUSTED})|(?P<gaap>{_GAAP}))\b")
COMPARATOR = re.compile(
    r"\b(?:instead of|rather than|(?<!range )(?<!ranges )(?<!ranging )from|versus|vs\.?|against|compare[sd]? (?:with|to)|in comparison (?:with|to)|(?<!more )(?<!less )(?<!greater )(?<!fewer )than|ahead of|short of|(?<!to )(?<!of )(?<!at )(?<!or )(?<!just )(?<!slightly )(?<! in )(?<!was )(?<!were )(?<!is )(?<!are )(?:below|above|beneath)|relative to|had been)"
    r"(?:\s(?!(?:[a-z]+ing|at|by|up|down|and|but|like|such|that|though|although|while|whereas|yet|to|for|was|were|is|came|dipped|eased|edged|reached|rose|grew|fell|climbed|advanced|increased|improved|expanded|widened|gained|jumped|shrank|slid|soared|surged|declined|decreased|dropped|narrowed|contracted|slipped|totaled|operations|growth|rise|increase|gain|decline|decrease|drop)\b)(?:[a-z'’&-]+|(?:19|20)\d\d)){0,6}?\s*\(?$"
)
_WHAT_IS_LOST = r"business|customers?|contracts?|orders|output|production|revenues?|sales|volumes?|(?:market )?share|(?:working )?(?:days|hours|time)"
LOSS = re.compile(
    rf"\blost\b(?! (?:{_WHAT_IS_LOST})\b)|"
    r"\blosing\b|\bloss of\b|\bcash flows?(?: [a-z]+){0,4} (?:was|were) (?:an? )?(?:net )?outflows? of\b|(?:\b(?:net|operating|diluted|adjusted|basic|pre-?tax|core|ebitda|quarterly|qtrly|reported|comprehensive|gaap|q[1-4]|quarter|eps|share)\s|\b(?:a|an|the|our|of)\s(?:[a-z-]+\s){0,3}|^)"
    r"(?<!credit )(?<!loan )(?<!catastrophe )(?<!cat )loss(?:es)?\b(?! (?:ratio|provision|reserve|adjustment|recover))"
)
"""A loss that makes the figure after it negative."""

NEW_LOSS = re.compile(r"\b(?:lost|(?:from|into|to) (?:an? )?(?:[a-z-]+ ){0,3}loss(?:es)?)\b")
"""A loss that an amount beside it need not share: swung to a loss of $5 million from $9 million."""

LOSS_MOVED = re.compile(
    r"\bloss(?:es)?(?: per (?:[a-z]+ )?(?:share|unit))? (?:(?:also|was|has|had|[a-z]+ly) )?(?:"
    r"(?P<up>widen|deepen|increas|grew|rose|expand|worsen|climb|swell|balloon)|(?P<down>narrow|shr[aiu]nk|fell|decreas|declin|improv|eas|reduc|lessen|moderat|halv))(?:e?d|ing)?\b(?!.*\bloss)"
)
"""How large a loss became."""

SAME_LOSS = re.compile(
    r"(?: per (?:[a-z]+ )?(?:share|unit))?(?: (?:in|for) [^,;$%]{0,30}?)?,? (?:(?:up|down) )?(?:from|to|versus|vs\.?|against|compared (?:to|with)) (?:(?:about|approximately|around|nearly|roughly) )?\S?"
)
"""Between the size of a loss and what it is compared with: a loss of $5 million, against $9 million."""

RESULT = re.compile(
    r"\b(?<!\bfor )(?<!\bof )(?<!\bin )(?<!\bour )(?<!\bexpect )(?:(?:was|were|came (?:in at|to))(?=\s(?:about |approximately |a |an )?$)|had|did|rose|grew|fell|stood|stands|sold|bought|paid|repaid|made|spent|ended|totaled|reported(?! (?:basic |diluted )*(?:eps|earnings per)\b)|achieved|delivered"
    r"|earned|generated|posted|produced|recorded|registered|collected|returned|repurchased|opened|closed(?! loan)|completed|declared|received)\b"
)
"""A verb that marks the figures after it as results."""

_EXPECTED = r"expected|planned|projected|forecast(?:ed)?|slated|scheduled|anticipated|estimated|guided|due|set|intended|targeted|likely"
OPENS_CLAUSE = re.compile(
    r"(?:^|[,;:]\s(?:(?:and|but|while|whereas)\s)?|\s(?:and|but|while|whereas)\s)(?:(?:about|another|approximately|around|some|the)\s)*[$€£]?$"
)
"""Before a figure with which a clause begins."""

VERB_OF_SUBJECT = re.compile(
    r"\s(?:(?:of|(?!(?:and|or|in|at|for|from|that|which|who|as|on|to|by)\b)[a-z-]+)\s){1,4}?(?:"
    rf"(?P<outlook>will|shall|(?:is|are)\s(?:also\s)?(?:{_EXPECTED}|to)\b)"
    rf"|(?:was|were|have\sbeen|has\sbeen)\s(?:also\s)?(?!(?:{_EXPECTED})\b)(?:[a-z]+ed|built|sold|bought|made|paid|spent))\b"
)
"""After a figure that opens its clause: its noun and the verb of which it is the subject."""

NEGATION = re.compile(
    r"(?i)\b(?:not(?! (?:only|just|merely|simply)\b)|no(?! (?:matter|less|fewer|more|later|doubt)\b|-)|nor|neither|never(?!-)|none|cannot|hardly|barely|rarely"
    r"|unable|avoid\w*|lack(?:s|ing|ed)?|fail(?:s|ed)?|refus(?:e[sd]?|ing)|declined? to(?= [a-z])|den(?:y|ies|ied))\b|n['’]t\b"
)
"""A word that negates what follows, or a part of its sentence."""

UNTRUE = re.compile(
    r"\b(?:not|isn't) (?:true|correct|right|accurate|the case) that\b|\bit is (?:false|untrue|wrong|incorrect) that\b"
)
_NO_DENIAL = (
    r"only|just|merely|simply|quite|far|yet|until|than|less|more|below|above|under|over|exceed\w*|includ\w*|exclud\w*|beyond|least"
    r"|but|and|or|which|that|because|since|from|for|with|in|on|against|after|before|during|due|as"
)
DENIED = re.compile(
    r"(?:\b(?:is|are|was|were|be|been|did|does|do|has|have|had|will|would) (?:not|never)|n't|\bnever|\bcannot|^\s*not)\b"
    rf"(?:\s+(?!(?:{_NO_DENIAL})\b)[a-z][a-z'-]*){{0,4}}\s*$"
)
"""A negated verb right before a figure; "not only", "not less than" and the like negate nothing."""

RATES = ("percent", "points", "basis_points")
CHANGE_AFTER = re.compile(
    r"\s?(?:[a-z-]+\s){0,3}?(?:increase|decrease|decline|growth|rise|drop|reduction|improvement|gain|contraction|expansion|higher|lower|(?:more|less) than a year)\b"
)
CHANGE_BESIDE = re.compile(
    r"\s(?:growth|increase|decrease|decline|improvement)\b"
    r"|\s(?:above|ahead\sof|behind|below|(?:higher|lower|more|less)\sthan)\s(?:in\s|the\s)*(?:(?:(?:first|second|third|fourth)\squarter|q[1-4])\b|(?:19|20)\d\d\b|last\b|prior\b|previous\b|same\b|a\syear\b|year\b)"
)
"""Words right after a change, whatever stands before it: was 12% above 2019."""

BASE_YEAR = re.compile(
    r"\b(?:above|ahead of|against|behind|below|compared (?:to|with)|from|on|over|than|versus|vs\.?)\s(?:in\s|fiscal\s|fy\s?|the\s)*((?:19|20)\d\d)\b"
)
MOVE = re.compile(
    r"\b(?:up|down|rose|fell|grew|increased?|decreased?|declined?|higher|lower|growth|gained|dropped|improved)\b"
)
"""Words that say how a figure moved and not what it is of."""

PART_OF_COMPANY = (
    "brands?|business(?:es)?|channels?|divisions?|markets?|operations|regions?|segments?|units?"
)
NO_NAME = re.compile(
    r"(?!united)[a-z'-]+(?:ed|ing)|[a-z'-]*(?:ly|able)|came|ran|went|sold|made|gave|took|brought|stood|paid|bought|spent"
    r"|strong|weak|robust|healthy|better|worse|lower|higher|more|less|average|normal|seasonal|cash|share|shares|rate"
    r"|years?|quarters?|months?|weeks?|periods?|halves|fourth-quarter|third-quarter|second-quarter|first-quarter|full-year|year-end|trailing|future|long-term|near-term"
    r"|organic|reported|underlying|core|pro|forma|constant|currency|comparable|same-store|bank|company|companies|firm|group|management|board|segment|division|business|divisions|businesses"
    r"|markets?|regions?|units?|operations|brands?|channels?|guidance|target|goal|estimates?"
)
"""Words beside a figure that do not name what it is of: verbs, praise, periods, bases."""

LIMIT = re.compile(r"(?:exceed\w*|above|below|beneath|higher)\b")
"""A word of change that is a bound right before a figure."""
OF_ITS_FIGURE = re.compile(r"\s(?:of|at)\s(?:about\s)?\S?(?<=[\d$€£¥])")
"""After the name of a metric that has a figure of its own: a profit of $5 on sales of $90."""

LIST_GLUE = re.compile(r"(?:^|,|\b(?:and|or))\s(?:of\s|by\s)?$")
"""Between two numbers of a list, such as the comma and "and" of "1%, 2% and 3%"."""

NOW = re.compile(r"\s(?:today|now|currently|at present)\b")
CLAUSE_END = re.compile(r"[;,.]\s|\b(?:versus|vs|compared|against)\b")
LOSS_AFTER = re.compile(r"\s(?:adjusted |gaap |non-gaap |diluted |net |operating )*loss\b")
SAME_AGAIN = re.compile(r"\s?(?:,?\s?or|\()\s?")
NOUN_FOLLOWS = re.compile(
    r"(?:\s(?:to|per (?:diluted )?share))?\s?(?:of|in|on|for)\s(?:our |the |total |gross |net |record |adjusted |share |quarterly |positive |additional )*$"
    r"|\s(?:increase|rise|growth|gain|improvement|decrease|decline|drop|reduction)s? (?:of|in) (?:[a-z-]+ ){0,3}$"
    r"|\sof (?:[a-z-]+ ){1,2}$"
)
BASES: dict[Base, re.Pattern[str]] = {
    "year": re.compile(
        r"\byear[\s-](?:over|on)[\s-]year|\by(?:/|o)y\b|annual basis|(?:last|prior|previous) year|year[\s-]ago|year[\s-]earlier|a year|year prior|same (?:quarter|period)"
    ),
    "quarter": re.compile(
        r"\bsequential|(?:last|prior|previous) quarter|quarter[\s-](?:over|on|to)[\s-]quarter|\bq(?:/|o)q\b|(?:from|versus|to|than(?: in)?|over|against|compared with) (?:q[1-4]|the (?:first|second|third|fourth) quarter)\b(?!,? ?(?:of )?(?:20|'\d|fy|fiscal|last|a year))|linked[\s-]quarter"
    ),
}
VERB = re.compile(
    r"\b(?:was|were|is|are|of|report\w*|record\w*|post\w*|deliver\w*|generat\w*|produc\w*|expect\w*|see|sees|project\w*|had|ended|with|on|line|by|and"
    r"|earn\w*|full-year|year|quarter|q[1-4]|fy|guidance|outlook|fiscal|adjusted|gaap|non-gaap|raising|lowering|for|to|that|a|an|the|our|in)\b|[,;:.()\d]"
)
LEVEL_BEFORE = re.compile(
    r"\b(?:to|at|reached|from|was|were|were at)\s(?:a |an |about |approximately |\$)?$"
)
BASE_PERIOD = re.compile(r"(?:%|percent)\s+of\s+(?:(?:the|our|its)\s)?$")
"""Before a period that a percentage is of, and no other figure: 80% of Q4 2019 levels."""

COMPARED_PERIOD = re.compile(
    r"\b(?:from|over|than|versus|vs\.?|above|against|below|compared (?:to|with)|relative to)\s(?:(?:in|the|our|its)\s)*$"
)
"""Before a period that a figure is compared with, and no later figure is of."""

WHERE = re.compile(r"\s?(?:(?:year|quarter|period|half)\b)?,?\s(?:where|during which|in which)\b")
"""After a period of which all that follows is."""

NOT_ITS_PERIOD = re.compile(
    r"\b(?:from|above|ahead|behind|below|versus|vs|against|compared|over|than|on|with|and|while|to)\b|[;,]"
)
"""Between a figure and a period of something else."""
_SAME_CLAUSE = (
    r"(?:well |just |slightly )?(?:ahead|above|against|below|better|short|worse)|up|down|flat|higher|lower|an?|or|compared|versus|representing|respectively|in|for|at|of|per|on"
    r"|from|to|excluding|including|net of|which (?:was|is|were|are|has to be|represents?|compares?|compared|exclude[sd]?|include[sd]?)"
)
"""Words after a comma with which the same clause goes on."""
_OTHER_CLAUSE = (
    r"has|have|had|was|were|is|are|will|expects?|plans?|sees|anticipates?|projects?|forecasts?|intends?"
    r"|it|its|we|our|the company|grew|rose|fell|made|paid|repaid|bought|sold|set|cut|put|beat|took|saw|(?!adjusted basis)[a-z]{3,}ed"
)
"""Words after "and" with which another clause begins."""
CLAUSE_EDGE = re.compile(
    rf";\s|:\s|,?\s(?:while|whereas|but|although|though|yet)\s|,\s(?!(?:(?:{_SAME_CLAUSE})\b|[\d$€£]))"
    r"|\s(?:(?:aided|boosted|driven|helped|hurt|offset|weighed down) by|because of|due to|(?:mainly|primarily) from|owing to|thanks to)\s|\son\s(?=(?:better|higher|lower|reduced|softer|solid|strong|stronger|weak|weaker)\b)"
    rf"|\s(?:after|before|when|in which)\s(?=[^,;]*\b(?:{_OTHER_CLAUSE})\b)|\sand\s(?=(?:{_OTHER_CLAUSE})\b)"
)
CLAUSE_OPENING = re.compile(
    r"\s*(?:and |but )?(?:in|for|during|over|on|at|by|as of|through|with|given|taking|this|last|against|compared (?:to|with)|relative to|versus)\b[^,;$\d]*"
    r"(?:(?:(?:19|20)\d\d|(?<=q)[1-4])\b[^,;$\d]*)?"
)
"""A phrase with which a clause opens: for fiscal 2022, we expect."""
