"""Grading standards of judges: generated or pinned criteria of a dimension, and rubrics."""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import anyio
from filelock import FileLock
from inspect_ai.model import Model
from pydantic import Field, ValidationError, model_validator

from .._util.errors import InputError
from .._util.files import cache_folder, digest, replace_file
from .._util.untrusted import MarkdownDoc, parse_frontmatter
from ..models.pricing import same_model
from ..models.recorded.keys import asking_for_all
from ..models.recorded.provider import Recorded
from ..prompts import fill, load_doc, load_prompt, prompt_file
from .judge import judge
from .judgement import Judgement
from .parsing import StrictModel, json_form

_EXAMPLE = (
    '{"criteria": [{"name": "", "checks": "", "low": "", "lower": "", "middle": "", "upper": "", '
    '"high": ""}, ...]}'
)
_NAME = re.compile(r"^\d+\.\s+\*\*(?P<name>[^*]+?)\.?\*\*", re.MULTILINE)


class Criteria(NamedTuple):
    """The criteria of a dimension."""

    dimension: str
    definition: str
    material: str
    """Material that a summary is compared with: `source`, `reference` or `none`."""

    text: str
    """Numbered criteria with descriptions of the scores."""

    @property
    def names(self) -> list[str]:
        """Names of the criteria, in order."""
        return _NAME.findall(self.text)

    @property
    def digest(self) -> str:
        """Digest of the criteria."""
        return digest(self.text)


class _Criterion(StrictModel):
    name: str = Field(min_length=1)
    checks: str = Field(min_length=1)
    low: str
    lower: str = ""
    """Description between the lowest and the middle score."""

    middle: str
    upper: str = ""
    """Description between the middle and the highest score."""

    high: str


class _Generated(StrictModel):
    criteria: list[_Criterion] = Field(min_length=5, max_length=5)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        if len({criterion.name for criterion in self.criteria}) < len(self.criteria):
            raise ValueError("two criteria have the same name")
        return self


def choose_criteria(dimension: str, definition: str | None, criteria: str) -> Criteria:
    """Return the criteria of a dimension, or a basis from which a grader writes them.

    Args:
        dimension: Name of the dimension.
        definition: Its meaning; required for `generated` if no criteria of it are built in.
        criteria: `generated`, `pinned`, the name of a domain, or the path of a file.

    Raises:
        InputError: The dimension is unknown, or the file cannot be read.
    """
    if criteria != "generated" and not is_pinned(criteria):
        return _parse_criteria(load_doc("criteria", criteria))
    domain = "" if criteria in ("generated", "pinned") else f"{criteria}/"
    name = f"criteria/{domain}{dimension}"
    pinned = None
    if re.fullmatch(r"\w+", dimension) and prompt_file(name):
        pinned = _parse_criteria(parse_frontmatter(load_prompt(name), f"{name}.md"))
    if pinned is None and (criteria != "generated" or definition is None):
        raise InputError(
            f"there are no built-in criteria for {dimension!r}; pass `definition` with "
            "criteria=generated, or criteria=PATH"
        )
    if pinned is None:
        return Criteria(dimension, str(definition), "source", "")
    return pinned._replace(definition=definition or pinned.definition)


def _parse_criteria(document: MarkdownDoc) -> Criteria:
    """Read criteria whose front matter has `dimension`, `definition` and perhaps `material`.

    Raises:
        InputError: A part is missing.
    """
    _, front, body = document
    missing = [key for key in ("dimension", "definition") if not isinstance(front.get(key), str)]
    if missing:
        raise InputError(f"{document.name}: front matter has no text `{missing[0]}`")
    material = front.get("material", "source")
    if material not in ("source", "reference", "none"):
        raise InputError(
            f"{document.name}: material {material!r} is unknown; source, reference or none"
        )
    criteria = Criteria(front["dimension"], front["definition"], material, body)
    if not criteria.names:
        raise InputError(
            f"{document.name} has no criteria; write lines such as `1. **Figures.** ...`"
        )
    return criteria


def is_pinned(criteria: str) -> bool:
    """Return whether criteria are built-in: `pinned`, or the name of a domain."""
    return criteria == "pinned" or bool(
        re.fullmatch(r"\w+", criteria) and prompt_file(f"criteria/{criteria}/faithfulness")
    )


async def generated_criteria(
    grader: Model, pinned: Criteria, low: int, high: int, regenerate: bool = False
) -> tuple[Criteria, Judgement[Any] | None]:
    """Return five criteria written by a grader, generated once and cached on disk.

    Cached under `$ARAG_CACHE` by grader, prompt and scale, with a lock: one call is made, for any
    number of concurrent samples and processes.

    Args:
        grader: The grader.
        pinned: Dimension, definition and material; its criteria are not used.
        low: Lowest score.
        high: Highest score.
        regenerate: Generate them again.

    Returns:
        The criteria, and the judgement that wrote them: without a verdict if none are usable,
        None if they were cached.
    """
    prompt = fill(
        load_prompt("judge/geval_criteria"),
        dimension=pinned.dimension,
        definition=pinned.definition,
        compared=load_prompt(f"judge/compared/{pinned.material}"),
        **score_points(low, high),
    )
    name = same_model(str(grader))
    if isinstance(grader.api, Recorded):
        name += f" {grader.api.version}"
    key = hashlib.sha256(f"{name}\n{prompt}".encode()).hexdigest()[:24]
    path = cache_folder() / "criteria" / f"{pinned.dimension}-{key}.json"
    part = f"{pinned.dimension} from {low} to {high}"
    generated = None if regenerate else _read_cached(path)
    judgement = None
    if generated is None:
        async with _lock_criteria(path):
            generated = None if regenerate else _read_cached(path)
            if generated is None:
                judgement = await _write_criteria(grader, prompt, part, path)
                generated = judgement.verdict
    if generated is None:
        return pinned, judgement
    return pinned._replace(text=_format_criteria(generated, low, high)), judgement


async def _write_criteria(
    grader: Model, prompt: str, part: str, path: Path
) -> Judgement[_Generated]:
    """Let a grader write criteria, and cache them if they are usable."""
    form = json_form(_Generated, _EXAMPLE, wrapped=False)
    with asking_for_all(purpose="criteria", part=part):
        judgement = await judge(grader, prompt, form)
    if judgement.verdict is None:
        judgement.reason = f"it wrote no usable criteria: {judgement.reason}"
    else:
        replace_file(path, judgement.verdict.model_dump_json(indent=1))
    return judgement


@asynccontextmanager
async def _lock_criteria(path: Path) -> AsyncIterator[None]:
    """Lock a file that several processes may write, without blocking the event loop."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{path}.lock", thread_local=False)
    while True:
        try:
            lock.acquire(timeout=0)
            break
        except TimeoutError:
            await anyio.sleep(0.05)
    try:
        yield
    finally:
        lock.release()


def _read_cached(path: Path) -> _Generated | None:
    """Return cached criteria, read once; None if missing or damaged."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, ValidationError):
        return None


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> _Generated:
    return _Generated.model_validate_json(path.read_bytes())


def score_points(low: int, high: int) -> dict[str, str]:
    """Return the names of the scores that criteria describe."""
    middle = (low + high) // 2
    return {
        "low": str(low),
        "lower": _describe_between(low, middle),
        "middle": str(middle),
        "upper": _describe_between(middle, high),
        "high": str(high),
    }


def _describe_between(low: int, high: int) -> str:
    """Return the name of the scores between two: the number, if there is only one."""
    return str(low + 1) if high - low == 2 else f"between {low} and {high}"


def _format_criteria(generated: _Generated, low: int, high: int) -> str:
    lines = []
    for number, criterion in enumerate(generated.criteria, start=1):
        level_texts = []
        for key, name in score_points(low, high).items():
            text = getattr(criterion, key)
            if text:
                level_texts.append(f"{name}: {text}")
        title = criterion.name.rstrip(".")
        lines.append(f"{number}. **{title}.** {criterion.checks} {' '.join(level_texts)}")
    return "\n".join(lines)


BUCKETS = (1, 2, 3, 4, 5)
_BUCKET = re.compile(r"^[-*]\s+\*\*(?P<grade>\d+)\b", re.MULTILINE)


class Rubric(NamedTuple):
    """Persona and grades of a judge."""

    name: str
    persona: str
    buckets: str
    """The grades from 5 to 1, each with its description."""

    @property
    def digest(self) -> str:
        """Digest of persona and buckets."""
        return digest(self.persona, self.buckets)


def load_rubric(rubric: str) -> Rubric:
    """Read a rubric.

    A Markdown file with `persona` in its front matter and a list of buckets, `- **5** perfect: ...`
    to `- **1** ...`.

    Args:
        rubric: `financial`, `legal`, `legal_partner`, or the path of a file.

    Raises:
        InputError: The file cannot be read, or lacks the persona or a bucket.
    """
    document = load_doc("rubrics", rubric)
    persona = document.front.get("persona")
    if not isinstance(persona, str) or not persona.strip():
        raise InputError(f"{document.name}: front matter has no text `persona`")
    grades = sorted(int(match["grade"]) for match in _BUCKET.finditer(document.body))
    if grades != list(BUCKETS):
        raise InputError(
            f"{document.name} must have one bucket for each of 5, 4, 3, 2 and 1, in lines such as "
            f"`- **5** perfect: ...`; it has {grades}"
        )
    return Rubric(document.name, persona.strip(), document.body)
