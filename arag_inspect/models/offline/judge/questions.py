"""Questions by rule: a sentence with its figure left out."""

import json
import re

from ....quantities import extract_quantities
from ..summarizer import Passage, summarize
from .overlap import sentences
from .prompt_parsing import JudgePrompt, Opinion, Rule

_TYPE = re.compile(r"The question is of the type `(?P<type>\w+)`")
_WORDS = 40
"""Length of the summary that is requested, or from which a sentence is taken."""


def write_question(prompt: JudgePrompt) -> Opinion:
    """Ask for the figure that a sentence of each passage leaves out, or for a summary."""
    match = _TYPE.search(prompt.words)
    kind = match["type"] if match else "single"
    passages = [block for block in prompt.blocks if block.tag == "passage"]
    texts = [block.text for block in passages]
    source = " and ".join(dict.fromkeys(block.attributes.get("source", "") for block in passages))
    if kind == "unanswerable":
        return _reply(f"How many submarines are there? ({source})", "It is not said.", [])
    if kind == "summary":
        chosen = summarize([Passage(n, text) for n, text in enumerate(texts)], _WORDS)
        quotes = [quote for quote in sentences(chosen) if any(quote in text for text in texts)]
        return _reply(f"Summarize the highlights. ({source})", " ".join(quotes), quotes)
    clozes = [cloze for text in texts if (cloze := _cloze(text)) is not None]
    gaps = " / ".join(f"{gap} ({source})" for gap, _, _ in clozes)
    figures = " and ".join(figure for _, figure, _ in clozes)
    return _reply(
        f"Which figure is left out: {gaps}", figures, [sentence for *_, sentence in clozes]
    )


def _cloze(text: str) -> tuple[str, str, str] | None:
    """Return a sentence without its first figure, the figure, and the sentence.

    None if no sentence has a figure that can be left out.
    """
    lines = [line for line in sentences(text) if "\n" not in line and len(line.split()) >= 6]
    for sentence in sentences(summarize([Passage(0, text)], _WORDS)) + lines:
        quantities = extract_quantities(sentence)
        figures = [quantity.text for quantity in quantities if quantity.unit != "date"]
        if figures and sentence in text and sentence.count(figures[0]) == 1:
            return sentence.replace(figures[0], "____"), figures[0], sentence
    return None


def _reply(question: str, answer: str, evidence: list[str]) -> Opinion:
    draft = {"question": question, "answer": answer, "evidence": evidence}
    return Opinion("By rule.", json.dumps(draft, ensure_ascii=False))


RULES = (Rule("You write a test question", write_question),)
"""Speaks the protocol of `prompts/questions/write.md`."""
