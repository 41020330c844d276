"""One-line description of how a score was measured, in the style of sacreBLEU."""

from functools import cache
from importlib import metadata

from ..models.pricing import same_model


def signature(measure: str, *, libraries: tuple[str, ...] = (), **parameters: object) -> str:
    """Describe a measurement, so that readers know which scores are comparable.

    Args:
        measure: Name of the scorer.
        libraries: Packages whose version affects the score.
        parameters: Everything else that affects it. Model names in `judge`, joined with `+`, are
            normalized by `same_model`.

    Returns:
        For example `rouge|stemmer:yes|rouge-score:0.1.2|arag-inspect:0.1.0`.
    """
    judge = parameters.get("judge")
    if isinstance(judge, str):
        parameters["judge"] = "+".join(_shorten_judge_name(name) for name in judge.split("+"))
    parts = [measure]
    parts += [f"{name}:{_format_value(value)}" for name, value in sorted(parameters.items())]
    parts += [f"{library}:{_version(library)}" for library in (*libraries, "arag-inspect")]
    return "|".join(parts)


def _shorten_judge_name(judge: str) -> str:
    name, mark, number = judge.partition("#")
    return same_model(name) + mark + number


def _format_value(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


@cache
def _version(library: str) -> str:
    """Look up a version once, since each lookup reads a file."""
    return metadata.version(library)
