"""Addresses as they may be shown and recorded: without what may be a credential."""

import re
from collections.abc import Iterator
from urllib.parse import unquote

VARIABLE = re.compile(r"\$\{(\w+)\}")
"""Stands for the value of an environment variable."""

_HARMLESS = re.compile(
    "api-version|collection|corpus|dataset|format|index|k|lang|language|limit|locale|mode|model|n"
    "|namespace|offset|order|page|per-page|size|sort|stream|top-k|type|v|version"
)
"""Names of parameters whose values may be recorded; every other value is left out."""

_TOKEN = re.compile(r"[A-Za-z\d]{20,}")
_TOKEN_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_REVISION = re.compile(r"[\da-f]{40}|[\da-f]{64}")

_ADDRESS = re.compile(r"([a-z][a-z\d+.-]{0,30}://)(\S+)", re.IGNORECASE)
_PORT = re.compile(r"(?:\[[^]]*\]|[^:@\[\]]*)(?::\d{0,5})?")
PARAMETER = re.compile(r"([?&;#])([^?&;#=/]*)(=?)([^&;#]*)")
_HIDDEN = "***"


def hide(text: str) -> str:
    """Replace what may be a credential in the addresses of a text by `***`.

    These are user names and passwords, and the values of parameters whose names are
    not known to be harmless. Variables, `${NAME}`, stay.
    """
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda match: "".join(part for part, _ in parts(*match.groups())), text)


def parts(scheme: str, rest: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of an address to be shown, each with what is hidden in it, if anything.

    Args:
        scheme: With `://`.
        rest: What follows.
    """
    yield scheme, ""
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    if "@" in rest and not _PORT.fullmatch(authority):
        is_user = "@" in authority and ":" not in authority.partition("@")[0]
        if not is_user:  # a password, perhaps with a delimiter in it
            last = rest.rindex("@")
            authority = rest[:last] + re.split("[/?#]", rest[last:], maxsplit=1)[0]
    user, at, host = authority.rpartition("@")
    if at:
        alone = ":" not in user and not scheme.lower().startswith(("http", "ws"))
        hidden = not alone and not re.fullmatch(r"(?:[\w.-]+:)?\$\{\w+\}(?::\$\{\w+\})?", user)
        yield f"{_HIDDEN if hidden else user}@", "a user name or password" if hidden else ""
    yield host, ""
    rest = rest[len(authority) :]
    path = re.split(r"[?#;&]", rest, maxsplit=1)[0]
    if scheme.lower().startswith(("http", "ws")):
        yield from _path_parts(path)
        rest = rest[len(path) :]
    start = 0
    for match in PARAMETER.finditer(rest):
        yield rest[start : match.start()], ""
        start = match.end()
        mark, name, equals, value = match.groups()
        if not equals:
            name, value = "", name + value
        if is_harmless(name) and "?" in value:
            yield f"{mark}{name}={value.partition('?')[0]}?{_HIDDEN}", f"a value behind {name}"
        elif (
            not value
            or VARIABLE.fullmatch(value)
            or is_harmless(name or value)
            or (mark == "#" and not name)
        ):
            yield match[0], ""
        else:
            label = f"the parameter {name}" if name else f"a value behind {mark}"
            yield f"{mark}{name}{equals}{_HIDDEN}", label
    yield rest[start:], ""


def _path_parts(path: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a path, each with what is hidden in it, if anything."""
    start = 0
    for match in _TOKEN.finditer(path):
        if _is_random(match[0]):
            yield path[start : match.start()], ""
            yield _HIDDEN, "a token in its path"
            start = match.end()
    yield path[start:], ""


def _is_random(text: str) -> bool:
    """Return whether letters and digits change as in no name; revisions of a repository may."""
    parts = _TOKEN_PART.findall(text)
    has_digits = any(part.isdecimal() for part in parts)
    return has_digits and len(text) < 3 * len(parts) and not _REVISION.fullmatch(text)


def is_harmless(parameter: str) -> bool:
    """Return whether the value of a parameter may be recorded, by its name."""
    return bool(_HARMLESS.fullmatch(unquote(parameter).lower().replace("_", "-")))
