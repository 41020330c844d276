"""Which passages are about a question, and which statements rest on theirs, by shared words."""

import json
import re

from ....quantities.sentence_support import read_support, support_value
from ....text.stems import content_stems
from .prompt_parsing import JudgePrompt, Opinion, Rule

_MARK = re.compile(r"\[[^\[\]\n]*\]")
"""What names a passage in a statement."""

_ABOUT = 0.5
"""Share of the question's content words that a relevant passage must have."""

_SHARED, _LIKELY = 0.2, 0.5
"""Least share of a sentence's words that its nearest has, and least value of `support`."""


def relevant(asked: JudgePrompt) -> Opinion:
    """List the passages that have half of the question's content words."""
    words = content_stems(asked.text("question") or "")
    found = [
        int(block.attributes["number"])
        for block in asked.blocks
        if block.tag == "passage"
        and (not words or len(words & content_stems(block.text)) >= _ABOUT * len(words))
    ]
    return Opinion("", json.dumps({"relevant": found}))


def supported(asked: JudgePrompt) -> Opinion:
    """List the statements that share words with their passages and have no sign against them, as in `support`."""
    passages = {
        block.attributes["number"]: block.text for block in asked.blocks if block.tag == "passage"
    }
    found = []
    for block in asked.blocks:
        if block.tag != "statement":
            continue
        text = _MARK.sub("", block.text)
        source = [passages[number] for number in block.attributes["passages"].split()]
        sentences = read_support(text, source)
        if sentences and all(
            one.shared >= _SHARED and support_value([one]) >= _LIKELY for one in sentences
        ):
            found.append(int(block.attributes["number"]))
    return Opinion("", json.dumps({"supported": found}))


RULES = (
    Rule("You say which of the passages", relevant),
    Rule("You check whether statements of an answer", supported),
)
"""Speaks the protocols of `prompts/judge/context_relevance.md` and `citation_accuracy.md`."""
