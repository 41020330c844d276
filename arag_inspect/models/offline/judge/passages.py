"""Which passages are about a question, and which statements rest on theirs, by shared words."""

import json
import re

from ....quantities.sentence_support import read_support
from ....text.stems import content_stems
from .overlap import support
from .prompt_parsing import JudgePrompt, Opinion, Rule

_MARK = re.compile(r"\[[^\]\n]*\]")
"""What names a passage in a statement."""

_ABOUT = 0.5
"""Share of the question's content words that a relevant passage must have."""


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
    """List the statements whose words, figures and names stand in their passages."""
    passages = {
        block.attributes["number"]: block.text for block in asked.blocks if block.tag == "passage"
    }
    found = []
    for block in asked.blocks:
        if block.tag != "statement":
            continue
        text = _MARK.sub("", block.text)
        source = [passages[number] for number in block.attributes["passages"].split()]
        borne = support(text, "\n\n".join(source))
        names = sum(one.signs.new_names for one in read_support(text, source))
        if borne.words == borne.figures == 1 and not names:
            found.append(int(block.attributes["number"]))
    return Opinion("", json.dumps({"supported": found}))


RULES = (
    Rule("You say which of the passages", relevant),
    Rule("You check whether statements of an answer", supported),
)
"""Speaks the protocols of `prompts/judge/context_relevance.md` and `citation_accuracy.md`."""
