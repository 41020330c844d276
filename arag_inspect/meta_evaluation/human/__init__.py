"""Agreement of scorers with public sets of human labels."""

from .evaluate import HumanEvaluation, evaluate_human
from .sets import SETS, HumanSet

__all__ = ["SETS", "HumanEvaluation", "HumanSet", "evaluate_human"]
