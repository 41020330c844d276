"""Tests of finding the source when the solver puts the document into the prompt."""

from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ModelName,
    get_model,
)
from inspect_ai.scorer import Score
from inspect_ai.solver import (
    Generate,
    Solver,
    TaskState,
    chain,
    generate,
    prompt_template,
    solver,
    system_message,
    user_message,
)

from arag_inspect.judge.prompt_source import prompt_source
from arag_inspect.scorers import factual_consistency, geval_faithfulness, support
from tests.logs import scores_of
from tests.scripted import Script, run, scripted

pytestmark = pytest.mark.usefixtures("logs")

DOCUMENT = (
    "Revenue was $4.2 billion in 2021, up 7.5%. Costs fell by 3%.\n\n"
    "Analyst: What about the margin?\n"
    "It was 31.4%."
)
QUESTION = "What did revenue do in 2021?"
ANSWER = "Revenue was $4.2 billion, up 7.5%, and the margin was 31.4%."


@solver
def asks_by_itself(template: str) -> Solver:
    """Call the model without keeping the conversation."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = template.format(document=DOCUMENT, prompt=state.input_text)
        state.output = await get_model().generate(
            [ChatMessageSystem(content="The figure is 99%."), ChatMessageUser(content=text)]
        )
        return state

    return solve


@solver
def shows_an_example(example: str) -> Solver:
    """Put an example before the question."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked, replied = ChatMessageUser(content=example), ChatMessageAssistant(content="So it is.")
        state.messages = [asked, replied, *state.messages]
        return state

    return solve


PROMPTS: dict[str, tuple[Any, Any]] = {
    "a template": (QUESTION, [prompt_template("{document}\n\nQuestion: {prompt}"), generate()]),
    "a template with a length": (
        QUESTION,
        [
            prompt_template("Write about 99 words.\n\n<doc>\n{document}\n</doc>\n\n{prompt}"),
            generate(),
        ],
    ),
    "a template that explains": (
        "ACME, Q4",
        [
            prompt_template(
                "You are an analyst with 99 years of practice. Here is a call. Summarise it in 99 "
                "to 120 words.\n{document}\n\nCall: {prompt}"
            ),
            generate(),
        ],
    ),
    "a length among other sentences": (
        QUESTION,
        [
            prompt_template(
                "The reader is a banker. A text for him has 99 words. He knows the company.\n"
                "{document}\n\n{prompt}"
            ),
            generate(),
        ],
    ),
    "a message of its own": (QUESTION, [user_message("{document}"), generate()]),
    "a system message beside it": (
        QUESTION,
        [
            system_message("Know that it is 99%."),
            prompt_template("{document}\n{prompt}"),
            generate(),
        ],
    ),
    "an example before it": (
        QUESTION,
        [
            prompt_template("{document}\n{prompt}"),
            shows_an_example("The figure was 99%. What was it?"),
            generate(),
        ],
    ),
    "a solver that keeps no messages": (
        QUESTION,
        asks_by_itself("Answer in at most 99 words.\n{document}\n{prompt}"),
    ),
    "the document as input": (DOCUMENT, generate()),
    "the document as input of a template": (
        DOCUMENT,
        [prompt_template("Summarise this in 99 words: {prompt}"), generate()],
    ),
    "messages as input": (
        [ChatMessageUser(content=DOCUMENT), ChatMessageUser(content=QUESTION)],
        generate(),
    ),
}


def _scored(asked: Any, solvers: Any, answer: str, *scorers: Any) -> dict[str, Score]:
    sample = Sample(input=asked, target="x", metadata={"document": DOCUMENT})
    steps = chain(solvers) if isinstance(solvers, list) else solvers
    log = run(Task([sample], solver=steps, scorer=list(scorers)), scripted(Script(answer)))
    assert log.status == "success" and log.samples, log.error
    return dict(scores_of(log.samples[0]))


@pytest.mark.parametrize("name", PROMPTS)
def test_document_in_prompt_supports_answer_and_instruction_does_not(name: str) -> None:
    """Half of the claims of the longer answer are figures of the instructions."""
    longer = f"{ANSWER} It rose by 99%, in 99 years. A text for him has 99 words."
    for answer, supported in ((ANSWER, 1), (longer, 1 / 2)):
        scores = _scored(*PROMPTS[name], answer, factual_consistency(judge=False))
        score = scores["factual_consistency"]
        assert score.as_dict()["supported"] == supported and score.metadata
        assert "|context:prompt|" in score.metadata["signature"]
        claims = score.metadata["claims"]
        assert all(claim["verdict"] != "supported" for claim in claims if "99" in str(claim))


def _source_of(text: str) -> str:
    messages: list[ChatMessage] = [ChatMessageUser(content=text)]
    state = TaskState(ModelName("mock/model"), 1, 1, messages=messages, input=text)
    return prompt_source(state, [])


@pytest.mark.parametrize(
    "statement",
    [
        "State Street reported revenue of $3.1 billion.",
        "State Street reported record revenue.",
        "State taxes rose.",
        "Focus Financial Partners is a holding company.",
        "Find Group and Sons announced a merger.",
        "Use of cash was flat.",
        "Return on equity improved to 12%.",
        "Output of steel fell.",
        "List prices were unchanged.",
        "You may recall that revenue rose 7%.",
        "Your company earned $3 billion.",
        "When the quarter ended, revenue was up 7%.",
        "The letter of 300 words says that revenue rose 7%.",
    ],
)
def test_statement_at_either_end_of_a_prompt_is_not_a_request(statement: str) -> None:
    text = f"{statement} Costs were lower. {statement}"
    assert _source_of(f"Summarize the text below.\n\n{text}\n\nKeep it short.") == text


@pytest.mark.parametrize(
    "request_text",
    [
        "You are an analyst with 99 years of practice.",
        "Your task is to explain the fall of 7%.",
        "Explain why revenue fell 7% to $3 billion.",
        "State whether revenue was up 7%.",
        "State what was reported.",
        "Report all amounts in $ million.",
        "List items mentioned in the call.",
        "Name three risks that were mentioned.",
        "Use numbered lists.",
        "Answer based on the text.",
        "Focus on guidance.",
        "Write three sentences on the fall of 7%.",
        "Which company had revenue of $3 billion",
        "Compare Apple's and Google's reported revenue.",
    ],
)
def test_request_at_either_end_of_a_prompt_is_left_out(request_text: str) -> None:
    text = "Costs were lower."
    assert _source_of(f"{request_text}\n\n{text}\n\n{request_text}") == text


@pytest.mark.parametrize(
    ("asked", "solvers"),
    [
        (QUESTION, generate()),
        ("Summarise the call of ACME of 2021 in about 75 words.", generate()),
        (QUESTION, [system_message(DOCUMENT), generate()]),
        (
            QUESTION,
            [prompt_template("Answer in 75 words.\n\nQuestion: {prompt}\nAnswer:"), generate()],
        ),
    ],
)
def test_answer_is_unscored_when_only_request_was_sent(asked: str, solvers: Any) -> None:
    judge_free = (factual_consistency(judge=False), support())
    scores = _scored(asked, solvers, ANSWER, *judge_free, geval_faithfulness(criteria="pinned"))
    for score in scores.values():
        assert score.reason == "only_request"
        assert "only the request" in str(score.explanation)
