"""Tests of what counts as read with Inspect agents: tool results, never the model's words."""

from collections.abc import Callable

import pytest
from inspect_ai import Task
from inspect_ai.agent import Agent, AgentSubmit, as_solver, as_tool, handoff, react
from inspect_ai.dataset import Sample
from inspect_ai.solver import Solver, basic_agent, generate, use_tools
from inspect_ai.tool import Tool, tool

from arag_inspect.scorers import factual_consistency
from tests.scripted import Reply, Script, run, scripted

SOURCE = "Revenue was $1.2 billion in the quarter."
ANSWER = "Revenue was $1.2 billion. Debt was $7 million."


@tool
def report() -> Tool:
    async def execute() -> str:
        """Read the report."""
        return SOURCE

    return execute


@tool
def note() -> Tool:
    async def execute(text: str) -> str:
        """Write a note.

        Args:
            text: The note.
        """
        return text

    return execute


def colleague() -> Agent:
    return react(name="colleague", description="Reads.", tools=[report()])


READ: Reply = ("report", {})
SUBMIT: Reply = ("submit", {"answer": ANSWER})


@pytest.mark.parametrize(
    ("solver", "replies"),
    [
        (lambda: basic_agent(tools=[report()]), [READ, SUBMIT]),
        (
            lambda: as_solver(react(tools=[report()], submit=AgentSubmit(keep_in_messages=True))),
            [READ, SUBMIT],
        ),
        (
            lambda: [use_tools(report(), note()), generate()],
            [("note", {"text": ANSWER}), READ, ANSWER],
        ),
        (
            lambda: as_solver(react(tools=[as_tool(colleague())])),
            [("colleague", {"input": "Read."}), READ, SUBMIT, SUBMIT],
        ),
        (
            lambda: as_solver(react(tools=[handoff(colleague())])),
            [("transfer_to_colleague", {}), READ, SUBMIT, SUBMIT],
        ),
    ],
)
def test_only_tool_results_count_as_read_under_inspect_agents(
    solver: Callable[[], Solver], replies: list[Reply]
) -> None:
    task = Task(
        dataset=[Sample(input="What happened?")],
        solver=solver(),
        scorer=factual_consistency(judge=False),
    )
    log = run(task, scripted(Script(*replies)))
    assert log.samples and log.samples[0].scores, log.error
    score = log.samples[0].scores["factual_consistency"]
    assert "|context:tools|" in (score.metadata or {})["signature"]
    assert score.value == {"supported": 0.5, "contradicted": 0, "numerical_precision": 0.5}
