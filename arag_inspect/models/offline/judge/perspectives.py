"""Two-sided summaries by rule: whole sentences sorted by words that speak for or against, and a check of evidence."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from .overlap import SUPPORTED, sentences, word_set
from .prompt_parsing import Block, JudgePrompt, Rule

_WORDS_AT_MOST = re.compile(r"one sentence of at most (\d+) words")
_QUESTION = re.compile(r"^Question: (?P<text>.+)\Z", re.MULTILINE | re.DOTALL)
_FOR = re.compile(
    r"\b(?:benefits?|gain\w*|improv\w+|better|sav(?:e|es|ed|ing|ings)|help\w*|safer|cheaper|healthier"
    r"|cleaner|quieter|faster|fewer|rose|grew|more \w+|success\w*|welcom\w+|prais\w+|popular|favou?r\w*"
    r"|support\w*|advantage\w*|calm\w*|easier|fair\w*|free[sd]?)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:harm\w*|hurt\w*|cost\w*|los[est]\w*|risk\w*|worse\w*|fell|falling|burden\w*|oppos\w+|object\w*"
    r"|problem\w*|fail\w*|complain\w*|expensive|danger\w*|unfair\w*|difficult\w*|lack\w*|warn\w*|fear\w*"
    r"|late[r]?|closed?|cannot|could not|without|debt|lonel\w+|stress\w*|crowd\w*|unsafe|noise)\b",
    re.IGNORECASE,
)


class _Point(NamedTuple):
    """The sentence of a document that says most."""

    leaning: int
    """Words for less words against, in the whole document."""

    document: str
    text: str


def write(asked: JudgePrompt) -> str:
    """Give both sides: of each document that shares words with the question, its strongest sentence.

    The documents are ranked by how many words of theirs speak for or against;
    the upper half is for, the lower half against. At most three a side.
    """
    words = int((_WORDS_AT_MOST.search(asked.words) or ["", "30"])[1])
    question = _QUESTION.search(asked.words)
    about = word_set(question["text"]) if question else set()
    documents = [block for block in asked.blocks if block.tag == "document"]
    relevant = [one for one in documents if about & word_set(one.text)]
    points = _points(relevant, words)
    if len(points) < 2:
        points = _points(documents, words)
    half = (len(points) + 1) // 2
    sides = (
        ("for", "There is a case for it.", points[:half][:3]),
        ("against", "There is a case against it.", points[half:][::-1][:3]),
    )
    claims = [
        {
            "stance": stance,
            "claim": claim,
            "perspectives": [
                {"text": point.text, "evidence_docs": [point.document]} for point in chosen
            ],
        }
        for stance, claim, chosen in sides
    ]
    return json.dumps({"claims": claims}, ensure_ascii=False)


def check(asked: JudgePrompt) -> str:
    """Say of each perspective whether one sentence of its documents holds most of its words, and quote it."""
    verdicts: list[dict[str, object]] = []
    words: set[str] = set()
    best = 0.0
    for block in asked.blocks:
        if block.tag == "perspective":
            words, best = word_set(block.text), 0.0
            number = int(block.attributes.get("number", 0))
            verdicts.append({"perspective": number, "quote": "", "supported": False})
        elif block.tag == "document" and verdicts and words:
            for sentence in sentences(block.text):
                share = len(words & word_set(sentence)) / len(words)
                if share > best:
                    best = share
                    verdicts[-1].update(quote=sentence, supported=share >= SUPPORTED)
    return json.dumps({"verdicts": verdicts}, ensure_ascii=False)


def _points(documents: Sequence[Block], words: int) -> list[_Point]:
    """One of each document that has a short sentence, those that speak for it first."""
    found = [point for one in documents if (point := _point(one, words)) is not None]
    return sorted(found, key=lambda point: -point.leaning)


def _point(document: Block, words: int) -> _Point | None:
    leaning = _leaning(document.text)
    short = [text for text in sentences(document.text) if 4 <= len(text.split()) <= words]
    if not short:
        return None
    sign = 1 if leaning >= 0 else -1
    strongest = max(short, key=lambda text: sign * _leaning(text))
    return _Point(leaning, document.attributes.get("id", ""), strongest)


def _leaning(text: str) -> int:
    return len(_FOR.findall(text)) - len(_AGAINST.findall(text))


RULES = (
    Rule('{"claims": [{"stance": "for"', write),
    Rule('{"verdicts": [{"perspective": 1', check),
)
