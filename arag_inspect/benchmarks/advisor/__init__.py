"""Facts of conversations with a financial adviser, by a schema."""

from importlib.resources import files
from pathlib import Path

from arag_inspect import solvers, tasks
from arag_inspect._util.registry import PRIMARY
from arag_inspect.measures._facts import READERS
from arag_inspect.models.offline.judge import RULES
from arag_inspect.prompts import FOLDERS
from arag_inspect.scorers import add_scorers

from . import offline
from .client_file import client_file
from .extract_facts import extract_facts
from .task import DATASET, advisor_facts
from .tracked import read_states

__all__ = [
    "DATASET",
    "advisor_facts",
    "client_file",
    "extract_facts",
]

FOLDERS.append(Path(str(files(__package__))) / "prompts")
add_scorers(client_file)
solvers.__all__.append("extract_facts")
tasks.__all__.append("advisor_facts")
RULES += offline.RULES
READERS.append(read_states)
PRIMARY["client_file"] = (("fact_match.f1",),)
