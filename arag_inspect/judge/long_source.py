"""Sources longer than a judge's window: quote each part, and grade on the quotations."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from inspect_ai.model import Model, get_model_info

from ..models.request_key import asking
from ..prompts import fence, fill, load_prompt
from ..text.matching import occurrences
from .concurrency import collect_all
from .judge import judge
from .judgement import Judgement, combine
from .material import GradingMaterial, texts_with_headers
from .parsing import StrictModel, json_form

_CHARACTERS = 3
"""Characters per token; fewer than in prose, because tables need more tokens."""

_WINDOW = 128_000
"""Window, in tokens, of a judge whose window is unknown."""

_SHARE = 0.7
"""Share of the window that a source may fill; the rest is for criteria, summary and reply."""


class _Evidence(StrictModel):
    statement: str
    quote: str


class _EvidenceReply(StrictModel):
    evidence: list[_Evidence]


_EXAMPLE = '{"evidence": [{"statement": "words of the summary", "quote": "sentence of this part"}]}'


class ShownSource(NamedTuple):
    """The part of a source that a judge is shown."""

    material: GradingMaterial
    """The source, or quotations from its parts."""

    quoting: Judgement[Any]
    """Replies and costs of the questions for quotations; empty if the source is shown whole."""

    @property
    def is_unreadable(self) -> bool:
        """Whether quoting failed, for the reason in `quoting`."""
        return self.quoting.reason is not None


async def fit_source(
    grader: Model, name: str, source: GradingMaterial, answer: str, max_source_tokens: int | None
) -> ShownSource:
    """Return a source, or quotations from its parts if it exceeds the judge's window.

    Quotations that do not occur in their part are dropped; if none remain, quoting has failed.

    Args:
        grader: The judge.
        name: Name of the judge in a panel.
        source: The source.
        answer: The summary whose statements need evidence.
        max_source_tokens: Longest source shown at once, in tokens; None derives it from the judge's
            window.
    """
    limit = source_limit(grader, max_source_tokens)
    texts = texts_with_headers(source)
    if sum(map(len, texts)) <= limit:
        return ShownSource(source, Judgement(name))
    parts = split_source(texts, limit)
    questions = [
        _ask(grader, part, number, len(parts), answer) for number, part in enumerate(parts, start=1)
    ]
    quoting = _join_quotes(name, await collect_all(*questions))
    quotes = quoting.verdict or ()
    return ShownSource(source._replace(texts=quotes, passages=(), parts=len(parts)), quoting)


def _join_quotes(
    grader: str, judgements: Sequence[Judgement[dict[str, bool]]]
) -> Judgement[list[str]]:
    """Return the quotations that occur in their parts; no verdict if any part has none."""
    total: Judgement[list[str]] = combine(grader, judgements)
    quotes: list[str] = []
    dropped = 0
    for number, judgement in enumerate(judgements, start=1):
        if judgement.verdict is None:
            position = f"part {number} of {len(judgements)} of the source"
            return replace(total, reason=f"{position}: {judgement.reason}")
        occurring = [quote for quote, is_verbatim in judgement.verdict.items() if is_verbatim]
        dropped += len(judgement.verdict) - len(occurring)
        quotes += occurring
    if dropped and not quotes:
        return replace(total, reason="none of its quotations occurs in the source")
    return replace(total, verdict=quotes)


def source_limit(grader: Model, max_source_tokens: int | None) -> int:
    """Return the longest source, in characters, shown to a judge at once."""
    if max_source_tokens is None:
        info = get_model_info(grader)
        max_source_tokens = int(_SHARE * ((info and info.context_length) or _WINDOW))
    return max_source_tokens * _CHARACTERS


def split_source(texts: Sequence[str], limit: int) -> list[str]:
    """Split texts into parts of at most `limit` characters, at paragraphs if possible."""
    pieces = [_split_text(text, limit) for text in texts]
    parts: list[str] = []
    for piece in chain.from_iterable(pieces):
        if parts and len(parts[-1]) + len(piece) + 2 <= limit:
            parts[-1] += f"\n\n{piece}"
        else:
            parts.append(piece)
    return parts


def _split_text(text: str, limit: int) -> list[str]:
    pieces = []
    while len(text) > limit:
        end = max(text.rfind("\n\n", 1, limit), text.rfind("\n", 1, limit))
        end = end if end > 0 else max(text.rfind(" ", 1, limit), 0) or limit
        pieces.append(text[:end])
        text = text[end:]
    return [*pieces, text]


async def _ask(
    grader: Model, part: str, number: int, parts: int, answer: str
) -> Judgement[dict[str, bool]]:
    prompt = fill(
        load_prompt("judge/geval_evidence"),
        number=number,
        parts=parts,
        material=fence("source", part, part=f"{number} of {parts}"),
        summary=fence("summary", answer),
    )
    form = json_form(_EvidenceReply, _EXAMPLE, wrapped=False)
    with asking(purpose="evidence"):
        return await judge(grader, prompt, form.then(lambda reply: _check_quotes(reply, part)))


def _check_quotes(reply: _EvidenceReply, part: str) -> dict[str, bool]:
    """Return whether each quotation occurs in the part."""
    quotes = [evidence.quote for evidence in reply.evidence]
    return dict(zip(quotes, occurrences(quotes, [part]), strict=True))
