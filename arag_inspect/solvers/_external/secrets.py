"""Credentials of a target: read from the environment, kept out of logs."""

import os
import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from ..._util.errors import InputError

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_CREDENTIAL = re.compile(r"auth|key|token|secret|password|cookie|credential", re.IGNORECASE)
_VARIABLE_NAME = re.compile(
    r"(?:auth|authorization|key|token|secret|password|cookie|credential)s?(?:_|$)", re.IGNORECASE
)
"""Matches API_KEY and not TOKENIZERS_PARALLELISM."""

_SHORTEST, _SHORTEST_UNNAMED = 4, 8
"""Characters of a value worth hiding, in variables that headers name and in others; shorter ones
occur in ordinary text.
"""


def check_headers(headers: object) -> dict[str, str]:
    """Raise if a header would put a credential into the log.

    Raises:
        InputError: A credential is written out, or a variable is not set.
    """
    if not isinstance(headers, Mapping | None):
        raise InputError(f"headers must be names with values, got {type(headers).__name__}")
    texts = {str(name): str(value) for name, value in (headers or {}).items()}
    for name, value in texts.items():
        variables = _VARIABLE.findall(value)
        if _CREDENTIAL.search(name) and not variables:
            raise InputError(
                f"header {name} would be written to the log; keep its value in an environment "
                f"variable and give {name}: ${{VARIABLE}}"
            )
        if unset := [variable for variable in variables if not os.environ.get(variable)]:
            raise InputError(f"header {name} needs the environment variable {unset[0]}")
    return texts


def check_url(url: str) -> None:
    """Raise if an address contains a credential: addresses are logged.

    Raises:
        InputError: It contains one, or is not an address.
    """
    try:
        parts = urlsplit(url)
        names = [name for name, _ in parse_qsl(parts.query) if _CREDENTIAL.search(name)]
    except ValueError as error:
        raise InputError(f"target is not an address: {error}") from None
    if not parts.hostname:
        raise InputError(f"target {url!r} names no host")
    if parts.password is not None or parts.username is not None or names:
        what = f"the parameter {names[0]}" if names else "a user name or password"
        raise InputError(f"target must not hold {what}: it is logged; use headers instead")


def expand(headers: Mapping[str, str]) -> dict[str, str]:
    """Replace `${NAME}` by the values of environment variables."""
    return {
        name: _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), value)
        for name, value in headers.items()
    }


def redact(text: str, headers: Mapping[str, str]) -> str:
    """Replace the values of credentials by `${NAME}`.

    Args:
        text: Text to be logged.
        headers: As given; the variables that they name are hidden, and every long value of
            the environment that is named like a credential.
    """
    variables = {name for value in headers.values() for name in _VARIABLE.findall(value)}
    secret = {
        value: name
        for name, value in os.environ.items()
        if (name in variables and len(value.strip()) >= _SHORTEST)
        or (_VARIABLE_NAME.search(name) and len(value.strip()) >= _SHORTEST_UNNAMED)
    }
    for value in sorted(secret, key=len, reverse=True):
        text = text.replace(value, f"${{{secret[value]}}}")
    return text
