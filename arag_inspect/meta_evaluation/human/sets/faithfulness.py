"""Sets with labels whether a source supports a summary, a sentence or a claim."""

import json
import statistics
from collections.abc import Iterator

from ...._util.hashing import digest
from ....datasets._io.records import Row
from ..labelled import HumanSet, LabelledAnswer, Published
from .parsing import YES_NO, faithful, number, share


def _summedits(row: Row, file: str) -> Iterator[LabelledAnswer]:
    name, domain = row.text("id"), file.removeprefix("summedits_")
    yield faithful(
        row,
        f"{domain}/{name}",
        row.optional_text("summary"),
        number(row, YES_NO, row.values["label"]),
        group=f"{domain}/{name.rpartition('_')[0]}",
        subset=domain,
        source=row.text("doc"),
    )


_SUPPORT = {"not_supported": 0.0, "partially_supported": 0.0, "supported": 1.0}


def _wice(row: Row, file: str) -> Iterator[LabelledAnswer]:
    yield faithful(
        row,
        row.values["meta"]["id"],
        row.text("claim"),
        number(row, _SUPPORT, row.values["label"]),
        group=row.values["meta"]["claim_title"],
        subset="wice",
        source="\n".join(row.values["evidence"]),
    )


def _qags(row: Row, file: str) -> Iterator[LabelledAnswer]:
    sentences = row.values["summary_sentences"]
    votes = [
        [number(row, YES_NO, vote["response"]) for vote in sentence["responses"]]
        for sentence in sentences
    ]
    name = f"{file}/{_row_number(row)}"
    yield faithful(
        row,
        name,
        " ".join(sentence["sentence"] for sentence in sentences),
        statistics.fmean(float(statistics.fmean(sentence_votes) > 0.5) for sentence_votes in votes),
        group=name,
        subset=file.removeprefix("mturk_"),
        source=row.text("article"),
    )


_EXPLANATIONS = {
    "correct": 1.0,
    "partially_correct": 0.5,
    "incorrect": 0.0,
    "unrelated": 0.0,
    "no_explanation": 0.0,
}


def _factcc(row: Row, file: str) -> Iterator[LabelledAnswer]:
    document = row.text("id")
    for sample in row.values["samples"]:
        yield faithful(
            row,
            f"{document}/{sample['model']}/{sample['prompt']}/{sample['reason_idx']}",
            sample["explanation"],
            number(row, _EXPLANATIONS, sample["annotation"]),
            group=document,
            subset="factcc",
            source=f"{row.text('doc')}\n\nSummary: {row.text('summary')}",
        )


def _ragtruth(row: Row, file: str) -> Iterator[LabelledAnswer]:
    if not isinstance(row.values["labels"], list):
        raise row.wrong("'labels' must be a list of spans")
    source = row.values["source_info"]
    yield faithful(
        row,
        row.text("id"),
        row.optional_text("response"),
        float(not row.values["labels"]),
        group=row.text("source_id"),
        subset=row.text("task_type"),
        source=source
        if isinstance(source, str)
        else json.dumps(source, ensure_ascii=False, indent=1),
    )


def _frank(row: Row, file: str) -> Iterator[LabelledAnswer]:
    document = row.text("hash")
    yield faithful(
        row,
        _frank_key(row),
        row.optional_text("summary"),
        share(row, "Factuality"),
        group=document,
        subset="xsum" if document.isdigit() else "cnndm",  # BBC's ids are numbers
        source=row.text("article"),
    )


def _frank_key(row: Row) -> str:
    return f"{row.text('hash')}/{row.text('model_name')}"


def _tofueval(row: Row, file: str) -> Iterator[LabelledAnswer]:
    document = row.text("doc_id")
    yield faithful(
        row,
        f"{document}/{row.text('topic')}/{row.text('model_name')}/{row.text('sent_idx')}",
        row.text("summ_sent"),
        number(row, YES_NO, row.text("sent_label").lower()),
        group=document,
        subset=file.partition("_")[0],
        source=row.text("source"),
    )


def _aggrefact(row: Row, file: str) -> Iterator[LabelledAnswer]:
    origin = row.text("origin")
    yield faithful(
        row,
        f"{file}/{_row_number(row)}",
        row.optional_text("summary"),
        number(row, YES_NO, row.text("label")),
        group=f"{origin}/{row.text('id')}",
        subset=f"{row.text('dataset')}-{origin}",
        source=row.text("doc"),
    )


def _llm_aggrefact(row: Row, file: str) -> Iterator[LabelledAnswer]:
    source = row.text("doc")
    yield faithful(
        row,
        f"{file}/{_row_number(row)}",
        row.optional_text("claim"),
        number(row, YES_NO, row.values["label"]),
        group=digest(source),
        subset=row.text("dataset"),
        source=source,
    )


def _row_number(row: Row) -> str:
    """Return the number of the row, for sets without ids."""
    return row.place.rpartition(" ")[2]


_QAGS_PAPER = "Wang et al., ACL 2020: by summary"
_SUMMEDITS_PAPER = "Laban et al., EMNLP 2023: ECTSum domain"

FAITHFULNESS = (
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
        published=(
            Published("QAGS on CNN/DM", "pearson", 0.545, _QAGS_PAPER),
            Published("QAGS on XSum", "pearson", 0.175, _QAGS_PAPER),
        ),
    ),
    HumanSet(
        name="factcc",
        title="FactCC, explanations of language models marked by people",
        origin="https://github.com/salesforce/factualNLG, data",
        licence="Apache-2.0",
        kind="graded",
        rule="an explanation of the error that is correct is 1, partially correct 0.5, any other 0",
        size=3_643,
        files={
            "factcc_explanation_annotation.json": "bc26967a053bec3f302cfa8d1814a7184ca8f39e12122c8b0646958f2abf16f6"
        },
        parse=_factcc,
        note="All 125 summaries contradict their document; what was marked is what 16 models say about why.",
    ),
    HumanSet(
        name="ragtruth",
        title="RAGTruth, answers with unsupported spans marked",
        origin="https://github.com/ParticleMedia/RAGTruth, dataset",
        licence="MIT",
        kind="binary",
        rule="an answer without a marked span is 1, any other 0",
        size=17_790,
        files={"response.jsonl": None},
        sources=("source_info.jsonl",),
        join=lambda row: row.text("source_id"),
        parse=_ragtruth,
        may_be_empty=True,
    ),
    HumanSet(
        name="frank",
        title="FRANK, news summaries",
        origin="https://github.com/artidoro/frank, data",
        licence="MIT",
        kind="graded",
        rule="share of the summary's sentences that most annotators find without error",
        size=2_246,
        files={"human_annotations.json": None},
        sources=("benchmark_data.json",),
        join=_frank_key,
        parse=_frank,
        may_be_empty=True,
    ),
    HumanSet(
        name="tofueval",
        title="TofuEval, sentences of dialogue summaries",
        origin="https://github.com/amazon-science/tofueval, factual_consistency",
        licence="see its THIRD-PARTY-LICENSES",
        kind="binary",
        rule="a sentence labelled yes is 1, no is 0",
        size=None,
        files={
            f"factual_consistency/{corpus}_factual_eval_{part}.csv": None
            for corpus in ("mediasum", "meetingbank")
            for part in ("dev", "test")
        },
        sources=tuple(
            f"{corpus}_{part}_doc.csv"
            for corpus in ("mediasum", "meetingbank")
            for part in ("dev", "test")
        ),
        join=lambda row: row.text("doc_id", "meeting_id"),
        parse=_tofueval,
        note="The documents are not in its repository; its README has the script that writes them.",
    ),
    HumanSet(
        name="aggrefact",
        title="AggreFact, nine sets of news summaries",
        origin="https://github.com/Liyan06/AggreFact, data",
        licence="none stated",
        kind="binary",
        rule="label 1 (consistent) is 1, 0 is 0",
        size=None,
        files={"aggre_fact_final.csv": None},
        parse=_aggrefact,
        may_be_empty=True,
    ),
    HumanSet(
        name="llm_aggrefact",
        title="LLM-AggreFact, claims against documents",
        origin="https://huggingface.co/datasets/lytang/LLM-AggreFact",
        licence="CC BY-ND 4.0",
        kind="binary",
        rule="label 1 (supported) is 1, 0 is 0",
        size=59_740,
        files={f"data/{part}-00000-of-00001.parquet": None for part in ("dev", "test")},
        parse=_llm_aggrefact,
        may_be_empty=True,
    ),
)
