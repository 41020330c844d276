"""Addresses without possible credentials, for display and logs."""

import re
from urllib.parse import unquote

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""Stands for the value of an environment variable."""

PARAMETER = re.compile(r"([?&;#])([^?&;#=/]*)(=?)([^&;#]*)")

_HARMLESS = re.compile(
    "api-version|collection|corpus|dataset|format|index|k|lang|language|limit|locale|mode|model|n"
    "|namespace|offset|order|page|per-page|size|sort|stream|top-k|type|v|version"
)
"""Names of parameters whose values may be recorded; other values are omitted."""

_ADDRESS = re.compile(r"([a-z][a-z\d+.-]{0,30}://)(\S+)", re.IGNORECASE)
_USER = re.compile(r"([^\s/?#:]*|[^\s/?#:\[\]]*:(?!\d{0,5}(?:[/?#]|$))\S*)@")
"""A user, or a user and a password, which may contain a delimiter or another `@`."""

_REFERENCE = re.compile(r"(?:[\w.-]+:)?\$\{\w+\}(?::\$\{\w+\})?")
_TOKEN = re.compile(r"[A-Za-z\d]{20,}")
_TOKEN_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_REVISION = re.compile(r"[\da-f]{40}|[\da-f]{64}")


def hide(text: str) -> str:
    """Replace possible credentials in the addresses of a text by `***`.

    These are user names and passwords, random tokens in paths, and the values of parameters
    whose names are not known to be harmless. Variables, `${NAME}`, stay.
    """
    return _ADDRESS.sub(_hide, text) if "://" in text else text


def _hide(address: re.Match[str]) -> str:
    scheme, remainder = address.groups()
    is_web = scheme.lower().startswith(("http", "ws"))
    user = _USER.match(remainder)
    if user and (is_web or ":" in user[1]) and not _REFERENCE.fullmatch(user[1]):
        remainder = f"***{remainder[user.end() - 1 :]}"
    end = next((match.start() for match in re.finditer("[?#;&]", remainder)), len(remainder))
    host, slash, path = remainder[:end].partition("/")
    path = _TOKEN.sub(_hide_random, path) if is_web else path
    return f"{scheme}{host}{slash}{path}{PARAMETER.sub(_hide_value, remainder[end:])}"


def _hide_random(token: re.Match[str]) -> str:
    """Hide tokens whose letters and digits alternate unlike a name, except repository revisions."""
    parts = _TOKEN_PART.findall(token[0])
    has_digits = any(part.isdecimal() for part in parts)
    is_random = has_digits and len(token[0]) < 3 * len(parts) and not _REVISION.fullmatch(token[0])
    return "***" if is_random else token[0]


def _hide_value(parameter: re.Match[str]) -> str:
    mark, name, equals, value = parameter.groups()
    if not equals:
        value = name + value
        name = ""
    if is_harmless(name) and "?" in value:
        return f"{mark}{name}={value.partition('?')[0]}?***"
    is_shown = not value or VARIABLE.fullmatch(value) or is_harmless(name or value)
    if is_shown or (mark == "#" and not name):
        return parameter[0]
    return f"{mark}{name}{equals}***"


def is_harmless(parameter: str) -> bool:
    """Return whether the value of a parameter may be recorded, by its name."""
    return bool(_HARMLESS.fullmatch(unquote(parameter).lower().replace("_", "-")))
