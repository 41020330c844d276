"""The client file of the advisor benchmark: schema, validation, transcript."""

from .schema import Fault, Schema, load_schema
from .tracked_values import Tracked, tracked_values
from .transcript import Turn, read_turns, seconds_of, transcript_of

__all__ = [
    "Fault",
    "Schema",
    "Tracked",
    "Turn",
    "load_schema",
    "read_turns",
    "seconds_of",
    "tracked_values",
    "transcript_of",
]
