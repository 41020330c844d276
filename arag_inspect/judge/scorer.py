"""`model_graded`: a judged scorer from a prompt and the form of its verdict."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import BaseModel

from .._util.errors import InputError, check_positive
from .._util.hashing import digest
from ..prompts import FIELD, custom_prompt, fence, fill, load_prompt
from .context import Context, SourceTexts, check_context, resolve_context
from .judge import Judgement, ask_panel, graders, judge, no_verdict
from .long_source import quote_if_long
from .parsing import VerdictForm, choice_form, integer_form, json_form
from .signature import signature
from .unscored import UnscoredError, check_not_skipped, no_reference

Value = float | Mapping[str, float]
FieldText = Callable[[TaskState, Target], str]
_BUILT_IN = ("question", "gold", "reference", "source", "answer", "summary")


class JudgeOpinion(NamedTuple):
    """One judge's contribution to a score."""

    judgement: Judgement[Any]
    value: Value | None
    """None without a verdict."""

    explanation: str
    record: Mapping[str, Any]
    """Its entry in the score's metadata."""


def panel_score(
    opinions: Sequence[JudgeOpinion],
    answer: str,
    *,
    signed: str,
    headline: str | None = None,
    **metadata: Any,
) -> Score:
    """Combine the opinions of a panel into one score: the mean, key by key.

    Args:
        opinions: One per judge; those without a value are ignored.
        answer: The judged answer.
        signed: Signature of the score.
        headline: Key of the value on which the judges' agreement is computed, if it has keys.
        metadata: More metadata of the score.

    Returns:
        The score; unscored if no judge reached a verdict.
    """
    judged = [(opinion, opinion.value) for opinion in opinions if opinion.value is not None]
    if not judged:
        return no_verdict([opinion.judgement for opinion in opinions], answer)
    numbers = {
        opinion.judgement.grader: value.get(str(headline)) if isinstance(value, Mapping) else value
        for opinion, value in judged
    }
    explanations = [opinion.explanation for opinion, _ in judged]
    if len(judged) > 1:
        explanations = [
            f"## {opinion.judgement.grader}\n\n{opinion.explanation}" for opinion, _ in judged
        ]
    return Score(
        value=_mean([value for _, value in judged]),
        answer=answer,
        explanation="\n\n".join(explanations),
        metadata={
            "signature": signed,
            "verdicts": {name: number for name, number in numbers.items() if number is not None},
            "judges": [dict(opinion.record) for opinion in opinions],
            **metadata,
        },
    )


def judged_signature(measure: str, *prompts: str, **parameters: object) -> str:
    """Return the signature of a judged score: judges, prompt digest, parameters."""
    if "judge" not in parameters:
        parameters["judge"] = "+".join(map(str, graders()))
    parameters["prompt"] = digest(*prompts, load_prompt("judge/verdict"))
    return signature(measure, libraries=(), **parameters)


def model_graded(
    *,
    name: str,
    prompt: str,
    choices: Sequence[str] = (),
    scale: tuple[int, int] | None = None,
    reply: type[BaseModel] | None = None,
    example: str = "",
    value: Callable[[Any], Value] | None = None,
    empty_verdict: Any = None,
    fields: Mapping[str, FieldText] | None = None,
    settings: Mapping[str, object] | None = None,
    any_of: Sequence[str] = (),
    context: Context = "auto",
    max_source_tokens: int | None = None,
    signed: Mapping[str, object] | None = None,
) -> Scorer:
    """Make a scorer that asks the graders one question about each answer.

    1. The template's `{{fields}}` are filled with fenced text: `question`, `answer` or `summary`,
       `reference`, `gold` (each target separately), `source` (what the system has read), and your
       own.
    2. The judge reasons in plain text and ends with one line `VERDICT <code>: <verdict>`, whose
       code no document can contain; or it replies with one JSON object, if the provider enforces
       the schema. Anything else is asked for once more with the reason; then the judge has no
       verdict.
    3. With several graders the value is the mean of theirs. Without any verdict the sample is
       unscored.
    4. A source longer than the judge's window is read in parts, and the judge sees quotations from
       all of them.
    5. Unscored if the system gave up, or if a field of the template has no text.

    Model Roles:
        grader: The judge. Default claude-haiku-4-5.

    Args:
        name: Name of the scorer, for the signature.
        prompt: Name of a built-in prompt (`judge/accuracy`), path of a file, or the text itself.
        choices: Words of which the judge chooses one; the value has a key in lower case for each, 0
            or 1.
        scale: Lowest and highest integer; the value is the integer.
        reply: Pydantic model of a JSON verdict; needs `value` and `example`.
        example: An example of the JSON verdict for the judge.
        value: Converts a verdict to the value: a number, or numbers by key.
        empty_verdict: Verdict on an empty answer, given without a call; None asks the judge.
        fields: More fields of the template, each a function of state and target. Their text is
            fenced.
        settings: More trusted fields of the template that need no fence, e.g. a rubric.
        any_of: Fields of which at least one must have text.
        context: Origin of `source`, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the window.
        signed: More parameters for the signature.

    Raises:
        InputError: The template cannot be read, names an unknown field, or a parameter is wrong.
    """
    check_context(context)
    check_positive(max_source_tokens=max_source_tokens)
    forms: list[tuple[VerdictForm[Any], Callable[[Any], Value] | None]] = []
    if choices:
        keys = {choice: choice.lower() for choice in choices}
        forms.append((choice_form(tuple(choices)), lambda verdict: _flags(verdict, keys)))
    if scale is not None:
        forms.append((integer_form(*scale), float))
    if reply is not None:
        forms.append((json_form(reply, example), None))
    if len(forms) != 1:
        raise InputError(f"{name} needs exactly one of choices, scale and reply")
    [(form, default)] = forms
    to_value = value or default
    if to_value is None:
        raise InputError(f"{name} has a JSON verdict and no `value` that makes a number of it")
    question = _Question(
        name, _template(prompt), form, to_value, empty_verdict, fields or {}, settings or {},
        tuple(any_of), context, max_source_tokens, signed or {},
    )  # fmt: skip
    question.check()

    async def score(state: TaskState, target: Target) -> Score:
        return await question.score(state, target)

    return score


@dataclass(frozen=True)
class _Question:
    """A question that can be asked about any answer."""

    name: str
    template: str
    form: VerdictForm[Any]
    to_value: Callable[[Any], Value]
    empty_verdict: Any
    fields: Mapping[str, FieldText]
    settings: Mapping[str, object]
    any_of: tuple[str, ...]
    context: Context
    max_source_tokens: int | None
    signed: Mapping[str, object] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Fields of the template that hold data."""
        return [name for name in FIELD.findall(self.template) if name not in self.settings]

    def check(self) -> None:
        """Raise if the template names a field that nothing fills."""
        field_names = (*_BUILT_IN, *self.fields)
        for name in self.names:
            if name not in field_names:
                raise InputError(
                    f"prompt of {self.name} has a field {name!r}; known are "
                    f"{', '.join((*field_names, *self.settings))}"
                )

    async def score(self, state: TaskState, target: Target) -> Score:
        """Score one answer."""
        try:
            return await self._score(state, target)
        except UnscoredError as error:
            return error.score(state.output.completion)

    async def _score(self, state: TaskState, target: Target) -> Score:
        check_not_skipped(state)
        answer = state.output.completion
        source = SourceTexts("", [])
        if "source" in self.names:
            source = await resolve_context(state, self.context)
        texts = self._texts(state, target, source)
        self._check_texts(state, texts)
        against = [source.origin] * bool(source.texts)
        against += ["reference"] * bool(texts.get("reference"))
        parameters = {**self.signed, **({"against": "+".join(against)} if against else {})}
        signed = judged_signature(self.name, self.template, **parameters)
        if not answer.strip() and self.empty_verdict is not None:
            return Score(
                value=_mean([self.to_value(self.empty_verdict)]),
                answer=answer,
                explanation="The answer is empty.",
                metadata={"signature": signed, "judges": []},
            )
        judgements = await ask_panel(
            lambda grader, name: self._ask(grader, name, texts, source, answer)
        )
        opinions = [
            JudgeOpinion(
                judgement,
                None if judgement.verdict is None else self.to_value(judgement.verdict),
                judgement.text,
                {**judgement.as_dict(), "verdict": _plain(judgement.verdict)},
            )
            for judgement in judgements
        ]
        return panel_score(opinions, answer, signed=signed)

    def _texts(self, state: TaskState, target: Target, source: SourceTexts) -> dict[str, str]:
        """Return the text of each field of the template, fenced except for `source`.

        The shown part of the source depends on the judge.
        """
        golds = [text for text in target if text.strip()]
        built_in: dict[str, Callable[[], str]] = {
            "question": lambda: fence("question", state.input_text),
            "answer": lambda: fence("answer", state.output.completion),
            "summary": lambda: fence("summary", state.output.completion),
            "gold": lambda: "\n\n".join(fence("gold", gold) for gold in golds),
            "reference": lambda: fence("reference", "\n".join(golds)) if golds else "",
            "source": lambda: "".join(source.texts),
        }
        texts = {name: built_in[name]() for name in self.names if name not in self.fields}
        for name, make in self.fields.items():
            text = make(state, target)
            texts[name] = fence(name, text) if text.strip() else ""
        return texts

    def _check_texts(self, state: TaskState, texts: Mapping[str, str]) -> None:
        empty = [name for name, text in texts.items() if not text]
        if self.any_of and set(self.any_of) <= set(empty):
            neither = f"There is neither a {' nor a '.join(self.any_of)} to judge by."
            raise UnscoredError("no_passages", neither)
        for name in (name for name in empty if name not in self.any_of):
            if name in ("gold", "reference"):
                raise no_reference(state)
            reason = "no_passages" if name == "source" else f"no_{name}"
            raise UnscoredError(reason, f"There is no {name} to judge by.")

    async def _ask(
        self, grader: Model, name: str, texts: dict[str, str], source: SourceTexts, answer: str
    ) -> Judgement[Any]:
        quoted = await quote_if_long(grader, source.texts, answer, self.max_source_tokens)
        if quoted.cost is not None and quoted.cost.verdict is None:
            return quoted.cost.renamed(name)
        fields = dict(texts)
        if source.texts:
            fields["source"] = fence("source", "\n\n".join(quoted.texts), origin=source.origin)
        prompt = fill(self.template, **{**fields, **self.settings})
        judgement = await judge(grader, prompt, self.form, name=name)
        if quoted.cost is not None:
            judgement.add_cost(quoted.cost)
        return judgement


def _template(prompt: str) -> str:
    if re.fullmatch(r"[\w-]+(?:/[\w-]+)+", prompt):
        try:
            return load_prompt(prompt)
        except FileNotFoundError:
            pass
    return custom_prompt(prompt, prompt)


def _flags(verdict: str, keys: Mapping[str, str]) -> dict[str, float]:
    return {key: float(choice == verdict) for choice, key in keys.items()}


def _mean(values: Sequence[Value]) -> Any:
    if not isinstance(first := values[0], Mapping):
        return fmean(value for value in values if not isinstance(value, Mapping))
    return {
        key: fmean(value[key] for value in values if isinstance(value, Mapping)) for key in first
    }


def _plain(verdict: Any) -> Any:
    return verdict.model_dump() if isinstance(verdict, BaseModel) else verdict
