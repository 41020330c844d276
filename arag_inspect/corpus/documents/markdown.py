"""Plain text of Markdown."""

import re
from itertools import zip_longest

_FRONT = re.compile(r"---[ \t]*\n(?:[^\n]*\n){0,200}?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_CALENDAR = re.compile(r"\b(?:19|20)\d\d(?:-\d\d?-\d\d?)?(?:[T ]?\d\d?:\d\d(?::\d\d)?Z?)?\b")
"""Years, dates and times, as opposed to amounts."""

_BARE = re.compile(r"(?!(?:\w{0,20}_)?(?:year|date|fy)\b)[\w -]{1,60}:\s*\d{4}$", re.IGNORECASE)
"""A number like a year, under a key that does not suggest a date."""

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
    """Return Markdown as plain text.

    Drops front matter (except amounts), comments, pictures, link targets, footnote marks and `>`.

    Headings, emphasis, lists and tables stay as written. A picture is replaced by its alternative
    text. The figures of LaTeX are written plainly. Lines stacked in the cells of a row by `<br>`
    become rows.
    """
    front = _FRONT.match(text)
    if front and ":" in front[0]:
        lines = [line.strip() for line in front[0].split("\n")]
        amounts = [
            line for line in lines if re.search(r"\d", _CALENDAR.sub("", line)) or _BARE.match(line)
        ]
        text = "\n".join([*amounts, text[front.end() :]])
    text = write_latex_plainly(_drop_comments(text))
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
    return _STACKED.sub(_split_stacked, text)


_STACKED = re.compile(r"^(?=[^\n|]*\|)[^\n]*<br\s?/?>[^\n]*$", re.MULTILINE | re.IGNORECASE)
_LINE_BREAK = re.compile(r"<br\s?/?>", re.IGNORECASE)


def _split_stacked(row: re.Match[str]) -> str:
    """Return a row of a table as several if all of its cells have the same number of lines."""
    texts = row[0].strip().strip("|").split("|")
    cells = [list(map(str.strip, _LINE_BREAK.split(text))) for text in texts]
    if len({len(lines) for lines in cells}) > 1:
        return _LINE_BREAK.sub(" ", row[0])
    return "\n".join(f"| {' | '.join(lines)} |" for lines in zip_longest(*cells, fillvalue=""))


_FORMULA = re.compile(
    r"(?<![\\\w$])\$(?=[^$\\\n]{0,120}\\[%$a-zA-Z,;!{ ])((?:[^$\\\n]|\\.){1,200})\$(?![\d$])"
    r"|(?<![\\\w$])\$([-+]?\d[\d.,]{0,20})\$(?![\w$])|\\\(((?:[^\\\n]|\\[^)]){1,200})\\\)"
)
"""A LaTeX command or a number alone between `$`, or a formula between `\\(` and `\\)`."""

_COMMANDS = (
    (re.compile(r"\\d?frac\s*\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}"), r"\1/\2"),
    (
        re.compile(
            r"\\(?:text|mathrm|mathbf|mathit|operatorname|textbf|mbox)\s*\{([^{}]{0,100})\}"
        ),
        r"\1",
    ),
    (re.compile(r"\\(?:left|right|displaystyle|quad|qquad)\b"), " "),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\pm\b"), "±"),
    (re.compile(r"\\(?:approx|sim|simeq)\b ?"), "about "),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\[,;:! ]|~"), " "),
    (re.compile(r"(?<=[$€£])\s+(?=\d)|(?<=\d)\s+(?=%)"), ""),
    (re.compile(r"[{}]"), ""),
)
_ESCAPED = re.compile(r"\\([%$#&_])")


def write_latex_plainly(text: str) -> str:
    """Return a text with the figures of LaTeX written plainly: `6%` for `$6 \\%$`."""
    if "\\" not in text and "$" not in text:
        return text
    return _ESCAPED.sub(r"\1", _FORMULA.sub(_plain_formula, text))


def _plain_formula(match: re.Match[str]) -> str:
    formula = _ESCAPED.sub(r"\1", match[1] or match[2] or match[3])
    for command, plain in _COMMANDS:
        formula = command.sub(plain, formula)
    return formula.strip()


def drop_data(text: str) -> str:
    """Return text without data URIs, which are encoded pictures."""
    return _DATA.sub("", text)


def _drop_comments(text: str) -> str:
    first, *parts = text.split("<!--")
    pieces = [first]
    for part in parts:
        _, closed, after = part.partition("-->")
        pieces.append(after if closed else f"<!--{part}")
    return "".join(pieces)


_TABLE_TAG = re.compile(r"<(/?)table\b[^<>]{0,2000}>", re.IGNORECASE)


def html_tables(text: str) -> list[tuple[str, bool]]:
    """Split Markdown into HTML tables and other text; return whether each part is a table."""
    parts: list[tuple[str, bool]] = []
    depth = start = 0
    for tag in _TABLE_TAG.finditer(text):
        if not depth and not tag[1]:
            parts.append((text[start : tag.start()], False))
            start = tag.start()
        depth = max(0, depth + (-1 if tag[1] else 1))
        if not depth and tag[1]:
            parts.append((text[start : tag.end()], True))
            start = tag.end()
    return [*parts, (text[start:], False)]
