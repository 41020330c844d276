"""Tests that measures of answers count questions only, and that styles are known."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from arag_inspect.prompts import built_in
from arag_inspect.report import frames, studies
from arag_inspect.report.comparison.basis import basis_sentences
from arag_inspect.report.comparison.means import mean_of_measure
from arag_inspect.types.sample import known_styles
from tests.commands import call
from tests.report import material as m

RIGHT = "answer_match"


def _write(folder: Path, styles: Sequence[str]) -> Path:
    """Write a log of right answers to questions, and of summaries that the same scorers scored."""
    samples = []
    for number, style in enumerate(styles):
        is_question = style == "qa"
        scores = {
            RIGHT: m.scored(float(is_question), RIGHT),
            "rouge": m.scored({"rouge2": 0.5}, "rouge"),
        }
        samples.append(m.sample(number, scores, metadata={"style": style}))
    return m.write(folder, m.log(samples))


@pytest.mark.parametrize("summary", ["summary", "section", "earnings_call"])
def test_measures_of_answers_leave_out_summaries_of_mixed_tasks(
    tmp_path: Path, summary: str
) -> None:
    logs = _write(tmp_path / "logs", ["qa", summary] * 3)
    (study,) = studies(frames(logs))
    right = mean_of_measure(study, "A-RAG", RIGHT)
    assert right is not None and (right.mean, right.n) == (1.0, 3)
    rouge = mean_of_measure(study, "A-RAG", "rouge.rouge2")
    assert rouge is not None and rouge.n == 6
    reasons = set(study.scores_of(RIGHT)["reason"].dropna())
    assert reasons == {"not_a_question"}
    assert "Right answer rests on 3 of 6 samples (not a question: 3)." in basis_sentences(study)
    gate = call("gate", logs, "--rule", f"{RIGHT} >= 0.4", code=None)
    assert "1.000" in gate.output and "missing" not in gate.output


def test_length_bias_counts_no_verdicts_on_summaries(tmp_path: Path) -> None:
    samples = []
    for number, style in enumerate(["qa", "qa", "summary"] * 4):
        verdict = m.judged(float(number % 4 > 1), name="llm_accuracy")
        fields = {"style": style}
        answer = " ".join(["word"] * (number + 1))
        scores = {"llm_accuracy": verdict}
        samples.append(m.sample(number, scores, answer=answer, metadata=fields))
    (row,) = m.rows_of(m.report_of(tmp_path, m.log(samples)), "length_bias")
    assert row["answers"] == 8


@pytest.mark.parametrize("styles", [["summary"] * 4, ["qa"] * 4, ["qa", "haiku"] * 2])
def test_measures_of_answers_count_all_samples_without_questions_and_summaries(
    tmp_path: Path, styles: list[str]
) -> None:
    (study,) = studies(frames(_write(tmp_path, styles)))
    assert len(study.known_values("A-RAG", RIGHT)) == 4


@pytest.mark.parametrize(
    ("styles", "named"), [(["answer", "qa"], "answer"), (["haiku", "Summary"], "haiku and Summary")]
)
def test_report_has_one_notice_of_unknown_styles(
    tmp_path: Path, styles: list[str], named: str
) -> None:
    texts = [notice.text for notice in frames(_write(tmp_path, styles * 3)).notices]
    (text,) = (text for text in texts if "unknown style" in text)
    assert f"samples of unknown style {named}, which count as summaries" in text
    assert "known are qa, summary, earnings_call" in text
    known = frames(_write(tmp_path / "known", ["qa", "legal"])).notices
    assert not any("unknown style" in notice.text for notice in known)


def test_styles_with_a_prompt_are_known_and_documented() -> None:
    assert set(built_in("styles")) <= set(known_styles())
    page = Path("docs/any-log.md").read_text(encoding="utf-8")
    assert [style for style in known_styles() if f"`{style}`" not in page] == []
