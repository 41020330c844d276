"""What may follow a verdict on its line: nothing, or a reason that leaves it standing."""

import re

_REASON = re.compile(r"(?:[.:;,!–—-]\s|\(|(?:because|since|as|given)\s)(?P<text>.*)", re.IGNORECASE)
_DOUBT = re.compile(
    r"\?|\b(?:maybe|perhaps|possibly|probably|rather|instead|wait|actually|unsure|uncertain)\b"
    r"|\bno\b(?!\s\w)|(?:^|[.:;,!(–—-])\s*(?:or|not|but|and|which|that|would|should|could|might|may)\b",
    re.IGNORECASE,
)


def is_unhedged(rest: str, rival: re.Pattern[str]) -> bool:
    """Whether the rest of a line leaves the verdict before it standing.

    Nothing does, apart from marks of emphasis, a full stop, and a reason set
    off by punctuation ("- because ...", "(good)") that takes nothing back and
    names no rival.

    Args:
        rest: What follows the verdict.
        rival: What would be another verdict.
    """
    rest = rest.strip(" \t*_`")
    if rest in ("", ".", "!"):
        return True
    reason = _REASON.fullmatch(rest)
    return reason is not None and not (_DOUBT.search(reason["text"]) or rival.search(rest))
