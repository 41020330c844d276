"""Severity by rule, from the share of supported sentences and figures."""

from ....quantities import verify_claims
from .overlap import support
from .prompt_parsing import JudgePrompt, Opinion, Rule

_CRITICAL, _BEST = 2, 5


def grade(prompt: JudgePrompt) -> Opinion:
    """Grade by the smaller share of supported sentences and figures.

    The grade is 1 + 4 times that share, rounded; a contradicted figure is critical.
    Compared with the source, or with the reference if there is no source.
    """
    summary = prompt.text("summary") or ""
    other = prompt.text("source") or prompt.text("reference") or ""
    shares = support(summary, other)
    score = 1 + round(4 * min(shares))
    worst = f"{shares.words:.0%} of sentences and {shares.figures:.0%} of figures have support"
    claims = verify_claims(summary, [other])
    errors = [claim.figure.text for claim in claims if claim.verdict == "contradicted"]
    lines = [f"Error ({_CRITICAL}): {error} is contradicted" for error in errors]
    if errors:
        score, worst = min(score, _CRITICAL), f"{errors[0]} is contradicted"
    lines.append(f"Worst error: by rule, {worst if score < _BEST else 'none'}")
    return Opinion("\n".join(lines), str(score))


RULES = (Rule("You grade a summary by its gravest error", grade),)
"""For the protocol of `prompts/judge/severity.md`."""
