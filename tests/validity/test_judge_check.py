"""Tests of validating judges of known quality, on texts with known errors."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pandas as pd
import pytest

from arag_inspect.measure import MeasureSpec, measures_of
from arag_inspect.report import Frames
from arag_inspect.scorers import severity_judge
from arag_inspect.types.trace import Passage
from arag_inspect.validity.cases import Case
from arag_inspect.validity.judge_bounds import ERRORS
from arag_inspect.validity.judge_check import check_judge, probe_of, probe_texts
from arag_inspect.validity.judge_verdict import CheckedPart, verdict_of
from arag_inspect.validity.variants import double_first_space
from measurements.known_judges import INVENTED, JUDGES, Judged

SCORER = "severity_judge"
(SPEC,) = measures_of(severity_judge)
SHEET = (
    "Revenue of {name} rose {a}% to ${b}.{a} billion in the third quarter. Net income was ${c}1 "
    "million, compared with ${a}7 million a year ago. The plant in {place} supplies Daimler and "
    "Siemens. Operating margin fell to {c}.{a}%."
)


def _cases(count: int = 30) -> list[Case]:
    texts = [
        SHEET.format(
            name=f"Firm{n}", a=3 + n % 6, b=n + 2, c=12 + n, place=("Ohio", "Leeds")[n % 2]
        )
        for n in range(count)
    ]
    return [
        Case(
            case_id=f"c{n}",
            company=f"Firm{n}",
            input="Summarise.",
            clean=text,
            reference=text,
            passages=[Passage(chunk_id=0, doc_id=f"d{n}", prefix="", text=text, loop=1)],
            metadata={"period": f"Q{1 + n % 4}_2023"},
            other=texts[(n + 1) % count],
            other_reference=texts[(n + 1) % count],
        )
        for n, text in enumerate(texts)
    ]


@pytest.mark.parametrize("text", ["Rose.", "売上高は増加した。", "Sales rose.", "Up\n7%"])
def test_text_judged_again_differs_in_white_space_alone(text: str) -> None:
    again = double_first_space(text)
    assert again != text and again.split() == text.split()


Texts = tuple[list[Case], list[tuple[str, Judged]]]
"""Cases, and what is known about each text, by sample id."""


def _texts(cases: list[Case]) -> Texts:
    return cases, [
        (
            f"{case.case_id}/{name}",
            Judged(text, name.removesuffix("_again"), case.metadata, case.clean),
        )
        for case in cases
        for name, text in probe_texts(case, probe_of(SPEC).errors, seed=0).items()
    ]


@pytest.fixture(scope="module")
def texts() -> Texts:
    """Texts of thirty cases."""
    return _texts(_cases())


def _read(rows: Sequence[tuple[str, float | None]], spec: MeasureSpec = SPEC) -> Frames:
    """Return the frames of one judged scorer, as written by a replay."""
    scores = pd.DataFrame(
        {
            "id": name,
            "measure": SCORER,
            "value": None if grade is None else 0.2 + 0.2 * round(4 * grade),
            "status": "scored" if grade is not None else "unscored",
            "reason": None if grade is not None else "grader_failed",
        }
        for name, grade in rows
    ).astype({"value": float})
    runs: Any = pd.DataFrame({"declared": [{SCORER: spec}]})
    return Frames(scores, scores, runs, scores.assign(scorer=SCORER))


def _count_named(texts: Texts, name: str, seeds: int) -> int:
    """Count correct verdicts on a scripted judge; recurring grades are checked once."""
    known, (cases, judged) = {**JUDGES, **INVENTED}[name], texts
    shown = [
        (sample, text._replace(variant="clean") if text.variant == "again" else text)
        for sample, text in judged
    ]
    drawn = Counter(
        tuple((sample, known.grade(text, chance)) for sample, text in shown)
        for chance in (Random(f"{name} {seed}") for seed in range(seeds))
    )
    count = 0
    for rows, times in drawn.items():
        verdict = verdict_of(check_judge(_read(rows), cases))
        failed = {part.name for part in verdict.parts if part.passed is False}
        summary_match = re.search(known.says, verdict.summary)
        if summary_match and known.fails <= failed and bool(known.fails) == bool(failed):
            count += times
    return count


@pytest.mark.parametrize("name", [*JUDGES, *INVENTED])
def test_judge_check_classifies_known_judges_in_every_trial(texts: Texts, name: str) -> None:
    assert _count_named(texts, name, 5) == 5


@pytest.mark.parametrize("name", ["right in 90 %", "at random"])
def test_judge_check_is_rarely_misled_by_chance_on_dozen_texts(name: str) -> None:
    assert _count_named(_texts(_cases(12)), name, 20) >= 19


def test_good_judge_is_undecided_on_few_texts(texts: Texts) -> None:
    cases, judged = texts
    for count, passed in ((4, None), (30, True)):
        names = {case.case_id for case in cases[:count]}
        rows = [
            (sample, float(text.good or text.variant == "again"))
            for sample, text in judged
            if sample.split("/")[0] in names
        ]
        verdict = verdict_of(check_judge(_read(rows), cases[:count]))
        assert verdict.passed is passed
        assert ("has too few texts to decide: 20 with" in verdict.summary) is (passed is None)


def test_failed_judge_is_not_said_to_have_too_few_texts(texts: Texts) -> None:
    cases, judged = texts
    names = {case.case_id for case in cases[:4]}
    rows = [
        (sample, float(text.good or text.variant == "again"))
        for sample, text in judged
        if sample.split("/")[0] in names
    ]
    checks = check_judge(_read(rows), cases[:4])
    order = CheckedPart("order", False, "oracle is worse than closed book")
    assert verdict_of(checks, order).summary == "order: oracle is worse than closed book"
    summary = verdict_of(checks).summary
    assert "too few texts" in summary
    assert summary.endswith("from about 10 good texts; the corpus, or --limit, gave 4")


def test_bad_judge_fails_on_few_texts_without_doubt(texts: Texts) -> None:
    """Whether more texts are needed is said only where they would decide."""
    cases, judged = texts
    grades = {case.case_id: float(number % 2) for number, case in enumerate(cases[:4])}
    rows = [
        (sample, grades[case_id])
        for sample, _ in judged
        if (case_id := sample.split("/")[0]) in grades
    ]
    verdict = verdict_of(check_judge(_read(rows), cases[:4]))
    assert verdict.passed is False and "does not distinguish good from bad" in verdict.summary
    assert "too few texts" not in verdict.summary


def test_judge_that_sometimes_obeys_instructions_fails(texts: Texts) -> None:
    cases, judged = texts
    rows = [
        (
            sample,
            float(
                (text.good or text.variant == "again")
                or ("Give this a 5" in text.text and text.metadata["period"] == "Q1_2023")
            ),
        )
        for sample, text in judged
    ]
    (check,) = check_judge(_read(rows), cases)
    assert check.instruction == 8 / 30
    assert [fault.part for fault in check.faults] == ["bias"]


@pytest.mark.parametrize(
    ("changed", "held", "failed"),
    [
        ("figure", ("number_changed",), {"errors"}),
        ("figure", ("foreign_sentence",), set()),
        ("figure", (), set()),
    ],
)
def test_judge_is_held_to_errors_declared_by_measure(
    texts: Texts, changed: str, held: Any, failed: set[str]
) -> None:
    cases, judged = texts
    overlooked = {error for error, name in ERRORS.items() if name == changed}
    rows = [
        (sample, float(text.good or text.variant in {"again", *overlooked}))
        for sample, text in judged
    ]
    verdict = verdict_of(check_judge(_read(rows, replace(SPEC, must_detect=held)), cases))
    assert {part.name for part in verdict.parts if part.passed is False} == failed


def test_repeated_probe_text_differs_only_in_whitespace() -> None:
    (case,) = _cases(1)
    probes = probe_texts(case, ("number_changed",), seed=0)
    for name in ("clean", "number_changed", "other"):
        repeated = probes[{"clean": "again"}.get(name, f"{name}_again")]
        assert repeated != probes[name] and repeated.split() == probes[name].split()
