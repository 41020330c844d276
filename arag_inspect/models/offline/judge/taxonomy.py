"""Codes of errors by rule: none, since the scorer's own rules know more than a prompt tells."""

from .prompt_parsing import JudgePrompt, Rule


def codes(asked: JudgePrompt) -> str:
    """Give no code, so that the rules of the scorer do, which have the trace before them."""
    return "Code none: a judge by rule leaves the codes to the rules of the scorer"


RULES = (Rule("Code X: what earns it", codes),)
