"""The one error that a user is meant to read."""

import click


class InputError(click.ClickException, ValueError):
    """Something given from outside is wrong: says what, and what to do, in one line.

    A Click exception, so that both `arag-inspect` and `inspect` print the line
    and exit with 1 instead of showing a traceback; a `ValueError` for whoever
    calls from Python.
    """
