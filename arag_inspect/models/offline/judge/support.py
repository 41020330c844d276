"""Support of perspectives by rule: words shared with a sentence of a document."""

import json

from .overlap import SUPPORTED, sentences, word_set
from .prompt_parsing import JudgePrompt, Opinion, Rule


def check(prompt: JudgePrompt) -> Opinion:
    """Quote for each perspective the document sentence that shares most words."""
    verdicts: list[dict[str, object]] = []
    words: set[str] = set()
    best = 0.0
    for block in prompt.blocks:
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
    return Opinion("", json.dumps({"verdicts": verdicts}, ensure_ascii=False))


RULES = (Rule("You check whether each perspective", check),)
