"""Main tables of three systems on 24 real earnings calls, recounted.

The calls are judged twice, and by people.

The calls are the first of ECTSum's val split, cut to their first sentences and their
key sentences, so that they are embedded in seconds. The judges are `offline/extractive` and a
moody one that is mostly, but not always, of its opinion.
"""

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from arag_inspect.cli.main import main
from arag_inspect.datasets import Options, prepare_dataset
from arag_inspect.models.offline.extractive import Extractive
from arag_inspect.tasks import ectsum
from tests.report.recount import Recount

CALLS, SENTENCES = 24, 8
SPLIT = Path("data/final/val")
KEYS = Path("codes/ECT-BPS/ectbps_ext/data")
SYSTEMS: Mapping[Any, dict[str, int]] = {
    "arag": {"max_loops": 3},
    "naive_rag": {},
    "stuffing": {"max_tokens": 420},
}
_ASKED = count()


@modelapi(name="wavering")
def wavering() -> type[ModelAPI]:
    """Judge as `offline/extractive` does, give or take a point, not always the same."""

    class Wavering(Extractive):
        def __init__(self, model_name: str, **kwargs: Any) -> None:
            super().__init__("extractive", **kwargs)

        async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
            output = await super().generate(input, *args, **kwargs)
            mood = sha256(f"{next(_ASKED)} {input[-1].text}".encode()).digest()[0] % 3 - 1
            output.completion = re.sub(
                r'(?<="score": )[1-5]|(?<=: )[1-5]\Z',
                lambda score: str(min(5, max(1, int(score[0]) + mood))),
                output.completion,
            )
            return output

    return Wavering


def _cut(copy: Path, root: Path) -> Path:
    """A copy of the source with the first calls, shortened."""
    names = sorted(path.stem for path in (copy / SPLIT / "ects").glob("*.txt"))[:CALLS]
    files = [
        name.removesuffix(".txt") for name in (copy / KEYS / "val_files.txt").read_text().split()
    ]
    records = dict(zip(files, (copy / KEYS / "val.json").read_text().splitlines(), strict=True))
    for folder in (SPLIT / "ects", SPLIT / "gt_summaries", KEYS):
        (root / folder).mkdir(parents=True)
    for name in names:
        key = set(json.loads(records[name])["summaries"].splitlines())
        lines = (copy / SPLIT / "ects" / f"{name}.txt").read_text().splitlines()
        kept = [line for index, line in enumerate(lines) if index < SENTENCES or line in key]
        (root / SPLIT / "ects" / f"{name}.txt").write_text("\n".join(kept))
        summary = SPLIT / "gt_summaries" / f"{name}.txt"
        (root / summary).write_text((copy / summary).read_text())
    (root / KEYS / "val_files.txt").write_text("\n".join(f"{name}.txt" for name in names))
    (root / KEYS / "val.json").write_text("\n".join(records[name] for name in names))
    return root


class Made:
    """Logs, marks of people, and the report on them."""

    def __init__(self, logs: list[EvalLog], folder: Path) -> None:
        self.recount = Recount(logs, folder)
        self.markdown = (folder / "summarization_report.md").read_text()
        self.page = (folder / "report.html").read_text()


@pytest.fixture(scope="module")
def made(ectsum_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("calls")
    source = _cut(ectsum_copy, folder / "source")
    corpus = folder / "corpus"
    prepare_dataset(
        "ectsum", split="val", source=source, options=Options(out=corpus, chunk_tokens=150)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARAG_CACHE", str(folder / "cache"))
        logs = eval(
            [
                ectsum(
                    split="val",
                    system=system,
                    corpus=str(corpus),
                    scorers="geval_coverage,geval_faithfulness,error_taxonomy,retrieval_pr,rouge",
                    system_args=SYSTEMS[system],
                )
                for system in SYSTEMS
            ],
            model="offline/extractive",
            model_roles={"grader": ["offline/extractive", "wavering/judge"]},
            log_dir=str(folder / "logs"),
            log_realtime=False,
            display="none",
        )
        assert [log.status for log in logs] == ["success"] * 3
        _type(
            *("rejudge", logs[1].location, "--scorer", "geval_coverage"),
            *("--grader", "offline/extractive,wavering/judge", "-o", folder / "again.eval"),
        )
        patch.setenv("COLUMNS", "200")
        marks = _marks([read_eval_log(log.location) for log in logs])
        (folder / "marks.json").write_text(json.dumps(marks))
        _type(
            *("report", folder / "logs", folder / "again.eval"),
            *("--human", folder / "marks.json", "-o", folder / "report"),
        )
    read = [read_eval_log(log.name) for log in list_eval_logs(str(folder / "logs"))]
    kept = [log for log in read if log.eval.eval_id != logs[1].eval.eval_id]
    yield Made([*kept, read_eval_log(str(folder / "again.eval"))], folder / "report")


def _type(*arguments: object) -> None:
    done = CliRunner().invoke(
        main, [str(argument) for argument in arguments], catch_exceptions=False
    )
    assert done.exit_code == 0, done.output


def _marks(logs: list[EvalLog]) -> list[dict[str, Any]]:
    """Return marks from 1 to 5 for every other call, by length alone."""
    return [
        {
            "id": sample.id,
            "system": sample.store["RetrievalTrace:system"],
            "value": 1 + len(sample.output.completion) % 5,
        }
        for log in logs
        for index, sample in enumerate(sorted(log.samples or [], key=lambda sample: str(sample.id)))
        if index % 2
    ]


def test_the_main_tables_are_recounted(made: Made) -> None:
    made.recount.check()
    effort = made.recount.table("cost").set_index("system")
    assert effort.skipped["Stuffing"] > 0 and effort.skipped["A-RAG"] == 0


def test_every_table_is_in_the_page_and_the_markdown(made: Made) -> None:
    names = {path.stem for path in made.recount.tables.glob("*.csv")}
    assert names == {
        *(
            "runs",
            "leaderboard",
            "summary",
            "by_length",
            "headline",
            "comparisons",
            "power",
            "cost",
            "retrieval",
            "errors",
            "failures",
        ),
        *("recall_by_chunks", "recall_by_tokens", "recall_by_loop", "search_ranking"),
        *("attrition", "stuffable"),
        *("reasons", "denominators", "agreement", "self_consistency", "human_agreement"),
        *("corrected_means", "length_bias", "overlap_against_judges", "correlations", "examples"),
    }
    assert "**Key finding:** Retrieval " in made.markdown and "Retrieval " in made.page
    assert "of these documents instead of " in made.markdown
    titles = re.findall(r"^#### (.+)$", made.markdown, re.MULTILINE)
    for title in titles[: len(names)]:
        assert f">{title}<" in made.page


@pytest.mark.parametrize(
    "name, column",
    [
        ("headline", "A-RAG"),
        ("comparisons", "a - b"),
        ("errors", "A-RAG"),
        ("cost", "words"),
        ("agreement", "kappa"),
    ],
)
def test_the_recount_sees_a_figure_that_is_wrong(
    made: Made, name: str, column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = tmp_path / "benchmark" / "tables"
    shutil.copytree(made.recount.tables, tables)
    monkeypatch.setattr(made.recount, "tables", tables)
    made.recount.check()
    wrong = made.recount.table(name)
    wrong.loc[wrong[column].first_valid_index(), column] += 0.1
    wrong.to_csv(tables / f"{name}.csv", index=False)
    with pytest.raises(AssertionError):
        made.recount.check()


def test_judges_differ_from_each_other_from_themselves_and_from_people(made: Made) -> None:
    agreement = made.recount.table("agreement").set_index("dimension")
    assert set(agreement.index) == {"Faithfulness (1-5)", "Coverage (1-5)"}
    assert 0.3 < agreement.alpha["Coverage (1-5)"] < 0.95
    (again,) = made.recount.table("self_consistency").to_dict("records")
    assert (again["measure"], again["system"]) == ("Coverage (1-5)", "Naive RAG")
    assert again["noise floor"] > 0 and again["same value"] < 1
    people = made.recount.table("human_agreement").set_index("measure")
    assert abs(people.kappa["Coverage (1-5)"]) < 0.4
    corrected = made.recount.table("corrected_means")
    assert len(corrected) == 6 and set(corrected["answers marked"][:2]) == {CALLS // 2}
