"""Scorers by name, as `inspect score` takes them."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_create

from .. import scorers as ours
from .._util.errors import InputError

Arguments = Mapping[str, Mapping[str, Any]]
"""Arguments by name of the scorer."""

BY_RULE: Arguments = {
    "rouge": {},
    "bertscore": {},
    "nli_contradiction": {},
    "embedding_coverage": {},
    "factual_consistency": {"judge": False},
    "geval_faithfulness": {},
    "geval_coverage": {},
    "error_taxonomy": {},
    "severity_judge": {},
    "composite_faithfulness": {},
    "fact_coverage": {"gold": "reference"},
    "fact_match": {"gold": "reference"},
    "llm_accuracy": {},
    "contain_match": {},
}
"""What needs no weights but the packaged embedding model, and no key, where the grader is a rule.

Facts are those of the reference: the fact bank's key sentences are the good summaries themselves.
"""

_PACKAGE = "arag_inspect"


def choose_scorers(
    names: Sequence[str] = (),
    arguments: Arguments = {},  # noqa: B006
) -> dict[str, Scorer]:
    """Make the scorers.

    Args:
        names: Of this package (`rouge`), of Inspect (`includes`) or of any other (`package/scorer`); by default those that need no key, and those that arguments are given for.
        arguments: Of some of them.

    Raises:
        InputError: A scorer is unknown, named twice, or cannot take its arguments.
    """
    arguments = {_bare(name): given for name, given in arguments.items()}
    wanted = [_bare(name) for name in names]
    if not wanted:
        wanted = list({**BY_RULE, **arguments})
        arguments = {name: {**BY_RULE.get(name, {}), **arguments.get(name, {})} for name in wanted}
    for name in wanted:
        if wanted.count(name) > 1:
            raise InputError(f"scorer {name} is named twice")
    for name in arguments:
        if name not in wanted:
            raise InputError(f"arguments are given for {name}, which is not among the scorers")
    return {name: _make(name, arguments.get(name, {})) for name in wanted}


def _bare(name: str) -> str:
    return name.removeprefix(f"{_PACKAGE}/")


def _make(name: str, arguments: Mapping[str, Any]) -> Scorer:
    for full in (f"{_PACKAGE}/{name}", name):
        try:
            made = registry_create("scorer", full, **arguments)
        except LookupError:
            continue
        except TypeError as error:
            raise InputError(f"scorer {name} cannot be made: {error}") from None
        return made
    raise InputError(
        f"scorer {name!r} is unknown; choose from {', '.join(ours.__all__)}, or name another "
        "package's as package/scorer"
    )
