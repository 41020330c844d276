"""Tests of credential redaction in logs, messages and files."""

import base64
import html
import json
import logging
import os
import re
import string
from collections.abc import Callable
from unittest.mock import patch
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect._util.addresses import hide, is_harmless
from arag_inspect._util.errors import InputError
from arag_inspect._util.network import prepare_clients
from arag_inspect._util.secrets import (
    check_address,
    check_arguments,
    check_fields,
    check_headers,
    find_variables,
    redact,
)
from tests.linear import is_linear
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

SECRET = "Zq7-w0rth/hiding+1"

HEADERS = TABLES["headers"]
PARAMETERS = TABLES["parameters"]

token = st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=20)
value = st.text(string.ascii_letters + string.digits + "-._~/+=@:?!", min_size=8, max_size=40)


def refusal(check: Callable[[], object]) -> str:
    with pytest.raises(InputError) as raised:
        check()
    return raised.value.message


@pytest.mark.parametrize("name", HEADERS)
def test_literal_credential_in_header_is_rejected(name: str) -> None:
    for literal in (SECRET, f"Bearer {SECRET}", f"{SECRET} ${{HOME}}", f"${{HOME}}{SECRET}"):
        assert SECRET not in refusal(lambda: check_headers({name: literal}))  # noqa: B023
    for reference in ("${HOME}", "Bearer ${HOME}", "session=${HOME}", "${HOME}${PATH}"):
        assert check_headers({name: reference}) == {name: reference}


def test_harmless_headers_are_accepted() -> None:
    headers = {"Accept": "application/json", "user-agent": "bench/1", "Content-Type": "text/plain"}
    assert check_headers(headers) == headers


@given(name=token.map(lambda name: f"X-{name}"), secret=value)
def test_literal_value_of_any_unknown_header_is_rejected(name: str, secret: str) -> None:
    assert secret not in refusal(lambda: check_headers({name: secret})).replace(name, "")


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("form", ["http://h/a?{}={}", "https://h:1/?k=3&{}={}", "ws://h/a;{}={}#x"])
def test_credential_in_url_parameter_is_hidden(name: str, form: str) -> None:
    address = form.format(name, SECRET)
    assert SECRET not in hide(f"GET {address} failed") and name in hide(address)
    assert SECRET not in refusal(lambda: check_address(address, "target"))
    check_address(form.format(name, "${HOME}"), "target")


@given(name=token.filter(lambda name: not is_harmless(name)), secret=value)
def test_value_of_any_unknown_url_parameter_is_hidden(name: str, secret: str) -> None:
    for mark in "?&;#":
        start = f"https://host/path?k=3{mark}"
        assert hide(f"{start}{name}={secret}") == f"{start}{'' if mark == '?' else f'{name}='}***"
        message = refusal(lambda: check_address(f"{start}{name}={secret}", "target"))  # noqa: B023
        assert secret not in message.replace(name, "")


@given(user=token, secret=value.filter(lambda text: not re.match(r"\d{0,5}[/?]", text)))
def test_url_password_is_hidden(user: str, secret: str) -> None:
    for address in (f"http://{user}:{secret}@host:80/x", f"ftp://{user}:{secret}@host/x"):
        assert secret not in hide(address) and "://***@" in hide(address)
    assert hide(f"https://{re.sub('[:/?]', '', secret)}x@host/x") == "https://***@host/x"
    assert secret not in InputError(f"https://{user}:{secret}@host failed").message


@pytest.mark.parametrize("address", TABLES["harmless addresses"])
def test_harmless_url_is_left_unchanged(address: str) -> None:
    assert hide(f"see {address}") == f"see {address}"


PATHS = [
    "https://hooks.example/services/T0A1B2C3D/B0A1B2C3D/{}",
    "https://api.example:8443/bot123456:{}/ask?k=3",
    "ws://host/v1/{}#top",
]


@pytest.mark.parametrize("address", PATHS)
@pytest.mark.parametrize(
    "secret",
    ["AAHdqTcvCH1vGWJxfSeofSAs0K5", "9f86d081884c7d659a2feaa0c55ad015", "4Xq9Zt7Rk2Lm8Pw5Ns3V"],
)
def test_token_in_url_path_is_hidden(address: str, secret: str) -> None:
    assert hide(address.format(secret)) == address.format("***")
    assert secret not in refusal(lambda: check_address(address.format(secret), "target"))
    check_address(address.format("${HOME}"), "target")


@pytest.mark.parametrize(
    "body", [{"api_key": SECRET}, {"auth": [{"token": SECRET}]}, {"a": {"client-secret": SECRET}}]
)
def test_credential_in_request_body_is_rejected(body: object) -> None:
    assert SECRET not in refusal(lambda: check_fields(body, "body"))
    harmless = {"api_key": "${HOME}", "max_tokens": 4000, "keywords": "{{question}}", "key": "year"}
    check_fields(harmless, "body")


@pytest.mark.parametrize("option", ["--api-key {}", "--token={}", "-e API_TOKEN={}"])
def test_credential_on_command_line_is_rejected(option: str) -> None:
    assert SECRET not in refusal(lambda: check_arguments(option.format(SECRET).split()))
    check_arguments(["server.py", "--port", "8000", "--key-file", "/etc/keys/server-1.pem"])


def twice(text: str) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "url": lambda text: quote(text, safe=""),
    "url, small letters": lambda text: quote(text, safe="").lower(),
    "form": quote_plus,
    "url twice": lambda text: quote(quote(text, safe=""), safe=""),
    "html": html.escape,
    "html, decimal": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "html, hexadecimal": lambda text: "".join(f"&#x{ord(c):X};" for c in text),
    "json": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "json, escaped": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of a header": lambda text: base64.b64encode(f"Bearer {text}".encode()).decode(),
    "base64 of a pair": lambda text: base64.b64encode(f"me:{text}:x".encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 in an address": lambda text: quote(base64.b64encode(text.encode()).decode(), safe=""),
    "hexadecimal": lambda text: text.encode().hex(),
    "base64 twice": lambda text: twice(f"me:{text}"),
    "hexadecimal in base64": lambda text: base64.b64encode(text.encode().hex().encode()).decode(),
    "base64 in hexadecimal": lambda text: base64.b64encode(text.encode()).hex(),
    "base64 twice, in an address": lambda text: quote(twice(text), safe=""),
    "capitals": str.upper,
    "small letters": str.lower,
    "capitals and small letters": str.swapcase,
    "url, capitals": lambda text: quote(text, safe="").upper(),
    "html, capitals": lambda text: html.escape(text).upper(),
    "json, capitals": lambda text: json.dumps(text)[1:-1].upper(),
    "json of capitals, escaped": lambda text: "".join(f"\\u{ord(c):04x}" for c in text.upper()),
    "base64 of capitals": lambda text: base64.b64encode(text.upper().encode()).decode(),
    "base64 of small letters": lambda text: base64.b64encode(
        f"me:{text.lower()}".encode()
    ).decode(),
    "hexadecimal of capitals, in capitals": lambda text: text.upper().encode().hex().upper(),
}
credential = st.text(string.printable[:95] + "éß€", min_size=8, max_size=40).filter(
    lambda text: text == text.strip() and len(set(text)) > 4
)


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@settings(max_examples=20)
@given(secret=credential)
def test_redact_replaces_secret_in_every_encoding(
    encode: Callable[[str], str], secret: str
) -> None:
    with patch.dict(os.environ, {"THE_TOKEN": secret}):
        echo = redact(f"You sent <{encode(secret)}>, and that is all.")
    assert encode(secret) not in echo and "${THE_TOKEN}" in echo
    assert echo.startswith("You sent <") and echo.endswith(">, and that is all.")


@pytest.mark.parametrize("name", HEADERS)
def test_variables_referenced_in_headers_or_urls_are_redacted(name: str) -> None:
    with patch.dict(os.environ, {"PLAIN": SECRET, "USED": "dXNlcjpodW50ZXIyLTEyMw=="}):
        variables = find_variables({name: "${PLAIN}", "X-Basic": "Basic ${USED}"}, "http://h")
        assert redact(f"{SECRET}, user:hunter2-123", variables) == "${PLAIN}, ${USED}"
    with patch.dict(os.environ, {"PLAIN": SECRET}):
        for address in ("http://h/?sig=${PLAIN}", "http://${PLAIN}@h"):
            assert redact(SECRET, find_variables({}, address)) == "${PLAIN}"


@pytest.mark.parametrize(
    "word", ["revenue", "quarterly", "Operating income", "FY2023-Q4", "north-america", "10-K 2023"]
)
def test_redact_keeps_ordinary_words(word: str) -> None:
    with patch.dict(os.environ, {"TENANT": word, "API_KEY": "short", "DEPTH": "12345678"}):
        variables = find_variables({"X-Tenant": "${TENANT}"}, "http://h/?region=${TENANT}")
        text = f"Total {word} was $4.2 billion; short of 12345678."
        assert redact(text, variables) == text


def test_redact_takes_linear_time_in_text_length() -> None:
    text = "Revenue rose 5% &amp; margins fell; AbC/+ " * 20_000
    with patch.dict(os.environ, {"THE_TOKEN": SECRET}):
        assert is_linear(lambda length: redact(text[:length]), 200_000)
        assert redact(text) == text
        assert redact(text + quote(SECRET, safe="")).endswith("${THE_TOKEN}")


@pytest.mark.parametrize("sign", ["&#{}", "&#x{};", "%26%23{}", "&amp;#{}", "\\u0026#{}"])
def test_redact_accepts_character_references_of_any_length(sign: str) -> None:
    text = sign.format("1" * 5000)
    with patch.dict(os.environ, {"THE_TOKEN": SECRET}):
        assert redact(text) == text
        assert redact(f"{text} {quote(SECRET, safe='')}").endswith(" ${THE_TOKEN}")


def test_httpx_log_hides_credentials_in_urls(caplog: pytest.LogCaptureFixture) -> None:
    prepare_clients()
    with caplog.at_level(logging.INFO, "httpx"):
        logging.getLogger("httpx").info(
            'HTTP Request: GET %s "%s"', f"http://h/?sig={SECRET}", "OK"
        )
    assert SECRET not in caplog.text and "sig=***" in caplog.text
