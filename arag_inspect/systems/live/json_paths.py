"""Locate the parts of an answer in a JSON response, by JSONPath."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jsonpath_ng import Child, DatumInContext, JSONPath
from jsonpath_ng.ext.parser import parse

from arag_inspect._util.bounds import JSON_VALUES, check
from arag_inspect._util.errors import InputError, check_choice, one_line
from arag_inspect.systems.live.answer_shapes import (
    TEXT_NAMES,
    Refused,
    failure_in,
    is_thought,
    refusal_in,
    text_of,
)
from arag_inspect.systems.live.passage_shapes import flatten
from arag_inspect.systems.live.reply import EndpointReply, TargetError
from arag_inspect.systems.live.usage import check_currency, total

_FIELDS = [name for name in EndpointReply.model_fields if name != "notes"]
PATHS = (*_FIELDS, "passage_text", "passage_id", "passage_doc_id")
"""Parts of an answer whose location in a response can be given."""

OPENAI_PATHS = {
    "text": "$.choices[0].message.content",
    "stop_reason": "$.choices[0].finish_reason",
}
"""Paths in a response of OpenAI's chat completions."""


class ResponseReader:
    """Reads the parts of an answer at their paths."""

    def __init__(
        self, paths: object, usual_paths: Mapping[str, str], show: Callable[[str], str]
    ) -> None:
        """Compile the paths.

        Args:
            paths: JSONPaths by the part of the answer; None for only the usual ones.
            usual_paths: Paths of the parts that are not in `paths`.
            show: Returns the part of a response to show in a message.

        Raises:
            InputError: A part is unknown, or a path is not a JSONPath.
        """
        self._paths = _compile_paths(usual_paths) | _compile_paths(paths)
        self._show = show

    def read(self, text: str) -> object:
        """Return the parts of an answer at the paths, and the rest of the response.

        Raises:
            TargetError: The response is not JSON, reports a failure, or has nothing at a path.
        """
        try:
            check(text.count(","), JSON_VALUES)
            document: Any = json.loads(text)
            matches_by_name = {name: path.find(document) for name, path in self._paths.items()}
        except (ValueError, RecursionError) as error:
            if self._paths or text[:1] in ("{", "["):
                raise TargetError(f"the response is not JSON: {one_line(error)}") from None
            return text
        answer: dict[str, Any] = {
            name: _value(name, matches)
            for name, matches in matches_by_name.items()
            if matches and not name.startswith("passage_")
        }
        if "text" in matches_by_name:
            answer["text"] = self._text(document, matches_by_name["text"])
        if isinstance(answer.get("text"), Refused):
            answer |= {"text": str(answer["text"]), "stop_reason": "content_filter"}
        if "passages" in matches_by_name and not _is_withheld(self._paths["passages"], document):
            answer["passages"] = self._passages(
                [match.value for match in matches_by_name["passages"]]
            )
        if not isinstance(document, dict):
            return answer or document
        named_texts = TEXT_NAMES if "text" in answer else ()
        other_fields = {name: value for name, value in document.items() if name not in named_texts}
        return {**other_fields, **answer}

    def _text(self, document: Any, matches: list[DatumInContext]) -> object:
        """Return the answer at its path, in parts if the path finds several.

        Raises:
            TargetError: Nothing is there, or the response reports a failure.
        """
        root = [document] if isinstance(document, Mapping) else []
        for mapping in (*root, *_enclosing_mappings(matches)):
            failure = failure_in(mapping)
            if failure is not None:
                raise TargetError(f"answered that it failed ({self._show(failure)})")
        parts = [match.value for match in matches if not is_thought(_parent_value(match))]
        text = text_of(parts)
        if isinstance(text, str):
            return text
        if len(parts) == 1 and isinstance(parts[0], Mapping):
            return parts[0]
        refusal = refusal_in(document)
        if refusal is not None:
            return refusal
        raise TargetError(f"nothing found at {self._paths['text']} of {self._show(str(document))}")

    def _passages(self, matches: list[Any]) -> list[Any]:
        """Return the passages, with the text and the ids at the paths within each.

        Raises:
            TargetError: There are too many passages, or all lack values at these paths.
        """
        names = {"text": "passage_text", "chunk_id": "passage_id", "doc_id": "passage_doc_id"}
        inner = {key: self._paths[name] for key, name in names.items() if name in self._paths}
        is_one = len(matches) == 1 and not (inner and isinstance(matches[0], Mapping))
        try:
            passages = flatten(matches[0] if is_one else matches)
        except ValueError as error:
            raise TargetError(f"the answer {error}") from None
        if not inner:
            return passages
        fields_read = [_find_fields(passage, inner) for passage in passages]
        if passages and not any(fields_read):
            paths = ", ".join(map(str, inner.values()))
            raise TargetError(f"nothing found at {paths} of {self._show(str(passages[0]))}")
        return fields_read


def _value(name: str, matches: Sequence[DatumInContext]) -> Any:
    """Return the value at a path: the sum of tokens or dollars, else the first match."""
    values = [match.value for match in matches]
    if name == "cost_usd":
        values = [check_currency(match.value, _parent_value(match)) for match in matches]
    is_amount = name in ("cost_usd", "input_tokens", "output_tokens")
    return total(values) if is_amount else values[0]


def _is_withheld(path: JSONPath, document: Any) -> bool:
    """Return whether a path leads only to null, as `results: null` of a search by OpenAI."""
    matches = path.find(document)
    while not matches and isinstance(path, Child):
        path = path.left
        matches = path.find(document)
    return bool(matches) and all(match.value is None for match in matches)


def _parent_value(match: DatumInContext) -> Any:
    return None if match.context is None else match.context.value


def _enclosing_mappings(matches: Sequence[DatumInContext]) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings around each match, from the inside out."""
    for match in matches:
        context = match.context
        while context is not None:
            if isinstance(context.value, Mapping):
                yield context.value
            context = context.context


def _compile_paths(paths: Any) -> dict[str, JSONPath]:
    if not isinstance(paths, Mapping | None):
        raise InputError(f"paths must be names with JSONPaths, got {paths!r}")
    compiled = {}
    for name, path in (paths or {}).items():
        check_choice("paths", name, PATHS)
        try:
            compiled[name] = parse(path)
        except Exception as error:
            reason = one_line(error)
            raise InputError(f"paths: {name}: {path!r} is not a JSONPath ({reason})") from None
    return compiled


def _find_fields(passage: Any, paths: Mapping[str, JSONPath]) -> dict[str, Any]:
    """Return the first value at each path of a passage."""
    fields = {}
    for key, path in paths.items():
        matches = path.find(passage)
        if matches:
            fields[key] = matches[0].value
    return fields
