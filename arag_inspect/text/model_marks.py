"""Marks that models and their servers leave in a text: thoughts, channels, special tokens."""

import re
from collections.abc import Sequence
from itertools import chain

_TAG = (
    r"(?:\w{1,20}[:_]|ant)?"
    r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratch_?pad|analysis|(?:inner_?)?monologue)"
)
"""Name of a tag around thoughts, perhaps with a prefix: `<seed:think>`, `<longcat_think>`."""

_KIND = r"(?:thoughts?|think(?:ing)?|reasoning)"
_FINAL = r"<\|channel\|>final\b.{0,80}?<\|message\|>"
_BLOCKS = (
    (rf"<(?P<tag>{_TAG})>", r"</(?P=tag)>"),
    (r"\[(?-i:THINK)\]", r"\[/THINK\]"),  # Mistral
    (r"◁think▷", r"◁/think▷"),  # Kimi
    (rf"<\|(?:begin_of|start)_{_KIND}\|>", rf"<\|end_(?:of_)?{_KIND}\|>"),  # Sky-T1, Command
    (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    (r"<\|channel>thought\b", r"<channel\|>"),  # Gemma 4
    (r"<unused94>thought\b", r"<unused95>"),  # MedGemma
    (r"(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b", _FINAL),  # GPT-OSS
)
"""Opening and closing patterns of a block of thoughts, by family."""

_IN_WORDS = (
    r"\A(?-i:analysis)(?=\S).*?assistantfinal",  # GPT-OSS, without its tokens
    r"\Ahere(?:'s| is) my thought process:.*?here(?:'s| is) my response:",  # Granite
    r"\Ahere are my reasoning steps:.*?\[BEGIN FINAL RESPONSE\]",  # Apriel
)
_FLAGS = re.DOTALL | re.IGNORECASE
_IN_BLOCKS = [f"{opening}.*?(?:{closing}|\\Z)" for opening, closing in _BLOCKS]
_THOUGHTS = [re.compile(pattern, _FLAGS) for pattern in (*_IN_BLOCKS, *_IN_WORDS)]
_ENDS_OF_BLOCKS = [closing for _, closing in _BLOCKS[1:]]
_CLOSING = re.compile("|".join([f"</{_TAG}>", *_ENDS_OF_BLOCKS]), _FLAGS)
_OPENING = re.compile("|".join([f"<{_TAG}>", *(opening for opening, _ in _BLOCKS[1:])]), _FLAGS)
_ENDS_SENTENCE = re.compile(r"(?:\A|\n|[.!?…)\]}])[ \t]*\Z")

_TOKEN = re.compile(
    r"<[|｜][\w▁:./-]{1,40}[|｜]>"  # most families
    r"|<\|[a-z_]{1,20}>|<[a-z_]{1,20}\|>"  # Gemma 4
    r"|</s>|<(?:end_of_turn|eos|eot|eoa|EOS_TOKEN|seed:eos|unused\d+|SPECIAL_\d+|extra_id_\d+)>"
    r"|\[(?:EOS|EOT|/INST|\|endofturn\||END FINAL RESPONSE)\]|\[e~\["
)
UNSEEN = (
    r"[\xad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202c\u2060-\u2064"
    r"\u2066-\u2069\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]"
)
"""Invisible characters with no effect, unlike marks that reverse or strike through others."""

_UNSEEN_BESIDE = re.compile(rf"(?<!\w){UNSEEN}+|{UNSEEN}+(?!\w)")


def starts_with_thought(text: str) -> bool:
    """Return whether a text begins with a block of thoughts."""
    return any(thoughts.match(text) for thoughts in _THOUGHTS)


def ends_within_thought(text: str) -> bool:
    """Return whether a text begins with a block of thoughts that does not end."""
    return starts_with_thought(text) and _CLOSING.search(text) is None


def starts_within_thought(text: str) -> bool:
    """Return whether a text begins inside a block of thoughts, which its prompt has opened.

    The text has a single mark, a closing one, and no sentence is about it: it begins a line or
    follows the end of a sentence.
    """
    closings = list(_CLOSING.finditer(text))
    if len(closings) != 1 or _OPENING.search(text):
        return False
    return _ENDS_SENTENCE.search(text, 0, closings[0].start()) is not None


def without_thoughts(answer: str) -> str:
    """Return an answer without the blocks in which a model thought before or while it wrote.

    Everything before a closing mark without an opening one is thought, and so is everything
    after an opening mark without a closing one.
    """
    offsets = visible_offsets(answer)
    return answer if len(offsets) == len(answer) else "".join(answer[n] for n in offsets)


def visible_offsets(answer: str) -> Sequence[int]:
    """Return the offsets of the characters that `without_thoughts` leaves in an answer."""
    visible = answer
    offsets: Sequence[int] = range(len(answer))
    for thoughts in _THOUGHTS:
        spans = [match.span() for match in thoughts.finditer(visible)]
        visible, offsets = _cut(visible, offsets, spans)
    for closing in [*_CLOSING.finditer(visible)][-1:]:
        visible, offsets = _cut(visible, offsets, [(0, closing.end())])
    if visible == answer:
        return offsets
    end = len(visible.rstrip())
    return offsets[end - len(visible[:end].lstrip()) : end]


def _cut(
    text: str, offsets: Sequence[int], spans: Sequence[tuple[int, int]]
) -> tuple[str, Sequence[int]]:
    """Return a text without some spans, and the offsets of its characters."""
    if not spans:
        return text, offsets
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    pieces = [slice(start, end) for start, end in zip(starts, ends, strict=True)]
    remaining_offsets = list(chain.from_iterable(offsets[piece] for piece in pieces))
    return "".join(text[piece] for piece in pieces), remaining_offsets


def without_tokens(text: str) -> str:
    """Return a text with a space for each special token, such as the marks of a turn's end."""
    return _TOKEN.sub(" ", text)


def without_unseen(text: str) -> str:
    """Return a text without invisible characters, except inside a word or number."""
    return _UNSEEN_BESIDE.sub("", text)
