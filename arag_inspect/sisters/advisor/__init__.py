"""Facts of conversations with a financial adviser, by a schema."""

from importlib.resources import files
from pathlib import Path

from arag_inspect import solvers, tasks
from arag_inspect._util.registry import PRIMARY
from arag_inspect.datasets import DATASETS
from arag_inspect.models.offline.judge import RULES
from arag_inspect.prompts import FOLDERS
from arag_inspect.scorers import add_scorers
from arag_inspect.scorers._facts import READERS

from . import offline
from .citation_check import citation_check
from .client_file import read_states
from .extract_facts import extract_facts
from .task import advisor_facts
from .value_checks import estimate_flags, schema_validity, value_history

__all__ = [
    "advisor_facts",
    "citation_check",
    "estimate_flags",
    "extract_facts",
    "schema_validity",
    "value_history",
]

DATASETS["advisor"] = "arag_inspect.sisters.advisor.task"
FOLDERS.append(Path(str(files(__package__))) / "prompts")
add_scorers(citation_check, estimate_flags, schema_validity, value_history)
solvers.__all__.append("extract_facts")
tasks.__all__.append("advisor_facts")
RULES += offline.RULES
READERS.append(read_states)
PRIMARY["client_file"] = (("fact_match.f1",),)
