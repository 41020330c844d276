"""Keep credentials, which the environment contains, out of logs and messages."""

import base64
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from itertools import pairwise
from urllib.parse import quote, unquote

from .addresses import PARAMETER, VARIABLE, hide
from .errors import InputError

_HARMLESS = re.compile(
    "accept|accept-(?:charset|encoding|language)|api-version|anthropic-version|cache-control"
    "|connection|content-(?:encoding|language|length|type)|date|expect|host|origin|pragma|prefer"
    "|user-agent|x-requested-with",
    re.IGNORECASE,
)
"""Names of headers whose values may be recorded; other values are omitted."""

_SCHEMES = re.compile(
    r"(?:(?:ApiKey|Api-Key|Basic|Bearer|Digest|DPoP|Key|Negotiate|Token|[\w-]{1,32}=)\s*)?",
    re.IGNORECASE,
)
"""Text allowed before a variable: the scheme of `Authorization`, or a cookie's name."""

_SECRET = (
    r"(?:^|[_-])(?:auth|authorization|[^\W_]*key|token|secret|password|passwd|pwd|passphrase"
    r"|cookie|credential|jwt|pat|signature|sig|sas)s?"
)
_SECRET_FIELD = re.compile(_SECRET + "$", re.IGNORECASE)
"""Names of fields and options that contain credentials."""

_SECRET_VARIABLE = re.compile(_SECRET + "(?:_|$)", re.IGNORECASE)
"""Matches API_KEY and not TOKENIZERS_PARALLELISM."""

_NO_SIGN = re.compile(r"&#\d{99,}")
"""Not a valid character reference; above 4,300 digits, `unescape` raises."""

_SHORTEST = 8
"""Fewest characters of a value that is redacted; shorter ones occur in ordinary text."""

_WORD = re.compile(r"[A-Z]?[a-z]{0,16}|[A-Z]{1,16}|\d{1,4}|\d{1,2}[KQ]|(?:(?:FY|Q|H)\d{1,4})+")
"""Matches the parts of `Total assets` and `FY2023-Q4`, which only their names make credentials."""


def check_address(address: str, place: str) -> None:
    """Raise if a recorded address contains a credential or an unset variable.

    Raises:
        InputError: Shows the address without the value.
    """
    hidden = hide(address)
    if hidden != address:
        raise InputError(
            f"{place} must not contain a credential, as {hidden} does: it is written to logs; keep "
            f"the value in an environment variable and write ${{VARIABLE}} in its place (in "
            "single quotes)"
        )
    _check_set(address, place)


def check_headers(headers: object) -> dict[str, str]:
    """Return headers as text; raise if one would put a credential into the log.

    Raises:
        InputError: A value is literal under a name that is not known to be harmless, or a
            variable is not set.
    """
    if not isinstance(headers, Mapping | None):
        raise InputError(f"headers must be names with values, got {type(headers).__name__}")
    texts = {str(name): str(value) for name, value in (headers or {}).items()}
    for name, value in texts.items():
        before, *others = VARIABLE.split(value)[::2]
        is_reference = (
            bool(others) and _SCHEMES.fullmatch(before) and not any(map(str.strip, others))
        )
        if value and not (is_reference or _HARMLESS.fullmatch(name)):
            raise InputError(
                f"the value of header {name} would be written to the log; keep it in an "
                f"environment variable and use {name}: ${{VARIABLE}}"
            )
        _check_set(value, f"header {name}")
    return texts


def _check_set(text: str, place: str) -> None:
    for variable in VARIABLE.findall(text):
        if not os.environ.get(variable):
            raise InputError(f"{place} needs the environment variable {variable}")


def expand(text: str, *, in_address: bool = False) -> str:
    """Replace `${NAME}` by the value of an environment variable, quoted in an address."""

    def value(match: re.Match[str]) -> str:
        text = os.environ.get(match[1], "")
        return quote(text, safe="") if in_address else text

    return VARIABLE.sub(value, text)


def check_fields(fields: object, place: str) -> None:
    """Raise if a field named like a credential contains a literal credential.

    Args:
        fields: Lists and mappings, such as a request's body.
        place: Their name in messages.

    Raises:
        InputError: States the field, or an unset variable.
    """
    for name, text in _fields(fields):
        _check_set(text, place)
        _check_field(name, text, f"the value of {name} in {place}")


def check_arguments(arguments: Sequence[str]) -> None:
    """Raise if a command-line option named like a credential contains a literal credential.

    Raises:
        InputError: States the option.
    """
    for argument, following in pairwise((*arguments, "")):
        name, equals, value = argument.partition("=")
        if argument.startswith("-") or equals:
            _check_field(name, value if equals else following, f"the value of {name}")


def _check_field(name: str, text: str, place: str) -> None:
    is_literal = not VARIABLE.search(text) and "{{" not in text
    if is_literal and _is_credential(text, is_named=False) and _SECRET_FIELD.search(name):
        raise InputError(f"{place} would be written to the log; keep it in an environment variable")


def _fields(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts within lists and mappings, each with its name."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _fields(item, str(key))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _fields(item, name)


def find_variables(
    headers: Mapping[str, str], address: str, body: object = None
) -> dict[str, bool]:
    """Return the variables in a request, and whether a name marks each as a secret."""
    fields = [field for field in headers.items() if not _HARMLESS.fullmatch(field[0])]
    fields += [(match[2], match[4]) for match in PARAMETER.finditer(address)]
    fields += [("password", address.partition("?")[0]), *_fields(body)]
    variables: dict[str, bool] = {}
    for field, text in fields:
        for name in VARIABLE.findall(text):
            is_secret = any(map(_SECRET_VARIABLE.search, (field.replace("-", "_"), name)))
            variables[name] = variables.get(name, False) or is_secret
    return variables


def redact(text: str, variables: Mapping[str, bool] | None = None) -> str:
    """Replace the values of credentials by `${NAME}`, in any case and in encoded forms.

    The forms are URL, HTML, JSON, base64 and hexadecimal; the last two may also be nested once.

    A credential has at least eight characters. It is the value of a variable named like a
    credential, or of a variable in a header, an address or a body, unless an ordinary word.

    Args:
        text: Text to be logged.
        variables: Result of `find_variables`.
    """
    passed_variables = variables or {}
    credentials = {}
    for name, value in os.environ.items():
        if name not in passed_variables and not _SECRET_VARIABLE.search(name):
            continue
        is_named = passed_variables.get(name, True)
        for form in _credential_forms(value.strip()):
            if _is_credential(form, is_named=is_named):
                credentials[form] = name
    for secret in sorted(credentials, key=len, reverse=True):
        mark = f"${{{credentials[secret]}}}"
        for coded in (secret, *_encodings(secret)):
            text = _hide_secret(text, coded, (_unescape(coded), *_encodings(coded)), mark)
        for changed in {secret.upper(), secret.lower()} - {secret}:
            text = _hide_secret(text, changed, _encodings(changed), mark)
    return text


def _hide_secret(text: str, secret: str, forms: Iterable[str], mark: str) -> str:
    """Replace a secret and its other forms, even where escapes hide them."""
    text = _replace(text, secret, mark)
    for form in forms:
        for decoded_text in _readings(text):
            if len(form) >= _SHORTEST // 2 and form.casefold() in _fold(decoded_text):
                text = _replace(decoded_text, form, mark)
    return text


def _replace(text: str, secret: str, mark: str) -> str:
    """Replace a secret, ignoring case."""
    if secret.casefold() not in _fold(text):
        return text
    spellings = "|".join(map(re.escape, (secret, secret.upper(), secret.lower())))  # ß is SS
    return re.sub(spellings, lambda _: mark, text, flags=re.IGNORECASE)


@lru_cache(maxsize=8)
def _fold(text: str) -> str:
    return text.casefold()


def _is_credential(value: str, *, is_named: bool) -> bool:
    """Return whether a value is a credential, given whether its name marks it as one."""
    is_prose = all(map(_WORD.fullmatch, re.split(r"[\W_]+", value)))
    return len(value) >= _SHORTEST and (is_named or not is_prose)


def _credential_forms(value: str) -> Iterable[str]:
    """Yield a credential and, if it is `user:password` in base64, the decoded forms."""
    yield value
    if len(value) % 4 == 0 and re.fullmatch(r"[\w+/-]+=*", value):
        try:
            text = base64.b64decode(value, altchars=b"-_" if "-" in value or "_" in value else None)
            user, colon, password = text.decode("ascii").partition(":")
        except ValueError:
            return
        if colon and f"{user}{password}".isprintable():
            yield f"{user}:{password}"
            yield password


@lru_cache(maxsize=8)
def _readings(text: str) -> tuple[str, ...]:
    """Return a text without escapes; if it has `+`, also a version with spaces instead."""
    return tuple(map(_unescape, (text, text.replace("+", " ")) if "+" in text else (text,)))


def _unescape(text: str) -> str:
    """Return a text without the escapes of JSON, URL and HTML, and without backslashes."""
    for _ in range(4):
        decoded = text
        if "\\" in decoded:
            decoded = re.sub(
                r"\\+[uU]([\da-fA-F]{4})", lambda match: chr(int(match[1], 16)), decoded
            )
            decoded = decoded.replace("\\", "")
        decoded = unescape(_NO_SIGN.sub("", unquote(decoded)))
        if decoded == text:
            break
        text = decoded
    return text


@lru_cache(maxsize=2048)
def _encodings(secret: str) -> tuple[str, ...]:
    """Return the base64 and hexadecimal forms of a secret within any text."""
    data = secret.encode("utf-8", "surrogatepass")
    cores = []
    for shift in range(3):
        text = base64.b64encode(bytes(shift) + data).decode().rstrip("=")
        is_whole = (shift + len(data)) % 3 == 0  # else the last character depends on what follows
        cores.append(text[(0, 2, 3)[shift] : len(text) - (not is_whole)])
    cores += [core.translate(str.maketrans("+/", "-_")) for core in cores]
    return (*dict.fromkeys(cores), data.hex())
