"""Check by rule whether the source gives a figure for the same subject."""

import json

from ....quantities import verify_claims
from .overlap import SUPPORTED, sentences, word_set
from .prompt_parsing import JudgePrompt, Opinion, Rule


def verdict(prompt: JudgePrompt) -> Opinion:
    """Support a figure that one sentence of the source gives in mostly the same words."""
    claim, source = prompt.text("claim") or "", prompt.texts("source")
    figure = next((b.attributes.get("figure") for b in prompt.blocks if b.tag == "claim"), None)
    checked = next((c for c in verify_claims(claim, source) if c.figure.text == figure), None)
    words = word_set(claim)
    match = checked.source if checked else None
    if checked is None or match is None or not words:
        return _reply("the source has no such figure", "", "not_found")
    quote = next((s for text in source for s in sentences(text) if match in s), match)
    if checked.verdict in ("supported", "contradicted"):
        return _reply("figure and matter compared", quote, checked.verdict)
    if len(words & word_set(quote)) / len(words) >= SUPPORTED:
        return _reply("the same figure among the same words", quote, "supported")
    return _reply("the figure stands in another matter", "", "not_found")


def _reply(reasoning: str, quote: str, outcome: str) -> Opinion:
    verdict = {"outcome": outcome, "quote": " ".join(quote.split())}
    return Opinion(f"By rule, {reasoning}.", json.dumps(verdict))


RULES = (Rule("The verdict has the `outcome`", verdict),)
"""For the protocol of `prompts/judge/claim.md`."""
