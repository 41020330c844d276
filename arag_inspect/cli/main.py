"""`arag-inspect` on the command line; commands are imported when needed."""

import atexit
import errno
import gc
import sqlite3
from importlib import import_module
from mmap import mmap

import click
from rich.text import Text

from .._util.encodable import write_anything
from .._util.errors import InputError, one_line
from .._util.network import prepare_clients

_COMMANDS = {
    "ask": "ask:ask",
    "check-system": "check_system:check_system",
    "meta-eval": "meta_eval:meta_eval",
    "compare": "compare:compare",
    "convert": "convert:convert",
    "demo": "demo:demo",
    "doctor": "doctor:doctor",
    "export": "export:export",
    "facts": "facts:facts",
    "gate": "gate:gate",
    "generate-questions": "generate_questions:generate_questions",
    "plan": "plan:plan",
    "prepare": "prepare:prepare",
    "references": "references:references",
    "rejudge": "rejudge:rejudge",
    "report": "report:report",
    "run": "run:run",
    "serve": "serve:serve",
    "serve-local": "serve_local:serve_local",
}
"""Module and object of each command."""

_RENAMED = {
    "judge-agreement": "meta-eval human financebench --source RESULTS --scorer llm_accuracy",
    "order-effect": "rejudge LOG --reverse-order",
}
"""What does the work of a former command."""

_NO_MEMORY = "there is not enough memory; free some, or take fewer"
_STARVED = ("allocate memory", "not enough memory", "can't start new thread")
"""Parts of the messages of torch, Zstandard and threads when memory is exhausted."""

_MEMORY = 64 << 20
"""Bytes of address space without which no command begins."""

atexit.register(gc.freeze)  # without the last collection of all objects a command ends 2 s sooner


class _Commands(click.Group):
    """Commands that report errors of the system, its memory or locale in one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f".{module}", __package__), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name what does the work of a former command."""
        if args[0] in _RENAMED:
            raise InputError(f"{args[0]} is now: arag-inspect {_RENAMED[args[0]]}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            mmap(-1, _MEMORY).close()  # without memory Python waits for threads that never started
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.ENOMEM:
                raise InputError(_NO_MEMORY) from error
            if error.errno == errno.EPIPE:  # the reader closed the pipe: click ends quietly
                raise
            cause = error.strerror or one_line(error)
            raise InputError(f"{error.filename}: {cause}" if error.filename else cause) from error
        except sqlite3.Error as error:
            raise InputError(
                f"Inspect's buffer of samples cannot be written ({one_line(error)}); check disk and "
                "memory, and give the same command again"
            ) from error
        except UnicodeEncodeError as error:
            text = ascii(error.object[-60:])
            raise InputError(f"{text} cannot be encoded; set LC_ALL=C.UTF-8") from error
        except Exception as error:
            if isinstance(error, MemoryError) or any(phrase in str(error) for phrase in _STARVED):
                raise InputError(_NO_MEMORY) from error
            if isinstance(error, ImportError) and "socksio" in str(error):  # of a model's client
                raise InputError(f"{one_line(error)} Or unset ALL_PROXY.") from error
            if type(error).__name__ == "PrerequisiteError":  # Inspect's own line for its users
                raise InputError(Text.from_markup(one_line(error)).plain) from error
            raise


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arag-inspect")
def main() -> None:
    """Benchmark retrieval systems that summarise long financial documents, on Inspect AI."""
    write_anything()
    prepare_clients()


if __name__ == "__main__":
    main()
