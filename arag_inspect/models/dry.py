"""`dry`: the grader of a dry run, for internal use, which judges nothing."""

from typing import Any

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
from inspect_ai.tool import ToolChoice, ToolInfo

from .fixed_reply import fixed_reply
from .token_estimates import CHARACTERS_A_TOKEN


def dry_grader() -> Model:
    """Return the grader, which answers every schema with a fixed reply."""
    return get_model("dry/grader", in_dry_pass=True)


def is_dry(grader: Model) -> bool:
    """Return whether a grader is that of a dry pass, whose replies are about no text."""
    return isinstance(grader.api, DryGrader)


@modelapi(name="dry")
def dry() -> type[ModelAPI]:
    """Return the grader of estimates."""
    return DryGrader


class DryGrader(ModelAPI):
    """Answers every schema with a fixed reply, so that a dry run makes the calls of a run."""

    as_json = True
    """Whether verdicts are requested as JSON."""

    def __init__(
        self, model_name: str, *args: Any, in_dry_pass: bool = False, **options: Any
    ) -> None:
        if not in_dry_pass:
            raise ValueError(
                f"dry/{model_name} judges nothing: it counts the calls of an estimate; name a "
                "language model"
            )
        super().__init__(model_name, *args, **options)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Return the fixed reply, with tokens of four characters."""
        if config.response_schema is None:
            raise ValueError("a judge's question has no schema")
        reply = fixed_reply(config.response_schema.json_schema)
        sent_tokens = sum(len(message.text) for message in input) // CHARACTERS_A_TOKEN
        written_tokens = len(reply) // CHARACTERS_A_TOKEN
        output = ModelOutput.from_content("dry/grader", reply)
        output.usage = ModelUsage(
            input_tokens=sent_tokens,
            output_tokens=written_tokens,
            total_tokens=sent_tokens + written_tokens,
        )
        return output
