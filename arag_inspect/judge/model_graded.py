"""`model_graded`: a judged scorer from a prompt and the form of its verdict."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from operator import itemgetter
from statistics import fmean
from typing import Any, NamedTuple

from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState
from pydantic import BaseModel

from .._util.errors import InputError, check_positive
from .._util.files import digest
from ..prompts import FIELD, custom_prompt, fence, fill, load_prompt, prompt_file
from .context import Context, check_context, no_source, resolve_context
from .judge import judge
from .judgement import Judgement, no_verdict
from .long_source import fit_source
from .material import GradingMaterial, show_source
from .panel import ask_panel, graders
from .parsing import T, Value, VerdictForm
from .signature import signature
from .unscored import UnscoredError, check_not_skipped, no_reference

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
    *,
    signed: str,
    headline: str | None = None,
    **metadata: Any,
) -> Score:
    """Combine the opinions of a panel into one score: the mean, key by key.

    Args:
        opinions: One per judge; those without a value are ignored.
        signed: Signature of the score.
        headline: Key of the value on which the judges' agreement is computed, if it has keys.
        metadata: More metadata of the score.

    Returns:
        The score; unscored if no judge reached a verdict.
    """
    scored_opinions = [
        (opinion, opinion.value) for opinion in opinions if opinion.value is not None
    ]
    if not scored_opinions:
        return no_verdict([opinion.judgement for opinion in opinions])
    numbers = {
        opinion.judgement.grader: _number_of(value, headline) for opinion, value in scored_opinions
    }
    explanations = [opinion.explanation for opinion, _ in scored_opinions]
    if len(scored_opinions) > 1:
        explanations = [
            f"## {opinion.judgement.grader}\n\n{opinion.explanation}"
            for opinion, _ in scored_opinions
        ]
    return Score(
        value=_mean([value for _, value in scored_opinions]),
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
    forms = [load_prompt(f"judge/{name}") for name in ("verdict", "verdict_json", "object_json")]
    parameters["prompt"] = digest(*prompts, *forms)
    return signature(measure, libraries=(), **parameters)


def model_graded(
    *,
    name: str,
    prompt: str,
    form: VerdictForm[T],
    value: Callable[[T], Value] | None = None,
    empty_verdict: T | None = None,
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
    2. If the provider enforces a schema, the judge is asked for one JSON object. Else it reasons in
       plain text and ends with one line `VERDICT <code>: <verdict>`, whose code no document can
       contain. Both forms are read; any other reply is retried once with the reason; then the
       judge has no verdict.
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
        form: Form of the verdict: `choice_form`, `integer_form` or `json_form`.
        value: Converts a verdict to the value: a number, or numbers by key. Only a JSON verdict
            needs it.
        empty_verdict: Verdict on an empty answer, given without a call; None asks the judge.
        fields: More fields of the template, each a function of state and target. Their text is
            fenced.
        settings: More trusted fields of the template that need no fence, e.g. a rubric.
        any_of: Fields of which at least one must have text.
        context: Origin of `source`, see `judge.context`.
        max_source_tokens: Longest source shown at once, in tokens; None uses 70 % of the window.
        signed: More parameters for the signature.

    Raises:
        InputError: The template is unreadable, names an unknown field, or a parameter is wrong.
    """
    check_context(context)
    check_positive(max_source_tokens=max_source_tokens)
    to_value = value or form.to_value
    if to_value is None:
        raise InputError(f"{name} needs `value`, which converts its verdict to a number")
    fields = fields or {}
    settings = settings or {}
    template = _load_template(name, prompt, (*_BUILT_IN, *fields, *settings))
    data = [field_name for field_name in FIELD.findall(template) if field_name not in settings]

    async def grade(state: TaskState, target: Target) -> Score:
        check_not_skipped(state)
        source = GradingMaterial()
        if "source" in data:
            source = await resolve_context(state, context)
        texts = _texts(data, state, target, source, fields)
        _check_texts(state, texts, any_of, source)
        parameters = {**(signed or {}), **_source_parameters(source, texts)}
        signed_as = judged_signature(name, template, **parameters)
        answer = state.output.completion
        if not answer.strip() and empty_verdict is not None:
            return _empty_score(to_value(empty_verdict), signed_as)

        async def ask(grader: Model, judge_name: str) -> JudgeOpinion:
            shown_source = await fit_source(grader, judge_name, source, answer, max_source_tokens)
            if shown_source.is_unreadable:
                return _make_opinion(shown_source.quoting, to_value)
            source_field = {"source": show_source(shown_source.material)} if source.texts else {}
            filled_prompt = fill(template, **{**texts, **source_field, **settings})
            judgement = await judge(grader, filled_prompt, form, name=judge_name)
            return _make_opinion(judgement.with_cost(shown_source.quoting.cost), to_value)

        return panel_score(await ask_panel(ask), signed=signed_as)

    return _complete(grade)


def _complete(grade: Callable[[TaskState, Target], Awaitable[Score]]) -> Scorer:
    """Make a scorer that records the judged answer, and leaves samples unscored with a reason."""

    async def score(state: TaskState, target: Target) -> Score:
        try:
            result = await grade(state, target)
        except UnscoredError as error:
            result = error.score()
        result.answer = state.output.completion
        return result

    return score


def _source_parameters(source: GradingMaterial, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the signature parameter for the material that an answer is judged against."""
    material_names = []
    if source.texts:
        material_names.append(source.origin)
    if texts.get("reference"):
        material_names.append("reference")
    return {"against": "+".join(material_names)} if material_names else {}


def _empty_score(value: Value, signature: str) -> Score:
    return Score(
        value=value,
        explanation="The answer is empty.",
        metadata={"signature": signature, "judges": []},
    )


def _make_opinion(judgement: Judgement[Any], to_value: Callable[[Any], Value]) -> JudgeOpinion:
    verdict = judgement.verdict
    plain_verdict = verdict.model_dump() if isinstance(verdict, BaseModel) else verdict
    value = None if verdict is None else to_value(verdict)
    record = {**judgement.as_dict(), "verdict": plain_verdict}
    return JudgeOpinion(judgement, value, judgement.text, record)


def _texts(
    names: Sequence[str],
    state: TaskState,
    target: Target,
    source: GradingMaterial,
    fields: Mapping[str, FieldText],
) -> dict[str, str]:
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
    texts = {name: built_in[name]() for name in names if name not in fields}
    for name, make in fields.items():
        text = make(state, target)
        texts[name] = fence(name, text) if text.strip() else ""
    return texts


def _check_texts(
    state: TaskState, texts: Mapping[str, str], any_of: Sequence[str], source: GradingMaterial
) -> None:
    empty = [name for name, text in texts.items() if not text]
    if any_of and set(any_of) <= set(empty):
        neither = f"The judge needs a text for {' or '.join(any_of)}, and the sample has none."
        raise no_source(source.origin, neither)
    for name in empty:
        if name in any_of:
            continue
        if name in ("gold", "reference"):
            raise no_reference(state)
        if name == "source":
            raise no_source(source.origin, "The judge needs a source, and the sample has none.")
        raise UnscoredError(
            f"no_{name}", f"The judge needs a text for {name}, and the sample has none."
        )


def _load_template(name: str, prompt: str, known_fields: Sequence[str]) -> str:
    """Return the text of a prompt whose fields are all known."""
    is_built_in = re.fullmatch(r"[\w-]+(?:/[\w-]+)+", prompt) and prompt_file(prompt)
    template = load_prompt(prompt) if is_built_in else custom_prompt(prompt, prompt)
    unknown = {*FIELD.findall(template)} - {*known_fields}
    if unknown:
        raise InputError(
            f"prompt of {name} has unknown fields {', '.join(sorted(unknown))}; known are "
            f"{', '.join(known_fields)}"
        )
    return template


def _number_of(value: Value, headline: str | None) -> float | None:
    """Return a value, or its number under the headline's key; None without such a number."""
    if not isinstance(value, Mapping):
        return value
    return None if headline is None else value.get(headline)


def _mean(values: Sequence[Value]) -> Any:
    if not isinstance(values[0], Mapping):
        return fmean(value for value in values if not isinstance(value, Mapping))
    values_by_key = [value for value in values if isinstance(value, Mapping)]
    return {key: fmean(map(itemgetter(key), values_by_key)) for key in values[0]}
