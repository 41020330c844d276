"""Well-formed replies of the offline judge to the prompts of this benchmark."""

import json
import re

from arag_inspect.models.offline.judge import JudgePrompt, JudgeRule, Opinion

_SCHEMA = re.compile(r"JSON Schema:\s*(?P<schema>\{.*\})", re.DOTALL)


def empty_file(prompt: JudgePrompt) -> Opinion:
    """Return an empty client file: an empty list for each section of the schema."""
    match = _SCHEMA.search(prompt.words)
    sections = json.loads(match["schema"]).get("properties", {}) if match else {}
    return Opinion("", {name: [] for name in sections})


def same_file(prompt: JudgePrompt) -> Opinion:
    """Return a client file unchanged."""
    return Opinion("", prompt.text("extraction") or "{}")


RULES = (
    JudgeRule("You fill a client's file", empty_file),
    JudgeRule("You check a client's file", same_file),
)
