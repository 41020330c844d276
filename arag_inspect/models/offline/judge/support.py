"""Support of perspectives by rule: words shared with one sentence of their documents."""

import json

from .overlap import SUPPORTED, sentences, word_set
from .prompt_parsing import JudgePrompt, Opinion, Rule


def check(asked: JudgePrompt) -> Opinion:
    """Quote for each perspective the sentence of its documents that shares most words with it."""
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
    return Opinion("", json.dumps({"verdicts": verdicts}, ensure_ascii=False))


RULES = (Rule("You check whether each perspective", check),)
