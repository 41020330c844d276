"""Split court opinions into parts by their headings."""

import re
from typing import NamedTuple

_JUDGE = r"(?:MR\.? |MRS\.? |MS\.? )?(?:CHIEF )?JUSTICE (?P<judge>[A-Z][\w'’-]+)(?: [A-Z][\w'’-]+)?"
_SHORT = r"(?P<short>[A-Z][\w'’-]+), (?:C\. ?)?J\."
_WITH = r"(?:, (?:with whom|joined by) .{1,240}?)?"
_HEADINGS = tuple(
    (part, re.compile(pattern, re.IGNORECASE))
    for part, pattern in (
        ("syllabus", r"syllabus"),
        (
            "court",
            rf"{_JUDGE},? (?:delivered|announced) the (?:opinion|judgment) of the court[^.]{{0,400}}",
        ),
        ("court", r"per curiam|opinion of the court"),
        (
            "separate",
            rf"(?:{_JUDGE}|{_SHORT}){_WITH},? (?P<what>(?:concurring|dissenting)[^.,]{{0,120}}(?:, and [^.,]{{0,120}})?)",
        ),
    )
)
"""Start of a line that may begin a part."""


class Part(NamedTuple):
    """A part of an opinion, from its heading to the next one."""

    title: str
    """`Caption`, `Syllabus`, `Opinion of the Court`, `Concurrence`, `Dissent`, or `Concurrence in
    part and dissent in part`; empty if an opinion has no headings.
    """

    judge: str
    """Author's surname in lower case; empty if the heading names no one."""

    text: str


class _Heading(NamedTuple):
    title: str
    judge: str


def split_opinion(text: str) -> list[Part]:
    """Split an opinion at its headings, each on a line of its own.

    1. `Syllabus`, `Opinion of the Court` and `Per curiam` are headings if they are the whole line.
    2. So are `Justice X delivered (or announced) the opinion of the Court`, `Justice X, with whom
       Justice Y joins, dissenting`, `concurring`, `concurring in part and dissenting in part`, and
       `X, J., dissenting`. A heading with the judge in capitals may have the text after it on the
       same line, as in some PDFs.
    3. A heading of the same part by the same judge, such as a running head, does not begin a new
       part.
    4. The text before the first heading is the caption.

    Args:
        text: The whole opinion, one paragraph or heading per line.

    Returns:
        Its non-empty parts in order; together they hold the whole text.
    """
    sections: list[tuple[_Heading, list[str]]] = [(_Heading("Caption", ""), [])]
    for line in text.splitlines():
        heading = _heading(line.strip())
        if heading is not None and not _goes_on(sections[-1][0], heading):
            sections.append((heading, []))
        sections[-1][1].append(line)
    parts = [Part(*heading, "\n".join(lines).strip()) for heading, lines in sections]
    if len(parts) == 1:
        parts = [parts[0]._replace(title="")]
    return [part for part in parts if part.text]


def _heading(line: str) -> _Heading | None:
    for part, pattern in _HEADINGS:
        match = pattern.match(line)
        if match is None:
            continue
        groups = match.groupdict()
        judge = groups.get("judge") or groups.get("short") or ""
        in_capitals = bool(groups.get("judge")) and judge.isupper()
        if in_capitals or not line[match.end() :].strip(" .*:0123456789"):
            return _Heading(_title(part, groups.get("what") or ""), judge.lower())
    return None


def _title(part: str, what: str) -> str:
    if part == "syllabus":
        return "Syllabus"
    if part == "court":
        return "Opinion of the Court"
    lowered = what.lower()
    concurs, dissents = "concurring" in lowered, "dissenting" in lowered
    if concurs and dissents:
        return "Concurrence in part and dissent in part"
    return "Dissent" if dissents else "Concurrence"


def _goes_on(current: _Heading, heading: _Heading) -> bool:
    """Return whether a heading only repeats that of its part."""
    unnamed = not current.judge or not heading.judge
    return current.title == heading.title and (unnamed or current.judge == heading.judge)
