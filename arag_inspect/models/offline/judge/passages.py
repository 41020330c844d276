"""Relevance of passages and support of statements by rule, from shared words."""

import json

from ....quantities.sentence_support import read_support, support_value
from ....text.citations import without_marks
from ....text.stems import content_stems
from .prompt_parsing import JudgePrompt, Opinion, Rule

_ABOUT = 0.5
"""Share of the question's content words that a relevant passage must have."""

_SHARED, _LIKELY = 0.2, 0.5
"""Least share of a sentence's words that its nearest has, and least value of `support`."""


def relevant(prompt: JudgePrompt) -> Opinion:
    """List the passages that have half of the question's content words."""
    words = content_stems(prompt.text("question") or "")
    numbers = [
        int(block.attributes["number"])
        for block in prompt.blocks
        if block.tag == "passage"
        and (not words or len(words & content_stems(block.text)) >= _ABOUT * len(words))
    ]
    return Opinion("", json.dumps({"relevant": numbers}))


def supported(prompt: JudgePrompt) -> Opinion:
    """List the statements that their passages support.

    A statement must share words with its passages and have nothing against it, as in `support`.
    """
    passages = {
        block.attributes["number"]: block.text for block in prompt.blocks if block.tag == "passage"
    }
    numbers = []
    for block in prompt.blocks:
        if block.tag != "statement":
            continue
        text = without_marks(block.text)
        source = [passages[number] for number in block.attributes["passages"].split()]
        sentences = read_support(text, source)
        if sentences and all(
            sentence.shared >= _SHARED and support_value([sentence]) >= _LIKELY
            for sentence in sentences
        ):
            numbers.append(int(block.attributes["number"]))
    return Opinion("", json.dumps({"supported": numbers}))


RULES = (
    Rule("You say which of the passages", relevant),
    Rule("You check whether statements of an answer", supported),
)
"""Speaks the protocols of `prompts/judge/context_relevance.md` and `citation_accuracy.md`."""
