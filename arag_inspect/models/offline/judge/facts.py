"""Facts, passages and questions by rule: sentences are facts, shared words are relevance."""

import re
from collections.abc import Sequence

from ....quantities import Statement, extract_quantities, match_claim, match_fact, read_statement
from ....quantities.sentence_support import read_support, support_value
from ....text.citations import without_marks
from ....text.content_words import content_stems
from ....text.sentences import sentences
from ..summarizer import RankedPassage, summarize
from .prompt_parsing import JudgePrompt, JudgeRule, Opinion

_IDS = re.compile(r"Take the facts (?P<ids>[GP\d, ]+) of `<(?P<tag>\w+)>`")
_LINE = re.compile(r"^(?P<code>[GP]\d+): (?P<text>.*)$", re.MULTILINE)
_TYPE = re.compile(r"The question is of the type `(?P<type>\w+)`")
_FACTS, _QUESTION = 120, 40
"""Words of the summary whose sentences are the facts of a document, or that a question is about."""

_ABOUT = 0.5
"""Share of the question's content words that a relevant passage must have."""

_SHARED, _LIKELY = 0.2, 0.5
"""Least share of a sentence's words that its nearest has, and least value of `support`."""


def list_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of a text."""
    return _facts(sentences(prompt.text("source") or ""))


def choose_sentences(prompt: JudgePrompt) -> Opinion:
    """Return the sentences of an extractive summary of a document."""
    text = prompt.text("source") or ""
    return _facts(sentences(summarize([RankedPassage(0, text)], _FACTS)) if text.strip() else [])


def _facts(texts: Sequence[str]) -> Opinion:
    return Opinion("", {"facts": [{"description": text, "type": ""} for text in texts]})


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
    own, other = (gold, predicted) if is_gold else (predicted, gold)
    search = match_fact if is_gold else match_claim
    codes, verdicts = list(other), []
    for code in request["ids"].split(", "):
        if code not in own:
            continue
        match = search(own[code], list(other.values()))
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
    words = content_stems(prompt.text("question") or "")
    numbers = [
        int(block.attributes["number"])
        for block in prompt.all("passage")
        if len(words & content_stems(block.text)) >= _ABOUT * len(words)
    ]
    return Opinion("", {"relevant": numbers})


def supported(prompt: JudgePrompt) -> Opinion:
    """List the statements that their passages support.

    A statement must share words with its passages and have nothing against it, as in `support`.
    """
    passages = {block.attributes["number"]: block.text for block in prompt.all("passage")}
    numbers = []
    for block in prompt.all("statement"):
        source = [passages[number] for number in block.attributes["passages"].split()]
        nearest = read_support(without_marks(block.text), source)
        if nearest and all(
            sentence.shared >= _SHARED and support_value([sentence]) >= _LIKELY
            for sentence in nearest
        ):
            numbers.append(int(block.attributes["number"]))
    return Opinion("", {"supported": numbers})


def write_question(prompt: JudgePrompt) -> Opinion:
    """Ask for the figure that a sentence of each passage leaves out, or for a summary."""
    match = _TYPE.search(prompt.words)
    kind = match["type"] if match else "single"
    passages = prompt.all("passage")
    texts = [block.text for block in passages]
    source = " and ".join(dict.fromkeys(block.attributes.get("source", "") for block in passages))
    if kind == "unanswerable":
        return _question(f"How many submarines are there? ({source})", "It is not said.", [])
    if kind == "summary":
        chosen = summarize([RankedPassage(n, text) for n, text in enumerate(texts)], _QUESTION)
        quotes = [quote for quote in sentences(chosen) if any(quote in text for text in texts)]
        return _question(f"Summarize the highlights. ({source})", " ".join(quotes), quotes)
    clozes = [cloze for text in texts if (cloze := _cloze(text)) is not None]
    gaps = " / ".join(f"{gap} ({source})" for gap, _, _ in clozes)
    figures = " and ".join(figure for _, figure, _ in clozes)
    evidence = [sentence for *_, sentence in clozes]
    return _question(f"Which figure is left out: {gaps}", figures, evidence)


def _cloze(text: str) -> tuple[str, str, str] | None:
    """Return a sentence without its first figure, the figure, and the sentence.

    None if no sentence has a figure that can be left out.
    """
    lines = [line for line in sentences(text) if "\n" not in line and len(line.split()) >= 6]
    for sentence in sentences(summarize([RankedPassage(0, text)], _QUESTION)) + lines:
        quantities = extract_quantities(sentence)
        figures = [quantity.text for quantity in quantities if quantity.unit != "date"]
        if figures and sentence in text and sentence.count(figures[0]) == 1:
            return sentence.replace(figures[0], "____"), figures[0], sentence
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
