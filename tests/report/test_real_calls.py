"""Three systems on 24 real earnings calls, judged twice and by people: every figure of the report is recounted.

The calls are the first of ECTSum's val split, cut to their first sentences and their
key sentences, so that they are embedded in seconds. The judges are `offline/extractive` and a
moody one that is mostly, but not always, of its opinion.
"""

import json
import re
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
from arag_inspect.datasets.registry import Options, prepare_ectsum
from arag_inspect.models.offline.extractive import Extractive
from arag_inspect.tasks import ectsum
from tests.report.recount import Recount, read_tables

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
    """A judge that says what `offline/extractive` says, give or take a point, and another time otherwise."""

    class Wavering(Extractive):
        def __init__(self, model_name: str, **kwargs: Any) -> None:
            super().__init__("extractive", **kwargs)

        async def generate(self, input: Any, *args: Any, **kwargs: Any) -> ModelOutput:
            output = await super().generate(input, *args, **kwargs)
            mood = sha256(f"{next(_ASKED)} {input[-1].text}".encode()).digest()[0] % 3 - 1
            output.completion = re.sub(
                r"(?<=Final score: )[1-5]",
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
        kept = [line for place, line in enumerate(lines) if place < SENTENCES or line in key]
        (root / SPLIT / "ects" / f"{name}.txt").write_text("\n".join(kept))
        summary = SPLIT / "gt_summaries" / f"{name}.txt"
        (root / summary).write_text((copy / summary).read_text())
    (root / KEYS / "val_files.txt").write_text("\n".join(f"{name}.txt" for name in names))
    (root / KEYS / "val.json").write_text("\n".join(records[name] for name in names))
    return root


class Made:
    """Logs, marks of people, and the report on them."""

    def __init__(self, logs: list[EvalLog], marks: list[dict[str, Any]], folder: Path) -> None:
        self.recount = Recount(logs, folder, marks)
        self.markdown = (folder / "summarization_report.md").read_text()
        self.page = (folder / "report.html").read_text()
        self.tables = read_tables(self.markdown)


@pytest.fixture(scope="module")
def made(ectsum_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    place = tmp_path_factory.mktemp("calls")
    source = _cut(ectsum_copy, place / "source")
    corpus = place / "corpus"
    prepare_ectsum("val", source=source, options=Options(out=corpus, chunk_tokens=150))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ARAG_CACHE", str(place / "cache"))
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
            log_dir=str(place / "logs"),
            log_realtime=False,
            display="none",
        )
        assert [log.status for log in logs] == ["success"] * 3
        _type("rejudge", logs[1].location, "--scorer", "geval_coverage", "-o", place / "again.eval")
        patch.setenv("COLUMNS", "200")
        marks = _marks([read_eval_log(log.location) for log in logs])
        (place / "marks.json").write_text(json.dumps(marks))
        _type(
            *("report", place / "logs", place / "again.eval"),
            *("--human", place / "marks.json", "-o", place / "report"),
        )
    read = [read_eval_log(log.name) for log in list_eval_logs(str(place / "logs"))]
    kept = [log for log in read if log.eval.eval_id != logs[1].eval.eval_id]
    yield Made([*kept, read_eval_log(str(place / "again.eval"))], marks, place / "report")


def _type(*arguments: object) -> None:
    done = CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def _marks(logs: list[EvalLog]) -> list[dict[str, Any]]:
    """Marks from 1 to 5 for every other call: people who look at length and at nothing else."""
    return [
        {
            "id": sample.id,
            "system": sample.store["RetrievalTrace:system"],
            "value": 1 + len(sample.output.completion) % 5,
        }
        for log in logs
        for place, sample in enumerate(sorted(log.samples or [], key=lambda one: str(one.id)))
        if place % 2
    ]


def test_every_figure_of_the_report_is_recounted(made: Made) -> None:
    made.recount.check(made.markdown)
    effort = {row["system"]: row for row in made.tables["Cost and latency"]}
    assert int(effort["stuffing"]["skipped"]) > 0 and effort["arag"]["skipped"] == "0"
    answered = CALLS - int(effort["stuffing"]["skipped"])
    assert effort["stuffing"]["words"].endswith(f"(n {answered})")


def test_every_part_of_the_report_is_there(made: Made) -> None:
    assert set(made.tables) == {
        "Runs",
        "Scores",
        "Which system is better",
        "How many samples it takes",
        "Cost and latency",
        "Retrieval",
        "Recall by number of chunks read",
        "Recall by tokens read",
        "What each loop adds",
        "Errors",
        "Attrition",
        "Stuffable share",
        "Why scores have no value",
        "Denominators",
        "Agreement between judges",
        "Agreement of judges with themselves",
        "Agreement with people",
        "Means corrected by people",
        "Length bias",
        "Overlap and facts against judges",
        "Correlation of the measures",
        "Samples worth reading",
    }
    for title in made.tables:
        assert f"<h3>{title}</h3>" in made.page


def test_the_recount_sees_a_figure_that_is_wrong(made: Made) -> None:
    """One digit changed in any table, or in the text, is noticed."""
    for title in made.tables:
        if title == "Samples worth reading":
            continue
        start = made.markdown.index(f"\n#### {title}\n")
        figure = re.compile(r"(?<= )[-+$]?\d[\d.,]*\d?(?= %? ?(?:\||\[|/))").search(
            made.markdown, made.markdown.index("---:", start)
        )
        assert figure is not None
        digit = str((int(figure[0][-1]) + 2) % 10)
        wrong = f"{made.markdown[: figure.end() - 1]}{digit}{made.markdown[figure.end() :]}"
        with pytest.raises(AssertionError):
            made.recount.check(wrong)
    with pytest.raises(AssertionError, match="nobody worked out"):
        made.recount.check(made.markdown.replace("### Quality\n", "### Quality\n\nUp 17.\n", 1))


def test_judges_differ_from_each_other_from_themselves_and_from_people(made: Made) -> None:
    agreement = {row["dimension"]: row for row in made.tables["Agreement between judges"]}
    assert set(agreement) == {"Faithfulness (1-5)", "Coverage (1-5)"}
    assert 0.3 < float(agreement["Coverage (1-5)"]["alpha"]) < 0.95
    ((again),) = made.tables["Agreement of judges with themselves"]
    assert (again["measure"], again["system"]) == ("Coverage (1-5)", "naive_rag")
    assert float(again["noise floor"]) > 0 and again["same value"] != "100.0 %"
    people = {row["measure"]: row for row in made.tables["Agreement with people"]}
    assert abs(float(people["Coverage (1-5)"]["kappa"])) < 0.4
    corrected = made.tables["Means corrected by people"]
    assert len(corrected) == 6 and {row["answers marked"] for row in corrected[:2]} == {
        f"{CALLS // 2}"
    }
