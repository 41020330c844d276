"""Errors meant for the user."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

import click
from pydantic import ValidationError

from .addresses import hide


class InputError(click.ClickException):
    """Invalid input; the message says in one line what is wrong and what to do.

    A Click exception, so that both `arag-inspect` and `inspect` print the line and exit with 1
    instead of showing a traceback; not a `ValueError`, which Inspect swallows when making scorers.
    The message is shown by `printable`, and its addresses by `hide`.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(hide(message)))


def resume_error(reason: str, *, with_more: bool = False) -> InputError:
    """Return the error of an interrupted command that continues when it is run again.

    Args:
        reason: Why it stopped.
        with_more: Whether it needs a higher limit to continue.
    """
    command = "the same command again with more" if with_more else "the same command again"
    return InputError(f"{reason}; finished work is kept: run {command} to continue")


class TextTooLongError(InputError):
    """A text is longer than allowed; its sample stays unscored."""


_COMMAND = re.compile(r"^[^\S\n]*+:(?=:)|#(?=#\w*\[)", re.MULTILINE)
"""Start of a GitHub, Azure or TeamCity command in build output."""

_LONGEST_WORD = 500
_LONGEST = 2_000
_MOST_TEXTS = 20


def echo(text: str, *, longest: int = _LONGEST, err: bool = False) -> None:
    """Print a line that may contain text of a document, a model or a file.

    Args:
        text: Shown as by `printable`.
        longest: Characters shown.
        err: Whether it goes to standard error.
    """
    click.echo(printable(text, longest), err=err)


def echo_some(heading: str, texts: Sequence[str], *, err: bool = False) -> None:
    """Print a heading and the first of some texts, each as one line; nothing without texts."""
    if texts:
        echo(heading, err=err)
    for text in texts[:_MOST_TEXTS]:
        echo(f"  {' '.join(text.split())}", longest=160, err=err)
    if len(texts) > _MOST_TEXTS:
        echo(f"  and {len(texts) - _MOST_TEXTS} more", err=err)


def printable(text: str, longest: int = _LONGEST) -> str:
    """Return text of at most `longest` characters that cannot control a terminal.

    Control characters, and characters that change the writing direction, become visible symbols,
    and build-server commands get a space; line breaks stay. A word of more than 500 characters is
    cut, and a longer text in its middle.
    """
    text = re.sub(rf"(\S{{{_LONGEST_WORD}}})\S+", r"\1…", text)
    if len(text) > longest:
        text = f"{text[: longest * 3 // 4]} … {text[-longest // 4 + 3 :]}"
    return _COMMAND.sub(r"\g<0> ", "".join(map(_visible, text)))


def _visible(character: str) -> str:
    # joiners are parts of letters of some languages, emoji and words
    is_control = unicodedata.category(character) in ("Cc", "Cf")
    if not is_control or character in "\n\t\u200c\u200d\xad":
        return character
    return chr(0x2400 + ord(character)) if ord(character) < 32 else "\ufffd"


def check_positive(**values: object) -> None:
    """Raise unless each parameter is None or a whole number of at least 1.

    Raises:
        InputError: States the first invalid parameter.
    """
    for name, value in values.items():
        if value is not None and (type(value) is not int or value < 1):
            raise InputError(f"{name} must be a whole number of at least 1, got {value!r}")


def check_number(low: float, high: float, **values: object) -> None:
    """Raise unless each parameter is a number within bounds, both included.

    Raises:
        InputError: States the first invalid parameter.
    """
    for name, value in values.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and low <= value <= high):  # type: ignore[operator]
            raise InputError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")


def check_parameters(owner: str, names: Collection[str], received: Iterable[str]) -> None:
    """Raise on unknown parameters.

    Args:
        owner: Owner of the parameters, e.g. `scorer rouge`.
        names: Parameters that it accepts.
        received: Parameters that it received.

    Raises:
        InputError: Lists the first unknown parameter, and the existing ones.
    """
    for name in received:
        if name not in names:
            choices = f"choose from {', '.join(names)}" if names else "it takes none"
            raise InputError(f"{owner} has no parameter {str(name)!r}; {choices}")


def one_line(error: BaseException) -> str:
    """Return an error's message without line breaks and markup; `package[extra]` stays."""
    return " ".join(re.sub(r"\[/[a-z ]+\]|(?<!\w)\[[a-z ]+\]", "", str(error)).split())


def first_error(error: ValidationError) -> str:
    """Return the first error of a pydantic model with the path of its field."""
    first = error.errors()[0]
    name = ".".join(map(str, first["loc"]))
    message = first["msg"]
    if first["type"] == "missing_keyword_only_argument":
        message = f"required; give it: -S {name}=VALUE"
    return ": ".join(filter(None, (name, message)))


def unreadable(error: BaseException) -> str:
    """Return why a log is unreadable: the first line of the original error."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, ValidationError):
        return f"not Inspect's format, {error.error_count():,} errors: {first_error(error)}"
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a log in it"
    text = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return "it is truncated, or not a log" if "not a zip file" in text else text


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless a parameter is one of its choices.

    Raises:
        InputError: The value is not among them; the message lists them, and the closest one.
    """
    if value not in choices:
        names = {choice.rpartition(".")[2]: choice for choice in choices}
        names |= {choice: choice for choice in choices}
        longer_choices = [choice for choice in choices if choice.startswith(f"{value}.")]
        closest = longer_choices or get_close_matches(str(value), names, n=1)
        question = f"; did you mean {names[closest[0]]}?" if closest else ""
        raise InputError(f"{name} {value!r} is unknown; choose from {', '.join(choices)}{question}")
