"""Sources longer than a judge's window: evidence is collected part by part, and judged united."""

from collections.abc import Sequence
from functools import partial

from inspect_ai.model import Model, get_model_info
from pydantic import BaseModel

from .._util.json_reply import ReplyParseError, read_json
from ..prompts import fence, fill, load_prompt
from ..text.quote_matching import stand
from ._concurrency import collect_all
from .judge import Judgement, judge, reply_form

_CHARACTERS = 3
"""Characters a token, fewer than there are in prose: tables take more tokens."""

_WINDOW = 128_000
"""Tokens of a judge whose window nobody knows."""

_SHARE = 0.7
"""Part of the window that a source may fill; the rest is for criteria, summary and reply."""


class _Evidence(BaseModel):
    statement: str
    quote: str


class _Reply(BaseModel):
    evidence: list[_Evidence]


def source_limit(grader: Model, max_source_tokens: int | None) -> int:
    """Longest source, in characters, that a judge is shown at once."""
    if max_source_tokens is None:
        info = get_model_info(grader)
        max_source_tokens = int(_SHARE * ((info and info.context_length) or _WINDOW))
    return max_source_tokens * _CHARACTERS


async def quote_by_part(
    grader: Model, texts: Sequence[str], limit: int, answer: str
) -> Judgement[list[str]]:
    """Have a judge quote, part by part, what bears on a summary's statements.

    What does not stand in the part that it is quoted from is left out.

    Args:
        grader: Who judges.
        texts: The source.
        limit: Longest part, in characters.
        answer: The summary.

    Returns:
        The quotations of all parts, in the source's order; no verdict where one part has none.
    """
    parts = split_source(texts, limit)
    found = await collect_all(
        *(
            _ask(grader, part, number, len(parts), answer)
            for number, part in enumerate(parts, start=1)
        )
    )
    united: Judgement[list[str]] = Judgement(str(grader), verdict=[])
    for number, one in enumerate(found, start=1):
        united.pay(one)
        united.replies += one.replies
        if one.verdict is None and united.reason is None:
            united.reason = f"part {number} of {len(parts)} of the source: {one.reason}"
        elif united.verdict is not None:
            united.verdict += one.verdict or []
    if united.reason is not None:
        united.verdict = None
    return united


def split_source(texts: Sequence[str], limit: int) -> list[str]:
    """Split texts into parts of at most `limit` characters, at paragraphs or else words where it can be; nothing is left out."""
    pieces = [piece for text in texts for piece in _cut(text, limit)]
    parts: list[str] = []
    for piece in pieces:
        if parts and len(parts[-1]) + len(piece) + 2 <= limit:
            parts[-1] += f"\n\n{piece}"
        else:
            parts.append(piece)
    return parts


def _cut(text: str, limit: int) -> list[str]:
    found = []
    while len(text) > limit:
        place = max(text.rfind("\n\n", 1, limit), text.rfind("\n", 1, limit))
        place = place if place > 0 else max(text.rfind(" ", 1, limit), 0) or limit
        found.append(text[:place])
        text = text[place:]
    return [*found, text]


async def _ask(
    grader: Model, part: str, number: int, parts: int, answer: str
) -> Judgement[list[str]]:
    prompt = fill(
        load_prompt("judge/geval_evidence"),
        number=number,
        parts=parts,
        material=fence("source", part, part=f"{number} of {parts}"),
        summary=fence("summary", answer),
    )
    schema = reply_form("evidence", _Reply)
    return await judge(grader, prompt, partial(_read, part), schema)


def _read(part: str, reply: str) -> list[str]:
    record = read_json(reply)
    listed = record.get("evidence") if record else None
    if not isinstance(listed, list):
        raise ReplyParseError("there is no JSON object with a list `evidence`")
    quotes = [
        one["quote"]
        for one in listed
        if isinstance(one, dict) and isinstance(one.get("quote"), str)
    ]
    standing = stand(quotes, [part])
    return list(
        dict.fromkeys(quote for quote, stands in zip(quotes, standing, strict=True) if stands)
    )
