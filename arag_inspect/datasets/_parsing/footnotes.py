"""Raised numbers: the marks of footnotes, and exponents."""

import re

_MARK = re.compile(r"[\s(\[]*\d{1,2}(?:[\s()\[\],]*\d{1,2})*[\s)\]]*|[*†‡§]+|\s*\([a-z]\)\s*")
_BASE = re.compile(r"(?:(?<![\d.,$€£])10|(?<![A-Za-z])(?:[kcdm]?m|ft|in|yd|mi))$")
"""What a raised number is an exponent of: powers of ten, areas and volumes."""

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def raised(before: str, text: str, after: str) -> str:
    """Return what is written for raised text: nothing for a footnote's mark, `²` after `m`, ` 1` of `6 1/2`.

    Args:
        before: Text before it.
        text: The raised text.
        after: Text after it.
    """
    if not _MARK.fullmatch(text):
        return text
    if after.startswith(("/", "⁄")):
        return f" {text}" if before[-1:].isdigit() else text
    if text.isdigit() and _BASE.search(before) and not after.startswith("%"):
        return text.translate(_SUPERSCRIPTS)
    return ""
