"""Sets whose labels are about what an answer covers or whether it is right."""

from collections.abc import Iterator

from ....datasets._io.records import Row
from ..labelled import HumanSet, LabelledAnswer, Published
from .parsing import number, share

_COVERAGE = {"not_covered": 0.0, "partially_covered": 0.5, "fully_covered": 1.0}


def _summhay(row: Row, file: str) -> Iterator[LabelledAnswer]:
    subtopic = row.text("subtopic_id")
    summary = row.values["summary"]
    if not isinstance(summary, list):
        raise row.wrong("'summary' must be a list of lines")
    insights = {
        insight["insight_id"]: insight["insight"] for insight in row.values["reference_insights"]
    }
    for annotation in row.values["annotation"]:
        if annotation["insight_id"] not in insights:
            raise row.wrong(f"insight {annotation['insight_id']!r} is labelled and not listed")
        name = f"{subtopic}/{row.text('summkey')}/{annotation['insight_id']}"
        yield LabelledAnswer(
            id=name,
            unit=name,
            answer="\n".join(summary),
            label=number(row, _COVERAGE, annotation["coverage"]),
            group=subtopic,
            subset="summhay",
            reference=insights[annotation["insight_id"]],
            question=row.text("subtopic"),
        )


def _ragchecker(row: Row, file: str) -> Iterator[LabelledAnswer]:
    unit = row.text("instance_id")
    scale = {grade: float(grade) for grade in range(-2, 3)}
    label = number(row, scale, row.values["overall_label"])
    for name, sign in (("model1", -1), ("model2", 1)):
        yield LabelledAnswer(
            id=f"{unit}/{name}",
            unit=unit,
            sign=sign,
            answer=row.values[name]["response"],
            label=label,
            group=unit,
            subset="ragchecker",
            reference=row.text("gt_answer"),
            question=row.text("query"),
        )


_FINANCEBENCH = {"Correct Answer": 1.0, "Incorrect Answer": 0.0, "Refusal": 0.0}


def _financebench(row: Row, file: str) -> Iterator[LabelledAnswer]:
    question = row.text("financebench_id")
    yield LabelledAnswer(
        id=f"{file}/{question}",
        unit=f"{file}/{question}",
        answer=row.optional_text("model_answer") or "",
        label=number(row, _FINANCEBENCH, row.values["label"]),
        group=question,
        subset="financebench",
        reference=row.text("gold_answer"),
        question=row.text("question"),
    )


def _unisumeval(row: Row, file: str) -> Iterator[LabelledAnswer]:
    if row.values.get("summary_success_state", "success") != "success":
        return
    name = f"{row.text('uid')}/{row.text('model')}"
    yield LabelledAnswer(
        id=name,
        unit=name,
        answer=row.optional_text("summary") or "",
        label=share(row, "completeness"),
        group=row.text("uid"),
        subset=row.text("domain"),
        reference="\n".join(row.texts("keyfact")),
    )


def _pearson(measure: str, value: float, where: str) -> Published:
    return Published(measure, "pearson", value, where)


_SUMMHAY_PAPER = "Laban et al., EMNLP 2024: correlation per insight"
_RAGCHECKER_PAPER = "Ru et al., NeurIPS 2024: overall"

ANSWERS = (
    HumanSet(
        name="summhay",
        title="Summary of a Haystack, human coverage labels",
        origin="https://github.com/salesforce/summary-of-a-haystack, data",
        licence="Apache-2.0",
        kind="graded",
        rule="an insight fully covered is 1, partially 0.5, not covered 0",
        size=1_419,
        files={
            "eval_benchmark_data.json": "3405b601baafaca479b6c2731462e1d4c742ea5f9254a2ea070408c80a5a4395"
        },
        parse=_summhay,
        note="The digest is that of a copy with 144 of the 200 published summaries.",
        published=tuple(
            _pearson(measure, value, _SUMMHAY_PAPER)
            for measure, value in (
                ("GPT-3.5", 0.495),
                ("Claude-3-haiku", 0.498),
                ("Claude-3-opus", 0.677),
                ("GPT-4o", 0.716),
                ("Gemini-1.5-pro", 0.751),
            )
        ),
    ),
    HumanSet(
        name="ragchecker",
        title="RAGChecker, human preferences",
        origin="https://github.com/amazon-science/RAGChecker",
        licence="Apache-2.0",
        kind="pairs",
        rule="overall label of two annotators, averaged: -2 (first answer better) to 2 (second)",
        size=280,
        files={
            "human_labeled_data.json": "cb26262cf9172bd936a2650ada2a3c621e09ed27bfe38db1a6060bffa6216142"
        },
        parse=_ragchecker,
        several_annotators=True,
        may_be_empty=True,
        note="The digest is that of a copy with 137 of the 280 published pairs.",
        published=(
            _pearson("RAGChecker", 0.619, _RAGCHECKER_PAPER),
            _pearson("second annotator", 0.701, _RAGCHECKER_PAPER),
        ),
    ),
    HumanSet(
        name="financebench",
        title="FinanceBench, answers marked by people",
        origin="https://github.com/patronus-ai/financebench, results",
        licence="CC BY-NC 4.0",
        kind="binary",
        rule="Correct Answer is 1; Incorrect Answer and Refusal are 0",
        size=2_400,
        files={
            "claude-2_inContext.jsonl": "e38452ddbc848aec2fc3ff116ef169ad2167bfaf0dc49ec0a1c19320dd6efc3a",
            "gpt-4-1106-preview_oracle.jsonl": "b07efa7daa2adfe706515ea6c05e207ff59d790e0161fd3f9f9208489ec9b3b2",
            "gpt-4-1106-preview_sharedStore.jsonl": "c9eff87569a517fe5df8b23ea2ae0ad031dff21b1e944f3180abe0be11498f43",
            "gpt-4_closedBook.jsonl": "beb885621520e4a781a187ddcd9f96c5dc2439d5e04be672f718aa44ac579c5c",
            "gpt-4_oracle.jsonl": "95e90e5098f121856676888847ef308e07c0b2f6c3cb27d2ffb90fc65726c497",
            "gpt-4_sharedStore.jsonl": "7d2d610fbe0221358d2347592b7443a1741a975f6c74116ec2ccf6517001e13e",
            "llama2_sharedStore.jsonl": "4023cad21a2b2bdb61685ec393026c222b8246b2f903f13203c441d5b208033e",
            "llama2_singleStore.jsonl": "04a891aaf048ff50a474aeef887447044f5e7f9ca303a754a16b2b4d6dd07b71",
        },
        parse=_financebench,
    ),
    HumanSet(
        name="unisumeval",
        title="UniSumEval, completeness by key facts",
        origin="https://github.com/DISL-Lab/UniSumEval-v1.0, data",
        licence="none stated",
        kind="graded",
        rule="share of the key facts that most annotators find in the summary",
        size=2_025,
        files={"data/unisumeval_keyfact.jsonl": None},
        parse=_unisumeval,
        note="Summaries that a model failed to write are left out.",
    ),
)
