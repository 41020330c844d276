"""Scripted models, which give the replies that a test lists, in order."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    get_model,
    modelapi,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.viewer import TaskSamplesView

from arag_inspect.models.dry import DryGrader
from arag_inspect.tasks import earnings_synthetic
from arag_inspect.types.trace import RetrievalTrace
from tests.logs import scores_of

Reply = str | tuple[str, dict[str, Any]] | list[tuple[str, dict[str, Any]]]
"""Text, a tool call with its arguments, or several calls in one turn."""

STEADY = "steady/judge"
"""A judge that gives all questions of one form the same readable verdict, mid-scale."""

OF_ANY_TEXT = "It is what it was, and so it will be with all of them"
"""A statement in words that every text has, so that a judge may list it for any text."""

USAGE = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}


@modelapi(name="steady")
def steady() -> type[ModelAPI]:
    class Steady(DryGrader):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, in_dry_pass=True, **options)

        async def generate(
            self, input: list[ChatMessage], *args: Any, **options: Any
        ) -> ModelOutput:
            fixed = await super().generate(input, *args, **options)
            verdicts = _on_what_is_named(input[0].text)
            reply = json.loads(fixed.completion)
            steady_reply = {"verdicts": verdicts} if verdicts else _with_entries_of_any_text(reply)
            output = ModelOutput.from_content(fixed.model, json.dumps(steady_reply))
            output.usage = fixed.usage
            return output

    return Steady


def _with_entries_of_any_text(reply: dict[str, Any]) -> dict[str, Any]:
    """Return a reply with listed statements and items that pass for those of any text."""
    verdict = reply.get("verdict")
    if not isinstance(verdict, dict):
        return reply
    lists = {
        key: [{**entry, "text": OF_ANY_TEXT} for entry in verdict[key]]
        for key in ("statements", "items")
        if key in verdict
    }
    return {**reply, "verdict": {**verdict, **lists}}


def _on_what_is_named(prompt: str) -> list[dict[str, Any]]:
    """Return verdicts on the facts or perspectives that a question names: no match, no support."""
    if facts := re.search(r"Take the facts (.+?) of `<", prompt):
        return [{"id": code, "reasoning": "", "match": None} for code in facts[1].split(", ")]
    numbers = re.findall(r'<perspective number="(\d+)"', prompt)
    return [{"perspective": int(number), "quote": "", "supported": False} for number in numbers]


class Script:
    """Gives replies in order, repeating the last; records the questions."""

    def __init__(self, *replies: Reply, usage: dict[str, int] | None = None) -> None:
        self._replies, self._usage = replies, usage or USAGE
        self.asked: list[list[ChatMessage]] = []
        self.tools: list[list[str]] = []
        self.choices: list[ToolChoice] = []
        self.configs: list[GenerateConfig] = []

    def __call__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        reply = self._replies[min(len(self.asked), len(self._replies) - 1)]
        self.asked.append(list(messages))
        self.tools.append([tool.name for tool in tools])
        self.choices.append(choice)
        self.configs.append(config)
        return speak(tagged(reply, messages), len(self.asked), self._usage)


def tagged(reply: Any, messages: Sequence[ChatMessage]) -> Any:
    """Return the reply with the question's code in its lines `VERDICT: ...`."""
    code = re.search(r"^VERDICT ([0-9a-f]{6}):", messages[0].text, re.MULTILINE)
    if code is None or not isinstance(reply, str):
        return reply
    return reply.replace("VERDICT:", f"VERDICT {code[1]}:")


def asked_by(messages: Sequence[ChatMessage]) -> str:
    """Return the scorer that asks, and for what if it asks several kinds of questions."""
    request = (messages[0].metadata or {}).get("request", {})
    return " ".join(filter(None, (request.get("scorer"), request.get("purpose"))))


def grounded(score: int, *statements: tuple[str, str]) -> str:
    """Return a faithfulness verdict line, with statement texts and their verdicts."""
    return _listing("statements", score, statements)


def covered(score: int, *items: tuple[str, str]) -> str:
    """Return a coverage verdict line, with item texts and their verdicts."""
    return _listing("items", score, items)


def _listing(key: str, score: int, entries: Sequence[tuple[str, str]]) -> str:
    rows = [{"text": text, "verdict": verdict} for text, verdict in entries]
    return "VERDICT: " + json.dumps({key: rows, "score": score})


def graded(score: int, prompt: str) -> str:
    """Return a grade line, with an empty list where the question asks for one."""
    for key in ("statements", "items"):
        if f"In `{key}` list" in prompt:
            return _listing(key, score, [])
    return f"VERDICT: {score}"


def speak(reply: Reply, number: int, usage: dict[str, int] = USAGE) -> ModelOutput:
    if isinstance(reply, str):
        output = ModelOutput.from_content("mockllm", reply)
    else:
        calls = reply if isinstance(reply, list) else [reply]
        output = ModelOutput.from_content("mockllm", "")
        output.choices[0].message.tool_calls = [
            ToolCall(id=f"call_{number}_{i}", function=name, arguments=arguments)
            for i, (name, arguments) in enumerate(calls)
        ]
        output.choices[0].stop_reason = "tool_calls"
    output.usage = ModelUsage(**usage)
    return output


def scripted(script: Callable[..., ModelOutput]) -> Model:
    return get_model("mockllm/model", custom_outputs=script)


def recorded(name: str) -> str:
    """Return real replies of a weak model (SmolLM2-135M); names start with the task or scorer."""
    path = Path(__file__).parent / "recorded" / "weak_model" / f"{name}.txt"
    return path.read_text(encoding="utf-8")


def run(task: Task, model: Model | str, **options: Any) -> EvalLog:
    """Run a task and return its log, even if it failed."""
    return eval(task, model=model, display="none", **options)[0]


def summarized(
    folder: Path,
    model: Model | str,
    system: str = "arag",
    *,
    scorers: str = "retrieval_pr",
    target_length: int = 75,
    system_args: dict[str, Any] | None = None,
    **options: Any,
) -> EvalLog:
    """Run the synthetic-calls task; only its first sample unless `limit` is given."""
    task = earnings_synthetic(
        corpus=str(folder),
        system=system,
        scorers=scorers,
        target_length=target_length,
        system_args=system_args or {},
    )
    return run(task, model, **{"limit": 1, **options})


def trace_of(log: EvalLog) -> RetrievalTrace:
    """Return the trace of the first sample."""
    assert log.samples, log.error
    return log.samples[0].store_as(RetrievalTrace)


def only(log: EvalLog) -> Score:
    """Return the first score of the first sample."""
    assert log.status == "success" and log.samples and log.samples[0].scores, log.error
    return next(iter(log.samples[0].scores.values()))


def scores(log: EvalLog, scorer: str) -> Sequence[Any]:
    """Return a scorer's values, sample by sample."""
    assert log.samples is not None
    return [scores_of(sample)[scorer].value for sample in log.samples]


def columns(log: EvalLog) -> list[tuple[str, str]]:
    """Return the scorer and key of each score column that the log browser shows."""
    view = log.eval.viewer and log.eval.viewer.task_samples_view
    assert isinstance(view, TaskSamplesView) and view.columns
    found = [column.id.split("__") for column in view.columns if column.id.startswith("score__")]
    return [(scorer, key) for _, scorer, key in found]
