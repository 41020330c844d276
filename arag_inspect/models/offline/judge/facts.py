"""Facts, passages and questions by rule: sentences are facts, shared words are relevance."""

import re
from collections.abc import Sequence

from ....figures import Statement, extract_quantities, match_claim, match_fact, read_statement
from ....text.citations import without_marks
from ....text.content_words import content_stems
from ....text.sentences import sentences
from ..summarizer import RankedPassage, summarize
from .protocol import Block, JudgePrompt, JudgeRule, Opinion

_IDS = re.compile(r"Take the facts (?P<ids>[GP\d, ]+) of `<(?P<tag>\w+)>`")
_LINE = re.compile(r"^(?P<code>[GP]\d+): (?P<text>.*)$", re.MULTILINE)
_TYPE = re.compile(r"The question is of the type `(?P<type>\w+)`")
_FACTS, _QUESTION = 120, 40
"""Words of the summary whose sentences are the facts of a document, or that a question is about."""

_ABOUT = 0.5
"""Share of a text's content words that another must have."""


def list_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of a text."""
    return _facts(sentences(prompt.text("source") or ""))


def choose_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of an extractive summary of a document."""
    text = prompt.text("source") or ""
    chosen = sentences(summarize([RankedPassage(0, text)], _FACTS)) if text.strip() else []
    vital = "`vital`" in prompt.words  # a sentence with a figure, where the prompt asks for it
    return _facts(chosen, vital)


def _facts(texts: Sequence[str], nuggets: bool = False) -> Opinion:
    facts = [{"description": text, "type": ""} for text in texts]
    for fact in facts if nuggets else ():
        is_vital = any(map(str.isdigit, fact["description"]))
        fact["importance"] = "vital" if is_vital else "okay"
    return Opinion("", {"facts": facts})


def match_facts(prompt: JudgePrompt) -> Opinion:
    """Match by figures, or by words if a statement has no figure.

    A gold fact is stated by the prediction that has most of its figures; a
    prediction is supported when the gold facts have half of its figures.
    """
    request = _IDS.search(prompt.words)
    if request is None:
        return Opinion("", {"verdicts": []})
    gold, predicted = _read(prompt, "gold_facts"), _read(prompt, "predicted_facts")
    is_gold = request["tag"] == "gold_facts"
    same_side, other_side = (gold, predicted) if is_gold else (predicted, gold)
    search = match_fact if is_gold else match_claim
    codes, verdicts = list(other_side), []
    for code in request["ids"].split(", "):
        if code not in same_side:
            continue
        match = search(same_side[code], list(other_side.values()))
        stated = match.verdict == "stated" and match.position is not None
        reasoning = f"By rule: {match.verdict}, {match.share:.0%} of its figures or words."
        matched = codes[match.position] if stated and match.position is not None else None
        verdicts.append({"id": code, "reasoning": reasoning, "match": matched})
    return Opinion("", {"verdicts": verdicts})


def _read(prompt: JudgePrompt, tag: str) -> dict[str, Statement]:
    lines = _LINE.finditer(prompt.text(tag) or "")
    return {line["code"]: read_statement(line["text"]) for line in lines}


def relevant(prompt: JudgePrompt) -> Opinion:
    """List the passages that have half of the question's content words."""
    question = prompt.text("question") or ""
    passages = prompt.all("passage")
    return Opinion("", {"relevant": [_number(p) for p in passages if _shares(question, p.text)]})


def supported(prompt: JudgePrompt) -> Opinion:
    """List the statements half of whose content words their passages have."""
    texts = {block.attributes["number"]: block.text for block in prompt.all("passage")}
    numbers = []
    for block in prompt.all("statement"):
        source = " ".join(texts[number] for number in block.attributes["passages"].split())
        if _shares(without_marks(block.text), source):
            numbers.append(_number(block))
    return Opinion("", {"supported": numbers})


def _number(block: Block) -> int:
    return int(block.attributes["number"])


def _shares(text: str, other: str) -> bool:
    words = content_stems(text)
    return len(words & content_stems(other)) >= _ABOUT * len(words)


def write_question(prompt: JudgePrompt) -> Opinion:
    """Ask for the figure that a sentence of each passage leaves out, or for a summary."""
    match = _TYPE.search(prompt.words)
    passages = prompt.all("passage")
    sources = " and ".join(dict.fromkeys(p.attributes.get("source", "") for p in passages))
    question = f"Which figure is left out? ({sources})"
    if match and match["type"] == "unanswerable":
        return _question(f"How many submarines are there? ({sources})", "It is not said.", [])
    if match and match["type"] == "summary":
        chosen = summarize([RankedPassage(n, p.text) for n, p in enumerate(passages)], _QUESTION)
        quotes = [s for s in sentences(chosen) if any(s in passage.text for passage in passages)]
        return _question(f"Summarize the highlights. ({sources})", " ".join(quotes), quotes)
    clozes = [cloze for passage in passages if (cloze := _cloze(passage.text)) is not None]
    question += "".join(f" / {evidence.replace(figure, '____')}" for figure, evidence in clozes)
    figures = " and ".join(figure for figure, _ in clozes)
    return _question(question, figures, [evidence for _, evidence in clozes])


def _cloze(text: str) -> tuple[str, str] | None:
    """Return the figure of a sentence that can be left out, and the sentence."""
    for sentence in sentences(summarize([RankedPassage(0, text)], _QUESTION)) + sentences(text):
        quantities = extract_quantities(sentence)
        figures = [quantity.text for quantity in quantities if quantity.unit != "date"]
        if figures and sentence in text and sentence.count(figures[0]) == 1:
            return figures[0], sentence
    return None


def _question(question: str, answer: str, evidence: list[str]) -> Opinion:
    return Opinion("By rule.", {"question": question, "answer": answer, "evidence": evidence})


RULES = (
    JudgeRule("You take a text apart into the facts", list_sentences),
    JudgeRule("You choose the facts that a good summary", choose_sentences),
    JudgeRule("You list what clients say of themselves", list_sentences),
    JudgeRule("You match two lists of facts", match_facts),
    JudgeRule("You say which of the passages", relevant),
    JudgeRule("You check whether statements of an answer", supported),
    JudgeRule("You write a test question", write_question),
)
