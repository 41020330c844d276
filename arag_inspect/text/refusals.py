"""Recognise sentences that decline to answer, in several languages."""

import re
from typing import Any, NamedTuple

from .._util.files import packaged_yaml
from .content_words import content_stems
from .sentences import sentences

_BRIEF = 100
"""Longest text, in characters, that may decline as a whole."""

_PART = re.compile("<([A-Z_]+)>")
_DATA = packaged_yaml(__package__, "refusals.yaml")


class _Language(NamedTuple):
    """How a language declines."""

    words: re.Pattern[str]
    """Every refusal has one of these words; they are faster to find."""

    sentences: re.Pattern[str]
    guesses: re.Pattern[str]
    """A figure in the sentence after a refusal."""


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(_with_parts(pattern), re.IGNORECASE)


def _with_parts(pattern: str) -> str:
    """Return a pattern with its named parts filled in."""
    return _PART.sub(lambda name: _with_parts(_DATA["parts"][name[1]]), pattern)


def _compile_language(language: dict[str, Any]) -> _Language:
    return _Language(
        words=_compile(language["words"]),
        sentences=_compile("|".join(language["sentences"])),
        guesses=_compile("|".join(language["guesses"])),
    )


_LANGUAGES = list(map(_compile_language, _DATA["languages"].values()))

_ANY_OPENING = "|".join(language["openings"] for language in _DATA["languages"].values())
_OPENINGS = _compile(
    rf"\W{{0,5}}(?:(?:{_ANY_OPENING})\b\s?[!.,:;–—-]{{0,3}}(?:\s(?:but|aber|mais|pero|ma|maar|mas)\b)?"
    r"\s{1,3}(?=\S)){1,3}"
)
"""A greeting or an apology before the answer."""


_ANSWERS = (
    r"(?P<clause>[^.;]{0,80}?"
    r"\b(?:is|are|was|were|will|would|amount(?:s|ed)|costs?|total(?:s|ed))\s(?!not\b).*)"
)
_THEN_ANSWERS = re.compile(
    rf"(?:,?\s(?:but|however|though|yet|still),?|;)\s{_ANSWERS}", re.IGNORECASE
)
"""After a refusal, a clause that answers all the same: it is not stated, but it is 12%."""

_AFTER_CONCESSION = re.compile(
    rf"^\W*(?:even though|although|though|while)\b[^,;]{{0,120}},\s{_ANSWERS}", re.IGNORECASE
)
"""A refusal as a concession, and the answer: although the memo does not say so, it is 12%."""

_TAKES_BACK = _compile(
    r",?\s(?:(?:even )?though|although|but|while|yet)\s"
    r"(?:(?P<so>[^.,;]{1,60}\b(?:say|state|confirm|mention) so\b)"
    r"|[^.,;]{1,60}\b(?:say|state|confirm|mention) (?:this|that)\b"
    r"|(?:this|that) (?:is|was) (?:not|nowhere)\b)|(?P<relative>,\swhich\s)"
)
"""A refusal about the clause before it: it is 12%, although the memo does not say so."""

_IS = r"\b(?i:is|are|was|were|be|been|amount(?:s|ed)(?: to)?|costs?|total(?:s|ed))\s"
_HEDGE = r"(?i:(?:probably|likely|presumably|perhaps|about|around|approximately|the)\s){0,2}"
_IS_NAMED = re.compile(rf"(?P<subject>[^.;]{{1,100}}?){_IS}{_HEDGE}(?P<named>\W?[A-Z0-9])")
"""A name or a figure that a clause gives to its subject: the auditor was probably KPMG."""

_IS_SOMETHING = re.compile(
    rf"{_IS}(?!not\b|ask|about\b|request|need|require|unclear|unknown)", re.I
)
_IS_ABOUT_ANSWER = _compile(r"\b(?:ask\w{0,3}|questions?|answers?|I|you)\b")
_MENTIONS_SOURCE = _compile(r"\b<NOUN>\b")
_CAPITALISED = re.compile(r"\b[A-Z][\w-]*")
_TIME = re.compile(
    r"\b(?:[hq][1-4]|(?:19|20)\d\d|first|second|third|fourth|last|prior|previous)\b", re.I
)


def declines(sentence: str) -> bool:
    """Return whether a sentence says that the documents, or the model, do not answer."""
    text = _without_opening(sentence.replace("\u2019", "'"))
    refusals = (
        language.sentences.search(text) for language in _LANGUAGES if language.words.search(text)
    )
    refusal = next(filter(None, refusals), None)
    if refusal is None or _claims_before(text, refusal.start()):
        return False
    answer = _THEN_ANSWERS.search(text, refusal.start()) or _AFTER_CONCESSION.match(text)
    return answer is None or declines(answer["clause"])


def _claims_before(text: str, refusal_start: int) -> bool:
    """Return whether a sentence claims something of which it says that no document states it."""
    takes_back = _TAKES_BACK.search(text)
    if takes_back is None or takes_back.start("relative") > refusal_start:
        return False
    claim = text[: takes_back.start()]
    if _IS_ABOUT_ANSWER.search(claim) or declines(claim):
        return False
    if takes_back["so"]:
        return True
    if takes_back["relative"]:
        return _IS_NAMED.match(claim) is not None
    return bool(_IS_SOMETHING.search(claim)) and not _MENTIONS_SOURCE.search(claim)


def declines_in_other_language(text: str) -> bool:
    """Return whether a short text without a figure declines in a language other than English."""
    text = text.replace("\u2019", "'")
    is_brief = len(text) <= _BRIEF and not any(sign.isdigit() for sign in text)
    return is_brief and any(language.sentences.search(text) for language in _LANGUAGES[1:])


def begins_by_declining(answer: str, question: str = "") -> bool:
    """Return whether the first sentence of an answer declines, and the second does not answer.

    An empty answer declines. Greetings and apologies do not count as sentences. The second sentence
    answers if it guesses a figure, or names what the question asks for.
    """
    first, second, *_ = [*sentences(_without_opening(answer.replace("\u2019", "'"))), "", ""]
    if not first:
        return True
    answers = _guesses(second) or _names_asked(second, question)
    return declines(first) and (declines(second) or not answers)


def _names_asked(sentence: str, question: str) -> bool:
    """Return whether a sentence gives a name or figure to what a question asks for, at its time."""
    clause = _IS_NAMED.match(sentence)
    if clause is None:
        return False
    subject = content_stems(clause["subject"].lower())
    stems = content_stems(question.lower())
    nouns = stems - content_stems(" ".join(_CAPITALISED.findall(question)).lower())
    times, asked_times = ({*map(str.lower, _TIME.findall(text))} for text in (sentence, question))
    is_asked = bool(subject & nouns) and subject <= stems
    return is_asked and (not asked_times or times <= asked_times)


def _guesses(sentence: str) -> bool:
    """Return whether a sentence after a refusal guesses a figure: it is probably 12."""
    return any(language.guesses.search(sentence) for language in _LANGUAGES)


def _without_opening(text: str) -> str:
    """Return a text without the greeting or apology at its start."""
    opening = _OPENINGS.match(text)
    return text[opening.end() :] if opening else text
