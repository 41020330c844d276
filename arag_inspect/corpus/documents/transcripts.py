"""Plain text of transcripts: subtitles, JSON of speech recognition, time codes."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from typing import Any, NamedTuple

from ..._util.json_values import parse_json

_TIME = r"(?:\d{1,2}:)?[0-5]?\d:[0-5]\d(?:[.,]\d{1,3})?"
_CUE = re.compile(rf"^[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}.*$", re.MULTILINE)
_VOICE = re.compile(r"<v(?:\.[^\s<>]{1,50})*\s+([^<>]{1,80})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,100}>|<[\d:.]{4,15}>|\{\\[^{}\n]{0,50}\}")
_TURN = re.compile(r"(?:>>\s*)?[A-Z][\w.'’-]*(?: [\w.'’&,()-]+){0,5}:\s|>>|[-–]\s")
"""Start of a turn within the text of a cue: a name, or the mark of another speaker."""

_STAMP = re.compile(
    rf"^[ \t]*[\[(]?(?P<time>{_TIME})(?:[ \t]*[-–>]+[ \t]*{_TIME})?[\])]?"
    r"(?![ \t]*[ap]\.?m\b)[ \t:]*",
    re.M | re.I,
)
_STAMPED_NAME = re.compile(
    rf"^(?P<name>[A-Z][\w.'’,&/ -]{{1,60}}?)[ \t]*+(?:[\[(]{_TIME}[\])]|(?:(?<=[ \t]{{2}})|"
    rf"(?<=\t)){_TIME}):?[ \t]*$",
    re.MULTILINE,
)
_LEAST_STAMPS = 3
"""Minimum lines with a time code in a transcript."""

_SECONDS = r"\d{1,6}(?:\.\d{1,3})?s?"
_SEGMENT = re.compile(
    rf"^[ \t]*\[(?:{_TIME}|{_SECONDS})[ \t]*(?:-->|-|–)[ \t]*(?:{_TIME}|{_SECONDS})\][ \t]*(.*)$",
    re.MULTILINE,
)
"""A line of speech recognition: `[258.460 --> 261.820]  and revenue was $412`."""

_QUOTE = re.compile(r"^ {0,3}>[> ]*", re.MULTILINE)
_TIMES = frozenset(
    (
        "start end from to offset offsets timestamp timestamps start_time end_time startTime "
        "endTime duration seek"
    ).split()
)
"""Fields of the segments of speech recognition, which contain parts of sentences."""

_TEXTS = ("text", "content", "speech", "sentence", "utterance", "transcript", "body")
_SPEAKERS = ("speaker", "speaker_name", "speakerName", "speaker_label", "name", "role")


def read_cues(text: str) -> str:
    """Return the text of subtitles (WebVTT, SubRip): a line for each turn of a speaker.

    Cue numbers, time codes, notes and tags are dropped; `<v Name>` becomes `Name: `. A line that
    repeats the previous one, as in rolling captions, counts once.

    Args:
        text: Content of the file, its lines ended by `\\n`.
    """
    speaker = ""
    previous_words = ""
    turns: list[str] = []
    for voice, words in _read_voices(text):
        is_new = voice not in ("", speaker)
        if words == previous_words and not is_new:
            continue
        previous_words = words
        if is_new:
            speaker = voice
            turns.append(f"{speaker}: {words}")
        elif not turns or _TURN.match(words):
            turns.append(words.removeprefix(">>").strip())
        else:
            turns[-1] += f" {words}"
    return "\n".join(turns)


def _read_voices(text: str) -> Iterator[tuple[str, str]]:
    """Yield the voice, empty if unnamed, and the words of each line of the cues."""
    parts = _CUE.split(text)
    for number, part in enumerate(parts[1:], start=2):
        payload = re.split(r"\n[ \t]*\n", part.strip("\n") + "\n\n", maxsplit=1)[0]
        for line in payload.removesuffix(f"\n{number}").split("\n"):
            first, *voices = _VOICE.split(line)
            for voice, words in [("", first), *zip(voices[::2], voices[1::2], strict=True)]:
                cleaned_words = " ".join(unescape(_TAG.sub("", words)).split())
                if cleaned_words:
                    yield voice.strip(), cleaned_words


class Turns(NamedTuple):
    """A transcript that was read from JSON."""

    text: str
    """A line `Speaker: text` for each turn; empty if there are no texts."""

    textless: int
    """Listed objects without a text."""


def read_turns(text: str) -> Turns:
    """Read a transcript in JSON or JSON Lines.

    Reads lists of objects with a text (`text`, `content`, `speech` ...) and optionally a speaker
    (`speaker`, `name` ...), at any depth; consecutive texts of a speaker are one line.

    Raises:
        ValueError: It is not JSON.
    """
    try:
        value = parse_json(text)
    except ValueError:
        value = [parse_json(line) for line in text.split("\n") if line.strip()]
    turns = list(_turns(value, ""))
    textless = _count_textless(value) if turns else 0
    spoken = [words for speaker, words in turns if speaker]
    longest = max(spoken, key=len, default="\n")
    all_spoken = " ".join(spoken)
    lines: list[str] = []
    previous_speaker = ""
    for speaker, words in turns:
        # a text without a speaker may repeat other texts wholly or in part
        if not speaker and (longest in words or words in all_spoken):
            continue
        if speaker and speaker == previous_speaker:
            lines[-1] += f" {words}"
        else:
            lines.append(f"{speaker}: {words}" if speaker else words)
        previous_speaker = speaker
    return Turns("\n".join(lines), textless)


def _count_textless(value: Any) -> int:
    """Count the objects in lists of JSON that contain no text, as rows of figures."""
    items: Iterable[Any] = ()
    if isinstance(value, list):
        items = value
    elif isinstance(value, dict):
        items = value.values()
    count = 0
    for item in items:
        is_list = isinstance(value, list) and isinstance(item, dict)
        if is_list and not any(_turns(item, "")):
            count += 1
        elif not (is_list and any(map(_words, map(item.get, _TEXTS)))):
            count += _count_textless(item)
    return count


def _turns(value: Any, speaker: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list) and _are_segments(value):
        text = ""
        for segment in value:
            text = _append_text(text, _text_of(segment))
        yield speaker, " ".join(text.split())
    elif isinstance(value, list):
        for item in value:
            yield from _turns(item, speaker)
    elif isinstance(value, dict):
        label = next((value[key] for key in _SPEAKERS if value.get(key) not in (None, "")), None)
        if isinstance(label, dict):
            label = label.get("name")
        named_speaker = f"Speaker {label}" if isinstance(label, int) else label
        speaker = named_speaker if isinstance(named_speaker, str) else speaker
        parts = _drop_repeats([list(_turns(item, speaker)) for item in value.values()])
        words = next(filter(None, map(_words, (value.get(key) for key in _TEXTS))), "")
        if words and (isinstance(named_speaker, str) or not parts):
            parts = [(speaker, words)]
        yield from parts


def _are_segments(items: list[Any]) -> bool:
    """Return whether items are consecutive parts of one speech."""
    return len(items) > 1 and all(map(_is_segment, items))


def _is_segment(item: Any) -> bool:
    """Return whether an item has times and a text, and no speaker."""
    if not isinstance(item, dict) or not _TIMES & item.keys() or not _text_of(item):
        return False
    return not any(item.get(key) for key in _SPEAKERS)


def _text_of(segment: dict[str, Any]) -> str:
    """Return the text of a segment with the space around it."""
    texts = (segment.get(key) for key in _TEXTS)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _append_text(text: str, added_text: str) -> str:
    """Return a text with its next part appended, which may continue a number."""
    needs_space = not added_text.startswith((" ", ".", ",", "%", ")", ";", "?", "!", "'", "’"))
    return f"{text}{' ' * needs_space}{added_text}"


def _drop_repeats(groups: list[list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the turns in fields of an object, the fewest where fields repeat the same words.

    Speech recognition lists the words of a call, its turns, and its paragraphs.
    """
    turns_by_letters: dict[str, list[tuple[str, str]]] = {}
    for turns in groups:
        letters = "".join(filter(str.isalnum, "".join(words for _, words in turns)))
        if letters not in turns_by_letters or len(turns) < len(turns_by_letters[letters]):
            turns_by_letters[letters] = turns
    return list(chain.from_iterable(turns_by_letters.values()))


def _words(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = " ".join(value)
    return " ".join(value.split()) if isinstance(value, str) else ""


def drop_time_codes(text: str) -> str:
    """Return text without the `>` of replies and without the time codes of a transcript.

    `Dana Holt (00:13):` is `Dana Holt:`.
    """
    text = _QUOTE.sub("", text) if text.count("\n>") > 1 else text
    if len(_SEGMENT.findall(text)) >= _LEAST_STAMPS:
        text = _joined_segments(text)
    if len(_STAMPED_NAME.findall(text)) >= _LEAST_STAMPS:
        text = _STAMPED_NAME.sub(r"\g<name>:", text)
    stamps = [match["time"] for match in _STAMP.finditer(text)]
    times = [(time.count(":"), *map(int, re.findall(r"\d+", time))) for time in stamps]
    return _STAMP.sub("", text) if len(times) >= _LEAST_STAMPS and times == sorted(times) else text


def _joined_segments(text: str) -> str:
    """Join the lines of speech recognition into running text; keep other lines."""
    lines: list[str] = []
    is_segment = False
    for line in text.split("\n"):
        segment = _SEGMENT.fullmatch(line)
        words = segment[1] if segment else line
        if segment and is_segment and not _TURN.match(words):
            lines[-1] = _append_text(lines[-1], words)
        else:
            lines.append(words)
        is_segment = segment is not None
    return "\n".join(lines)
