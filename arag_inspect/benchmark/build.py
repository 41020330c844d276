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

from .._util.errors import InputError
from .._util.files import file_digest
from .._util.names import short_name
from .._util.user_code import code_digests
from ..corpus.embedding.model_files import weights_digest
from ..measure import by_role, measures_of
from ..models.pricing import price_run, warn_of_unknown
from ..prompts import prompts_digest
from .samples import corpus_metadata
from .viewer import task_viewer

VERSION = 3
"""Version of every task; docs/development/task-versions.md lists the changes."""

_SHORT = 20
"""Maximum characters of an argument in a display name."""

_MCP = "mcp"
"""Parameter of a system whose value is a command line, or an address."""


def build_task(
    samples: Samples,
    solver: Solver,
    scorers: Sequence[Scorer],
    *,
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
        scorers: Scorers of its answers; the headline is the mean of the first scorer's main
            measure.
        config: How the model under test generates.
        metadata: Metadata of the log in addition to versions and corpus.
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
        viewer=task_viewer(scorers),
        headline_metric=_headline_metric(scorers),
        metadata={
            "arag_inspect": version("arag_inspect"),
            **(corpus_metadata(Path(str(samples.location)).parent) if has_corpus else {}),
            "prompts_sha256": prompts_digest(),
            **(metadata or {}),
        },
        version=VERSION,
    )


def _headline_metric(scorers: Sequence[Scorer]) -> HeadlineMetric | None:
    for scorer in scorers:
        for spec in by_role(measures_of(scorer))[:1]:
            name = short_name(registry_info(scorer).name)
            key = name if spec.key == spec.scorer else spec.value_key
            return HeadlineMetric(scorer=name, score=key, metric="mean")
    return None


def title_of(name: str, system: str, arguments: Mapping[str, Any] | None) -> str:
    """Return the name of a task with its system and its short arguments."""
    options = dict(arguments or {})
    system = options.pop("name", system)
    short_options = [
        f"{key}={value}" for key, value in options.items() if len(str(value)) <= _SHORT
    ]
    suffix = f" ({', '.join(short_options)})" if short_options else ""
    return f"{name} · {system}{suffix}"


def file_digests(values: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the SHA-256 of the user's files in the parameters of a task.

    Args:
        values: Parameters of the task, whose functions have been loaded.

    Returns:
        `files_sha256` of files such as prompts, and of the weights in folders of models, by path;
        `code_sha256` of functions and programs, by file or module. Empty mappings are omitted.
    """
    files: dict[str, str] = {}
    code: dict[str, str] = {}
    for name, text in _named_texts(values):
        files |= _file_digest_of(text)
        is_command = name == _MCP and "://" not in text
        for target in (f"$ {text}",) if is_command else (text, *text.split(",")):
            code |= code_digests(target.strip())
    digests = {"files_sha256": files, "code_sha256": code}
    return {name: path_digests for name, path_digests in digests.items() if path_digests}


def _file_digest_of(text: str) -> dict[str, str]:
    """Return the digest of a file or of a model's folder by its path; empty for other texts."""
    with suppress(OSError, ValueError, InputError):  # most are not paths
        path = Path(text).expanduser()
        if path.is_file():
            return {text: file_digest(path)}
        if path.is_dir():
            return {text: weights_digest(path)}
    return {}


def _named_texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in a parameter, at any depth, each with the name of its parameter."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _named_texts(item, str(key))
    elif isinstance(value, Sequence):
        for item in value:
            yield from _named_texts(item, name)
