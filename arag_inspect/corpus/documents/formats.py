"""Plain text of EDGAR's files, Markdown and transcripts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

from ..._util.untrusted import parse_json
from .page_cleanup import head_lines, joint

_START = re.compile(
    r"\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<SEC-DOCUMENT>|<SEC-HEADER>|<SUBMISSION>|<DOCUMENT>\s*<TYPE>)"
)
_FIELD = r"<{}>[ \t]*([^\n<]{{1,80}})"
_NO_FORM = re.compile(r"EX-|GRAPHIC|ZIP|EXCEL|XML|JSON|PDF|COVER|CORRESP", re.IGNORECASE)
_FOR_PROGRAMS = re.compile(
    r"EX-10[01]\b|EX-27\b|(?:GRAPHIC|ZIP|EXCEL|XML|JSON|PDF)\b", re.IGNORECASE
)
"""Documents without text: XBRL, financial data schedules, pictures, archives."""

_BODY = re.compile(r"<TEXT>[ \t]*\n?(?:<(?:XBRL|XML)>\s*)?", re.IGNORECASE)
_PAGES = re.compile(r"\f|^[ \t]*<PAGE>[ \t]*", re.MULTILINE | re.IGNORECASE)
_TAGS = re.compile(r"</?(?:TABLE|CAPTION|S|C|FN|F\d{1,2}|R)>", re.IGNORECASE)
_CONTENTS = "table of contents"


def is_submission(text: str) -> bool:
    """Return whether a text is a full submission: several documents in one file."""
    return _START.match(text) is not None and "<TYPE>" in text


def read_submission(text: str, exhibits: Sequence[str]) -> tuple[list[str], str]:
    """Return the form of a full submission, and the exhibits asked for.

    Of a submission without a form, such as an exhibit saved alone, return all documents with text.

    Args:
        text: The submission.
        exhibits: Types of exhibits to read as well, e.g. `EX-13`, which includes `EX-13.1`.

    Returns:
        Texts of the form and the exhibits, plain text or HTML; and types of the other documents with
        their counts, e.g. `2 EX-31, 4 XML`, empty if none.
    """
    parts: list[str] = []
    others: Counter[str] = Counter()
    documents = list(_documents(text))
    main = False
    has_form = not all(_NO_FORM.match(kind) for kind, _ in documents)
    for kind, body in documents:
        is_form = not main and not _NO_FORM.match(kind)
        requested = any(re.match(rf"{re.escape(name)}(?!\d)", kind, re.I) for name in exhibits)
        if is_form or ((requested or not has_form) and not _FOR_PROGRAMS.match(kind)):
            parts.append(body)
        else:
            others[kind] += 1
        main = main or is_form
    left_out = ", ".join(f"{count} {kind}" for kind, count in sorted(others.items()))
    return parts, left_out


def _documents(text: str) -> Iterator[tuple[str, str]]:
    """Yield type and text of each document."""
    for piece in text.split("<DOCUMENT>")[1:]:
        document = piece.partition("</DOCUMENT>")[0]
        body = _BODY.search(document)
        kind = re.search(_FIELD.format("TYPE"), document[: body.start() if body else 1000])
        end = document.rfind("</TEXT>")
        content = document[body.end() : end if end >= 0 else None] if body else ""
        yield kind[1].strip() if kind else "unnamed", re.sub(r"</(?:XBRL|XML)>\s*$", "", content)


def is_html(text: str) -> bool:
    """Return whether a document of a submission is HTML."""
    return re.search(r"<(?:html|body|div|p|font)\b", text[:5000], re.IGNORECASE) is not None


def plain_filing(text: str) -> str:
    """Return a text without the tags of tables, and without what recurs at its page breaks.

    Page breaks are `<PAGE>` or form feeds; page numbers, running heads and `Table of Contents`
    at them are dropped, and a sentence that goes on from page to page is not parted.
    """
    if not _PAGES.search(text):
        return text
    return without_heads([_TAGS.sub("", page) for page in _PAGES.split(text)])


def without_heads(pages: Sequence[str]) -> str:
    """Join the pages of a text without their running heads; see `page_cleanup.head_lines`."""
    lines = [[line.rstrip() for line in page.split("\n")] for page in pages]
    filled = [[index for index, line in enumerate(page) if line.strip()] for page in lines]
    bare = [
        [" ".join(page[index].split()) for index in indices]
        for page, indices in zip(lines, filled, strict=True)
    ]
    contents = [
        {index for index, line in enumerate(page[:3]) if line.lower() == _CONTENTS} for page in bare
    ]
    repeated = sum(map(bool, contents)) > 1
    text = ""
    for page, indices, heads, titles in zip(lines, filled, head_lines(bare), contents, strict=True):
        dropped = {indices[index] for index in (heads | titles if repeated else heads)}
        body = "\n".join(line for index, line in enumerate(page) if index not in dropped)
        body = body.strip("\n")
        if text and body.strip():
            above, below = text.rpartition("\n")[2].strip(), body.partition("\n")[0].strip()
            text += "\n" if joint(above, below) != "\n" else "\n\n"
        text += body
    return text


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


_TIME = r"(?:\d{1,2}:)?[0-5]?\d:[0-5]\d(?:[.,]\d{1,3})?"
_CUE = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{1,50})*\s+([^<>]{1,80})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,100}>|<[\d:.]{4,15}>|\{\\[^{}\n]{0,50}\}")
_TURN = re.compile(r"(?:>>\s*)?[A-Z][\w.'’-]*(?: [\w.'’&,()-]+){0,5}:\s|>>|[-–]\s")
"""Start of a turn within the text of a cue: a name, or the mark of another speaker."""

_STAMP = re.compile(
    rf"^[ \t]*[\[(]?(?P<time>{_TIME})(?:[ \t]*[-–>]+[ \t]*{_TIME})?[\])]?(?![ \t]*[ap]\.?m\b)[ \t:]*",
    re.M | re.I,
)
_STAMPED_NAME = re.compile(
    rf"^(?P<name>[A-Z][\w.'’,&/ -]{{1,60}}?)[ \t]*+(?:[\[(]{_TIME}[\])]|(?:(?<=[ \t]{{2}})|(?<=\t)){_TIME}):?[ \t]*$",
    re.MULTILINE,
)
_LEAST_STAMPS = 3
"""Lines with a time code that make a text a transcript."""

_TEXTS = ("text", "content", "speech", "sentence", "utterance", "transcript", "body")
_SPEAKERS = ("speaker", "speaker_name", "speakerName", "speaker_label", "name", "role")


def read_cues(text: str) -> str:
    """Return the text of subtitles (WebVTT, SubRip): a line for each turn of a speaker.

    Cue numbers, time codes, notes and tags are dropped; `<v Name>` becomes `Name: `. A
    line that repeats the one before, as in rolling captions, counts once.
    """
    parts = _CUE.split(text.replace("\r", "\n"))
    speaker, before = "", ""
    turns: list[str] = []
    for number, part in enumerate(parts[1:], start=2):
        payload = re.split(r"\n[ \t]*\n", part.strip("\n") + "\n\n", maxsplit=1)[0]
        for line in payload.removesuffix(f"\n{number}").split("\n"):
            first, *voices = _VOICE.split(line)
            for voice, words in [("", first), *zip(voices[::2], voices[1::2], strict=True)]:
                bare = " ".join(unescape(_TAG.sub("", words)).split())
                is_new = voice.strip() not in ("", speaker)
                if not bare or (bare == before and not is_new):
                    continue
                before = bare
                if is_new:
                    speaker = voice.strip()
                    turns.append(f"{speaker}: {bare}")
                elif not turns or _TURN.match(bare):
                    turns.append(bare.removeprefix(">>").strip())
                else:
                    turns[-1] += f" {bare}"
    return "\n".join(turns)


def read_turns(text: str, left_out: list[str]) -> str:
    """Return a transcript in JSON or JSON Lines as lines `Speaker: text`; empty if it holds no texts.

    Reads lists of objects with a text (`text`, `content`, `speech` ...) and perhaps a speaker
    (`speaker`, `name` ...), at any depth; consecutive texts of a speaker are one line.
    Adds the number of listed objects without a text to what is left out.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        value = parse_json(text)
    except ValueError:
        value = [parse_json(line) for line in text.split("\n") if line.strip()]
    turns = list(_turns(value, ""))
    if turns and (count := _count_textless(value)):
        left_out.append(f"{count} objects without a text")
    spoken = [words for speaker, words in turns if speaker]
    longest, whole = max(spoken, key=len, default="\n"), " ".join(spoken)
    # a text without a speaker may repeat the whole or a part of it
    turns = [turn for turn in turns if turn[0] or not (longest in turn[1] or turn[1] in whole)]
    lines: list[tuple[str, str]] = []
    for speaker, words in turns:
        if lines and speaker and lines[-1][0] == speaker:
            lines[-1] = speaker, f"{lines[-1][1]} {words}"
        else:
            lines.append((speaker, words))
    return "\n".join(f"{speaker}: {words}" if speaker else words for speaker, words in lines)


def _count_textless(value: Any) -> int:
    """Count the objects in lists of JSON that hold no text, as rows of figures."""
    items = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    count = 0
    for item in items:
        listed = isinstance(value, list) and isinstance(item, dict)
        if listed and not any(_turns(item, "")):
            count += 1
        elif not (listed and any(map(_words, map(item.get, _TEXTS)))):
            count += _count_textless(item)
    return count


def _turns(value: Any, speaker: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _turns(item, speaker)
    elif isinstance(value, dict):
        named = next((value[key] for key in _SPEAKERS if value.get(key) not in (None, "")), None)
        if isinstance(named, dict):
            named = named.get("name")
        own = f"Speaker {named}" if isinstance(named, int) else named
        speaker = own if isinstance(own, str) else speaker
        parts = [part for item in value.values() for part in _turns(item, speaker)]
        words = next(filter(None, map(_words, (value.get(key) for key in _TEXTS))), "")
        if words and (isinstance(own, str) or not parts):
            parts = [(speaker, words)]
        yield from parts


def _words(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    return " ".join(value.split()) if isinstance(value, str) else ""


def without_time_codes(text: str) -> str:
    """Return text without the `>` of replies, and without time codes that ascend as a transcript's do.

    `Dana Holt (00:13):` is `Dana Holt:`.
    """
    text = _QUOTE.sub("", text) if text.count("\n>") > 1 else text
    if len(_STAMPED_NAME.findall(text)) >= _LEAST_STAMPS:
        text = _STAMPED_NAME.sub(r"\g<name>:", text)
    stamps = [match["time"] for match in _STAMP.finditer(text)]
    times = [(time.count(":"), *map(int, re.findall(r"\d+", time))) for time in stamps]
    return _STAMP.sub("", text) if len(times) >= _LEAST_STAMPS and times == sorted(times) else text
