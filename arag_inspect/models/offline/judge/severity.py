"""Severity by rule: from the share of sentences and figures that have support."""

from ....quantities import verify_claims
from .judgment import faults
from .overlap import support
from .prompt_parsing import JudgePrompt, Rule

_CRITICAL = 2


def grade(asked: JudgePrompt) -> str:
    """Grade 1 + 4 times the lesser share of sentences and figures with support, rounded; a contradicted figure is critical, and a judgment is checked as `judgment.faults` says.

    Held against the source, or against the reference where there is no source.
    """
    summary = asked.text("summary") or ""
    other = asked.text("source") or asked.text("reference") or ""
    found = support(summary, other)
    score = 1 + round(4 * min(found))
    worst = f"{found.words:.0%} of sentences and {found.figures:.0%} of figures have support"
    wrong = [c for c in verify_claims(summary, [other]) if c.verdict == "contradicted"]
    lines = [f"Error ({_CRITICAL}): {c.figure.text} is contradicted" for c in wrong]
    if wrong:
        score, worst = min(score, _CRITICAL), f"{wrong[0].figure.text} is contradicted"
    court = faults(summary, asked.text("source") or "", asked.text("reference") or "")
    lines += [f"Error ({fault.grade}): {fault.what}" for fault in court]
    if court and (gravest := min(court)).grade < score:
        score, worst = gravest.grade, gravest.what
    named = worst if score < 5 else "none"
    return "\n".join([*lines, f"Worst error: by rule, {named}", f"Final score: {score}"])


RULES = (Rule("Worst error: the gravest", grade),)
"""Speaks the protocol of `prompts/severity.md`."""
