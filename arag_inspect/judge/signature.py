"""One-line description of how a score was measured, in the style of sacreBLEU."""

from functools import cache
from importlib import metadata
from itertools import chain
from typing import NamedTuple, Self

from ..models.pricing import same_model

_MARK = "|"
"""Separates the parts of a signature."""

_INNER_MARK = ";"
"""Separates the parts of a signature within another signature."""


class Signature(NamedTuple):
    """How a score was measured; logs have its text."""

    parts: tuple[str, ...]
    """The measure, then each parameter and library as `name:value`."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the signature with this text."""
        return cls(tuple(text.split(_MARK)))

    def __str__(self) -> str:
        """Return the text in logs."""
        return _MARK.join(self.parts)

    @property
    def measure(self) -> str:
        """The measure, e.g. `geval_coverage`: scorers of one dimension share it."""
        return self.parts[0]

    @property
    def method(self) -> str:
        """The text without the kind of gold, which depends on the sample."""
        return _MARK.join(part for part in self.parts if not part.startswith("gold:"))

    @property
    def as_value(self) -> str:
        """The text for this part in the signature of a composite."""
        return _INNER_MARK.join(self.parts)

    @property
    def models(self) -> list[str]:
        """The models that gave the value or, for a composite, its parts."""
        texts = chain.from_iterable(part.split(_INNER_MARK) for part in self.parts)
        return [text.removeprefix("model:") for text in texts if text.startswith("model:")]


def signature(measure: str, *, libraries: tuple[str, ...] = (), **parameters: object) -> str:
    """Return the text of a signature, so that readers know which scores are comparable.

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
    return str(Signature(tuple(parts)))


def _shorten_judge_name(judge: str) -> str:
    name, mark, number = judge.partition("#")
    return same_model(name) + mark + number


def _format_value(value: object) -> object:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else value


@cache
def _version(library: str) -> str:
    """Look up a version once, since each lookup reads a file."""
    return metadata.version(library)
