"""Public sets of human labels: where they come from and how their labels are read."""

import statistics
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from ..._util.errors import InputError
from ...datasets._io.records import Row
from .labelled import HumanSet, LabelledAnswer, Published

__all__ = ["SETS", "HumanSet", "LabelledAnswer", "find_set"]


def _number(row: Row, labels: Mapping[Any, float], label: Any) -> float:
    if label not in labels:
        known = ", ".join(map(str, labels))
        raise row.wrong(f"label {label!r} is unknown; expected {known}")
    return labels[label]


def _summedits(row: Row, file: str) -> Iterator[LabelledAnswer]:
    name = row.text("id")
    source = row.text("doc")
    domain = file.removeprefix("summedits_")
    yield LabelledAnswer(
        id=f"{domain}/{name}",
        unit=f"{domain}/{name}",
        answer=row.optional_text("summary") or "",
        label=_number(row, {0: 0.0, 1: 1.0}, row.values["label"]),
        group=f"{domain}/{name.rpartition('_')[0]}",
        subset=domain,
        source=source,
        reference=source,
    )


_COVERAGE = {"not_covered": 0.0, "partially_covered": 0.5, "fully_covered": 1.0}


def _summhay(row: Row, file: str) -> Iterator[LabelledAnswer]:
    subtopic = row.text("subtopic_id")
    summary = row.values["summary"]
    if not isinstance(summary, list):
        raise row.wrong("'summary' must be a list of lines")
    insights = {one["insight_id"]: one["insight"] for one in row.values["reference_insights"]}
    for one in row.values["annotation"]:
        if one["insight_id"] not in insights:
            raise row.wrong(f"insight {one['insight_id']!r} is labelled and not listed")
        name = f"{subtopic}/{row.text('summkey')}/{one['insight_id']}"
        yield LabelledAnswer(
            id=name,
            unit=name,
            answer="\n".join(summary),
            label=_number(row, _COVERAGE, one["coverage"]),
            group=subtopic,
            subset="summhay",
            reference=insights[one["insight_id"]],
            question=row.text("subtopic"),
        )


def _ragchecker(row: Row, file: str) -> Iterator[LabelledAnswer]:
    unit = row.text("instance_id")
    scale = {grade: float(grade) for grade in range(-2, 3)}
    label = _number(row, scale, row.values["overall_label"])
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
        label=_number(row, _FINANCEBENCH, row.values["label"]),
        group=question,
        subset="financebench",
        reference=row.text("gold_answer"),
        question=row.text("question"),
    )


_SUPPORT = {"not_supported": 0.0, "partially_supported": 0.0, "supported": 1.0}


def _wice(row: Row, file: str) -> Iterator[LabelledAnswer]:
    name = row.values["meta"]["id"]
    source = "\n".join(row.values["evidence"])
    yield LabelledAnswer(
        id=name,
        unit=name,
        answer=row.text("claim"),
        label=_number(row, _SUPPORT, row.values["label"]),
        group=row.values["meta"]["claim_title"],
        subset="wice",
        source=source,
        reference=source,
    )


def _qags(row: Row, file: str) -> Iterator[LabelledAnswer]:
    sentences = row.values["summary_sentences"]
    votes = [
        [_number(row, {"no": 0.0, "yes": 1.0}, vote["response"]) for vote in one["responses"]]
        for one in sentences
    ]
    name = f"{file}/{row.place.rpartition(' ')[2]}"
    source = row.text("article")
    yield LabelledAnswer(
        id=name,
        unit=name,
        answer=" ".join(one["sentence"] for one in sentences),
        label=statistics.fmean(float(statistics.fmean(one) > 0.5) for one in votes),
        group=name,
        subset=file.removeprefix("mturk_"),
        source=source,
        reference=source,
    )


def _pearson(measure: str, value: float, where: str) -> Published:
    return Published(measure, "pearson", value, where)


_SUMMHAY_PAPER = "Laban et al., EMNLP 2024: correlation per insight"
_RAGCHECKER_PAPER = "Ru et al., NeurIPS 2024: overall"
_SUMMEDITS_PAPER = "Laban et al., EMNLP 2023: ECTSum domain"

_ALL = (
    HumanSet(
        name="summedits",
        title="SummEdits",
        origin="https://github.com/salesforce/factualNLG, data/summedits",
        licence="Apache-2.0",
        kind="binary",
        rule="label 1 (consistent) is 1, 0 is 0",
        size=6_348,
        files={
            "summedits_news.json": "aa06a1998cf7bfe6e40f8a79e0c10a1f77528165d8659056202c0ed679191c8e",
            "summedits_podcast.json": "3d6c777190ff1cad633fed48b52856774e078d8a8b78ae00189df7abb506f8dc",
            "summedits_qmsumm.json": "011e2b70ba291d1a75d14526fcacb156f70cb6ed66b375143768389b6db67bff",
            "summedits_sales_call.json": "81381ad89c8e3dd8450ee6355f847e8b76cbb134e126d5568a79a33334bb1fef",
            "summedits_sales_email.json": "8267fffdd318e513bde0f7efbd9226f908f1a5a2944f783902fdd0d6b0b8ccef",
            "summedits_samsum.json": "1d65ca667e646c7cc1cde9e6b35bdf43531eeea9191c692a9ac9ec0aa84eb5b5",
            "summedits_scitldr.json": "b4d359277bafa11587505f0332797266b69c316c713db17376f0d99413e4b350",
            "summedits_ectsum.json": None,
            "summedits_billsum.json": None,
            "summedits_shakespeare.json": None,
        },
        parse=_summedits,
        published=tuple(
            Published(measure, "balanced_accuracy", value, _SUMMEDITS_PAPER)
            for measure, value in (
                ("DAE", 0.583),
                ("SummaC-Conv", 0.579),
                ("QAFactEval", 0.726),
                ("PaLM-bison", 0.724),
                ("ChatGPT", 0.786),
                ("GPT-4", 0.870),
                ("people", 0.954),
            )
        ),
    ),
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
        name="wice",
        title="WiCE, claims of Wikipedia against the articles cited",
        origin="https://github.com/ryokamoi/wice, data/entailment_retrieval/claim",
        licence="ODC-BY (text: CC BY-SA)",
        kind="binary",
        rule="supported is 1; partially_supported and not_supported are 0",
        size=349,
        files={
            "claim_dev.jsonl": "67531ca79bde4c81d3752fb69d9cb0d3d6763de5c3028f548b83ef053a6f8042"
        },
        parse=_wice,
    ),
    HumanSet(
        name="qags",
        title="QAGS, votes on the sentences of news summaries",
        origin="https://github.com/W4ngatang/qags, data",
        licence="none stated",
        kind="graded",
        rule="share of the summary's sentences that most annotators call consistent",
        size=474,
        files={
            "mturk_cnndm.jsonl": "5a6e20201f2c5d5d2489865137987c5d68d04c5b4e84662f99bb03862bb3a575",
            "mturk_xsum.jsonl": "1fb9af32ba64b0df54b26e12456b0b0324a519a85348c1f7b268899ad6269a15",
        },
        parse=_qags,
    ),
)

SETS: Mapping[str, HumanSet] = MappingProxyType({data.name: data for data in _ALL})


def find_set(name: str) -> HumanSet:
    """Return the set of that name.

    Raises:
        InputError: There is none.
    """
    if name not in SETS:
        raise InputError(f"set {name!r} is unknown; choose from {', '.join(SETS)}")
    return SETS[name]
