"""G-Eval by rule: a grade from support, and five fixed criteria."""

import json
import re

from ....quantities import verify_claims
from ....types.scale import USUAL
from .overlap import Support, sentences, support, word_set
from .prompt_parsing import JudgePrompt, Opinion, Rule

_SCALE = re.compile(r"one final integer from (\d+) to (\d+)")
_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)


def criteria(prompt: JudgePrompt) -> Opinion:
    """Return five fixed criteria."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    items = [
        {
            "name": name,
            "checks": f"{name} of the summary have support.",
            "low": "none has.",
            "middle": "half of them have.",
            "high": "all have.",
        }
        for name in names
    ]
    return Opinion("", json.dumps({"criteria": items}))


def verdict(prompt: JudgePrompt) -> Opinion:
    """Grade by rule.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures stated by the
    summary? The score is the smaller of both shares, scaled from the
    lowest score to the highest, rounded.
    """
    summary = prompt.text("summary") or ""
    reference, source = prompt.text("reference"), prompt.text("source")
    if reference is not None:
        shares = support(reference, summary)
    elif source is not None:
        shares = support(summary, source)
    else:
        shares = Support(1.0, 1.0)
    low, high = map(int, (_SCALE.findall(prompt.words) or [USUAL])[-1])
    score = low + round((high - low) * min(shares))
    lines = [
        f"Criterion {number} ({name}): by rule, {shares.words:.0%} of sentences and "
        f"{shares.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(prompt.words), start=1)
    ]
    if source is None or reference is not None:
        return Opinion("\n".join(lines), str(score))
    verdict_fields = {"unsupported": _unsupported(summary, source), "score": score}
    return Opinion("\n".join(lines), json.dumps(verdict_fields))


def _unsupported(summary: str, source: str) -> list[dict[str, str]]:
    """Return each unsupported sentence: contradicted if a figure is, else absent."""
    unsupported = []
    for sentence in sentences(summary):
        if word_set(sentence) and min(support(sentence, source)) < 1:
            claims = verify_claims(sentence, [source])
            against = any(claim.verdict == "contradicted" for claim in claims)
            kind = "contradicted" if against else "absent"
            unsupported.append({"statement": " ".join(sentence.split()), "kind": kind})
    return unsupported


def evidence(prompt: JudgePrompt) -> Opinion:
    """Quote for each summary sentence the source sentence that shares most words."""
    source = [(sentence, word_set(sentence)) for sentence in sentences(prompt.text("source") or "")]
    quotes = []
    for sentence in sentences(prompt.text("summary") or ""):
        words = word_set(sentence)
        best = max(source, key=lambda item: len(words & item[1]), default=None)
        if best is not None and words & best[1]:
            quotes.append({"statement": sentence, "quote": best[0]})
    return Opinion("", json.dumps({"evidence": quotes}))


RULES = (
    Rule("Write exactly five criteria", criteria),
    Rule("You do not judge yet", evidence),
    Rule("one final integer from", verdict),
)
