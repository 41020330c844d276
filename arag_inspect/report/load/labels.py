"""Check the names that a user gives to the systems of logs."""

from collections.abc import Iterable
from contextlib import suppress

from ..._util.errors import InputError
from ..._util.log_files import find_logs
from ..._util.names import file_name
from ..frames import LogOptions


def check_labels(reading: LogOptions, paths: Iterable[str]) -> None:
    """Refuse a label that matches no log.

    Args:
        reading: Options with the labels.
        paths: All log files and folders that are read, of both sides of a comparison.

    Raises:
        InputError: A label matches none of them.
    """
    if not reading.labels:
        return
    locations: list[str] = []
    for path in paths:
        with suppress(Exception):  # reading it says what is wrong, whatever its library raises
            locations += [location for location, _ in find_logs(path)]
    for file, name in reading.labels.items():
        alone = reading._replace(labels={file: name})
        if locations and not any(alone.label(location) for location in locations):
            example = file_name(locations[0])
            raise InputError(
                f"--label {file}={name} matches no log; give the file name of a log, e.g. "
                f"--label {example}={name}"
            )
