"""Run many cases in one eval, with judge replies defined per case."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, Model, ModelOutput
from inspect_ai.scorer import Score, Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from arag_inspect.types.trace import RetrievalTrace
from tests.logs import samples_of, scores_of
from tests.scripted import asked_by, run, scripted, speak, tagged

_CRITERIA = [
    {"name": f"n{i}", "checks": "c", "low": "l", "middle": "m", "high": "h"} for i in range(5)
]
_CASE = re.compile(r"\[case (\w+)\]")


@dataclass
class Case:
    """A sample, its answer, and the judge's reply to each kind of question about it."""

    answer: str = "Revenue rose."
    says: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """Reply, or replies in order, by what a question is about, see `is_about`."""

    target: str | list[str] = "Revenue rose 7.5%."
    source: str = "Revenue was $4.2 billion, up 7.5%."
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; `[case]` in them becomes the case's name, by which the judge identifies it."""

    trace: Mapping[str, Any] = field(default_factory=dict)
    stop: Any = None
    """Stop reason of the judge's replies."""


@dataclass
class Ran:
    """The log of the cases, and the judge's questions by case."""

    log: EvalLog
    asked: Mapping[str, list[list[ChatMessage]]]

    def score(self, case: str, scorer: str) -> Score:
        assert self.log.samples
        (sample,) = [sample for sample in self.log.samples if sample.id == case]
        assert sample.scores
        return sample.scores[scorer]

    def prompts(self, case: str, about: str) -> list[str]:
        """Return the first messages of the questions of one kind about a case."""
        return [messages[0].text for messages in self.asked[case] if is_about(messages, about)]


def is_about(messages: Sequence[ChatMessage], about: str) -> bool:
    """Return whether a question is asked by this scorer for this purpose, or has this text."""
    return about == asked_by(messages) or about in messages[0].text


def run_cases(
    cases: Mapping[str, Case], scorers: Sequence[Scorer], graders: int = 1, **roles: Any
) -> Ran:
    """Run all cases in one eval; with several graders, the n-th gives the n-th reply."""
    messages_by_case: dict[str, list[list[ChatMessage]]] = {name: [] for name in cases}

    def grader(index: int) -> Callable[..., ModelOutput]:
        def reply(messages: list[ChatMessage], *_: Any) -> ModelOutput:
            if asked_by(messages) == "criteria":
                return speak(json.dumps({"criteria": _CRITERIA}), 1)
            name = next(name for m in messages for name in _CASE.findall(m.text))
            messages_by_case[name].append(list(messages))
            replies = next(r for about, r in cases[name].says.items() if is_about(messages, about))
            if isinstance(replies, str):
                replies = [replies]
            turn = index if graders > 1 else sum(m.role == "assistant" for m in messages)
            output = speak(tagged(replies[min(turn, len(replies) - 1)], messages), 1)
            if cases[name].stop:
                output.choices[0].stop_reason = cases[name].stop
            return output

        return reply

    models: list[Model] = [scripted(grader(index)) for index in range(graders)]
    samples = [
        Sample(
            id=name,
            input=f"{case.source} [case {name}]",
            target=case.target,
            metadata={
                **json.loads(json.dumps(case.metadata).replace("[case]", f"[case {name}]")),
                "answer": f"{case.answer} [case {name}]" if case.answer else "",
            },
        )
        for name, case in cases.items()
    ]
    log = run(
        Task(
            dataset=samples,
            solver=_set_output({name: case.trace for name, case in cases.items()}),
            scorer=list(scorers),
        ),
        "mockllm/model",
        model_roles={"grader": models if graders > 1 else models[0]} | roles,
    )
    assert log.status == "success", log.error
    return Ran(log, messages_by_case)


def answered(
    scorer: Scorer, cases: Sequence[tuple[str, str | list[str]]], **metadata: Any
) -> list[Score]:
    """Return the scores of (answer, target) pairs from one run; all samples share the metadata."""
    samples = [
        Sample(id=number, input=str(number), target=target, metadata=metadata or None)
        for number, (_, target) in enumerate(cases)
    ]
    model = scripted(lambda messages, *_: speak(cases[int(messages[-1].text)][0], 1))
    log = run(Task(dataset=samples, scorer=scorer), model, max_samples=100)
    assert log.status == "success", log.error
    ordered = sorted(samples_of(log), key=lambda sample: int(sample.id))
    return [next(iter(scores_of(sample).values())) for sample in ordered]


@solver
def _set_output(traces: dict[str, Any]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["answer"])
        stored = state.store_as(RetrievalTrace)
        for name, value in traces[str(state.sample_id)].items():
            setattr(stored, name, value)
        return state

    return solve
