"""The models that judge: the models of the role `grader`, or the default grader."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from inspect_ai.model import Model, get_model, model_roles

from .._util.errors import InputError, one_line
from .._util.wording import join_names
from ..models.pricing import warn_of_unknown
from ..models.recorded import is_recorded
from ..models.token_estimates import estimate_mock_tokens
from .concurrency import collect_all
from .unscored import UnscoredError

DEFAULT_GRADER = "anthropic/claude-haiku-4-5-20251001"

OFFLINE = "offline/extractive"

_NAMING = "--model-role grader=MODEL"

_IN_OUR_TASKS = "Tasks of arag-inspect: run --grader MODEL, or -T scorers=no_grader"

U = TypeVar("U")


def graders() -> list[Model]:
    """Return the models bound to the role `grader`, or the default grader.

    Raises:
        UnscoredError: No grader is bound, and the default grader is missing or lacks its key.
    """
    remedy = f"Set one with {_NAMING}, or remove the scorer"
    try:
        panel = find_graders()
    except InputError as error:
        cause = one_line(error.__cause__ or error)
        unusable = f"The default grader {DEFAULT_GRADER} cannot be used ({cause})"
        raise UnscoredError("no_grader", f"{unusable}. {remedy}.") from error
    if not panel:
        explanation = f"This scorer needs a judge model. {remedy}. {_IN_OUR_TASKS}."
        raise UnscoredError("no_grader", explanation)
    warn_of_unknown(panel)
    return panel


def find_graders(asking: Sequence[str] = ()) -> list[Model]:
    """Return the models bound to the role `grader`, else the default grader, if any.

    A recording under test grades itself, so that it needs no key. `offline/extractive` cannot
    judge, and its answers have no default grader.

    Args:
        asking: Scorers that ask it, which the error names.

    Raises:
        InputError: No grader is bound, and the default one lacks its key.
    """
    bound = model_roles().get("grader") or []
    panel = bound if isinstance(bound, list) else [bound]
    estimate_mock_tokens(panel)
    if not panel:
        default = default_grader(str(get_model()), asking)
        return [default] if default else []
    return [] if OFFLINE in map(str, panel) else panel


def default_grader_name(model: str) -> str | None:
    """Return the name of the default grader of a model's answers; None if they have no default."""
    if model == OFFLINE:
        return None
    return model if is_recorded(model) else DEFAULT_GRADER


def default_grader(model: str, asking: Sequence[str] = ()) -> Model | None:
    """Return the default grader of a model's answers; None if they have no default.

    Args:
        model: Name of the model that answers.
        asking: Scorers that ask it, which the error names.

    Raises:
        InputError: The default grader lacks its key.
    """
    name = default_grader_name(model)
    try:
        return get_model(name) if name else None
    except Exception as error:
        scorers = join_names(asking) if asking else "the scorers that ask it"
        raise InputError(
            f"the default grader {DEFAULT_GRADER} cannot be used ({one_line(error)}); use another "
            f"with {_NAMING}, or remove {scorers}. {_IN_OUR_TASKS}"
        ) from error


async def ask_panel(ask: Callable[[Model, str], Awaitable[U]]) -> list[U]:
    """Ask every grader concurrently.

    Args:
        ask: Asks one grader; its second argument is the grader's name.
    """
    panel = graders()
    questions = map(ask, panel, panel_names(panel))
    return await collect_all(*questions)


def panel_names(panel: Sequence[Model]) -> list[str]:
    """Return a name for each grader, `NAME#2` for the second grader of a name."""
    names = [str(grader) for grader in panel]
    numbers = [names[: index + 1].count(name) for index, name in enumerate(names)]
    return [
        name if number == 1 else f"{name}#{number}"
        for name, number in zip(names, numbers, strict=True)
    ]
