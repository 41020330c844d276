"""Agreement of scorers with sets of human labels: `python -m measurements.agreement DIR`."""

from .evaluate import SetAgreement, evaluate_set
from .sets import SETS, HumanSet

__all__ = ["SETS", "HumanSet", "SetAgreement", "evaluate_set"]
