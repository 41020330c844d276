"""Write measurements/agreement/tables.md.

`python -m measurements.agreement DIR [--only SET] [--limit N] [--quick]`

DIR has a folder for each set. Missing sets are left out; their sections stay. An interrupted run
resumes where it stopped: scores are in `logs/human`.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from arag_inspect.figures.checks.support import SupportFeatures, read_support

from .evaluate import SetAgreement, agreement, evaluate_set, notes, title
from .sets import SETS, read_copy

PAGE = Path("measurements") / "agreement" / "tables.md"
_MARK = "<!-- measured -->"
_HEADING = re.compile(r"^(?=### )", re.MULTILINE)

FAITHFULNESS = ("support", "factual_consistency", "rouge")
COVERAGE = ("rouge", "fact_coverage", "embedding_coverage")
ANSWERS = ("numeric_match", "contain_match", "rouge", "fact_coverage")
SCORERS = {
    "summedits": FAITHFULNESS,
    "wice": FAITHFULNESS,
    "qags": FAITHFULNESS,
    "factcc": FAITHFULNESS,
    "summhay": COVERAGE,
    "ragchecker": COVERAGE,
    "financebench": ANSWERS,
}
"""Judge-free scorers for each set: those that answer the question put to the annotators."""

SLOW = ("bertscore",)
"""Scorers that embed whole documents: measured on at most 200 labels of each subset."""

ARGUMENTS: dict[str, dict[str, object]] = {
    "factual_consistency": {"judge": False},
    "fact_coverage": {"gold": "reference"},
}


def section(name: str, source: Path, limit: int | None, quick: bool) -> str:
    """Measure the scorers of one set on all labels, with thresholds from other groups."""
    fast = _evaluate(name, SCORERS[name], source, limit)
    slow = [] if quick else [_evaluate(name, SLOW, source, min(limit or 200, 200))]
    agreements = [
        one
        for evaluation in (fast, *slow)
        for one in evaluation.agreements
        if evaluation is fast or not one.measure.startswith("baseline")
    ]
    constant = [
        one.measure
        for evaluation in (*slow, fast)
        for one in evaluation.agreements
        if evaluation.units[one.measure].nunique() < 2
    ]
    shown = [one for one in agreements if one.measure not in constant]
    remarks = [
        f"{', '.join(SLOW)}: at most {one.limit} labels of each subset, {len(one.units)} in all."
        for one in slow
    ] or [f"Not measured, since slow: {', '.join(SLOW)}."]
    if constant:
        remarks.append(f"The same value for every label: {', '.join(sorted(constant))}.")
    result = replace(fast, agreements=shown)
    lines = "\n".join(f"- {line}" for line in (*notes(result), *remarks))
    return f"### {title(result)}\n\n{agreement(result).as_markdown()}\n\n{lines}\n"


def _evaluate(name: str, scorers: Sequence[str], source: Path, limit: int | None) -> SetAgreement:
    return evaluate_set(
        name,
        scorers=scorers,
        arguments={key: ARGUMENTS[key] for key in scorers if key in ARGUMENTS},
        source=source,
        limit=limit,
    )


def fit(source: Path) -> None:
    """Fit the weights of the scorer `support` on the domains of SummEdits at hand."""
    from sklearn.linear_model import LogisticRegression

    answers = list(read_copy(SETS["summedits"], source / "summedits").answers.itertuples())
    features = [
        [fmean(column) for column in zip(*(s.features for s in sentences), strict=True)]
        for answer in answers
        if (sentences := read_support(answer.answer, [answer.source]))
    ]
    keys = [(answer.group, answer.label) for answer in answers]
    per_document, documents = Counter(keys), Counter(label for _, label in set(keys))
    weights = [1 / per_document[key] / documents[key[1]] for key in keys]
    model = LogisticRegression(max_iter=2_000)
    model.fit(
        features,
        [answer.label for answer in answers],
        sample_weight=[weight * len(keys) / sum(weights) for weight in weights],
    )
    print(SupportFeatures(*model.coef_[0].round(2)), model.intercept_.round(2))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m measurements.agreement")
    parser.add_argument("source", type=Path)
    parser.add_argument("--only", action="append", choices=list(SCORERS))
    parser.add_argument("--limit", type=int, help="most labels of each subset")
    parser.add_argument("--quick", action="store_true", help="leave out slow scorers")
    parser.add_argument("--fit", action="store_true", help="fit the weights of support instead")
    options = parser.parse_args()
    if options.fit:
        fit(options.source)
        return
    for name in SETS:
        if name in (options.only or SCORERS) and (options.source / name).is_dir():
            _write(section(name, options.source / name, options.limit, options.quick))


def _write(text: str) -> None:
    """Write a set's section into the page, replacing an earlier one."""
    head, _, measured = PAGE.read_text(encoding="utf-8").partition(_MARK)
    title = text.partition(",")[0]
    kept = [part for part in _HEADING.split(measured) if part.strip()]
    sections = [part.strip() for part in kept if not part.startswith(f"{title},")] + [text.strip()]
    body = "\n\n".join(sorted(sections))
    PAGE.write_text(f"{head}{_MARK}\n\n{body}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
