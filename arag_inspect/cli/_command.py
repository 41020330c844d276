"""Create commands from functions; types and parsers of shared options."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import FunctionType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click
import yaml

from .._util.errors import InputError, one_line
from .._util.yaml_text import parse_yaml

if TYPE_CHECKING:
    from ..run.experiment import Experiment

AT_LEAST_1 = click.IntRange(min=1)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


_UNASKED = ("estimate", "write")
"""Options that avoid model calls and thus API keys; parsed first."""


class Models(click.ParamType[str]):
    """Comma-separated model names; rejects a model whose API key is missing."""

    name = "MODEL"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check each name, except for `plan`, `--estimate` and `--write`, which call no model."""
        if ctx is not None and (ctx.info_name == "plan" or any(map(ctx.params.get, _UNASKED))):
            return value
        from inspect_ai.model import get_model

        for model in value.split(","):
            try:
                get_model(model.strip())
            except Exception as error:
                self.fail(f"{model!r} cannot be used: {one_line(error)}", param, ctx)
        return value


class Judges(Models):
    """Names of models that judge or list facts."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Reject the rule-based writer; check other names as `Models` does."""
        if "offline/extractive" in split_names(value):
            self.fail("offline/extractive writes by rule and cannot judge; name a language model")
        return super().convert(value, param, ctx)


MODELS = Models()
JUDGES = Judges()

Count = Annotated[int | None, AT_LEAST_1, "N"]
Graders = Annotated[str | None, JUDGES, "G[,G2]"]
Assignments = Annotated[tuple[str, ...], "NAME=VALUE"]
ScorerOptions = Annotated[tuple[str, ...], "-S", "SCORER.NAME=VALUE"]


class ComparisonOptions(NamedTuple):
    """Comparison of `run` and `plan`, and the logs that they estimate from."""

    systems: Sequence[str]
    graders: Sequence[str]
    limit: int | None
    sample_seed: int
    earlier: Sequence[str]
    parameters: Mapping[str, object]

    def experiment(
        self,
        task: str,
        models: str | None,
        epochs: int | None = None,
        eval_options: Mapping[str, Any] | None = None,
    ) -> "Experiment":
        """Return an experiment on a task with models, given as comma-separated names."""
        from ..run.experiment import Experiment

        return Experiment(
            task,
            self.systems,
            split_names(models),
            graders=self.graders,
            limit=self.limit,
            sample_seed=self.sample_seed,
            epochs=epochs,
            parameters=self.parameters,
            eval_options=eval_options or {},
        )


def comparison_options(
    *,
    systems: str = "arag,naive_rag,stuffing",
    grader: Graders = None,
    limit: Count = None,
    sample_seed: Annotated[int, "S"] = 42,
    earlier: Annotated[tuple[str, ...], "LOGS"] = (),
    parameters: Annotated[Assignments, "-T"] = (),
) -> ComparisonOptions:
    """Return the options that `run` and `plan` share.

    Args:
        systems: Systems to compare, separated by commas.
        grader: Models to judge with.
        limit: Only N random samples, spread over the companies.
        sample_seed: Random seed for --limit.
        earlier: Logs of the same systems to base the estimate on, instead of a dry run.
        parameters: Parameters of the task.
    """
    return ComparisonOptions(
        split_names(systems),
        split_names(grader),
        limit,
        sample_seed,
        earlier,
        parse_assignments("-T", parameters),
    )


def parse_scorer_options(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """Return the values of -S SCORER.NAME=VALUE, by scorer.

    Raises:
        InputError: A text is malformed.
    """
    options: dict[str, dict[str, object]] = {}
    for text in texts:
        name, _, value = text.partition("=")
        scorer, _, option = name.rpartition(".")
        if not (scorer and option and value):
            raise InputError(f"-S {text} is not SCORER.NAME=VALUE, e.g. SCORER.model=PATH")
        options.setdefault(scorer, {}).update(parse_assignments("-S", [f"{option}={value}"]))
    return options


def split_names(text: str | None) -> list[str]:
    """Return the names in a text, separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def parse_assignments(option: str, texts: Sequence[str]) -> dict[str, object]:
    """Return the values of an option `NAME=VALUE` that may be given several times.

    Args:
        option: Name of the option, for errors.
        texts: Assignments; values are read as YAML if they can be.
    """
    values: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip().isidentifier():
            raise InputError(f"{option} {text!r} is not NAME=VALUE")
        values[name.strip()] = parse_value(value)
    return values


def parse_value(text: str) -> object:
    """Read a value as YAML, or as text if it is not YAML."""
    try:
        value: object = parse_yaml(text)
    except yaml.YAMLError:
        return text
    return value


_SECTION = re.compile(r"(?m)^(?:Args|Returns|Raises):\n")
_DESCRIBED = re.compile(r"(?m)^    (\w+): (.+(?:\n {8}.+)*)")
"""A parameter in the section `Args` of a docstring, with its text."""


def command(cls: type[click.Command] = click.Command) -> Callable[[Callable[..., Any]], Any]:
    """Create a command from a function.

    Parameters before `*` become arguments, and parameters after it options, with the parameter's
    name, default and type, and its text in the docstring's `Args`. A parameter of type `tuple` may
    be repeated. `Annotated` adds a Click type, a spelling (`"-o --out"`) or a metavar (`"FILE"`). A
    parameter annotated with a function receives that function's result, and the command takes that
    function's parameters.

    Args:
        cls: Class of the command.
    """

    def make(function: Callable[..., Any]) -> click.Command:
        name = function.__name__.replace("_", "-")
        text = _SECTION.split(getdoc(function) or "")[0]

        def call(**values: Any) -> Any:
            return call_with(function, values)

        return cls(name, callback=call, params=list(parameters(function)), help=text)

    return make


def parameters(
    function: Callable[..., Any], *, only_options: bool = False
) -> Iterator[click.Parameter]:
    """Yield an argument or option for each parameter of a function; see `command`.

    Args:
        function: Function with a type annotation for every parameter.
        only_options: Whether parameters before `*` are options too.
    """
    texts = dict(_DESCRIBED.findall(getdoc(function) or ""))
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in signature(function).parameters.items():
        hint = _parse_hint(hints[name])
        if hint.maker is not None:
            yield from parameters(hint.maker)
            continue
        is_required = parameter.default is Parameter.empty
        settings: dict[str, Any] = {} if is_required else {"default": parameter.default}
        settings |= {"type": hint.type, "metavar": hint.metavar, "required": is_required}
        if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD and not only_options:
            yield click.Argument([name], nargs=-1 if hint.is_many else 1, **settings)
            continue
        spelling = hint.spelling or f"--{name.replace('_', '-')}"
        yield click.Option(
            [*spelling.split(), name],
            multiple=hint.is_many,
            is_flag=hint.type is click.BOOL,
            is_eager=name in _UNASKED,
            show_default=parameter.default not in (Parameter.empty, None, ()),
            help=" ".join(texts.get(name, "").split()),
            **settings,
        )


def call_with(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a function with a command's values, first calling the functions in its annotations."""
    arguments = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        maker = _parse_hint(hint).maker
        if maker is not None:
            arguments[name] = call_with(maker, values)
        elif name in values:
            arguments[name] = values[name]
    return function(**arguments)


class _Hint(NamedTuple):
    """Parsed annotation of a parameter."""

    type: click.ParamType[Any]
    is_many: bool
    spelling: str | None
    metavar: str | None
    maker: Callable[..., Any] | None


def _parse_hint(hint: Any) -> _Hint:
    """Parse an annotation; only the first member of a union counts."""
    kind = spelling = metavar = maker = None
    while get_origin(hint) in (Annotated, Union, UnionType):
        for extra in getattr(hint, "__metadata__", ()):
            if isinstance(extra, str) and extra.startswith("-"):
                spelling = extra
            elif isinstance(extra, str):
                metavar = extra
            elif isinstance(extra, FunctionType):
                maker = extra
            elif isinstance(extra, click.ParamType):
                kind = extra
            else:  # of pydantic: PositiveInt, NonNegativeInt
                kind = click.IntRange(min=getattr(extra, "ge", 1))
        hint = get_args(hint)[0]
    is_many = get_origin(hint) is tuple
    hint = get_args(hint)[0] if is_many else hint
    if kind is None and get_origin(hint) is Literal:
        kind = click.Choice(get_args(hint))
    elif kind is None:
        kind = click.Path(path_type=Path) if hint is Path else click.types.convert_type(hint)
    return _Hint(kind, is_many, spelling, metavar, maker)
