"""Which measure sees which known error of a legal summary: `python -m benchmarks.legal [--grader MODEL]`.

The human summary of each fictional case is put before the scorers as it is, and
once with each error of the taxonomy `legal` in it; its reference is the human summary.
"""

import argparse
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from arag_inspect.meta_evaluation.cases import Case
from arag_inspect.meta_evaluation.score_variants import OFFLINE, Measured, score_variants
from arag_inspect.meta_evaluation.scorer_selection import choose_scorers
from arag_inspect.meta_evaluation.variants import CLEAN, Variant
from arag_inspect.scorers._nli import RULES
from arag_inspect.scorers._taxonomy import load_taxonomy
from arag_inspect.sisters.legal.dataset import DEMO, load_pairs
from arag_inspect.sisters.legal.perturbations import ERRORS_FILE, read_perturbations
from arag_inspect.types.trace import Passage

COLUMNS = {
    "severity_judge": "severity",
    "nli_contradiction": "NLI",
    "embedding_coverage": "coverage",
    "composite_faithfulness": "composite",
    "geval_faithfulness": "G-Eval faithful",
    "geval_coverage": "G-Eval coverage",
    "rouge2": "ROUGE-2",
}
"""Heading of each key that is shown."""

COVERAGE_THRESHOLD = 0.66
"""The stricter threshold that docs/legal.md discusses; the task's default is 0.5."""

ARGUMENTS: dict[str, dict[str, object]] = {
    "severity_judge": {"rubric": "legal"},
    "nli_contradiction": {},
    "embedding_coverage": {"threshold": COVERAGE_THRESHOLD},
    "composite_faithfulness": {"rubric": "legal", "coverage_threshold": COVERAGE_THRESHOLD},
    "geval_faithfulness": {"criteria": "legal"},
    "geval_coverage": {"criteria": "legal"},
    "rouge": {},
}


def main() -> None:
    """Score clean and damaged summaries, and print a table in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.legal", description=__doc__)
    parser.add_argument("--grader", metavar="MODEL", help="who judges [default: a rule]")
    parser.add_argument("--nli", metavar="MODEL", help="model of inference [default: a rule]")
    parser.add_argument("--log-dir", default="logs/legal", help="where the log goes")
    given = parser.parse_args()
    nli = {"model": given.nli or RULES}
    arguments = {**ARGUMENTS, "nli_contradiction": nli}
    measured = score_variants(
        list(cases()),
        choose_scorers(list(arguments), arguments),
        grader=given.grader,
        log_dir=given.log_dir,
        display="none",
        make=_variants,
    )
    print(f"Grader: {given.grader or OFFLINE}, inference: {given.nli or RULES}\n")
    print("\n".join(table(measured)))


def cases() -> Iterator[Case]:
    """The fictional cases, each with its whole opinion and its human summary."""
    pairs = load_pairs(DEMO)
    for document, question in zip(pairs.documents, pairs.questions, strict=True):
        yield Case(
            case_id=question.question_id,
            company=document.company,
            input=question.text,
            clean=question.answers[0],
            reference=question.answers[0],
            passages=[
                Passage(
                    chunk_id=number,
                    doc_id=document.doc_id,
                    prefix=section.prefix,
                    text=section.text,
                    loop=1,
                )
                for number, section in enumerate(document.sections)
            ],
        )


def _variants(case: Case, seed: int) -> list[Variant]:
    """The human summary, and the same with each known error."""
    damages = [one for one in read_perturbations(DEMO / ERRORS_FILE) if one.case == case.case_id]
    return [
        Variant(CLEAN, case.clean),
        *(Variant(one.code, one.apply(case.clean)) for one in damages),
    ]


def table(measured: Sequence[Measured]) -> Iterator[str]:
    """A line an error: mean with it in each measure, and in how many cases the score fell."""
    shown = {one.key: one for one in measured if one.key in COLUMNS and one.values}
    columns = [key for key in COLUMNS if key in shown]
    yield "| error | " + " | ".join(COLUMNS[key] for key in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    means = (f"{fmean(shown[key].values[CLEAN].values()):.2f}" for key in columns)
    yield "| none (mean) | " + " | ".join(means) + " |"
    for code in load_taxonomy("legal").codes.values():
        cells = (_cell(shown[key].values, code.code) for key in columns)
        yield f"| {code.code} {code.name} | " + " | ".join(cells) + " |"


def _cell(values: Mapping[str, Mapping[str, float]], code: str) -> str:
    """Mean with the error, and the share of cases in which the score fell."""
    clean, damaged = values[CLEAN], values.get(code, defaultdict(float))
    both = [case for case in clean if case in damaged]
    if not both:
        return "-"
    fell = sum(damaged[case] < clean[case] - 1e-6 for case in both)
    return f"{fmean(damaged[case] for case in both):.2f} ({fell}/{len(both)})"


if __name__ == "__main__":
    main()
