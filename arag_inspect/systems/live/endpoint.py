"""An HTTP endpoint as the system under test."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import anyio
import anyio.to_thread
import httpx
import tenacity
import webencodings

from arag_inspect._util import network, secrets
from arag_inspect._util.addresses import hide
from arag_inspect._util.encodable import change_texts
from arag_inspect._util.errors import InputError, check_choice, one_line
from arag_inspect.systems.live.json_paths import OPENAI_PATHS, ResponseReader
from arag_inspect.systems.live.reply import TargetError, excerpt, no_answer_within

Api = Literal["json", "openai-compatible"]

MOST_BYTES = 32_000_000
"""Largest response, in bytes."""

_LONGEST_WAIT = 60.0
"""Longest wait, in seconds, that a server may request before the next attempt."""

_OPENAI_BODY = {"model": "default", "messages": [{"role": "user", "content": "{{question}}"}]}
_FIELD = re.compile(r"\{\{(\w+)\}\}")
_HTML = re.compile(r"<(?:!doctype|html|\?xml)", re.IGNORECASE)
_BINARY = re.compile(r"[\0-\x08]")
_STREAM = re.compile(r"(?:data|event|id|retry):|[0-9a-z]:[\"{\[]")
"""Start of server-sent events, and of a data stream of Vercel's AI SDK."""

_TRY_AGAIN = (408, 425, 429, 500, 502, 503, 504, 529)
_BACKOFF = tenacity.wait_exponential(max=30)


class _RetryableError(TargetError):
    """A failure worth retrying."""

    wait: float | None = None
    """Seconds that the server asks to wait."""


class Endpoint:
    """An endpoint: how to call it, and where the answer is in the response."""

    searches_corpus = False

    def __init__(
        self,
        url: str,
        *,
        fields: Iterable[str] = ("question",),
        api: Api = "json",
        method: str = "POST",
        headers: Any = None,
        body: Any = None,
        paths: Any = None,
        timeout: float = 300,
        retries: int = 3,
    ) -> None:
        """Check the parameters, which `external` describes.

        Args:
            url: The address.
            fields: Names of the placeholders that the body may contain.
            api: Kind of endpoint.
            method: POST, GET or PUT.
            headers: Headers by name.
            body: Body with placeholders; None for the question alone.
            paths: JSONPaths by the part of the answer.
            timeout: Time limit of an attempt, in seconds.
            retries: Further attempts.

        Raises:
            InputError: A parameter is invalid.
        """
        secrets.check_address(url, "target")
        secrets.check_fields(body, "body")
        check_choice("api", api, ("json", "openai-compatible"))
        check_choice("method", method, ("POST", "GET", "PUT"))
        usual_paths = OPENAI_PATHS if api == "openai-compatible" else {}
        self._response = ResponseReader(paths, usual_paths, self._start)
        if api == "openai-compatible":
            address, mark, query = url.partition("?")
            if not address.endswith("/completions"):
                address = f"{address.rstrip('/')}/chat/completions"
            url = address + mark + query
            if not isinstance(body, Mapping | None):
                raise InputError(f"body must be names with values with {api}, got {body!r}")
            body = {**_OPENAI_BODY, **(body or {})}
        # raises if the proxy or certificates cannot be used
        network.client_options(secrets.expand(url, in_address=True))
        self._url = url
        self._api = api
        self._method = method
        self._headers = secrets.check_headers(headers)
        self._body = {"question": "{{question}}"} if body is None else body
        self._timeout = timeout
        self._retries = retries
        try:
            _fill(self._body, dict.fromkeys(fields, ""))
        except KeyError as error:
            names = ", ".join(fields)
            raise InputError(
                f"body names the unknown field {error}; it may contain {names}"
            ) from None

    async def ask(self, fields: Mapping[str, Any], corpus: object = None) -> object:
        """Send a question and return the parts of the answer.

        Args:
            fields: Values of the placeholders of the body.
            corpus: Not used.

        Raises:
            TargetError: There is no usable response.
        """
        attempts = tenacity.AsyncRetrying(
            stop=tenacity.stop_after_attempt(self._retries + 1),
            retry=tenacity.retry_if_exception_type(_RetryableError),
            wait=_wait,
            sleep=anyio.sleep,
            reraise=True,
        )
        body = _fill(change_texts(self._body, secrets.expand), fields)
        text: str = await attempts(self._attempt, body)
        return await anyio.to_thread.run_sync(self._response.read, text)

    def redact(self, text: str) -> str:
        """Replace the endpoint's credentials in a text that is recorded."""
        return secrets.redact(
            text, secrets.find_variables(self._headers, self._url, body=self._body)
        )

    def request(self, fields: Mapping[str, Any]) -> str:
        """Return the request that `ask` sends, with `${NAME}` in place of credentials."""
        body = _fill(self._body, fields)
        if self._method == "GET":
            content = f"?{httpx.QueryParams(body)}"
        else:
            content = httpx.Request(self._method, "http://_", json=body).content.decode()
        headers = (f"{name}: {value}" for name, value in self._headers.items())
        return "\n".join([f"{self._method} {self._url}", *headers, content])

    async def _attempt(self, body: Any) -> str:
        url = secrets.expand(self._url, in_address=True)
        content = {"params": body} if self._method == "GET" else {"json": body}
        headers = change_texts(dict(self._headers), secrets.expand)
        try:
            with anyio.fail_after(self._timeout):
                async with (
                    httpx.AsyncClient(timeout=None, **network.client_options(url)) as client,
                    client.stream(self._method, url, headers=headers, **content) as response,
                ):
                    received = await _read(response)
        except TimeoutError:
            raise _RetryableError(no_answer_within(self._timeout)) from None
        except httpx.TransportError as error:
            raise _RetryableError(network.failure(error, url)) from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise TargetError(f"{type(error).__name__}: {one_line(error)}") from None
        if response.status_code == httpx.codes.ACCEPTED:
            raise TargetError("accepted a job (HTTP 202) instead of answering")
        if not response.is_success:
            raise _refusal(response, self.redact(received.decode("utf-8", "replace")))
        text = _decode_body(response, received)
        kind = response.headers.get("content-type", "")
        if _HTML.match(text):
            kind = "text/html"
        elif _STREAM.match(text):
            kind = "text/event-stream"
        is_json = text[:1] in ("{", "[")  # which frameworks may label as HTML
        is_foreign = not is_json and kind.startswith(("text/html", "text/event-stream"))
        if is_foreign or _BINARY.search(text):
            start = self._start(text)
            raise TargetError(f"returned {kind} instead of plain text or JSON: {start}")
        return text

    def _start(self, text: str) -> str:
        """Return the part of a response that a message shows, redacted before it is cut."""
        return self.redact(text[:10_000])[:200]


def _fill(template: Any, fields: Mapping[str, Any]) -> Any:
    """Replace `{{name}}` by its value; a placeholder alone keeps the type."""
    if isinstance(template, Mapping):
        return {name: _fill(value, fields) for name, value in template.items()}
    if isinstance(template, list | tuple):
        return [_fill(value, fields) for value in template]
    if not isinstance(template, str):
        return template
    placeholder = _FIELD.fullmatch(template)
    if placeholder:
        return fields[placeholder[1]]
    return _FIELD.sub(lambda match: str(fields[match[1]]), template)


async def _read(response: httpx.Response) -> bytes:
    network.check_encoding(response)
    received = bytearray()
    async for part in response.aiter_bytes():
        received += part
        if len(received) > MOST_BYTES:
            raise TargetError(f"the response is larger than {MOST_BYTES:,} bytes")
    return bytes(received)


def _refusal(response: httpx.Response, text: str) -> TargetError:
    """Return the error for an unsuccessful status."""
    reason = f"HTTP {response.status_code} {response.reason_phrase}: {excerpt(text)}"
    if response.status_code in (401, 403):
        reason += " (set its key: -S 'headers={Authorization: \"Bearer ${VARIABLE}\"}')"
    if response.is_redirect:
        location = hide(response.headers.get("location", "elsewhere"))
        reason += f" (redirects to {location}; use the last address)"
    if response.status_code not in _TRY_AGAIN:
        return TargetError(reason)
    error = _RetryableError(reason)
    error.wait = _retry_after(response.headers.get("retry-after", ""))
    if error.wait is not None and error.wait > _LONGEST_WAIT:
        return TargetError(f"{reason} (asks to wait {error.wait:.0f} s)")
    return error


def _retry_after(value: str) -> float | None:
    """Parse a header's seconds, given as a number or a date; else None."""
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    return None


def _wait(state: tenacity.RetryCallState) -> float:
    """Return the seconds to wait: as the server requests, else 1, 2, 4, ..."""
    error = state.outcome.exception() if state.outcome else None
    requested = error.wait if isinstance(error, _RetryableError) else None
    return _BACKOFF(state) if requested is None else requested


def _decode_body(response: httpx.Response, received: bytes) -> str:
    try:
        encoding = webencodings.lookup(response.charset_encoding or "utf-8")
        if encoding is None:  # Python has more, some quadratic
            raise LookupError(f"unknown encoding {response.charset_encoding}")
        return str(encoding.codec_info.decode(received)[0]).lstrip("\ufeff \t\r\n")
    except (UnicodeDecodeError, LookupError) as error:
        raise TargetError(f"the response is not text in UTF-8: {one_line(error)}") from None
