"""Find whether a number is a result, an outlook, expected, possible or allowed."""

import re

from .. import lexicon
from ..quantity import Status
from .surroundings import Surroundings

_FAR = 48
"""Characters beyond which a word of outlook after a figure is about something else."""

_HYPOTHETICAL = re.compile(
    r"(?:^|;\s|\b(?:and|if)\s)(?:(?:had|were)\s|(?<=if\s))(?:[^;,]|,\s(?=(?:19|20)\d\d)){1,80},\s[^;,]{0,80}\bwould\b"
    rf"|{lexicon.WORD}(?:would(?! have (?:been|had|reported|come))|could|might"
    r"|(?=may)(?<!\b(?:by|in|of|on|to) )(?<!\b(?:last|late|this) )(?<!\b(?:early|since|until) )"
    r"may(?! \d)"  # not the month
    r"|if|assuming|seek(?:s|ing)?(?! to\b)|hypothetical(?:ly)?|sensitivity"
    r"|(?:each|every) [\w-]+(?: [a-z-]+){0,2} "
    r"(?:move|change|increase|decrease|rise|fall|swing))\b"
)
"""A word that makes the figures of its clause neither results nor outlooks."""

_SECOND_VERB = re.compile(r"\sand\s(?:would|will|could|may|might|should)\b")
"""A second verb after a figure: $5 million was held abroad and would be taxed."""

_AUTHORIZED = re.compile(
    r"\b(?:authori[sz]\w+|entitled|permitted|allowed|capacity|maximum|minimum|ceiling|pledged"
    r"|budget\w*|earmarked|committed|commitments?"
    r"|approved (?:[a-z]+ ){0,4}(?:program|plan|budget|spending|to))\b"
    r"(?:[^,;.]|,\s(?=(?:19|20)\d\d))*$"
    r"|\bup to (?:an? (?:aggregate|additional|total) (?:of )?)?$"
)
"""Words before what may be done."""

_AUTHORIZED_AFTER = re.compile(
    r"\s(?:(?!(?:above|against|below|by|from|in|of|on|than|to|under|versus|with|within)\b)"
    r"[a-z-]+\s){0,3}"
    r"(?:authori[sz]ation|limit|ceiling|budget"
    r"|program(?:me)?|(?:buy-?back|repurchase|spending|investment) plan"
    r"|(?:credit |revolving |unsecured |secured )*"
    r"(?:credit agreement|credit line|facility|facilities|line of credit|revolver))\b"
)
"""Words of what may be done, not of what was."""

_REQUIRED = re.compile(
    r"\b(?:covenants?|floor|limit|minimum|required|requirements?|threshold)"
    r"(?:\s(?!and\b)[\w-]+){0,4}\s$"
)
"""Words before what a result must reach or may not exceed."""

_EXPECTED_FIGURE = re.compile(
    r"\b(?:compared (?:to|with)|versus|vs\.?|against)\s"
    rf"(?:[a-z]+\s){{1,4}}?(?:{lexicon.EXPECTATION})\sof\s"
    r"(?:about\s|approximately\s)?$"
)
"""Before what was expected, with which a result is compared: against our budget of."""

_GUIDANCE_BESIDE = re.compile(
    r"\b(?:"
    r"exceed\w*|beat\w*|surpass\w*|topp\w+|miss\w*|above|below|beyond|past|ahead of|short of"
    r"|within|inside|in line with|match\w*|met|hit|than|versus|compared (?:to|with)|relative to"
    r"|(?:at|in|near|toward) the (?:very )?"
    r"(?:(?:bottom|high|higher|low|lower|top|upper) (?:end|half)|mid-?point))\s"
    r"(?:[a-z-]+\s){0,9}"
    r"(?:guidance|outlook|forecasts?|targets?|guided|projected|expected|anticipated|predicted)$"
)
"""An outlook that a result is compared with."""

_ITS_FIGURE = re.compile(
    r"\s(?:(?:range )?of"
    r"|(?:for(?:\s[\w-]+){1,6}?\s)?(?:is|was|are|were|had been|stands at|stood at))\s"
    r"(?:about\s|between\s)?"
)
"""Text allowed between a word of outlook and its figure."""

_ANALYSTS = (
    r"(?:analysts?|economists|forecasters)['’]?(?: [a-z]+){0,6}? "
    r"(?:anticipat|estimat|expect|forecast|look|model|predict|project|view)\w*"
)
_ESTIMATE = re.compile(
    r"(?<!beat )(?<!beats )(?<!beating )(?<!above )(?<!exceeded )(?<!exceeding )(?<!topped )\b"
    rf"(?:ibes|refinitiv|consensus|(?:wall )?street(?:['’]s)?(?: [a-z]+)?|{_ANALYSTS})\b"
)
"""Words for what analysts expected."""

_ESTIMATE_AFTER = re.compile(
    r"\s(?:(?:decline|growth|increase|that|the|which)\s){0,2}"
    rf"(?:{_ANALYSTS}|(?:wall )?street (?:was|had))\b"
)

_GUIDED_AFTER = re.compile(
    r"\s(?:(?:that|which)\s)?(?:it|management|the company|they|we)\s"
    r"(?:had\s)?(?:originally\s|previously\s)?"
    r"(?:anticipated|budgeted|expected|forecast|guided|planned|projected|targeted)\b"
)
"""Right after a figure, who had given it as an outlook."""

_RESULT = re.compile(
    rf"{lexicon.WORD}(?<!\b(?:be|in|of) )(?<!\b(?:for|our) )(?<!\bexpect )"
    rf"(?:{lexicon.words('result')})\b"
)
"""A verb that marks the figures after it as results."""

_RESULT_AFTER = re.compile(
    r"\s(?:"
    r"beat|exceeded|met|missed|surpassed|topped|decreased|declined|dropped|fell|grew|improved"
    r"|increased|rose|(?:was|were)\s(?:above|ahead|below|down|flat|in line|up))\b"
)
"""Right after a figure, the verb of a result: revenue of $5 billion rose."""

_EXPECTED = (
    r"expected|planned|projected|forecast(?:ed)?|slated|scheduled|anticipated|estimated|guided"
    r"|due|set|intended|targeted|likely"
)
_OPENS_CLAUSE = re.compile(
    r"(?:^|[,;:]\s(?:(?:and|but|while|whereas)\s)?|\s(?:and|but|while|whereas)\s)"
    r"(?:(?!(?:and|at|by|for|from|in|of|on|to|with)\b)[a-z'’-]+\s){0,4}?(?:of\s)?(?:about\s|approximately\s)?[$€£]?$"
)
"""Before a figure with which a clause begins, perhaps after its noun: fees of $4 million."""

_VERB_OF_SUBJECT = re.compile(
    r"\s(?:(?:of|(?!(?:and|or|in|at|for|from|that|which|who|as|on|to|by)\b)[a-z-]+)\s){0,4}?"
    rf"(?:(?P<outlook>will|shall|(?:is|are)\s(?:also\s)?(?:{_EXPECTED}|to)\b)"
    rf"|(?:was|were|(?:had|has|have)\sbeen)\s(?:also\s)?(?!(?:{_EXPECTED})\b)"
    r"(?:[a-z]+ed|bought|built|drawn|made|outstanding|paid|sold|spent))\b"
)
"""After a figure that opens its clause: its noun and its verb, as in 12 stores were sold."""


def status_of(around: Surroundings, compared: bool) -> Status | None:
    """Return whether a number is a result or an outlook, by the last such word before it.

    Args:
        around: The number and the words around it.
        compared: Whether another number is compared with it; the verb is then about the other.
    """
    if _ESTIMATE.search(around.before_in_clause) or _ESTIMATE_AFTER.match(around.after):
        return "estimate"
    if _EXPECTED_FIGURE.search(around.before) or _GUIDED_AFTER.match(around.after):
        return "guidance"
    if _REQUIRED.search(around.before):
        return "authorized"
    if _AUTHORIZED.search(around.before) or _AUTHORIZED_AFTER.match(around.after):
        return "authorized"
    if compared:
        return None
    outlooks = [
        outlook.end()
        for outlook in lexicon.GUIDANCE.finditer(around.lead)
        if not _is_of_earlier_figure(around, outlook)
    ]
    results = [result.end() for result in _RESULT.finditer(around.lead)]
    last_outlook = max(outlooks, default=0)
    if outlooks and _ITS_FIGURE.fullmatch(around.lead, last_outlook):
        return "guidance"
    second_verb = _SECOND_VERB.search(around.text, around.end, around.clause.end)
    end = second_verb.start() if second_verb else around.clause.end
    phrase = around.text[around.end : min(end, around.scope.after.end)]
    after = lexicon.CLAUSE_END.split(phrase, 1)[0][:_FAR]
    subject_status = _status_as_subject(around, after)
    conditions = _HYPOTHETICAL.finditer(around.text, 0, end)
    is_hypothetical = any(condition.end() > around.clause.start for condition in conditions)
    if subject_status == "actual" and not is_hypothetical:
        return subject_status
    if last_outlook > max(results, default=0):
        is_compared = _GUIDANCE_BESIDE.search(around.lead, last_outlook - 80, last_outlook)
        return None if is_compared else "guidance"
    if is_hypothetical:
        return "hypothetical"
    if subject_status:
        return subject_status
    if results or _RESULT_AFTER.match(around.after):
        return "actual"
    outlook_after = lexicon.GUIDANCE.search(after)
    if outlook_after is None or _GUIDANCE_BESIDE.search(after, 0, outlook_after.end()):
        return None
    return "guidance"


def _status_as_subject(around: Surroundings, after: str) -> Status | None:
    """Return the status by the verb after a number that opens a clause: 25 stores will close."""
    opens_clause = _OPENS_CLAUSE.search(around.lead) is not None
    verb = _VERB_OF_SUBJECT.match(after)
    if not opens_clause or verb is None:
        return None
    return "guidance" if verb["outlook"] else "actual"


def _is_of_earlier_figure(around: Surroundings, outlook: re.Match[str]) -> bool:
    """Return whether a word of outlook is about the figure before it: the $5 million guidance."""
    return any(amount.end == outlook.start() - 1 for amount in around.amounts)
