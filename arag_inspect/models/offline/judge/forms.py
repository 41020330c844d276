"""Well-formed replies to questions that no rule can judge.

They let every task run without a key.
"""

from .prompt_parsing import JudgePrompt, Opinion, Rule


def no_label(prompt: JudgePrompt) -> Opinion:
    """Return no error code: the scorer's own rules know more than its prompt."""
    return Opinion("A judge by rule leaves the codes to the rules of the scorer.", "none")


RULES = (Rule("The verdict is every code that applies", no_label),)
