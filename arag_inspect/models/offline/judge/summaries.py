"""Summaries by rule: grades from the share of supported sentences and figures.

Error codes and criteria are well-formed replies only: they let every task run without a key.
"""

import re

from ....quantities import verify_claims
from ....text.sentences import sentences
from ....types.scale import USUAL
from .overlap import Support, support, word_set
from .prompt_parsing import JudgePrompt, JudgeRule, Opinion

_SCALE = re.compile(r"one final integer from (\d+) to (\d+)")
_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)
_CRITICAL = 2


def severity(prompt: JudgePrompt) -> Opinion:
    """Grade by the smaller share of supported sentences and figures.

    The grade is 1 + 4 times that share, rounded; a contradicted figure is critical.
    Compared with the source, or with the reference if there is no source.
    """
    summary = prompt.text("summary") or ""
    other = prompt.text("source") or prompt.text("reference") or ""
    shares, errors = support(summary, other), _contradicted(summary, other)
    score = 1 + round(4 * min(shares))
    reasoning = (
        f"By rule, {shares.words:.0%} of sentences and {shares.figures:.0%} of figures have "
        f"support; contradicted: {', '.join(errors) or 'none'}."
    )
    return Opinion(reasoning, str(min(score, _CRITICAL) if errors else score))


def criteria(prompt: JudgePrompt) -> Opinion:
    """Return five fixed criteria."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    levels = {"low": "none has.", "middle": "half of them have.", "high": "all have."}
    items = [{"name": name, "checks": f"{name} of the summary have support."} for name in names]
    return Opinion("", {"criteria": [item | levels for item in items]})


def grade(prompt: JudgePrompt) -> Opinion:
    """Grade by rule.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures stated by the
    summary? The score is the smaller of both shares, scaled from the
    lowest score to the highest, rounded.
    """
    summary = prompt.text("summary") or ""
    reference, source = prompt.text("reference"), prompt.text("source")
    shares = Support(1.0, 1.0)
    if reference is not None:
        shares = support(reference, summary)
    elif source is not None:
        shares = support(summary, source)
    low, high = map(int, (_SCALE.findall(prompt.words) or [USUAL])[-1])
    score = low + round((high - low) * min(shares))
    lines = [
        f"Criterion {number} ({name}): by rule, {shares.words:.0%} of sentences and "
        f"{shares.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(prompt.words), start=1)
    ]
    if source is None or reference is not None:
        return Opinion("\n".join(lines), str(score))
    unsupported = [
        {
            "statement": " ".join(sentence.split()),
            "kind": "contradicted" if _contradicted(sentence, source) else "absent",
        }
        for sentence in sentences(summary)
        if word_set(sentence) and min(support(sentence, source)) < 1
    ]
    return Opinion("\n".join(lines), {"unsupported": unsupported, "score": score})


def evidence(prompt: JudgePrompt) -> Opinion:
    """Quote for each summary sentence the source sentence that shares most words."""
    source = [(sentence, word_set(sentence)) for sentence in sentences(prompt.text("source") or "")]
    quotes = []
    for sentence in sentences(prompt.text("summary") or ""):
        words = word_set(sentence)
        best = max(source, key=lambda item: len(words & item[1]), default=None)
        if best is not None and words & best[1]:
            quotes.append({"statement": sentence, "quote": best[0]})
    return Opinion("", {"evidence": quotes})


def claim(prompt: JudgePrompt) -> Opinion:
    """Look for a figure of a claim in the source."""
    text, source = prompt.text("claim") or "", [block.text for block in prompt.all("source")]
    figure = next((block.attributes.get("figure") for block in prompt.all("claim")), None)
    outcome, quote = "not_found", ""
    for checked in verify_claims(text, source):
        if checked.figure.text == figure and checked.verdict in ("supported", "contradicted"):
            outcome, match = checked.verdict, checked.source or ""
            quote = next((s for part in source for s in sentences(part) if match in s), match)
            break
    return Opinion(
        "By rule, figures compared.", {"outcome": outcome, "quote": " ".join(quote.split())}
    )


def no_label(prompt: JudgePrompt) -> Opinion:
    """Return no error code: the scorer's own rules know more than its prompt."""
    return Opinion("A judge by rule leaves the codes to the rules of the scorer.", "none")


def _contradicted(text: str, other: str) -> list[str]:
    """Return the figures of a text that another text contradicts."""
    claims = verify_claims(text, [other])
    return [claim.figure.text for claim in claims if claim.verdict == "contradicted"]


RULES = (
    JudgeRule("You grade a summary by its gravest error", severity),
    JudgeRule("Write exactly five criteria", criteria),
    JudgeRule("You do not judge yet", evidence),
    JudgeRule("one final integer from", grade),
    JudgeRule("The verdict has the `outcome`", claim),
    JudgeRule("The verdict is every code that applies", no_label),
)
"""Protocols of `prompts/judge/`: severity, criteria, evidence, dimension, claim and error codes."""
