"""Summaries of court opinions, and how faithful they are."""

from importlib.resources import files
from pathlib import Path

from arag_inspect import tasks
from arag_inspect._util.registry import CHARTS, CLUSTERS, PRIMARY, SECTIONS
from arag_inspect.prompts import FOLDERS
from arag_inspect.scorers import add_scorers

from .composite_faithfulness import composite_faithfulness
from .task import DATASET, legal_cases

__all__ = ["DATASET", "composite_faithfulness", "legal_cases"]

FOLDERS.append(Path(str(files(__package__))) / "prompts")
add_scorers(composite_faithfulness)
tasks.__all__.append("legal_cases")
CLUSTERS["legal"] = "case"
PRIMARY["legal"] = (("composite_faithfulness",), ("severity_judge", "embedding_coverage"))
SECTIONS.append(f"{__name__}.report:SECTIONS")
CHARTS["pillars"] = f"{__name__}.charts:charts"
