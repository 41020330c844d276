"""The client file of the advisor benchmark: schema, validation, transcript."""

from ..client_file.schema import Fault, Schema, load_schema
from ..client_file.tracked_values import (
    DYNAMIC,
    STATIC,
    Tracked,
    histories,
    row_label,
    tracked_values,
)
from ..client_file.transcript import Turn, read_turns, seconds_of, transcript_of

__all__ = [
    "DYNAMIC",
    "STATIC",
    "Fault",
    "Schema",
    "Tracked",
    "Turn",
    "histories",
    "load_schema",
    "read_turns",
    "row_label",
    "seconds_of",
    "tracked_values",
    "transcript_of",
]
