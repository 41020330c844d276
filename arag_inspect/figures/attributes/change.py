"""Tell changes from levels, and find the direction and base of a change."""

import re

from ...types.sample import Direction
from .. import lexicon
from ..quantity import Base, Unit
from ..wording.labels import labels
from ..wording.mentions import MetricMention
from .surroundings import DISTANCE, Surroundings

_CHANGE_AFTER = re.compile(
    r"\s?(?:(?!(?:by|despite|from|on|with)\s)[a-z-]+\s){0,3}?(?:"
    r"increase|decrease|decline|growth|rise|drop|reduction|improvement|gain|contraction"
    r"|drag|expansion|higher|lower|(?:more|less) than a year)\b"
)
"""A noun of change after its size, but not of what caused it: a 5% increase."""

_CHANGE_BESIDE = re.compile(
    r"\s(?:growth|increase|decrease|decline|improvement)\b"
    r"|\s(?:higher|lower)(?=\s(?:at|in|on|year)\b|\W*$|[,;.])"
    r"|\s(?:above|ahead\sof|behind|below|(?:higher|lower|more|less)\sthan)\s"
    r"(?:in\s|the\s|comparable\s)*(?:"
    r"(?:(?:first|second|third|fourth)\squarter|q[1-4])\b|(?:19|20)\d\d\b|last\b|prior\b"
    r"|preceding\b|previous\b|same\b|a\syear\b|year\b)"
)
"""Words right after a change, regardless of the words before it: was 12% above 2019."""

_MOVED_BY = re.compile(rf"(?:{lexicon.UP.pattern}|{lexicon.DOWN.pattern})\s(?:by\s)?\S?$")
"""A verb of change right before its size."""

_BY = re.compile(
    r"\b(?:could|would)\s[^,;]*\bby\s(?:(?:about|approximately|around|roughly)\s)?\S?$"
)
"""Between a possible change and its size: would lower our annual expense by $6 million."""

_WITH_LEVEL = 2
"""Numbers from a change on another basis back to the first one, with the level between them."""

_LIMIT = re.compile(r"(?:exceed\w*|above|below|beneath|higher)\b")
"""A word of change that is a bound right before a figure."""

_COMPARES = re.compile(
    r"(?:ahead of|above|below|beneath|better than|short of|worse than)\s(?:its|our|the)\b"
)
"""A word of change before what another figure is compared with: below the $5 million it guided."""

_LIST_GLUE = re.compile(
    r"(?:^|,|\b(?:and|or))\s(?:of\s|by\s)?"
    r"(?:(?:about|approximately|around|nearly|roughly)\s)?$"
)
"""Between two numbers of a list, such as the comma and "and" of "1%, 2% and 3%"."""

_COMMA_BY = re.compile(r",\sby\s")
"""Between a verb and the sizes of several changes."""

_OPENING_BASE = re.compile(r"^(?:compared (?:to|with)|from|relative to|versus)\s[^,;]{1,40},\s")
"""A phrase with the base of all changes of a sentence: compared with the second quarter."""

_BASES: dict[Base, re.Pattern[str]] = {
    "year": re.compile(
        r"\byear[\s-](?:over|on)[\s-]year|\by(?:/|o)y\b|annual basis"
        r"|(?:last|prior|previous)[\s-]year|year[\s-]ago|year[\s-]earlier|a year|year prior"
        r"|(?:comparable|corresponding|same) (?:quarter|period)"
    ),
    "quarter": re.compile(
        r"\bsequential|(?:last|preceding|prior|previous) quarter"
        r"|quarter[\s-](?:over|on|to)[\s-]quarter|\bq(?:/|o)q\b"
        r"|(?:from|versus|to|than(?: in)?|over|against|compared with) "
        r"(?:q[1-4]|the (?:[a-z]+ )?(?:first|second|third|fourth) quarter)\b"
        r"(?!,? ?(?:of )?(?:20|'\d|fy|fiscal|last|a year))"
        r"|linked[\s-]quarter"
    ),
}
"""Words for the base of a change."""

_LEVEL_BEFORE = re.compile(
    r"\b(?:to|at|reached|from|was|were|were at|(?:made|makes?) up|account(?:s|ed)? for)\s"
    r"(?:a |an |about |approximately |around |nearly |roughly |some |\$)?$"
)
"""Words right before a level."""


_AMOUNT_OF_GAIN = re.compile(
    r"\b(?:an?|the|net|non-?cash|one-time|other|pre-?tax|realized|unrealized)"
    r"\sgains?(?:\s\w+){0,5}\sof\s\S?$"
)
"""Before the amount of a gain, which is a level, as a loss is."""

_OF_A_CHANGE = re.compile(r"\b(?:growth|decline|decrease|gain|increase)\s(?:[a-z]+\s){1,3}$")
"""Before the size of a change that is itself a level: growth slowed to 5%."""

_OF_WHOLE = re.compile(r"\sof\s(?!(?:it|them|which)\b)")
"""After a percentage that is a share: 7% of net sales."""


def is_change(around: Surroundings, unit: Unit, metric: str | None) -> bool:
    """Return whether a number is the size of a change, not a level."""
    if unit == "basis_points":
        return True
    is_rate = unit in lexicon.RATES
    if is_rate and around.before.endswith("+"):
        return True
    is_beside = not around.is_compared and _CHANGE_BESIDE.match(around.after) is not None
    if is_beside and (is_rate or unit == "currency"):
        return True
    if is_rate and _MOVED_BY.search(around.before):  # "up $5 million, or 3%"
        return True
    if is_rate and _is_on_another_basis(around):
        return True
    if around.is_same_again(around.index) and DISTANCE.match(around.after):
        return around.amounts[around.index - 1].unit == around.quantity.unit
    if around.is_compared or _LEVEL_BEFORE.search(around.before):
        return False
    if not is_rate and _AMOUNT_OF_GAIN.search(around.before):
        return False
    if _CHANGE_AFTER.match(around.after):
        return True
    left, start = _first_of_list(around)
    moves = [move for move, _ in around.sentence.directions if left <= move < start]
    if not moves:
        return False
    move = moves[-1]
    is_limit = around.quantity.bound is not None and _LIMIT.match(around.text, move) is not None
    if is_limit or _COMPARES.match(around.text, move):
        return False
    is_near = len(around.text[move:start].split()) <= (4 if around.quantity.hedged else 3)
    is_near = is_near or _BY.search(around.before) is not None
    is_of_rate = metric is None or lexicon.FAMILIES[metric] == "rate"
    return is_near or (unit in ("percent", "points") and not is_of_rate)


def _is_on_another_basis(around: Surroundings) -> bool:
    """Return whether a rate is a second change: fell 6% to $4 million, or 2% organically."""
    index = around.index
    if index < _WITH_LEVEL or not around.is_same_again(index) or _OF_WHOLE.match(around.after):
        return False
    first = around.amounts[index - _WITH_LEVEL]
    is_same_unit = first.unit == around.quantity.unit != around.amounts[index - 1].unit
    return is_same_unit and _MOVED_BY.search(around.text, 0, first.start) is not None


def _first_of_list(around: Surroundings) -> tuple[int, int]:
    """Return the end of the number before the list "1%, 2% and 3%", and the start of its first."""
    amounts = around.amounts
    first = around.index
    while first and _continues_list(around, first):
        first -= 1
    left = amounts[first - 1].end if first else 0
    return left, amounts[first].start


def _continues_list(around: Surroundings, index: int) -> bool:
    """Return whether an amount is the next one of a list of bare numbers."""
    amount = around.amounts[index]
    before = around.amounts[index - 1]
    return (
        around.sentence.scopes[index].link == "item"
        and amount.unit == before.unit
        and _LIST_GLUE.search(around.text, before.end, amount.start) is not None
    )


def is_level(around: Surroundings, change: bool) -> bool | None:
    """Return whether words right before a number make it a level, or a change; else None."""
    directions = around.sentence.directions
    moves = [start for start, _ in directions if around.near <= start < around.start]
    if change:
        is_change_stated = around.quantity.turn or (moves and _is_beside(around, moves[-1]))
        return False if is_change_stated else None
    if around.quantity.unit == "percent" and _OF_WHOLE.match(around.after):
        return True
    verb = _LEVEL_BEFORE.search(around.before)
    if verb is None or _OF_A_CHANGE.search(around.before):
        return None
    return True if verb[0].startswith("to") or not moves else None


def _is_beside(around: Surroundings, move: int) -> bool:
    """Return whether at most one word, except "about", separates a word of change from a number."""
    most = 3 if around.quantity.hedged else 2
    return len(around.lead[move:].split()) <= most


def direction(
    around: Surroundings, mention: MetricMention | None, change: bool
) -> Direction | None:
    """Return the direction that the clause of a number says of it.

    A part of a figure does not move with it: rose to $1.39, including a benefit of $0.28.
    """
    change_direction = _direction_of_change(around) if change else None
    if change_direction:
        return change_direction
    is_part = lexicon.PART.search(around.before) is not None
    of_clause = None if is_part else _direction_of_clause(around, mention)
    return of_clause or _direction_before_by(around)


def _direction_of_change(around: Surroundings) -> Direction | None:
    """Return the direction that the words nearest to the size of a change state."""
    if around.before.endswith("+"):
        return "up"
    beside = _directions(around, around.near, around.start)
    if beside and _is_beside(around, beside[-1][0]):
        return beside[-1][1]
    noun = _CHANGE_AFTER.match(around.after)
    if noun:
        directions = _directions(around, around.end, around.end + noun.end())
        if directions:  # growth, offset by a 10% decrease
            return directions[0][1]
    left = max(around.near, around.scope.before.start)
    before = _directions(around, left, around.start)
    if before:
        return before[-1][1]
    right = min(around.right, around.clause.end, around.scope.after.end, around.end + 30)
    after = _directions(around, around.end, right)
    return after[0][1] if after else None


def _direction_of_clause(around: Surroundings, mention: MetricMention | None) -> Direction | None:
    """Return the direction of a metric where all words of change about it agree."""
    name = mention.name if mention else None
    start = min(mention.start, around.start) if mention else 0
    left = max(around.clause.start, start - 40)
    other_metrics = [
        other.start
        for other in around.sentence.metrics
        if other.start > around.end and other.name != name
    ]
    right = min([*other_metrics, around.clause.end, _end_of_item(around)])
    moves = {
        move
        for start, move in _directions(around, left, right)
        if name or not lexicon.QUALITY.match(around.text, start)  # better: up or down?
    }
    return moves.pop() if len(moves) == 1 else None


def _direction_before_by(around: Surroundings) -> Direction | None:
    """Return the direction of several changes: "sales and costs both rose, by 5% and 6%"."""
    by = _COMMA_BY.search(around.lead)
    if by is None or lexicon.MOVE.search(around.lead, by.end()):
        return None
    moves = {move for _, move in _directions(around, 0, by.start())}
    return moves.pop() if len(moves) == 1 else None


def _end_of_item(around: Surroundings) -> int:
    """Return where the next item of a list begins if it has a name: 4% and Asia was down 2%."""
    following = around.sentence.scopes[around.index + 1 : around.index + 2]
    for scope in following:
        label = lexicon.MOVE.sub(" ", around.text[scope.before.start : scope.before.end])
        if scope.link == "item" and labels(label):
            return scope.before.start
    return len(around.text)


def _directions(around: Surroundings, start: int, end: int) -> list[tuple[int, Direction]]:
    """Return the words of change between two positions."""
    return [word for word in around.sentence.directions if start <= word[0] < end]


def base(around: Surroundings) -> Base | None:
    """Return the base of a change that its clause mentions; words after the figure come first."""
    right = min(around.right, around.clause.end, around.scope.after.end)
    left = max(around.near, around.scope.before.start)
    opening = _OPENING_BASE.match(around.text)
    parts = [around.text[around.end : right], around.lead[left:], opening[0] if opening else ""]
    for part in parts:
        for name, pattern in _BASES.items():
            if pattern.search(part):
                return name
    return None
