"""What of Markdown is not text: front matter, comments, link targets, pictures, footnote marks."""

import re

_FRONT = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_CALENDAR = re.compile(r"\b(?:19|20)\d\d(?:-\d\d?-\d\d?)?(?:[T ]?\d\d?:\d\d(?::\d\d)?Z?)?\b")
"""Years, dates and times, which are no amounts."""

_BARE = re.compile(r"(?!(?:\w{0,20}_)?(?:year|date|fy)\b)[\w -]{1,60}:\s*\d{4}$", re.IGNORECASE)
"""A number like a year under a name that is not of a date."""

_DATA = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,80}(?:;[\w=.-]{1,40}){0,4},[\w+/=%.~-]*")
_IMAGE = re.compile(r"!\[([^\[\]]{0,500})\]\([^()\s]*(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\)")
_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]{1,500})\](?:\((?=[^)\s]*[a-z#/])[^()\s]*(?:\([^()\s]*\)[^()\s]*)?"
    r"(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\)|\[[^\[\]\n]{1,100}\](?!\())",
    re.IGNORECASE,
)
_TARGET = re.compile(r"^ {0,3}\[[^\]^\n][^\]\n]{0,100}\]:[ \t]+<?[^\s]*[/#.][^\n]*$", re.MULTILINE)
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,50}\](?::[ \t]*)?")
_RAISED = re.compile(
    r"<sup>\s*[(\[]?(?:<a [^<>]{0,300}>)?[(\[]?\d{1,2}[)\]]?(?:</a>)?[)\]]?\s*</sup>", re.I
)
_QUOTE = re.compile(r"^ {0,3}>[> ]*", re.MULTILINE)
_PICTURE = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)


def plain_markdown(text: str) -> str:
    """Return Markdown without front matter (but for amounts), comments, pictures, targets, footnote marks, and `>`.

    Headings, emphasis, lists and tables stay as they are written. A picture leaves its alternative
    text.
    """
    front = _FRONT.match(text)
    if front and ":" in front[0]:
        lines = [line.strip() for line in front[0].split("\n")]
        amounts = [
            line for line in lines if re.search(r"\d", _CALENDAR.sub("", line)) or _BARE.match(line)
        ]
        text = "\n".join([*amounts, text[front.end() :]])
    text = _without(text, "<!--", "-->")
    for pattern, replacement in (
        (_TARGET, ""),
        (_DATA, ""),
        (_IMAGE, r"\1"),
        (_PICTURE, ""),
        (_LINK, r"\1"),
        (_FOOTNOTE, ""),
        (_RAISED, ""),
        (_QUOTE, ""),
    ):
        text = pattern.sub(replacement, text)
    return text


def without_data(text: str) -> str:
    """Return text without data URIs: pictures written as letters."""
    return _DATA.sub("", text)


def _without(text: str, start: str, end: str) -> str:
    first, *parts = text.split(start)
    kept = [first]
    for part in parts:
        _, closed, after = part.partition(end)
        kept.append(after if closed else start + part)
    return "".join(kept)
