"""Severity by rule, from the share of supported sentences and figures."""

from ....quantities import verify_claims
from .overlap import support
from .prompt_parsing import JudgePrompt, Opinion, Rule

_CRITICAL, _BEST = 2, 5


def grade(asked: JudgePrompt) -> Opinion:
    """Grade 1 + 4 times the smaller share of supported sentences and figures, rounded; a
    contradicted figure is critical.

    Compared with the source, or with the reference if there is no source.
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
    lines.append(f"Worst error: by rule, {worst if score < _BEST else 'none'}")
    return Opinion("\n".join(lines), str(score))


RULES = (Rule("You grade a summary by its gravest error", grade),)
"""For the protocol of `prompts/severity.md`."""
