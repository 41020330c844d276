"""`arag-inspect` on the command line.

Command modules import functions only when they call them, so that help is quick.
"""

import atexit
import errno
import gc
import sqlite3
import warnings
from difflib import get_close_matches
from itertools import chain
from mmap import mmap

import click
from dotenv import find_dotenv, load_dotenv

from .._util.encodable import write_anything
from .._util.errors import InputError, one_line
from .._util.network import prepare_clients
from .._util.user_folders import replace_unwritable_folders
from .ask import ask
from .corpus import corpus, retrieval
from .demo import demo
from .doctor import doctor
from .gate import gate
from .meta_eval import meta_eval
from .plan import plan
from .prepare import prepare
from .record import record
from .rejudge import rejudge
from .replay import replay
from .report import compare, report
from .run import run
from .validate import validate

_SECTIONS = {
    "Prepare": (prepare,),
    "Run": (demo, ask, plan, run, replay, rejudge, record),
    "Report": (report, compare, gate),
    "Corpus": (corpus, retrieval),
    "Check": (doctor, meta_eval, validate),
}
"""Commands by section of the help."""

_ELSEWHERE = {
    "eval": "inspect eval TASK",
    "score": "inspect score LOG, or arag-inspect rejudge LOG for another judge",
    "view": "inspect view",
    "run --tasks": "arag-inspect run TASK",
    "run --workers": "-- --max-samples N, samples at a time",
    "run --judge-model": "--grader MODEL",
    "run --split": "-T split=NAME",
    "run --top-k": "-T 'system_args={top_k: N}'",
    "run --max-loops": "-T 'system_args={max_loops: N}'",
    "run --cluster": (
        "--cluster with report, compare or gate; run prints plain means, which need no grouping"
    ),
    "run --regenerate-criteria": "-T 'scorer_args={SCORER: {regenerate_criteria: true}}'",
    "run --task-type": "a task that asks the question: run ectsum, run financebench",
}
"""Equivalents of commands and options that other tools have."""

_MISTYPED = 0.8
"""Minimum similarity for an unknown option to count as a mistyped known one."""

_NOTHING_CHECKED = 3
"""Exit code of `gate` when it reaches no verdict."""

_STARVED = ("allocate memory", "not enough memory", "can't start new thread")
"""Parts of the messages of torch, Zstandard and threads when memory is exhausted."""

_WARNINGS: tuple[tuple[str, type[Warning], str], ...] = (
    ("The 'initial' parameter is deprecated", DeprecationWarning, r"inspect_ai\."),  # of tenacity
    ("builtin type [Ss]wig", DeprecationWarning, ""),  # of faiss, from Python 3.12 on
    ("Unclosed <MemoryObject", ResourceWarning, ""),  # of anyio, for streams of Inspect
)
"""Warnings of dependencies, tolerated under `python -W error`: message, category and module."""

_MEMORY = 64 << 20
"""Address space in bytes that a command needs to start."""

atexit.register(gc.freeze)  # skips the final garbage collection: a command ends 2 s sooner


class _Commands(click.Group):
    """Command group that reports system, memory and locale errors in one line."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands in sections."""
        for section, commands in _SECTIONS.items():
            lines = [(str(item.name), item.get_short_help_str(60)) for item in commands]
            with formatter.section(section):
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the equivalent of another tool's command."""
        _check_elsewhere(args[0])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; `gate` has a separate exit code for ending without a verdict."""
        try:
            mmap(-1, _MEMORY).close()  # without memory Python waits for threads that never started
            return super().invoke(ctx)
        except Exception as error:
            refusal = error if isinstance(error, click.ClickException) else _convert_error(error)
            if refusal is None:
                raise
            if isinstance(refusal, click.NoSuchOption):
                _check_option(str(ctx.invoked_subcommand), refusal)
            if ctx.invoked_subcommand == "gate":
                refusal.show()
                ctx.exit(_NOTHING_CHECKED)
            if refusal is error:
                raise
            raise refusal from error


def _convert_error(error: Exception) -> InputError | None:
    """Return a one-line error for a system error; None if the error is a bug."""
    text = one_line(error)
    is_full = isinstance(error, MemoryError) or getattr(error, "errno", 0) == errno.ENOMEM
    if is_full or any(phrase in text for phrase in _STARVED):
        return InputError(
            "out of memory; close other programs, or run fewer samples at a time (-- "
            "--max-samples 1)"
        )
    match error:
        case OSError() if error.errno != errno.EPIPE:  # the reader closed the pipe: click ends
            cause = error.strerror or text
            return InputError(f"{error.filename}: {cause}" if error.filename else cause)
        case sqlite3.Error():
            return InputError(
                f"Inspect's buffer of samples cannot be written ({text}); check disk and memory"
            )
        case UnicodeEncodeError():
            return InputError(f"{error.object[-60:]!a} cannot be encoded; set LC_ALL=C.UTF-8")
        case ImportError() if "socksio" in text:  # of a model's client
            return InputError(f"{text} Or unset ALL_PROXY.")
    if type(error).__name__ == "PrerequisiteError":  # Inspect's own line for its users
        from rich.text import Text

        return InputError(Text.from_markup(text).plain)
    return None


def _check_elsewhere(name: str) -> None:
    """Raise for a command or option of another tool.

    Raises:
        InputError: The name is known; the message gives its equivalent here.
    """
    if name in _ELSEWHERE:
        raise InputError(f"no command {name}; use: {_ELSEWHERE[name]}")


def _check_option(command: str, error: click.NoSuchOption) -> None:
    """Raise for an option of another tool, or the name of a scorer.

    Raises:
        InputError: The option is known; the message gives its equivalent here.
    """
    option = error.option_name
    _check_elsewhere(f"{command} {option}")
    is_mistyped = get_close_matches(option, error.possibilities or (), cutoff=_MISTYPED)
    if command == "run" and not is_mistyped:
        from .. import scorers

        name = option.lstrip("-").replace("-", "_")
        if name in scorers.__all__:
            raise InputError(f"run has no option {option}; use: -T scorers=default,{name}")


@click.group(
    cls=_Commands,
    commands=list(chain(*_SECTIONS.values())),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="arag-inspect")
def main() -> None:
    """Benchmark retrieval systems that summarise long financial documents, on Inspect AI.

    Begin with one of these; none needs a key:

    \b
      arag-inspect demo                     three systems compared, and a report
      arag-inspect ask FOLDER "QUESTION"    an answer from your own documents
      arag-inspect doctor                   what is installed, and what is missing
    """
    for message, category, module in _WARNINGS:
        warnings.filterwarnings("ignore", message, category, module)
    write_anything()
    load_dotenv(find_dotenv(usecwd=True))  # as Inspect's own command does
    prepare_clients()
    replace_unwritable_folders()


if __name__ == "__main__":
    main()
