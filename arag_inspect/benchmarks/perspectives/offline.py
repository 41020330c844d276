"""The offline judge on the prompts of this benchmark: words shared with a sentence."""

from arag_inspect.models.offline.judge.grades import SUPPORTED, word_set
from arag_inspect.models.offline.judge.protocol import JudgePrompt, JudgeRule, Opinion
from arag_inspect.text.sentences import sentences


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
    return Opinion("", {"verdicts": verdicts})


def both_sides(prompt: JudgePrompt) -> Opinion:
    """Return a claim for and one against, from the first two documents."""
    documents = [block for block in prompt.blocks if block.tag == "document"]
    claims = []
    for stance, document in zip(("for", "against"), documents, strict=False):
        perspective = {
            "text": next(iter(sentences(document.text)), ""),
            "evidence_docs": [document.attributes.get("id", "")],
        }
        claim = f"There is a case {stance} it."
        claims.append({"stance": stance, "claim": claim, "perspectives": [perspective]})
    return Opinion("", {"claims": claims})


RULES = (
    JudgeRule("You check whether each perspective", check),
    JudgeRule('{"claims": [{"stance": "for"', both_sides),
)
