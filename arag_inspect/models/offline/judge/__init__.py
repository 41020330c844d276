"""A rule-based judge, for runs without a grader."""

from functools import cache

from ...._util.discovery import additions
from . import facts, grades
from .protocol import Block, JudgePrompt, JudgeRule, Opinion, any_form

__all__ = ["Block", "JudgePrompt", "JudgeRule", "Opinion", "any_form", "judge_by_rule"]

_RULES = (*grades.RULES, *facts.RULES)
"""Supported protocols; benchmarks have further ones."""


@cache
def _rules() -> tuple[JudgeRule, ...]:
    return (*_RULES, *(rule for benchmark in additions() for rule in benchmark.judge_rules))


def judge_by_rule(prompt: str) -> str | None:
    """Reply to a judge's prompt, or None if no rule matches it.

    A prompt is recognised by its unfenced words: text inside a fence is
    data. The first rule whose mark occurs in the prompt replies.
    """
    judge_prompt = JudgePrompt.parse(prompt)
    rule = next((rule for rule in _rules() if rule.mark in judge_prompt.words), None)
    return None if rule is None else judge_prompt.reply(*rule.judge(judge_prompt))
