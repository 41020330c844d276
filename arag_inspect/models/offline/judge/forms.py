"""Well-formed replies to questions that no rule can judge.

They let every task run without a key.
"""

import json
import re

from .overlap import sentences
from .prompt_parsing import JudgePrompt, Opinion, Rule

_SCHEMA = re.compile(r"JSON Schema:\s*(?P<schema>\{.*\})", re.DOTALL)


def no_label(prompt: JudgePrompt) -> Opinion:
    """Return no error code: the scorer's own rules know more than its prompt."""
    return Opinion("A judge by rule leaves the codes to the rules of the scorer.", "none")


def empty_file(prompt: JudgePrompt) -> Opinion:
    """Return an empty client file: an empty list for each section of the schema."""
    match = _SCHEMA.search(prompt.words)
    sections = json.loads(match["schema"]).get("properties", {}) if match else {}
    return Opinion("", json.dumps({name: [] for name in sections}))


def same_file(prompt: JudgePrompt) -> Opinion:
    """Return a client file unchanged."""
    return Opinion("", prompt.text("extraction") or "{}")


def both_sides(prompt: JudgePrompt) -> Opinion:
    """Return a claim for and one against, from the first two documents."""
    documents = [block for block in prompt.blocks if block.tag == "document"]
    claims = [
        {
            "stance": stance,
            "claim": f"There is a case {stance} it.",
            "perspectives": [
                {
                    "text": next(iter(sentences(document.text)), ""),
                    "evidence_docs": [document.attributes.get("id", "")],
                }
            ],
        }
        for stance, document in zip(("for", "against"), documents, strict=False)
    ]
    return Opinion("", json.dumps({"claims": claims}, ensure_ascii=False))


RULES = (
    Rule("The verdict is every code that applies", no_label),
    Rule("You fill a client's file", empty_file),
    Rule("You check a client's file", same_file),
    Rule('{"claims": [{"stance": "for"', both_sides),
)
