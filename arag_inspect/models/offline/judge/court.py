"""What a program can see of judgments: outcome, vote, and whose words are told."""

import re
from typing import Literal, NamedTuple

from .overlap import sentences
from .wording import read_wording, stem

_OPINION = re.compile(
    r"^(?:CHIEF )?JUSTICE (?P<name>[A-Z][\w'’-]+)\b.{0,300}?(?P<what>delivered|announced|concurring|dissenting)",
    re.MULTILINE,
)
_JUDGMENT = re.compile(r"judgment[^.]{0,120}?\b(?:is|are)\b(?P<what>[^.]{0,200})", re.I)
_OUTCOME = re.compile(r"\b(?:affirmed|reversed|vacated)\b", re.I)
_FOR_PARTY = re.compile(
    r"\b(?P<outcome>affirmed|reversed|vacated)\b(?: in part)?,? (?:as to|as regards|as against|with respect to) "
    r"(?:(?:the|an?) )?(?:(?:Dr|Mrs?|Ms) )?(?P<party>[\w-]+)",
    re.I,
)
_ABBREVIATED = re.compile(r"\b(Dr|Mrs?|Ms|Inc|Co|No|St|v)\.")
_VOTE = re.compile(r"\b(?P<more>[4-9])\s?(?:[-–]|to)\s?(?P<fewer>[0-5])\b")
_UNANIMOUS = re.compile(r"\bunanimous", re.I)
_DIVISION = re.compile(r"\b(?:vote[sd]?|voting|divided|unanimous(?:ly)?|court|justices)\b", re.I)
_CITATION = re.compile(r"\b\d{1,4} (?:[A-Z][A-Za-z]*\. ?)+(?:\d(?:d|th) )?\d{1,5}\b")
_LEGAL = re.compile(r"§|\bcourt\b|\bjustices?\b|\bact\b|\bv\. |\bart(?:icle|\.) [IVX]", re.I)
_PARAGRAPH = re.compile(
    r"§+ ?[\w.()-]*\w|\b(?:art(?:icle|\.)|sections?|rules?) [\dIVXLC][\w.()-]*", re.I
)

_DISSENTS = re.compile(r"\bdissent(?:s|ed|ing)\b|\bin dissent\b", re.I)
_CONCURS = re.compile(r"\bconcur(?:s|red|ring)\b", re.I)
_FOR_COURT = re.compile(
    r"^(?:the|a) (?:court|majority)\b|\bfor (?:the|a) (?:court|majority)\b|\bopinion (?:of|for) the court\b",
    re.I,
)
_JUSTICE = re.compile(r"\bJustices? (?P<name>[A-Z][\w’'-]+)")
_OF_FORM = frozenset(
    stem(word)
    for word in re.findall(
        r"\w+",
        "chief court justice majority opinion judgment dissent dissented concur concurring concurrence concurred held hold "
        "joined wrote deliver explain reasoned object",
    )
)
"""Stems that tell whose words they are, and not what is said."""

_SAME = 0.6
"""Share of the words of what is told that another sentence must hold to tell the same."""

Role = Literal["court", "concurrence", "dissent"]
_ROLES: dict[str, Role] = {
    "delivered": "court",
    "announced": "court",
    "concurring": "concurrence",
    "dissenting": "dissent",
}


class Speaker(NamedTuple):
    """Whose opinion is told, as far as it is said."""

    role: Role | None = None
    name: str | None = None

    def is_other(self, than: "Speaker") -> bool:
        """Whether the two are plainly not the same."""
        pairs = ((self.role, than.role), (self.name, than.name))
        return any(None not in pair and pair[0] != pair[1] for pair in pairs)

    def __str__(self) -> str:
        """For a reader."""
        return " ".join(part for part in (self.name, f"({self.role})" if self.role else "") if part)


class Opinion(NamedTuple):
    """One of the opinions of a judgment."""

    speaker: Speaker
    sentences: tuple[str, ...]


def citations(text: str) -> set[str]:
    """The reported cases that a text cites, as `17 Ard. 3d 240`."""
    return set(_CITATION.findall(text))


def without_references(text: str) -> str:
    """A text without citations, paragraphs and votes, whose numbers are no figures."""
    for pattern in (_CITATION, _PARAGRAPH, _VOTE) if _LEGAL.search(text) else ():
        text = pattern.sub("...", text)
    return text


def speaker(sentence: str) -> Speaker:
    """Whose opinion a sentence says that it tells.

    The first judge who is named is the author; `dissented`, `concurring` and
    `for the Court` say in which role.
    """
    named = _JUSTICE.search(sentence)
    name = named["name"].removesuffix("’s").removesuffix("'s") if named else None
    if _DISSENTS.search(sentence):
        return Speaker("dissent", name)
    if _CONCURS.search(sentence):
        return Speaker("concurrence", name)
    return Speaker("court" if _FOR_COURT.search(sentence) else None, name)


def opinions(source: str) -> list[Opinion]:
    """The opinions of a judgment, each with its author; none where it is none.

    What stands before the first, such as a syllabus, is the court's.
    """
    heads = list(_OPINION.finditer(source))
    if not heads:
        return []
    starts = [0, *(head.end() for head in heads)]
    ends = [*(head.start() for head in heads), len(source)]
    speakers = [Speaker("court"), *(Speaker(_ROLES[h["what"]], h["name"].title()) for h in heads)]
    found = (
        Opinion(who, tuple(sentences(source[start:end])))
        for who, start, end in zip(speakers, starts, ends, strict=True)
    )
    return [one for one in found if one.sentences]


def conflict(said: str, true: str) -> str | None:
    """What two sentences say of a judgment that cannot both be so; None where there is nothing.

    1. The judgment is affirmed in one and reversed or vacated in the other, or so as to the same party.
    2. The votes differ.
    3. The same words are given to different judges, or to the court and to a dissent.

    Sentences that tell different opinions do not contradict each other by what they say.
    """
    here, there = outcomes(said), outcomes(true)
    if here and there and not here & there:
        return f"{'/'.join(sorted(here))} and {'/'.join(sorted(there))}"
    for party, outcome in for_parties(said).items():
        if for_parties(true).get(party, outcome) != outcome:
            return f"{outcome} as to {party}, or not"
    votes, true_votes = division(said), division(true)
    if votes and true_votes and not votes & true_votes:
        return f"vote {'/'.join(sorted(votes))} and {'/'.join(sorted(true_votes))}"
    mine, theirs = speaker(said), speaker(true)
    same = shared(said, true) >= _SAME and not any(read_wording(said).opposes(read_wording(true)))
    if mine.is_other(theirs) and same:
        return f"words of {theirs} given to {mine}"
    return None


def outcomes(text: str) -> set[str]:
    """All that a text says a judgment is."""
    whole = _ABBREVIATED.sub(r"\1", text)
    told = (match["what"] for match in _JUDGMENT.finditer(whole))
    return {outcome.lower() for what in told for outcome in _OUTCOME.findall(what)}


def for_parties(text: str) -> dict[str, str]:
    """The outcome as to each party, where a text tells them apart."""
    whole = _ABBREVIATED.sub(r"\1", text)
    return {m["party"].lower(): m["outcome"].lower() for m in _FOR_PARTY.finditer(whole)}


def division(text: str) -> set[str]:
    """Votes that a text tells: `5-2`, or `unanimous`."""
    if not _DIVISION.search(text):
        return set()
    votes = {f"{match['more']}-{match['fewer']}" for match in _VOTE.finditer(text)}
    return votes | ({"unanimous"} if _UNANIMOUS.search(text) else set())


def shared(sentence: str, other: str) -> float:
    """Share of what a sentence tells, apart from who says it, that another one holds; 0 where it tells too little."""
    told = _told(sentence)
    return len(told & _told(other)) / len(told) if len(told) > 3 else 0.0


def _told(sentence: str) -> frozenset[str]:
    names = {match["name"].lower() for match in _JUSTICE.finditer(sentence)}
    return read_wording(sentence).stems - _OF_FORM - names
