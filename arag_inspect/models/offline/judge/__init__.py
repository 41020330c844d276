"""A rule-based judge, one module per protocol, for runs without a grader."""

from . import accuracy, claim, facts, forms, geval, passages, questions, severity
from .prompt_parsing import Block, JudgePrompt, Rule

__all__ = ["RULES", "Block", "JudgePrompt", "Rule", "judge_by_rule"]

RULES: list[Rule] = [
    *severity.RULES,
    *geval.RULES,
    *claim.RULES,
    *accuracy.RULES,
    *facts.RULES,
    *passages.RULES,
    *questions.RULES,
    *forms.RULES,
]
"""Supported protocols; a new one is a module and its `RULES` here, or appended by a benchmark."""


def judge_by_rule(prompt: str) -> str | None:
    """Reply to a judge's prompt, or None if no rule matches it.

    A prompt is recognised by its unfenced words: text inside a fence is
    data. The first rule whose mark occurs in the prompt replies.
    """
    judge_prompt = JudgePrompt.parse(prompt)
    rule = next((rule for rule in RULES if rule.mark in judge_prompt.words), None)
    return None if rule is None else judge_prompt.reply(*rule.judge(judge_prompt))
