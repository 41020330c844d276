"""A-RAG: an agent that searches and reads until it can answer."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from inspect_ai.agent import Agent, AgentPrompt, AgentState, react, run
from inspect_ai.model import ChatMessage, ChatMessageTool, ChatMessageUser, get_model, trim_messages
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolSource

from arag_inspect._util.bounds import CALL_SECONDS
from arag_inspect._util.errors import InputError, check_choice, check_number, check_positive
from arag_inspect.corpus import Corpus
from arag_inspect.models.call import call_for_answer, one_off_config
from arag_inspect.models.pricing import total_input_tokens
from arag_inspect.models.token_estimates import CHARACTERS_A_TOKEN
from arag_inspect.prompts import load_prompt
from arag_inspect.systems.agent_tools import (
    ARAG_TOOLS,
    PLAIN_TOOLS,
    example_header,
    first_header,
    load_tools,
    make_tools,
    tool_advice,
    tool_names,
)
from arag_inspect.systems.prompting import check_prompt, system_message
from arag_inspect.systems.tools.mcp import mcp_source, record_results
from arag_inspect.systems.tools.retrieval import Retrieval, Retriever, Scope
from arag_inspect.systems.tools.search import MAX_RESULTS
from arag_inspect.systems.tools.strict import complete_calls
from arag_inspect.systems.tracing import skip, traced_run
from arag_inspect.types.sample import SampleMetadata, require_corpus, sample_metadata
from arag_inspect.types.system import ARAG, GREP_AGENT, System
from arag_inspect.types.trace import TraceRecord


class _Limits(NamedTuple):
    loops: int
    tokens: int


SUMMARY_LIMITS = _Limits(loops=22, tokens=200_000)
QA_LIMITS = _Limits(loops=15, tokens=128_000)


@solver
def arag(
    *,
    max_loops: int | None = None,
    max_token_budget: int | None = None,
    top_k: int = 5,
    tools: str | Sequence[str] = ARAG_TOOLS,
    retriever: Retriever = "dense",
    rerank: str | None = None,
    scope: Scope = "corpus",
    mcp: str | None = None,
    mcp_headers: Mapping[str, str] | None = None,
    timeout: float = CALL_SECONDS,
    prompt: str | None = None,
) -> Solver:
    """Answer with A-RAG: a ReAct loop over three retrieval tools.

    The loop ends when the model answers without a tool call. At a limit it is asked once, without
    tools, for the best answer from what it has read, and `RetrievalTrace.stopped_by` is the limit.
    If the conversation exceeds the model's own window (also if `stopped_by` is `token_budget`), the
    oldest turns are omitted there; if even the latest do not fit, the sample is skipped.

    Args:
        max_loops: Maximum rounds of model call and tool calls. Default 22 (questions: 15).
        max_token_budget: Largest conversation, in tokens, that the agent may build up: what the
            provider counted for the last call, plus an estimate (four characters a token) of the
            tool results since. Default 200,000, for question answering 128,000. For a limit over
            all calls use Inspect's `--token-limit` or `--cost-limit`.
        top_k: Results of a search if the model does not set a number, 1 to 20.
        tools: Names of the tools to give: keyword_search, semantic_search, chunk_read, by default
            all three, fewer for ablations; add chunk_summarize for long documents. grep and read
            are an agent without a search index. A tool of your own is file.py:function or
            module:function.
        retriever: What ranks the chunks behind semantic_search: dense, bm25 or hybrid.
        rerank: Cross-encoder of sentence-transformers, by name or folder, that orders the first 50
            chunks again.
        scope: What to search: the whole corpus, or only the documents that the sample is about.
        mcp: MCP server whose tools the agent gets instead of ours: a command line, or http(s)://...
        mcp_headers: Headers for an MCP server at an address; credentials as `${NAME}` of an
            environment variable.
        timeout: Time limit of a tool call of an MCP server, in seconds.
        prompt: System prompt to use instead of ours, as text or the path of a file; may hold
            `{{writing}}`, `{{target_length}}`, `{{company}}`, `{{period}}`.

    Raises:
        InputError: A limit is not positive, or a tool is unknown.

    Source: "A-RAG: Scaling Agentic Retrieval-Augmented Generation via Hierarchical Retrieval
    Interfaces", arXiv 2602.03442.
    """
    check_prompt(prompt)
    names = tool_names(tools)
    _check_parameters(max_loops, max_token_budget, timeout, top_k, scope)
    retrieval = Retrieval(retriever, rerank)
    mcp_sources: list[Tool | ToolSource] = []
    if mcp is not None:
        names = []
        mcp_sources = [mcp_source(mcp, mcp_headers, timeout)]
    parameters: dict[str, Any] = {
        "max_loops": max_loops,
        "max_token_budget": max_token_budget,
        "top_k": top_k,
        "tools": names,
        "retriever": retriever,
        "rerank": rerank,
        "scope": scope,
        "mcp": mcp,
    }

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        metadata = sample_metadata(state)
        corpus = require_corpus(metadata, state)
        doc_ids = metadata.doc_ids or None if scope == "sample_documents" else None
        await load_tools(corpus, names, retrieval)  # before the clock runs
        header = await first_header(corpus)
        with traced_run(state, _system_with(names), **parameters) as trace:
            definitions = make_tools(names, corpus, doc_ids, top_k, retrieval, header)
            agent_tools = mcp_sources or [definition.as_tool() for definition in definitions]
            instructions = _build_instructions(metadata, prompt, names, header)
            go_on = _make_stop_rule(trace, _resolve_limits(metadata, max_loops, max_token_budget))
            await _converse(_loop(instructions, agent_tools, definitions, go_on), state)
            if mcp_sources:
                await record_results(state.messages, await Corpus.open_async(corpus), trace)
            if trace.stopped_by != "answer":
                await _answer_now(state, trace, agent_tools)
        return state

    return solve


def _system_with(tools: Sequence[str]) -> System:
    """Return the description of an agent with these tools."""
    return GREP_AGENT if {*tools} == {*PLAIN_TOOLS} else ARAG


async def _converse(agent: Agent, state: TaskState) -> None:
    result = await run(agent, state.messages)
    state.messages = result.messages
    state.output = result.output


def _check_parameters(
    max_loops: int | None,
    max_token_budget: int | None,
    timeout: float,
    top_k: int,
    scope: Scope,
) -> None:
    check_positive(max_loops=max_loops, max_token_budget=max_token_budget)
    check_number(0.001, math.inf, timeout=timeout)
    check_positive(top_k=top_k)
    if top_k > MAX_RESULTS:
        raise InputError(f"top_k must be from 1 to {MAX_RESULTS} with arag, got {top_k}")
    check_choice("scope", scope, get_args(Scope))


def _resolve_limits(
    metadata: SampleMetadata, max_loops: int | None, max_tokens: int | None
) -> _Limits:
    """Return the limits of a sample: the user's, else the usual ones for its kind of task."""
    default_limits = QA_LIMITS if metadata.style == "qa" else SUMMARY_LIMITS
    return _Limits(max_loops or default_limits.loops, max_tokens or default_limits.tokens)


def _build_instructions(
    metadata: SampleMetadata, prompt: str | None, names: Sequence[str], header: str
) -> str:
    """Return the system prompt: the user's, or ours for the kind of task."""
    prompt_name = "systems/arag_qa" if metadata.style == "qa" else "systems/arag"
    fields = {"header": example_header(header), **tool_advice(names)}
    return system_message(metadata, prompt_name, prompt, "retrieved", **fields).text


def _make_stop_rule(trace: TraceRecord, limits: _Limits) -> Callable[[AgentState], Awaitable[bool]]:
    """Return the rule that counts loops and records in the trace why they end."""

    async def go_on(state: AgentState) -> bool:
        trace.loops += 1
        if not state.output.message.tool_calls:
            trace.stopped_by = "answer"
        elif trace.loops >= limits.loops:
            trace.stopped_by = "max_loops"
        elif _conversation_tokens(state) >= limits.tokens:
            trace.stopped_by = "token_budget"
        else:
            return True
        return False

    return go_on


def _conversation_tokens(state: AgentState) -> int:
    """Estimate the tokens of the next call."""
    usage = state.output.usage
    texts: list[str] = []
    for message in reversed(state.messages):
        if usage is not None and not isinstance(message, ChatMessageTool):
            break
        texts.append(message.text)
    usage_tokens = 0
    if usage is not None:
        usage_tokens = total_input_tokens(usage) + usage.output_tokens
    return usage_tokens + sum(len(text) for text in texts) // CHARACTERS_A_TOKEN


def _loop(
    instructions: str,
    tools: list[Tool | ToolSource],
    definitions: Sequence[ToolDef],
    go_on: Callable[[AgentState], Awaitable[bool]],
) -> Agent:
    prompt = AgentPrompt(
        instructions=instructions, handoff_prompt=None, assistant_prompt=None, submit_prompt=None
    )
    return react(
        name="arag",
        prompt=prompt,
        tools=tools,
        model=_model_under_test({definition.name: definition for definition in definitions}),
        submit=False,
        on_continue=go_on,
    )


def _model_under_test(definitions: Mapping[str, ToolDef]) -> Agent:
    """Return the agent that calls the model; it completes calls that lack arguments."""

    async def call(state: AgentState, tools: list[Tool]) -> AgentState:
        state.output = await call_for_answer(get_model(), state.messages, tools=tools)
        if not state.output.empty:
            complete_calls(state.output.message.tool_calls, definitions)
        state.messages.append(state.output.message)
        return state

    return call


async def _answer_now(state: TaskState, trace: TraceRecord, tools: list[Tool | ToolSource]) -> None:
    """Ask once more without tools, omitting the oldest turns if necessary."""
    if state.output.stop_reason == "model_length":
        trace.stopped_by = "token_budget"
        state.messages.pop()  # drop the error of the provider
    request = ChatMessageUser(content=load_prompt("systems/final_answer"))
    async for recent_messages in _ever_shorter(state.messages):
        # tools are listed: some providers refuse a conversation with calls of unknown tools;
        # a different tool_choice invalidates Anthropic's cache of the conversation
        state.output = await call_for_answer(
            get_model(),
            [*recent_messages, request],
            tools=tools,
            tool_choice="none",
            config=one_off_config(get_model()),
        )
        if state.output.stop_reason != "model_length":
            state.messages += [request, state.output.message]
            return
    skip(state, trace, "the conversation is over the model's window")


async def _ever_shorter(messages: list[ChatMessage]) -> AsyncIterator[list[ChatMessage]]:
    """Yield a conversation, then without its oldest turns while a tool's result is left."""
    yield messages
    for share in (0.7, 0.4, 0.2):
        recent_messages = await trim_messages(messages, preserve=share)
        if not any(message.role == "tool" for message in recent_messages):
            return
        yield recent_messages
