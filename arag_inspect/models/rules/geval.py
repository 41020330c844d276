"""G-Eval by rule: a grade from support, and five criteria that are always the same."""

import json
import re

from .protocol import Asked, Rule
from .support import Support, support

_CRITERION = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)


def criteria(asked: Asked) -> str:
    """Five criteria, always the same: a rule has no ideas of its own."""
    names = ("Figures", "Subjects", "Periods", "Statements", "Additions")
    return json.dumps(
        {
            "criteria": [
                {
                    "name": name,
                    "checks": f"{name} of the summary have support.",
                    "low": "none has.",
                    "middle": "half of them have.",
                    "high": "all have.",
                }
                for name in names
            ]
        }
    )


def verdict(asked: Asked) -> str:
    """Grade by rule.

    Against a source: are the summary's sentences and figures supported by it?
    Against a reference: are the reference's sentences and figures told by the
    summary? The score is 1 + 4 times the lesser of both shares, rounded.
    """
    summary = asked.text("summary") or ""
    reference, source = asked.text("reference"), asked.text("source")
    if reference is not None:
        found = support(reference, summary)
    elif source is not None:
        found = support(summary, source)
    else:
        found = Support(1.0, 1.0)
    score = 1 + round(4 * min(found))
    lines = [
        f"Criterion {number} ({name}): by rule, {found.words:.0%} of sentences and "
        f"{found.figures:.0%} of figures have support. Score: {score}"
        for number, name in enumerate(_CRITERION.findall(asked.words), start=1)
    ]
    return "\n".join([*lines, f"Final score: {score}"])


RULES = (Rule("Write exactly five criteria", criteria), Rule("Final score: N", verdict))
