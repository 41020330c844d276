"""Find the company that a sentence mentions as the owner of its figure."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from .. import lexicon
from .antecedents import UNNAMING_CAPITALS, UNNAMING_WORDS
from .stated_figures import PassageFigure

_CAPITALISED = r"[A-Z][\w&-]*"
_NAME = rf"(?P<name>{_CAPITALISED}(?:\s(?:&\s)?{_CAPITALISED}){{0,4}})"
_REPORTS = (
    "report(?:s|ed)?|post(?:s|ed)?|had|has|record(?:s|ed)|booked|earned|generated|delivered"
    "|achieved|announced|employ(?:s|ed)|expects|forecasts|spent|paid|declared"
)
"""Verbs whose subject is the owner of a figure."""

_OPENS = r"(?:^|[;,.]\s|\b(?:and|but|while|whereas)\s)(?:The\s)?"
"""Before the subject of a clause."""

_SUBJECT = re.compile(
    rf"{_OPENS}{_NAME}[,.]{{0,2}}\s(?:\([^()]{{1,40}}\)\s)?(?:also\s)?(?:{_REPORTS})\b"
)
_POSSESSIVE = re.compile(rf"\b{_NAME}(?:['’]s|(?<=s)['’])\s")
_OF = re.compile(rf"\sof\s{_NAME}\s(?:was|were|is|came|rose|fell|grew|declined|increased)\b")

_BESIDE = 60
"""Most characters between a possessive and the metric."""

_FORMS = frozenset(
    "inc corp corporation incorporated plc ltd limited co company companies group holding holdings"
    " llc lp ag se nv sa the".split()
)
"""Words of a company's name that do not tell it from another."""

_NO_COMPANY = frozenset(
    "analysts board both consensus customers directors each firm investors it management overall"
    " shareholders street that these they this today total we year".split()
)
"""Words that open a sentence and are not names of companies."""

_WORD = re.compile(r"[^\W_][\w&-]*")
_LONGEST_TICKER = 5


class Companies:
    """The companies that the passages mention as owners of figures.

    Args:
        passages: Texts.
        documents: Name of the document of each passage; empty if unknown.
    """

    def __init__(self, passages: Sequence[str], documents: Sequence[str]) -> None:
        self._passages = passages
        names = documents or [""] * len(passages)
        self._documents = [re.sub(r"[\W_]+", " ", name) for name in names]

    def differ(self, about: str, sentence: str, match: PassageFigure) -> bool:
        """Return whether a claim mentions one company as its owner, and its source only another.

        The company may be named by a part of its name, by its ticker, or elsewhere in the document
        of the source: a document tells what "we", a brand or a segment belongs to.

        Args:
            about: Words about the claimed figure.
            sentence: Sentence of the claim.
            match: Figure with the claim's value.
        """
        claimed_owners = self._owners(sentence)
        owners = self._owners(match.sentence)
        if not (claimed_owners and owners):
            return False
        in_clause = [name for name in claimed_owners if name[0] in _words(about)]
        words = _words(about if in_clause else sentence)
        if any(_is_in(name, words) for name in owners):
            return False
        return not any(
            self._is_named(name, owners, match.sentence) for name in in_clause or claimed_owners
        )

    def _is_named(
        self, name: tuple[str, ...], others: Sequence[tuple[str, ...]], sentence: str
    ) -> bool:
        """Return whether a sentence of the passages, or its document, mentions a company.

        Args:
            name: The company.
            others: Owners of figures in the sentence.
            sentence: The sentence.
        """
        return (
            _is_in(name, _words(sentence))
            or any(_may_be_ticker(name, other) for other in others)
            or self._is_in_document(name, sentence)
        )

    def _owners(self, sentence: str) -> list[tuple[str, ...]]:
        """Return the names of the owners of figures in a sentence, without the form of company."""
        names = []
        for text, opens in _named_owners(sentence):
            name = _distinctive(text)
            is_common = opens and len(name) == 1 and name[0] in self._common_words
            if name and not is_common:
                names.append(name)
        return names

    @cached_property
    def _common_words(self) -> frozenset[str]:
        """Words that occur in lower case, and so are not names at the start of a sentence."""
        words = (re.findall(r"\b[a-z]+\b", passage) for passage in self._passages)
        return _NO_COMPANY.union(*words)

    def _is_in_document(self, name: tuple[str, ...], sentence: str) -> bool:
        """Return whether a document that has a sentence mentions a company."""
        numbers = {n for n, passage in enumerate(self._passages) if sentence in passage}
        documents = {self._documents[number] for number in numbers} - {""}
        for number, document in enumerate(self._documents):
            is_of_document = number in numbers or document in documents
            if is_of_document and name[0] in self._words_of_passages[number]:
                return True
        return any(
            _may_be_ticker(name, (word,)) for document in documents for word in document.split()
        )

    @cached_property
    def _words_of_passages(self) -> list[frozenset[str]]:
        """Words of each passage and of the name of its document."""
        pairs = zip(self._passages, self._documents, strict=True)
        return [_words(f"{passage} {document}") for passage, document in pairs]


def _named_owners(sentence: str) -> Iterator[tuple[str, bool]]:
    """Yield the owners of figures in a sentence, and whether each opens it or a clause."""
    for match in _SUBJECT.finditer(sentence):
        yield match["name"], True
    for match in _POSSESSIVE.finditer(sentence):
        if lexicon.METRIC.search(sentence[match.end() : match.end() + _BESIDE].lower()):
            yield match["name"], False
    lower = sentence.lower()
    ends = {mention.end() for mention in lexicon.METRIC.finditer(lower)}
    for match in _OF.finditer(sentence):
        if match.start() in ends:
            yield match["name"], False


@lru_cache(maxsize=4096)
def _distinctive(name: str) -> tuple[str, ...]:
    """Return the words of a name that identify a company; empty if it is not a company's."""
    words = _WORD.findall(lexicon.METRIC.sub(" ", name.lower()))
    return tuple(word for word in words if not _names_no_company(word))


def _names_no_company(word: str) -> bool:
    """Return whether a word is the form of a company, a period, a month, or no name at all."""
    if word in _FORMS:
        return True
    patterns = (UNNAMING_CAPITALS, UNNAMING_WORDS)
    return any(pattern.fullmatch(word) for pattern in patterns)


def _may_be_ticker(name: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether one of two names is a single short word that begins like the other."""
    lengths = [len(words[0]) for words in (name, other) if len(words) == 1]
    begins_alike = name[0][0].lower() == other[0][0].lower()
    return begins_alike and min(lengths, default=_LONGEST_TICKER + 1) <= _LONGEST_TICKER


def _words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without the ending of possessives."""
    return frozenset(_WORD.findall(re.sub(r"['’]s?\b", "", text.lower())))


def _is_in(name: tuple[str, ...], words: frozenset[str]) -> bool:
    """Return whether any word of a name is among some."""
    return not words.isdisjoint(name)
