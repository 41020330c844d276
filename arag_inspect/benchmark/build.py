"""Build tasks from samples, a system and scorers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Dataset as Samples
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import registry_info

from .._util.files import file_digest
from ..measure import by_role, measures_of
from ..models.pricing import price_run, warn_of_unknown
from ..prompts import prompts_digest
from .samples import corpus_metadata
from .viewer import task_viewer

VERSION = 3
"""Version of every task; docs/development/task-versions.md lists the changes."""

_SHORT = 20
"""Maximum characters of an argument in a display name."""


def build_task(
    samples: Samples,
    solver: Solver,
    scorers: Sequence[Scorer],
    *,
    taxonomy: str = "financial",
    config: GenerateConfig = GenerateConfig(temperature=0),  # noqa: B008
    metadata: Mapping[str, Any] | None = None,
    has_corpus: bool = True,
    name: str | None = None,
    display_name: str | None = None,
) -> Task:
    """Build a task.

    Args:
        samples: Samples to answer.
        solver: The system under test.
        scorers: Scorers of its answers; the headline is the mean of the first one's main measure.
        taxonomy: Error taxonomy whose labels get columns in the log browser.
        config: How the model under test generates.
        metadata: Metadata of the log besides versions and the corpus.
        has_corpus: Whether the samples come from a prepared corpus.
        name: Name in the log; None for the name of the decorated task function.
        display_name: Name to show, if different.
    """
    warn_of_unknown(price_run())
    return Task(
        name=name,
        display_name=display_name,
        dataset=samples,
        solver=solver,
        scorer=list(scorers),
        config=config,
        viewer=task_viewer(scorers, taxonomy),
        headline_metric=_headline_metric(scorers),
        metadata={
            "arag_inspect": version("arag_inspect"),
            **(corpus_metadata(samples) if has_corpus else {}),
            "prompts_sha256": prompts_digest(),
            **(metadata or {}),
        },
        version=VERSION,
    )


def _headline_metric(scorers: Sequence[Scorer]) -> HeadlineMetric | None:
    for scorer in scorers:
        for spec in by_role(measures_of(scorer))[:1]:
            name = registry_info(scorer).name.split("/")[-1]
            key = name if spec.key == spec.scorer else spec.value_key
            return HeadlineMetric(scorer=name, score=key, metric="mean")
    return None


def title_of(name: str, system: str, arguments: object) -> str:
    """Return the name of a task with its system and its short arguments."""
    options = dict(arguments) if isinstance(arguments, dict) else {}
    system = options.pop("name", system)
    short_options = [
        f"{key}={value}" for key, value in options.items() if len(str(value)) <= _SHORT
    ]
    suffix = f" ({', '.join(short_options)})" if short_options else ""
    return f"{name} · {system}{suffix}"


def file_digests(values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of each file that a parameter of a task names, e.g. a prompt, by path."""
    digests: dict[str, str] = {}
    for text in _texts(values):
        with suppress(OSError, ValueError):  # most are not paths
            path = Path(text).expanduser()
            if path.is_file():
                digests[text] = file_digest(path)
    return {"files_sha256": digests} if digests else {}


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a parameter, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        items = value.values() if isinstance(value, Mapping) else value
        for item in items:
            yield from _texts(item)
