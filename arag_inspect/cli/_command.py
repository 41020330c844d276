"""Commands from functions: arguments and options by their parameters, types and docstrings."""

import re
from collections.abc import Callable, Iterator
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import FunctionType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import click

_SECTION = re.compile(r"(?m)^(?:Args|Returns|Raises):\n")
_DESCRIBED = re.compile(r"(?m)^    (\w+): (.+(?:\n {8}.+)*)")
"""A parameter in the section `Args` of a docstring, with its text."""


def command(cls: type[click.Command] = click.Command) -> Callable[[Callable[..., Any]], Any]:
    """Make a command of a function.

    A parameter before `*` is an argument, one behind it an option, with the name, default and
    type of the parameter and its text in the docstring's `Args`. One of type `tuple` may be given
    several times. `Annotated` adds a type of Click, a spelling (`"-o --out"`) or a metavar
    (`"FILE"`; one in brackets may be left out, and is then empty). A parameter annotated with a function gets its result, and the command the
    parameters of that function.

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
        function: Has a type for every parameter.
        only_options: Whether parameters before `*` are options too.
    """
    texts = dict(_DESCRIBED.findall(getdoc(function) or ""))
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in signature(function).parameters.items():
        hint = _read(hints[name])
        if hint.maker is not None:
            yield from parameters(hint.maker)
            continue
        is_required = parameter.default is Parameter.empty
        settings: dict[str, Any] = {} if is_required else {"default": parameter.default}
        settings |= {"type": hint.type, "metavar": hint.metavar, "required": is_required}
        if parameter.kind is Parameter.POSITIONAL_OR_KEYWORD and not only_options:
            yield click.Argument([name], nargs=-1 if hint.is_many else 1, **settings)
            continue
        if hint.metavar is not None and hint.metavar.startswith("["):
            settings["flag_value"] = ""  # the option may stand without a value
        spelling = hint.spelling or f"--{name.replace('_', '-')}"
        yield click.Option(
            [*spelling.split(), name],
            multiple=hint.is_many,
            is_flag=hint.type is click.BOOL,
            show_default=parameter.default not in (Parameter.empty, None, ()),
            help=" ".join(texts.get(name, "").split()),
            **settings,
        )


def call_with(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a function with its share of the values of a command, and those that it is made of."""
    own = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        if (maker := _read(hint).maker) is not None:
            own[name] = call_with(maker, values)
        elif name in values:
            own[name] = values[name]
    return function(**own)


def forward(function: Callable[..., Any], **changed: Any) -> Any:
    """Call a function with the values of the running command under the names of its parameters.

    Args:
        function: Does what the command says.
        changed: Values that differ from what was typed.
    """
    values = {**click.get_current_context().params, **changed}
    names = signature(function).parameters.keys() & values.keys()
    return function(**{name: values[name] for name in names})


class _Hint(NamedTuple):
    """What the annotation of a parameter says."""

    type: click.ParamType[Any]
    is_many: bool
    spelling: str | None
    metavar: str | None
    maker: Callable[..., Any] | None


def _read(hint: Any) -> _Hint:
    """Read an annotation; of alternatives the first counts."""
    kind = spelling = metavar = maker = None
    while get_origin(hint) in (Annotated, Union, UnionType):
        for extra in getattr(hint, "__metadata__", ()):
            if isinstance(extra, str):
                spelling, metavar = (extra, metavar) if extra[0] == "-" else (spelling, extra)
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
