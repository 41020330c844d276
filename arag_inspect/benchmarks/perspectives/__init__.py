"""Two-sided summaries of contested questions, with evidence."""

from importlib.resources import files
from pathlib import Path

from arag_inspect import solvers, tasks
from arag_inspect._util.registry import EXPORTS, PRIMARY
from arag_inspect.models.offline.judge import RULES
from arag_inspect.prompts import FOLDERS
from arag_inspect.scorers import add_scorers

from . import offline
from .evidence_support import evidence_support
from .form_checks import citation_recall, perspective_validity
from .multi_perspective import multi_perspective
from .task import DATASET, perspectives

__all__ = [
    "DATASET",
    "citation_recall",
    "evidence_support",
    "multi_perspective",
    "perspective_validity",
    "perspectives",
]

FOLDERS.append(Path(str(files(__package__))) / "prompts")
add_scorers(citation_recall, evidence_support, perspective_validity)
solvers.__all__.append("multi_perspective")
tasks.__all__.append("perspectives")
RULES += offline.RULES
EXPORTS["perspectives.jsonl"] = f"{__name__}.task:two_sided_outputs"
PRIMARY["qa"] = (("evidence_support", "perspective_validity.all"),)
