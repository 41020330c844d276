"""Transcripts: subtitles, JSON with speakers, and text with time codes, as one line per turn."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from ..._util.json_text import parse_json

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
    rf"^(?P<name>[A-Z][\w.'’,&/ -]{{1,60}}?)[ \t]*(?:[\[(]{_TIME}[\])]|[ \t]{{2,}}{_TIME}|\t{_TIME}):?[ \t]*$",
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


def read_turns(text: str) -> str:
    """Return a transcript in JSON or JSON Lines as lines `Speaker: text`; empty if it holds no texts.

    Reads lists of objects with a text (`text`, `content`, `speech` ...) and perhaps a speaker
    (`speaker`, `name` ...), at any depth; consecutive texts of a speaker are one line.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        value = parse_json(text)
    except ValueError:
        value = [parse_json(line) for line in text.split("\n") if line.strip()]
    turns = list(_turns(value, ""))
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
    """Return text without time codes, if they ascend as a transcript's do; `Dana Holt (00:13):` is `Dana Holt:`."""
    if len(_STAMPED_NAME.findall(text)) >= _LEAST_STAMPS:
        text = _STAMPED_NAME.sub(r"\g<name>:", text)
    stamps = [match["time"] for match in _STAMP.finditer(text)]
    times = [(time.count(":"), *map(int, re.findall(r"\d+", time))) for time in stamps]
    return _STAMP.sub("", text) if len(times) >= _LEAST_STAMPS and times == sorted(times) else text
