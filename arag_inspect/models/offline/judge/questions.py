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


def written(asked: JudgePrompt) -> Opinion:
    """Ask for the figure that a sentence of each passage leaves out, or for a summary."""
    found = _TYPE.search(asked.words)
    kind = found["type"] if found else "single"
    passages = [block for block in asked.blocks if block.tag == "passage"]
    texts = [block.text for block in passages]
    source = " and ".join(dict.fromkeys(block.attributes.get("source", "") for block in passages))
    if kind == "unanswerable":
        return _reply(f"How many submarines are there? ({source})", "It is not said.", [])
    if kind == "summary":
        chosen = summarize([Passage(n, text) for n, text in enumerate(texts)], _WORDS)
        quotes = [one for one in sentences(chosen) if any(one in text for text in texts)]
        return _reply(f"Summarize the highlights. ({source})", " ".join(quotes), quotes)
    cut = [one for text in texts if (one := _cut(text)) is not None]
    question = "Which figure is left out: " + " / ".join(f"{gap} ({source})" for gap, _, _ in cut)
    return _reply(question, " and ".join(figure for _, figure, _ in cut), [s for *_, s in cut])


def _cut(text: str) -> tuple[str, str, str] | None:
    """Return a sentence without its first figure, the figure, and the sentence; None without
    figures.
    """
    longer = [one for one in sentences(text) if "\n" not in one and len(one.split()) >= 6]
    for sentence in sentences(summarize([Passage(0, text)], _WORDS)) + longer:
        figures = [one.text for one in extract_quantities(sentence) if one.unit != "date"]
        if figures and sentence in text and sentence.count(figures[0]) == 1:
            return sentence.replace(figures[0], "____"), figures[0], sentence
    return None


def _reply(question: str, answer: str, evidence: list[str]) -> Opinion:
    draft = {"question": question, "answer": answer, "evidence": evidence}
    return Opinion("By rule.", json.dumps(draft, ensure_ascii=False))


RULES = (Rule("You write a test question", written),)
"""Speaks the protocol of `prompts/questions/write.md`."""
