"""Conditions of the answers in a log folder, checked before answers are added."""

import json
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any

import fsspec
from inspect_ai.dataset import Sample
from inspect_ai.log import list_eval_logs
from pydantic import TypeAdapter, ValidationError

from .._util.errors import InputError, first_error
from .._util.files import digest, replace_file
from .._util.names import short_name
from .experiment import SystemTask, find_task

_CONDITIONS = "conditions.json"
"""File in a log folder with the conditions of its answers, by task."""

Conditions = dict[str, str]
"""Values by the description shown to the user."""

_FILE = TypeAdapter(dict[str, Conditions])
_SAMPLE = "sample "
_REFERENCE = "reference of "
_NUMBERED = {_SAMPLE: "samples", _REFERENCE: "references"}
"""Noun by prefix of the per-sample conditions, which messages count instead of listing."""

_OTHER_PARAMETERS = {"corpus", "system", "system_args", "scorers", "scorer_args"}
"""Task parameters that do not affect answers, or are compared elsewhere."""

_SCORED_FIELDS = {"facts", "reference"}
"""Sample metadata that only scorers receive."""

_UNSENT_FIELDS = {"corpus", *_SCORED_FIELDS}
"""Sample metadata that no system receives, or that is compared elsewhere."""

_MACHINE_SETTINGS = {"machine", "probes"}
"""Settings of an embedding that are not conditions."""

_LONGEST = 60
"""Maximum characters of a value in a message."""


def conditions_of(task: str, system_tasks: Sequence[SystemTask]) -> Conditions:
    """Return the conditions under which the systems of a task will answer."""
    task_parameters = signature(find_task(task)).parameters.values()
    options = [
        parameter for parameter in task_parameters if parameter.kind == parameter.KEYWORD_ONLY
    ]
    defaults = {option.name: option.default for option in options}
    conditions = {}
    for sample in system_tasks[0].task.dataset:
        metadata = sample.metadata or {}
        question = {key: value for key, value in metadata.items() if key not in _UNSENT_FIELDS}
        reference = {key: value for key, value in metadata.items() if key in _SCORED_FIELDS}
        conditions[f"{_SAMPLE}{sample.id}"] = _digest(sample, "input", question)
        conditions[f"{_REFERENCE}{sample.id}"] = _digest(sample, "target", reference)
    for system, parameters, system_task in system_tasks:
        arguments = {**defaults, **parameters, "system": system}
        conditions |= _recorded_conditions(system_task.metadata or {}, arguments)
    return conditions


def keep_conditions(log_dir: str, task: str, conditions: Conditions) -> None:
    """Check conditions against a log folder's, and record them there.

    Args:
        log_dir: The folder, local or remote.
        task: Name of the task.
        conditions: Conditions of the answers to be added.

    Raises:
        InputError: The folder's answers were made under different conditions, or its file cannot
            be read.
    """
    task = short_name(task)
    files, root = fsspec.core.url_to_fs(log_dir)
    path = f"{root.rstrip('/')}/{_CONDITIONS}"
    task_conditions = _read_conditions(path, files)
    if task in task_conditions and list_eval_logs(log_dir):
        previous = task_conditions[task]
        changes = list(_changes(previous, conditions))
        if changes:
            raise InputError(
                f"{log_dir} contains answers made under different conditions "
                f"({'; '.join(changes)}); nothing was run. Use another --log-dir"
            )
        conditions = {**previous, **conditions}
    text = json.dumps({**task_conditions, task: conditions}, indent=1, ensure_ascii=False)
    if "file" in files.protocol:
        replace_file(Path(path), text)
    else:
        files.pipe_file(path, text.encode())


def _read_conditions(path: str, files: Any) -> dict[str, Conditions]:
    try:
        return _FILE.validate_json(files.cat_file(path))
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise InputError(
            f"{path} cannot be read ({first_error(error)}); use another --log-dir"
        ) from None


def _recorded_conditions(metadata: Mapping[str, Any], arguments: Mapping[str, Any]) -> Conditions:
    """Return the conditions recorded in a task's metadata and parameters."""
    corpus = metadata.get("corpus") or {}
    embedding = corpus.get("embedding") or {}
    vectors = {name: value for name, value in embedding.items() if name not in _MACHINE_SETTINGS}
    files = metadata.get("files_sha256", {})
    code = metadata.get("code_sha256", {})
    values = {
        "package version": metadata.get("arag_inspect"),
        "corpus": corpus.get("chunks_sha256"),
    }
    values |= {f"embedding {name}": value for name, value in vectors.items()}
    values["prompts of the package"] = metadata.get("prompts_sha256")
    values[f"parameters of {arguments['system']}"] = arguments.get("system_args") or {}
    values |= {f"file {path}": value for path, value in files.items()}
    values |= {f"code of {name}": value for name, value in code.items()}
    values |= {name: value for name, value in arguments.items() if name not in _OTHER_PARAMETERS}
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _digest(sample: Sample, field: str, metadata: Mapping[str, Any]) -> str:
    """Return the digest of a field of a sample and of some of its metadata."""
    text = sample.model_dump_json(include={field})
    return digest(text, json.dumps(metadata, sort_keys=True, default=str))


def _changes(old: Conditions, new: Conditions) -> Iterator[str]:
    """Yield a description of each condition that differs between two records of it."""
    names = [name for name in old if name in new and old[name] != new[name]]
    for name in names:
        if not name.startswith(tuple(_NUMBERED)):
            yield f"{name} ({_short(old[name])} → {_short(new[name])})"
    for start, plural in _NUMBERED.items():
        ids = [name.removeprefix(start) for name in names if name.startswith(start)]
        if ids:
            yield f"{plural} ({len(ids)}, e.g. {ids[0]})"


def _short(text: str) -> str:
    is_digest = len(text) == 64 and set(text) <= set("0123456789abcdef")
    limit = 12 if is_digest else _LONGEST
    return text if len(text) <= limit else f"{text[:limit]}…"
