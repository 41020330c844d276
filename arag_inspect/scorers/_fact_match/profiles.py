"""Profiles: rules for when two facts count as the same."""

import hashlib
import re
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..._util.errors import InputError
from ..._util.yaml_values import parse_yaml
from ...prompts import load_prompt

_FRONT = re.compile(r"\A---\n(?P<front>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)


class Profile(BaseModel):
    """Rules for when two facts match."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    numeric_tolerance_percent: float = Field(default=0, ge=0, lt=100)
    """Largest difference of two numbers, in percent of the gold one."""

    case_insensitive_strings: bool = True
    ignore_minor_wording_diffs: bool = True
    """Whether synonyms match."""

    require_all_fields_match: bool = True
    """Whether every detail of the gold fact is required: value, unit, date, period, whether it is
    an estimate.
    """

    allow_partial_matches: bool = False
    """Whether a prediction with only the main point of a gold fact matches it."""

    advice: str = ""
    """Further instructions to the judge: the text below the front matter."""

    @cached_property
    def text(self) -> str:
        """Return the rules in words, for the prompt."""
        lines = [
            _numbers(self.numeric_tolerance_percent),
            "Upper and lower case do not count."
            if self.case_insensitive_strings
            else "Names and words must agree in upper and lower case.",
            "Other words for the same thing match."
            if self.ignore_minor_wording_diffs
            else "Wording must be the same, articles and punctuation aside.",
            "Everything that the gold fact says must be in the other: value, unit, date, period, "
            "whether it is an estimate, an earlier state or the latest."
            if self.require_all_fields_match
            else "Details that only one of the two gives do not count; what both give must agree.",
            "A fact that has the main point of the other, or one of its figures, matches it."
            if self.allow_partial_matches
            else "A fact that has only part of the other does not match it.",
        ]
        return "\n".join(f"- {line}" for line in [*lines, *self.advice.split("\n")] if line.strip())

    @property
    def digest(self) -> str:
        """Digest that identifies the profile."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


def load_profile(profile: str | Path) -> Profile:
    """Load a built-in profile (`strict`, `lenient`) or a file with settings.

    Raises:
        InputError: The name or path is unknown, or a setting is unknown or invalid.
    """
    built_in = sorted(
        path.name.removesuffix(".md")
        for path in files("arag_inspect.prompts").joinpath("profiles").iterdir()
    )
    if str(profile) in built_in:
        return _parse(load_prompt(f"profiles/{profile}"), f"profile {profile}")
    path = Path(profile).expanduser()
    if not path.is_file():
        raise InputError(
            f"profile {str(profile)!r} is unknown; choose {' or '.join(built_in)}, or give the "
            "path of a JSON, YAML or Markdown file"
        )
    try:
        return _parse(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"profile {path} cannot be read ({error})") from None


def _parse(text: str, source: str) -> Profile:
    match = _FRONT.match(text.replace("\r\n", "\n") + "\n")
    try:
        front = parse_yaml(match["front"] if match else text)  # JSON is YAML too
    except yaml.YAMLError as error:
        raise InputError(
            f"{source}: settings are not YAML ({str(error).splitlines()[0]})"
        ) from None
    if not isinstance(front, dict):
        raise InputError(f"{source} holds no settings: {', '.join(Profile.model_fields)}")
    try:
        return Profile.model_validate(
            {**front, **({"advice": match["body"].strip()} if match else {})}
        )
    except ValidationError as error:
        detail = error.errors()[0]
        name = ".".join(str(part) for part in detail["loc"])
        raise InputError(f"{source}: {name}: {detail['msg']}") from None


def _numbers(tolerance: float) -> str:
    ways = "the same number may be written otherwise ($1.2 billion, 1,200 million)"
    if tolerance:
        return f"Numbers match when they differ by at most {tolerance:g} % of the gold one; {ways}."
    return f"Numbers must be equal, as precisely as the less precise of the two is written; {ways}."
