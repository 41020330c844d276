"""A judge by rule, one module a protocol. It stands in for a grader where there is none."""

from . import accuracy, claim, facts, forms, geval, questions, severity, support
from .prompt_parsing import Block, JudgePrompt, Rule

__all__ = ["Block", "JudgePrompt", "Rule", "judge_by_rule"]

_RULES: tuple[Rule, ...] = (
    *severity.RULES,
    *geval.RULES,
    *claim.RULES,
    *accuracy.RULES,
    *facts.RULES,
    *support.RULES,
    *questions.RULES,
    *forms.RULES,
)
"""Every protocol that it speaks; a new one is a module and its `RULES` here."""


def judge_by_rule(prompt: str) -> str | None:
    """Reply to a judge's prompt, or None where no rule knows it.

    A prompt is known by its own words alone: what stands inside a fence is
    data, and asks for nothing. The first rule whose mark a prompt has replies.
    """
    asked = JudgePrompt.parse(prompt)
    rule = next((rule for rule in _RULES if rule.mark in asked.words), None)
    return None if rule is None else asked.reply(*rule.judge(asked))
