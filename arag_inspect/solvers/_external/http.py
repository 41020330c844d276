"""An HTTP endpoint as the system under test."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import anyio
import httpx
from jsonpath_ng import JSONPath
from jsonpath_ng.ext.parser import parse
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

from ..._util.addresses import hide
from ..._util.encodable import change_texts
from ..._util.errors import InputError, check_choice, one_line
from ..._util.network import client_options, failure
from ..._util.secrets import check_address, check_fields, check_headers, expand, redact, referenced
from .reply import TargetError

Api = Literal["json", "openai-compatible"]

MOST_BYTES = 32_000_000
"""Largest response, in bytes."""

LONGEST_WAIT = 60.0
"""Longest wait, in seconds, that a server may request before the next attempt."""

PATHS = (
    "text",
    "passages",
    "passage_text",
    "passage_id",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "steps",
)
"""Parts of an answer whose location in a response can be given."""

_OPENAI_BODY = {"model": "default", "messages": [{"role": "user", "content": "{{question}}"}]}
_OPENAI_PATHS = {"text": "$.choices[0].message.content"}
_STOPS = {"length": "max_tokens", "content_filter": "content_filter"}
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504, 529)


class _Again(TargetError):
    """A failure that another attempt may resolve."""

    wait: float | None = None
    """Seconds that the server asks to wait."""


@dataclass(frozen=True)
class Endpoint:
    """How to call an endpoint, and where the answer is in the response."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: Any
    paths: Mapping[str, JSONPath]
    api: Api
    timeout: float
    retries: int

    async def ask(self, fields: Mapping[str, Any]) -> object:
        """Send a question and return the parts of the answer.

        Args:
            fields: Values of the placeholders of the body.

        Raises:
            TargetError: There is no usable response.
        """
        attempts = AsyncRetrying(
            stop=stop_after_attempt(self.retries + 1),
            retry=retry_if_exception_type(_Again),
            wait=_wait,
            sleep=anyio.sleep,
            reraise=True,
        )
        body = _fill(change_texts(self.body, expand), fields)
        text: str = await attempts(self._attempt, body)
        return self._parts(text)

    def redact(self, text: str) -> str:
        """Replace the endpoint's credentials in a text that is recorded."""
        return redact(text, referenced(self.headers, self.url, body=self.body))

    def written(self, fields: Mapping[str, Any]) -> str:
        """Return the request that `ask` sends, with `${NAME}` in place of credentials."""
        body = _fill(self.body, fields)
        if self.method == "GET":
            content = f"?{httpx.QueryParams(body)}"
        else:
            content = httpx.Request(self.method, "http://_", json=body).content.decode()
        headers = (f"{name}: {value}" for name, value in self.headers.items())
        return "\n".join([f"{self.method} {self.url}", *headers, content])

    async def _attempt(self, body: Any) -> str:
        scope = anyio.move_on_after(self.timeout)
        with scope:
            try:
                return await self._send(body)
            except httpx.TransportError as error:
                reason = failure(error, self._address())
                if isinstance(error, httpx.ConnectError):
                    reason += "; is the service running at this address?"
                raise _Again(reason) from None
            except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError, ValueError) as error:
                raise TargetError(f"{type(error).__name__}: {one_line(error)}") from None
        raise _Again(f"gave no answer within {self.timeout:g} s")

    async def _send(self, body: Any) -> str:
        content = {"params": body} if self.method == "GET" else {"json": body}
        url = self._address()
        headers = change_texts(dict(self.headers), expand)
        async with (
            # the attempt has its own limit
            httpx.AsyncClient(timeout=None, **client_options(url)) as client,
            client.stream(self.method, url, headers=headers, **content) as response,
        ):
            received = bytearray()
            async for part in response.aiter_bytes():
                received += part
                if len(received) > MOST_BYTES:
                    raise TargetError(f"the response is larger than {MOST_BYTES:,} bytes")
        _check_status(response, self.redact(received.decode("utf-8", "replace")))
        return _decode(response, bytes(received))

    def _address(self) -> str:
        return expand(self.url, in_address=True)

    def _parts(self, text: str) -> object:
        try:
            document: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            if self.paths or text.lstrip()[:1] in ("{", "["):
                raise TargetError(f"the response is not JSON: {one_line(error)}") from None
            return text
        parts: dict[str, Any] = {
            name: [match.value for match in path.find(document)]
            for name, path in self.paths.items()
            if not name.startswith("passage_")
        }
        if "text" in parts and not parts["text"]:
            raise TargetError(f"nothing found at {self.paths['text']}; {_outline(document)}")
        answer = {
            name: values[0] for name, values in parts.items() if values and name != "passages"
        }
        if "passages" in parts:
            answer["passages"] = self._passages(parts["passages"])
        if self.api == "openai-compatible":
            reason = parse("$.choices[0].finish_reason").find(document)
            answer["stop_reason"] = _STOPS.get(reason[0].value if reason else "", "stop")
        if isinstance(document, dict):
            return {**document, **answer}
        return answer or document

    def _passages(self, matches: list[Any]) -> list[Any]:
        passages = matches[0] if len(matches) == 1 and isinstance(matches[0], list) else matches
        inner_paths = {
            name: self.paths[path]
            for name, path in (("text", "passage_text"), ("chunk_id", "passage_id"))
            if path in self.paths
        }
        if not inner_paths:
            return list(passages)
        return [
            {
                name: match[0].value
                for name, path in inner_paths.items()
                if (match := path.find(passage))
            }
            for passage in passages
        ]


def make_endpoint(
    url: str,
    *,
    api: Api,
    method: str,
    headers: Any,
    body: Any,
    paths: Any,
    timeout: float,
    retries: int,
) -> Endpoint:
    """Check the parameters of an endpoint.

    Raises:
        InputError: A parameter is invalid.
    """
    check_address(url, "target")
    check_fields(body, "body")
    check_choice("api", api, ("json", "openai-compatible"))
    check_choice("method", method, ("POST", "GET", "PUT"))
    if api == "openai-compatible":
        address, mark, query = url.partition("?")
        if not address.endswith("/completions"):
            address = f"{address.rstrip('/')}/chat/completions"
        url = address + mark + query
        if not isinstance(body, Mapping | None):
            raise InputError("body must be names with values where the api is openai-compatible")
        body = {**_OPENAI_BODY, **(body or {})}
        paths = {**_OPENAI_PATHS, **(paths or {})}
    client_options(expand(url, in_address=True))  # the environment's settings can be used
    return Endpoint(
        url=url,
        method=method,
        headers=check_headers(headers),
        body={"question": "{{question}}"} if body is None else body,
        paths=_compile_paths(paths),
        api=api,
        timeout=timeout,
        retries=retries,
    )


def _compile_paths(paths: Any) -> dict[str, JSONPath]:
    if not isinstance(paths, Mapping | None):
        raise InputError(f"paths must be names with JSONPaths, got {type(paths).__name__}")
    compiled = {}
    for name, path in (paths or {}).items():
        check_choice("paths", name, PATHS)
        try:
            compiled[name] = parse(path)
        except Exception as error:
            raise InputError(
                f"paths: {name}: {path!r} is not a JSONPath ({one_line(error)})"
            ) from None
    return compiled


def check_body(body: Any, fields: Mapping[str, Any]) -> None:
    """Raise if the body has a placeholder without a value.

    Raises:
        InputError: Names the placeholder and the known ones.
    """
    try:
        _fill(body, fields)
    except KeyError as error:
        names = ", ".join(fields)
        raise InputError(f"body names the unknown field {error}; it may hold {names}") from None


def _fill(template: Any, fields: Mapping[str, Any]) -> Any:
    """Replace `{{name}}` by its value; a placeholder alone keeps the type."""
    if isinstance(template, Mapping):
        return {name: _fill(value, fields) for name, value in template.items()}
    if isinstance(template, list | tuple):
        return [_fill(value, fields) for value in template]
    if not isinstance(template, str):
        return template
    if placeholder := _FIELD.fullmatch(template):
        return fields[placeholder[1]]
    return _FIELD.sub(lambda match: str(fields[match[1]]), template)


def _check_status(response: httpx.Response, text: str) -> None:
    if response.is_success:
        return
    message = " ".join(text.split())[:300]
    reason = f"HTTP {response.status_code} {response.reason_phrase}"
    reason += f": {message}" if message else ""
    if response.is_redirect:
        location = hide(response.headers.get("location", "elsewhere"))
        raise TargetError(f"{reason} (redirects to {location}; give the last address)")
    if response.status_code not in _TRY_AGAIN:
        raise TargetError(reason)
    error = _Again(reason)
    error.wait = _retry_after(response.headers.get("retry-after", ""))
    if error.wait is not None and error.wait > LONGEST_WAIT:
        raise TargetError(f"{reason} (asks to wait {error.wait:.0f} s)")
    raise error


def _retry_after(value: str) -> float | None:
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _wait(state: RetryCallState) -> float:
    """Return the seconds to wait: as the server asks, else 1, 2, 4, ..."""
    error = state.outcome.exception() if state.outcome else None
    delay = error.wait if isinstance(error, _Again) else None
    return min(2.0 ** (state.attempt_number - 1), 30.0) if delay is None else delay


def _decode(response: httpx.Response, received: bytes) -> str:
    try:
        text = received.decode(response.charset_encoding or "utf-8")
    except (UnicodeDecodeError, LookupError) as error:
        raise TargetError(f"the response is not text in UTF-8: {one_line(error)}") from None
    start = text.lstrip("\ufeff \t\r\n")
    if "event-stream" in response.headers.get("content-type", ""):
        raise TargetError(
            "answered with a stream of events; ask for a whole answer (stream: false)"
        )
    if "html" in response.headers.get("content-type", "") or re.match(
        r"<(?:!doctype|html)", start, re.IGNORECASE
    ):
        title = re.search(r"<title[^>]*>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        label = f", {' '.join(title[1].split())[:100]!r}" if title else ""
        raise TargetError(f"answered with an HTML page{label}")
    return start


def _outline(document: Any) -> str:
    if isinstance(document, dict):
        return f"the response holds {', '.join(map(str, list(document)[:10])) or 'nothing'}"
    return f"the response is a {type(document).__name__}"
