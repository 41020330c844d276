"""Choose scorers by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_create, registry_info

from .. import scorers as package_scorers
from .._util.errors import InputError, one_line
from .._util.functions import load_function
from .._util.names import short_name, strip_package
from ..benchmark.scorers import is_judged

Arguments = Mapping[str, Mapping[str, Any]]
"""Arguments by scorer name."""

_USUAL: Arguments = {
    "rouge": {},
    "bertscore": {},
    "embedding_coverage": {},
    "factual_consistency": {"judge": False},
    "geval_faithfulness": {},
    "geval_coverage": {},
    "error_taxonomy": {},
    "severity_judge": {},
    "fact_coverage": {"gold": "reference"},
    "fact_match": {"gold": "reference"},
    "llm_accuracy": {},
    "contain_match": {},
}
"""Scorers that need no weights except the packaged embedding model's.

Facts come from the reference, because the fact bank's key sentences are the good summaries.
"""


def choose_scorers(
    names: Sequence[str] = (),
    arguments: Arguments = {},  # noqa: B006
    *,
    judged: bool = True,
) -> list[Scorer]:
    """Make the scorers.

    Args:
        names: Scorers of this package (`rouge`), Inspect (`includes`) or another package
            (`package/scorer`), or functions with Inspect's `@scorer` (`module:function`,
            `file.py:function`); by default this package's scorers that need no model weights, and
            the scorers in `arguments`.
        arguments: Arguments by scorer name.
        judged: Whether the default includes scorers that require a grader.

    Raises:
        InputError: A scorer is unknown, named twice, or cannot take its arguments.
    """
    arguments = {strip_package(name): options for name, options in arguments.items()}
    scorer_names = [strip_package(name) for name in names]
    if not scorer_names:
        default_arguments = {
            name: options
            for name, options in _USUAL.items()
            if judged or not is_judged(getattr(package_scorers, name))
        }
        arguments = {
            name: {**default_arguments.get(name, {}), **arguments.get(name, {})}
            for name in {**default_arguments, **arguments}
        }
        scorer_names = list(arguments)
    unused = arguments.keys() - {*scorer_names}
    if unused:
        raise InputError(f"arguments are given for {min(unused)}, which is not among the scorers")
    scorers: dict[str, Scorer] = {}
    for name in scorer_names:
        scorer = _make(name, arguments.get(name, {}))
        if scorers.setdefault(logged_name(scorer), scorer) is not scorer:
            raise InputError(f"scorer {logged_name(scorer)} is named twice")
    return list(scorers.values())


def logged_name(scorer: Scorer) -> str:
    """Return the name under which Inspect logs the scores of a scorer."""
    return short_name(registry_info(scorer).name)


def _make(name: str, arguments: Mapping[str, Any]) -> Scorer:
    try:
        if ":" in name:
            accepted = "module:function or file.py:function"
            scorer: Scorer = load_function(name, kind="scorer", accepted=accepted)(**arguments)
        else:
            scorer = _make_registered(name, arguments)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"scorer {name} cannot be made: {one_line(error)}") from None
    try:
        logged_name(scorer)
    except ValueError:
        message = f"{name} does not return a scorer; decorate it with Inspect's @scorer(...)"
        raise InputError(message) from None
    return scorer


def _make_registered(name: str, arguments: Mapping[str, Any]) -> Scorer:
    for full_name in (f"arag_inspect/{name}", name):
        try:
            return registry_create("scorer", full_name, **arguments)
        except LookupError:
            continue
    raise InputError(
        f"scorer {name!r} is unknown; choose from {', '.join(package_scorers.__all__)}, or name "
        "another package's as package/scorer, or a function as module:function"
    )
