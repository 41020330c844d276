"""G-Eval by rule: a grade from support, and five fixed criteria."""

import json
import re

from ....quantities import verify_claims
from ....types.scale import USUAL
from .overlap import Support, sentences, support, word_set
from .prompt_parsing import JudgePrompt, Opinion, Rule

_SCALE = re.compile(r"one final integer from (\d+) to (\d+)")
_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)


def criteria(asked: JudgePrompt) -> Opinion:
    """Return five fixed criteria."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    listed = [
        {
            "name": name,
            "checks": f"{name} of the summary have support.",
            "low": "none has.",
            "middle": "half of them have.",
            "high": "all have.",
        }
        for name in names
    ]
    return Opinion("", json.dumps({"criteria": listed}))


def verdict(asked: JudgePrompt) -> Opinion:
    """Grade by rule.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures stated by the
    summary? The score is the smaller of both shares, scaled from the
    lowest score to the highest, rounded.
    """
    summary = asked.text("summary") or ""
    reference, source = asked.text("reference"), asked.text("source")
    if reference is not None:
        found = support(reference, summary)
    elif source is not None:
        found = support(summary, source)
    else:
        found = Support(1.0, 1.0)
    low, high = map(int, (_SCALE.findall(asked.words) or [USUAL])[-1])
    score = low + round((high - low) * min(found))
    lines = [
        f"Criterion {number} ({name}): by rule, {found.words:.0%} of sentences and "
        f"{found.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(asked.words), start=1)
    ]
    if source is None or reference is not None:
        return Opinion("\n".join(lines), str(score))
    listed = {"unsupported": _unsupported(summary, source), "score": score}
    return Opinion("\n".join(lines), json.dumps(listed))


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


def evidence(asked: JudgePrompt) -> Opinion:
    """Return for each sentence of the summary the sentence of the source that shares most words
    with it.
    """
    source = [(sentence, word_set(sentence)) for sentence in sentences(asked.text("source") or "")]
    quotes = []
    for sentence in sentences(asked.text("summary") or ""):
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
