"""A judge by rule, one module a protocol. It stands in for a grader where there is none."""

from . import accuracy, claim, client_file, facts, geval, perspectives, severity, taxonomy
from .prompt_parsing import Block, JudgePrompt, Rule

__all__ = ["Block", "JudgePrompt", "Rule", "judge_by_rule"]

_RULES: tuple[Rule, ...] = (
    *severity.RULES,
    *geval.RULES,
    *taxonomy.RULES,
    *claim.RULES,
    *accuracy.RULES,
    *facts.RULES,
    *client_file.RULES,
    *perspectives.RULES,
)
"""Every protocol that it speaks; a new one is a module and its `RULES` here. The first whose mark a prompt has replies."""


def judge_by_rule(prompt: str) -> str | None:
    """Reply to a judge's prompt, or None where it is none that a rule knows.

    A prompt is known by its own words alone: what stands inside a fence is
    data, and asks for nothing.
    """
    asked = JudgePrompt.parse(prompt)
    rule = next((rule for rule in _RULES if rule.mark in asked.words), None)
    return None if rule is None else rule.reply(asked)
