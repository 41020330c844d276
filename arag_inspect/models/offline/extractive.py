"""`offline/extractive`: a baseline without key, weights and network."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import anyio.to_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    modelapi,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from ..call_monitor import count_fault
from ..fixed_reply import fixed_reply
from ..token_estimates import CHARACTERS_A_TOKEN
from .summarizer import RankedPassage, answer, summarize

_WORDS = 100
"""Words of a summary if the request states no length."""

_READ = 3
"""Number of results of a search that the agent reads, best first."""

_DOCUMENT_WORDS = 20
"""Minimum words of a paragraph that contains more than the request."""

_PASSAGE = re.compile(
    r'<passage chunk_id="(?P<id>\d+)" source="(?P<source>[^"]*)"(?: part="[\d/]+")?>\n'
    r"(?P<text>.*?)\n</passage>",
    re.S,
)
_FOUND = re.compile(r'<snippet chunk_id="(?P<id>\d+)" source="(?P<source>[^"]*)"')
_SUMMARIZE = re.compile(r"summari[sz]e\b", re.IGNORECASE)
_SUMMARIZE_THIS = re.compile(
    r"summari[sz]e\b[^:\n]{0,80}:\s*(?P<text>\S.*)", re.IGNORECASE | re.DOTALL
)
_WRITING = re.compile(r"(?:in about|at most) \d+ words")
"""Text in the system prompts that ask for a summary."""

_LENGTH = re.compile(r"\b(?P<bound>about|at most) (?P<words>\d{1,6}) words\b")

_CALL = re.compile(
    r"\b(?P<company>[A-Z][A-Z0-9.&-]{0,9})'s (?P<quarter>Q[1-4]) (?P<year>(?:19|20)\d\d)\b"
)

_UNNAMED = (
    'offline/extractive found no company and quarter ("ABC\'s Q3 2021") in the request, so it '
    "cannot tell the sources apart and summaries may be identical"
)

_SUBMIT = "submit"
"""Tool by which Inspect's agent `react` is ended."""

AGENDA = (
    "total revenue and sales growth compared with last year",
    "earnings per share, GAAP and adjusted",
    "gross margin, operating margin and profitability",
    "guidance and outlook for the next quarter and full year",
    "free cash flow, debt, dividends and share repurchases",
)
"""Topics of an earnings call; the agent searches for one topic per loop."""


class _Subject(NamedTuple):
    """Company and period of a request, as in prefixes."""

    company: str
    period: str

    def is_in(self, source: str) -> bool:
        return f"COMPANY: {self.company} " in source and f"PERIOD: {self.period}]" in source


@modelapi(name="offline")
def offline() -> type[ModelAPI]:
    """Return the models that run inside this process: `offline/extractive`."""
    return Extractive


class Extractive(ModelAPI):
    """A rule-based baseline and smoke test, not a language model.

    With tools it acts as the agent by rule: it searches for the company and period in the request,
    then for a list of finance topics, reads the best three of each search, and stops, or gives its
    answer to the tool `submit`. Without tools it writes a summary of sentences copied whole from
    the passages in the conversation (or from what another agent's tools returned), chosen by
    centrality and numeric density, near the requested length; or, for a question, the sentences
    that share most with it. Asked for JSON it gives a fixed reply that fits the schema, and says
    so. It does not judge, invent or understand anything. Deterministic.
    """

    def __init__(
        self,
        model_name: str,
        *,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008
        **_: Any,
    ) -> None:
        if model_name != "extractive":
            raise ValueError(f"model offline/{model_name} is unknown; use offline/extractive")
        super().__init__(model_name, config=config)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Call the rule's next tool, or write."""
        names = set() if tool_choice == "none" else {tool.name for tool in tools}
        call = _next_call(input, names)
        content = None
        if call is None:
            write = partial(_write, input, config.response_schema)
            content = await anyio.to_thread.run_sync(write)
            if _SUBMIT in names:
                call = ToolCall(id=_SUBMIT, function=_SUBMIT, arguments={"answer": content})
                content = ""
        output = ModelOutput.from_content("offline/extractive", content or "")
        if call is not None:
            output = ModelOutput.for_tool_call(
                output.model, call.function, call.arguments, tool_call_id=call.id, content=content
            )
        sent_tokens = sum(_tokens(message.text) for message in input)
        written_tokens = _tokens(output.completion) + (_tokens(str(call.arguments)) if call else 0)
        output.usage = ModelUsage(
            input_tokens=sent_tokens,
            output_tokens=written_tokens,
            total_tokens=sent_tokens + written_tokens,
        )
        return output

    async def count_text_tokens(self, text: str) -> int:
        """Estimate tokens at four characters each."""
        return _tokens(text)

    def max_connections(self) -> int:
        """Return a high limit: only processor time limits calls."""
        return 32


def _tokens(text: str) -> int:
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def _next_call(messages: Sequence[ChatMessage], tools: set[str]) -> ToolCall | None:
    """Return the rule's next call, or None when it has read enough."""
    earlier_calls = list(_calls_in(messages))
    for function, arguments in _plan(_request(messages), messages):
        if function in tools and (function, arguments) not in earlier_calls:
            call_id = f"call_{len(earlier_calls) + 1}"
            return ToolCall(id=call_id, function=function, arguments=arguments)
    return None


def _request(messages: Sequence[ChatMessage]) -> str:
    """Return the request, without the passages."""
    return _PASSAGE.sub("", _first_prompt(messages)).replace("Request:", "").strip()


def _first_prompt(messages: Sequence[ChatMessage]) -> str:
    return next((message.text for message in messages if message.role == "user"), "")


def _calls_in(messages: Sequence[ChatMessage]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield function and given arguments of each call in a conversation."""
    for message in messages:
        if isinstance(message, ChatMessageAssistant):
            for call in message.tool_calls or []:
                arguments = call.arguments.items()
                yield call.function, {name: value for name, value in arguments if value is not None}


def _plan(request: str, messages: Sequence[ChatMessage]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every useful call, the most useful first."""
    subject = _subject(request)
    unread = _unread(messages, subject)
    if unread:
        yield "chunk_read", {"chunk_ids": unread}
        yield "read", {"chunk_id": unread[0]}
    if subject is None:
        yield "semantic_search", {"query": request}
        yield "keyword_search", {"keywords": _salient_keywords(request)}
        yield "grep", {"pattern": "|".join(map(re.escape, _salient_keywords(request)))}
        return
    keywords = [f"COMPANY: {subject.company}", f"PERIOD: {subject.period}"]
    yield "keyword_search", {"keywords": keywords, "top_k": 10}
    for topic in AGENDA:
        yield "semantic_search", {"query": f"{subject.company} {subject.period} {topic}"}
        words = "|".join(re.findall(r"\w{6,}", topic))
        yield "grep", {"pattern": f"(?s){keywords[0]} .*{keywords[1]}.*({words})"}


def _subject(request: str) -> _Subject | None:
    match = _CALL.search(request)
    if match is None:
        return None
    return _Subject(match["company"], f"{match['quarter']}_{match['year']}")


def _unread(messages: Sequence[ChatMessage], subject: _Subject | None) -> list[int]:
    """Return the unread chunks in results, of the subject if known."""
    results = [message.text for message in messages if isinstance(message, ChatMessageTool)]
    sources: dict[int, str] = {}
    ids_read: set[int] = set()
    for text in results:
        for hit in islice(_FOUND.finditer(text), _READ):
            sources[int(hit["id"])] = hit["source"]
        for passage in _PASSAGE.finditer(text):
            ids_read.add(int(passage["id"]))
    fitting = [
        chunk_id
        for chunk_id, source in sources.items()
        if chunk_id not in ids_read and (subject is None or subject.is_in(source))
    ]
    return sorted(fitting)[:20]


def _salient_keywords(request: str) -> list[str]:
    """Return the names and figures of a request, else its longest words."""
    names = re.findall(r"\b(?:[A-Z][\w&.-]+|\d[\d,.]*)\b", request)
    words = sorted(re.findall(r"\w{6,}", request), key=len, reverse=True)
    return list(dict.fromkeys(names[1:] + words[:3]))[:6] or [request]


def _write(messages: Sequence[ChatMessage], schema: ResponseSchema | None) -> str:
    """Summarise or answer from the passages in the conversation, or fill a schema."""
    if schema is not None:
        return fixed_reply(schema.json_schema)
    request = _request(messages)
    subject = _subject(request)
    sources: dict[RankedPassage, str] = {}
    for message in messages:
        for match in _PASSAGE.finditer(message.text):
            sources[RankedPassage(int(match["id"]), match["text"])] = match["source"]
    fitting = [
        passage for passage, source in sources.items() if subject is None or subject.is_in(source)
    ]
    ranked_passages = sorted(fitting or sources)
    if not ranked_passages:
        texts = _results(messages)
        if not texts:
            request, texts = _split(request)
        ranked_passages = [RankedPassage(number, text) for number, text in enumerate(texts)]
    if not ranked_passages:
        return "No document was given, and this baseline knows nothing by itself."
    target, limit = _read_length("\n".join((request, *_instructions(messages))))
    if _WRITING.search(messages[0].text) or _SUMMARIZE.match(request):
        if subject is None and len(set(sources.values())) > 1:
            count_fault(_UNNAMED)
        return summarize(ranked_passages, target or limit or _WORDS, limit)
    return answer(ranked_passages, request, limit)


def _read_length(prompt: str) -> tuple[int | None, int | None]:
    """Return the first target length of a prompt, and its first limit, in words."""
    lengths: dict[str, int] = {}
    for match in _LENGTH.finditer(prompt):
        lengths.setdefault(match["bound"], int(match["words"]))
    return lengths.get("about"), lengths.get("at most")


def _instructions(messages: Sequence[ChatMessage]) -> Iterator[str]:
    """Yield the system prompts, and the lines of the request that are too short for a document."""
    for message in messages:
        if message.role == "system":
            yield message.text
    for line in _request(messages).splitlines():
        if len(line.split()) < _DOCUMENT_WORDS:
            yield line


def _results(messages: Sequence[ChatMessage]) -> list[str]:
    """Return the results of another agent's tools: prose without our markup."""
    results = []
    for message in messages:
        if isinstance(message, ChatMessageTool) and not message.error:
            is_long = len(message.text.split()) >= _DOCUMENT_WORDS
            if is_long and not _FOUND.search(message.text):
                results.append(message.text)
    return results


def _split(prompt: str) -> tuple[str, list[str]]:
    """Split another package's prompt into the request, its shortest paragraph, and the document.

    A one-paragraph prompt for a summary is both; the document is the text after a colon.
    """
    match = _SUMMARIZE_THIS.fullmatch(prompt.strip())
    if match:
        return prompt, [match["text"]]
    parts = re.split(r"\n\s*\n", prompt.strip())
    paragraphs = parts if len(parts) > 1 else prompt.splitlines()
    request = min(paragraphs, key=len, default=prompt)
    others = [part for part in paragraphs if part is not request]
    if not others and _SUMMARIZE.match(request):
        others = [prompt]
    return request, [part for part in others if len(part.split()) >= _DOCUMENT_WORDS]
