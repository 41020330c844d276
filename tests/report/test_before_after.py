"""Tests of `arag-inspect compare`: what changed, and which samples got worse or better."""

import csv
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalRevision, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Score

from arag_inspect import compare
from arag_inspect.report import compare_frames, compare_runs, frames, make_report, studies
from arag_inspect.report.comparison.before_after import pair_runs
from arag_inspect.report.comparison.changes import recorded_differences
from arag_inspect.report.comparison.comparisons import primary_pairs
from arag_inspect.report.comparison.primary import primary_measures
from arag_inspect.report.findings.change_notices import pair_notices
from arag_inspect.report.findings.headline import headline
from arag_inspect.report.findings.notices import deciding_note
from arag_inspect.report.frames import LogOptions
from arag_inspect.report.page.render import render_page
from tests.commands import call
from tests.report import material as m

BEFORE = [3.0] * 12 + [5.0, 5.0]
AFTER = [4.0] * 12 + [3.0, 5.0]


def _log(
    grades: list[float], *, first: int = 0, target: str = "Sales rose.", **spec: Any
) -> EvalLog:
    judge = spec.pop("judge", "mock/judge")
    samples, system = [], spec.get("system", "arag")
    for n, grade in enumerate(grades):
        scores, about = {"geval_coverage": m.judged(grade, judge)}, {"company": f"C{n}"}
        samples.append(m.sample(first + n, scores, system=system, metadata=about))
        samples[-1].target = target
    return m.log(samples, **spec)


def _write(folder: Path, *logs: EvalLog) -> str:
    return str(m.write(folder, *logs))


def _rows(report: Path, table: str) -> list[dict[str, str]]:
    (path,) = report.glob(f"*/tables/{table}.csv")
    return list(csv.DictReader(path.open()))


def _differences(folder: Path, base: EvalLog, new: EvalLog) -> list[str]:
    """Return the differences between two runs that their logs record."""
    return list(map(str, recorded_differences(m.change_of(folder, base, new))))


def test_compare_reports_changes_and_moved_samples(tmp_path: Path) -> None:
    base = _write(tmp_path / "base", _log(BEFORE))
    params = {"prompt": "Be short.", "style": "a" * 100 + "z" * 100}
    new = _log(AFTER, model="mock/newer", params=params, target="Sales rose a lot.")
    new.eval.revision = EvalRevision(type="git", origin="", commit="abc1234", dirty=True)
    out = tmp_path / "report"
    done = call("compare", base, _write(tmp_path / "new", new), "-o", str(out))
    assert "What differs: model: mock/model → mock/newer; prompt: none → Be short.;" in done.output
    assert {
        row["what"]: (row["A-RAG · model"], row["A-RAG · newer"]) for row in _rows(out, "changes")
    } == {
        "model": ("mock/model", "mock/newer"),
        "prompt": ("none", "Be short."),
        "style": ("none", f"{'a' * 80} … {'z' * 80}"),
        "commit": ("none", "abc1234 with changes"),
        "references": ("", "14 of 14 differ"),
    }
    (mean,) = _rows(out, "comparisons")
    assert (mean["n"], mean["wins/ties/losses"]) == ("14", "12/1/1")
    assert float(mean["a - b"]) == pytest.approx(10 / 14)
    assert mean["verdict"] == f"{mean['a']} is better" and "newer" in mean["a"]
    (worse,) = _rows(out, "regressions")
    assert (worse["sample"], float(worse["difference"])) == ("s012", -2.0)
    assert [row["sample"] for row in _rows(out, "gains")] == [f"s{n:03}" for n in range(12)]
    page = (out / "report.html").read_text()
    markdown = (out / "summarization_report.md").read_text()
    assert page.index(">What differs<") < page.index(">Regressions<")
    assert '<a href="#sample-0-s012">s012</a>' in page
    first = markdown.split("# Appendix")[0]
    assert first.index("What differs") < first.index("#### Regressions") < first.index("#### Gains")
    assert "A-RAG · newer covers more than A-RAG · model (+0.714" in first


def test_compare_names_settings_that_change_times_alone(tmp_path: Path) -> None:
    base, new = _log(BEFORE), _log(BEFORE)
    new.eval.config = new.eval.config.model_copy(update={"max_samples": 4, "retry_on_error": 2})
    new.eval.model_generate_config = GenerateConfig(max_connections=3, cache=True)
    values = {"max_samples": 4, "max_connections": 3, "cache": True, "retry_on_error": 2}
    assert _differences(tmp_path, base, new) == [
        f"{name} (affects time and cost only): none → {value}" for name, value in values.items()
    ]


@pytest.mark.parametrize(
    ("before", "after", "differences"),
    [
        ({"seed": 1}, {"seed": 2}, ["seed: 1 → 2"]),
        ({"data_dir": "a", "x": 5}, {"data_dir": "b"}, ["data_dir: a → b", "x: 5 → none"]),
        ({"corpus": "small"}, {"corpus": "large"}, ["corpus: small → large"]),
        ({"model": "x"}, {"model": "y"}, ["model: x → y"]),
    ],
)
def test_compare_names_changed_arguments_of_same_system(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], differences: list[str]
) -> None:
    base, new = (_log([3.0], params=params) for params in (before, after))
    assert _differences(tmp_path, base, new) == differences


def test_compare_names_both_sides_once(tmp_path: Path) -> None:
    grades = [3.0, 5.0] * 6
    sides = [
        _write(tmp_path / model, _log(values, model=f"mock/{model}"))
        for model, values in (("one", grades), ("two", [4.5, 3.0] * 6))
    ]
    done = call("compare", *sides, "-o", str(tmp_path / "report"))
    names = "A-RAG · two against A-RAG · one"
    assert f"\nectsum (ectsum-val), task version 1: {names} (only 12 samples)\n" in done.output
    assert f"version 1): {names}</h1>" in (tmp_path / "report" / "report.html").read_text()
    assert "is shown: A-RAG · two behind A-RAG · one, -0.250 [" in done.output
    assert "], 6 better, 6 worse" in done.output


@pytest.mark.parametrize(
    ("company", "interval"),
    [("C{}", r" \[-1\.\d+, \+1\.\d+\]"), ("C", ", all samples are from one company")],
)
def test_difference_is_stated_where_few_groups_allow_no_winner(
    tmp_path: Path, company: str, interval: str
) -> None:
    def scores(grades: list[float], number: int) -> dict[str, Score]:
        return {"geval_coverage": m.judged(grades[number])}

    runs = (
        m.run_of("arag", partial(scores, grades), 4, company=company)
        for grades in ([3.0, 3.0, 3.0, 4.0], [4.0, 4.0, 2.0, 4.0])
    )
    texts = m.finding_texts(m.change_of(tmp_path, *runs))
    difference = rf"new over earlier, \+0\.250{interval}, 2 better, 1 worse of 4"
    assert re.search(rf"^No difference .*{difference}", texts["Coverage (1-5)"])
    assert "Too few companies" in texts


def test_each_of_several_variants_is_paired_where_it_runs_on_both_sides(tmp_path: Path) -> None:
    variants = [
        ("arag", {"retriever": "dense"}),
        ("naive_rag", {"retriever": "bm25"}),
        ("naive_rag", {"retriever": "dense"}),
    ]
    sides = []
    for top_k in (1, 6):
        logs = [
            _log([3.0] * 3, system=system, params={**params, "top_k": top_k})
            for system, params in variants
        ]
        sides.append(frames(_write(tmp_path / str(top_k), *logs)))
    assert [pair.systems for pair in studies(pair_runs(*sides, loose=True))] == [
        ("A-RAG (top_k=6)", "A-RAG (top_k=1)"),
        ("Naive RAG (bm25, top_k=6)", "Naive RAG (bm25, top_k=1)"),
        ("Naive RAG (dense, top_k=6)", "Naive RAG (dense, top_k=1)"),
    ]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([5.0, 3.0] * 6, r" is shown: 0\.000 \[-.*\], 6 better, 6 worse of 12\."),
        ([4.0, 4.5] * 6, r" is shown: new over earlier, \+0\.250 \["),
    ],
)
def test_difference_of_runs_with_one_name_is_new_over_earlier_and_zero_is_not_the_largest(
    tmp_path: Path, after: list[float], said: str
) -> None:
    change = m.change_of(tmp_path, _log([3.0, 5.0] * 6), _log(after))
    assert re.match(f"No difference in coverage{said}", m.finding_texts(change)["Coverage (1-5)"])
    assert "A-RAG over A-RAG (earlier)" not in headline(change)


def test_compare_reports_loss_as_new_minus_earlier(tmp_path: Path) -> None:
    runs = (
        _log([grade] * 12, model=f"mock/{model}") for model, grade in (("one", 4.0), ("two", 2.0))
    )
    report = m.PartialReport(m.change_of(tmp_path, *runs))
    message = "A-RAG · two is worse in coverage than A-RAG · one"
    assert report.headline.startswith(
        f"{message}: 2.000 against 4.000 of 5 (-2.000, the same on every sample, 0 better, 12 "
        "worse of 12)"
    )
    texts = m.finding_texts(report.study)
    assert texts["Coverage (1-5)"].startswith(f"{message} (-2.000, the same")
    assert "A-RAG · two: -2.000 (" in m.chart_of(report, "differences").description


def test_compare_keeps_run_labels_of_user(tmp_path: Path) -> None:
    sides = []
    for name in ("v11", "v10"):
        folder = m.write(tmp_path / name, _log(AFTER))
        (path,) = folder.iterdir()
        sides.append(frames(folder, reading=LogOptions(labels={str(path): name})))
    new, base = sides
    (pair,) = studies(pair_runs(base, new))
    assert pair.systems == ("v11", "v10")


def test_compare_accepts_paths_logs_or_frames_with_earlier_runs_first(tmp_path: Path) -> None:
    base, new = (
        _write(tmp_path / str(n), _log(values)) for n, values in enumerate((BEFORE, AFTER))
    )
    logs = [read_eval_log(log) for log in Path(new).glob("*.eval")]
    for sides in ((base, Path(new)), (frames(base), logs)):
        report = compare(*sides)
        (pair,) = report.studies[0].comparisons
        assert pair.paired.difference == pytest.approx(10 / 14)
    shown = repr(report)
    assert "A-RAG (earlier)" in shown and "Coverage (1-5)" in shown and len(shown) < 3_000
    page = report._repr_html_()
    assert "<td>A-RAG (earlier)</td>" in page and page.count("<table>") == 1
    assert re.fullmatch(r"Frames: 28 answers, .*, 2 runs, .*", repr(report.frames))


def test_argument_named_like_log_field_hides_no_change(tmp_path: Path) -> None:
    runs = (_log(BEFORE, model=f"mock/{model}", params={"model": "x"}) for model in ("one", "two"))
    assert _differences(tmp_path, *runs) == ["model: mock/one → mock/two"]


_LONG = "Answer from the source. " * 20


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("Be brief.", "Quote first.", ("Be brief.", "Quote first.")),
        ("Be brief.", None, ("Be brief.", "none")),
        (f"{_LONG}Be brief. {_LONG}", f"{_LONG}Be kind. {_LONG}", ("Be brief.", "Be kind.")),
        ("Be brief.", "Be brief.", None),
    ],
)
@pytest.mark.parametrize("format", ["eval", "json"])
def test_changed_system_message_is_recorded_difference(
    tmp_path: Path, before: str, after: str | None, shown: tuple[str, str] | None, format: str
) -> None:
    sides = []
    for side, text in (("base", before), ("new", after)):
        log = _log(BEFORE)
        for sample in log.samples or []:
            system = [] if text is None else [ChatMessageSystem(content=text)]
            sample.messages = [*system, ChatMessageUser(content="How much?")]
        path = tmp_path / f"{side}.{format}"
        write_eval_log(log, str(path))
        sides.append(frames(path))
    (change,) = studies(pair_runs(*sides))
    texts = [
        (difference.before, difference.after)
        for difference in recorded_differences(change)
        if difference.name == "system message"
    ]
    assert len(texts) == (shown is not None)
    for shown_texts in texts:
        assert all(part in text for part, text in zip(shown or (), shown_texts, strict=True))


def test_runs_with_different_seeds_are_one_system(tmp_path: Path) -> None:
    logs = [_log(BEFORE, params={"seed": seed}) for seed in (1, 2)]
    for seed, log in enumerate(logs):
        log.plan.config.seed = seed
        log.eval.created = f"2026-01-0{seed + 1}T00:00:00+00:00"
    all_frames = frames(_write(tmp_path, *logs))
    assert list(all_frames.runs["system"]) == ["A-RAG"]
    assert "another run of the same system" in all_frames.notices[0].text


def test_compare_withholds_verdict_when_judge_or_version_changed(tmp_path: Path) -> None:
    new = _log([5.0] * 14, judge="mock/other", version=2)
    report = m.PartialReport(m.change_of(tmp_path, _log(BEFORE), new))
    texts = m.finding_texts(report.study)
    changed = texts["What differs"]
    assert "task version: 1 → 2; judges: mock/judge → mock/other;" in changed
    assert "geval_coverage measures: judge:mock/judge → judge:mock/other" in changed
    assert texts["Coverage (1-5)"].endswith("not compared in coverage (measured differently).")
    assert report.comparisons[0].verdict == "not shown: measured differently"


def _renamed_questions(log: EvalLog) -> EvalLog:
    for sample in log.samples or []:
        sample.input = f"What of {sample.id}?"
    return log


@pytest.mark.parametrize(
    "new, reason",
    [
        (lambda: _log(AFTER, judge="mock/other"), "measured differently"),
        (lambda: _renamed_questions(_log(AFTER)), "other questions under the same ids"),
    ],
)
def test_difference_of_runs_that_cannot_be_compared_is_not_shown(
    tmp_path: Path, new: Callable[[], EvalLog], reason: str
) -> None:
    sides = _write(tmp_path / "base", _log(BEFORE)), _write(tmp_path / "new", new())
    report = compare(*sides)
    (pair,) = report.studies
    assert pair.headline.startswith(f"No winner: no two systems can be compared ({reason}).")
    for name in ("regressions", "gains", "power"):
        assert pair.table(name) is None
    assert not {"differences", "frontier"} & {chart.name for chart in pair.charts}
    page = render_page(report)
    gaps = re.findall(r'<span class="gap.*?>(.*?)</span>', page)
    assert gaps and set(gaps) == {reason}


def test_equal_logs_have_no_changes_and_no_moved_samples(tmp_path: Path) -> None:
    logs = _write(tmp_path / "base", _log(BEFORE), _log(AFTER, system="stuffing"))
    report = compare_frames(frames(logs), frames(logs))
    assert not any("kept apart" in notice.text for notice in report.notices)
    for part, system in zip(report.studies, ("A-RAG", "Stuffing"), strict=True):
        assert part.study.name == (
            f"ectsum (ectsum-val), task version 1: {system} against {system} (earlier)"
        )
        assert part.findings[0].text == "nothing that the logs record."
        assert part.table("regressions") is part.table("gains") is None


_LONG_TEXTS = [f"You answer questions about quarterly reports. {rule}" * 3 for rule in ("A", "B")]


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ({"prompt": "v1"}, {"prompt": "v2"}, ("prompt=v1", "prompt=v2")),
        ({"tools": ["bm25"]}, {"tools": ["bm25", "grep"]}, ("tools=bm25", "tools=bm25+grep")),
        ({"top_k": 3, "prompt": "v1"}, {"top_k": 5, "prompt": "v1"}, ("top_k=3", "top_k=5")),
    ],
)
def test_runs_are_named_by_short_parameters_where_these_tell_them_apart(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], names: tuple[str, str]
) -> None:
    texts = zip((before, after), _LONG_TEXTS, strict=True)
    logs = [_log(BEFORE, params=params | {"template": text}) for params, text in texts]
    first, second = (f"A-RAG ({name})" for name in names)
    assert m.change_of(tmp_path, *logs).systems == (second, first)
    assert set(frames([tmp_path / "base", tmp_path / "new"]).runs["system"]) == {first, second}


def test_runs_that_differ_in_long_parameters_alone_are_named_by_them(tmp_path: Path) -> None:
    logs = [_log(BEFORE, params={"template": text}) for text in _LONG_TEXTS]
    names = set(frames(_write(tmp_path, *logs)).runs["system"])
    assert len(names) == 2 and all("template=You answer" in name for name in names)


def test_parameter_with_text_of_system_message_is_not_listed_as_another_change(
    tmp_path: Path,
) -> None:
    runs = []
    for prompt, text in zip(("v1", "v2"), _LONG_TEXTS, strict=True):
        log = _log(BEFORE, params={"template": text, "prompt": prompt})
        for sample in log.samples or []:
            sample.messages = [ChatMessageSystem(content=text), ChatMessageUser(content="Go.")]
        runs.append(log)
    prompt_change, message_change = _differences(tmp_path, *runs)
    assert prompt_change == "prompt: v1 → v2"
    assert message_change.startswith("system message: You answer")


@pytest.mark.parametrize("arguments", [{}, {"prompt": "v2"}])
def test_compare_pairs_runs_of_several_models_by_model(
    tmp_path: Path, arguments: dict[str, str]
) -> None:
    sides = []
    for side, params in (("base", {}), ("new", arguments)):
        logs = [_log(BEFORE, model=f"mock/{model}", params=params) for model in ("large", "small")]
        sides.append(frames(_write(tmp_path / side, *logs)))
    pairs = studies(pair_runs(*sides, loose=True))
    assert [[run.model for run in pair.rows] for pair in pairs] == [
        ["mock/large"] * 2,
        ["mock/small"] * 2,
    ]


@pytest.mark.parametrize(("ids", "is_same_run"), [(("a", "a"), True), (("a", "b"), False)])
def test_compare_says_that_both_sides_are_same_run(
    tmp_path: Path, ids: tuple[str, str], is_same_run: bool
) -> None:
    base, new = (
        frames(_write(tmp_path / str(number), _log(BEFORE, eval_id=eval_id)))
        for number, eval_id in enumerate(ids)
    )
    texts = [notice.text for notice in pair_notices(base, new, studies(pair_runs(base, new)))]
    assert any("answers of A-RAG are of the same run" in text for text in texts) == is_same_run


def test_system_on_one_side_only_is_named(tmp_path: Path) -> None:
    base = _write(tmp_path / "base", _log(BEFORE))
    new = _write(tmp_path / "new", _log(AFTER), _log(AFTER, system="stuffing"))
    report = compare_frames(frames(base), frames(new))
    note = "Stuffing of ectsum (ectsum-val), task version 1 is in the new logs only"
    assert [notice.text for notice in report.notices if "Stuffing" in notice.text] == [note]
    assert len(report.studies) == 1


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: _log(BEFORE, task="arag_inspect/finqa"),
            "the new logs (finqa (ectsum-val), task version 1: A-RAG) and the earlier ones "
            "(ectsum (ectsum-val), task version 1: A-RAG) have no system on the same task and data",
        ),
        (lambda: _log(BEFORE, first=50), "have no sample in common (e.g. s050 and s000)"),
    ],
)
def test_impossible_comparison_is_reported_in_one_line(
    tmp_path: Path, make: Callable[[], EvalLog], message: str
) -> None:
    base, new = _write(tmp_path / "base", _log(BEFORE)), _write(tmp_path / "new", make())
    done = call("compare", base, new, "-o", str(tmp_path / "out"), code=1)
    assert message in done.output
    assert len(done.output.splitlines()) == 1 and not (tmp_path / "out").exists()


@pytest.mark.parametrize("base", ["run1", "run10", "b#c/run 1", "b#c/run 1/"])
def test_runs_are_compared_with_the_run_of_the_base_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    """The name of a folder may be part of the path of another one."""
    monkeypatch.chdir(tmp_path)
    folders = ["run10", "run1", "ab#c/run 1", "b#c/run 1"]
    for number, folder in enumerate(folders):
        _write(Path(folder), _log(BEFORE, model=f"mock/{number}"))
    runs = frames(folders, reading=LogOptions(every=True))
    expected = f"A-RAG · {folders.index(base.rstrip('/'))}"
    (log,) = Path(base).iterdir()
    for path in (base, str(log), f"file://{log.resolve()}"):
        assert compare_runs(runs, path).studies[0].study.choices.baseline == expected


def test_runs_are_paired_by_name_then_by_solver(tmp_path: Path) -> None:
    base = frames([_write(tmp_path / "base", _log(BEFORE))])
    two = [_log(AFTER), _log(AFTER, model="mock/newer")]
    new = frames([_write(tmp_path / "new", *two)])
    assert [pair.systems for pair in studies(pair_runs(base, new))] == [
        ("A-RAG · model", "A-RAG"),
        ("A-RAG · newer", "A-RAG"),
    ]
    assert studies(pair_runs(new, base))[0].rows[1].model == "mock/model"


def test_gains_in_one_direction_are_regressions_in_other(tmp_path: Path) -> None:
    """One sample for every pair of grades from 1 to 5."""
    grades = [*product([1.0, 2.0, 3.0, 4.0, 5.0], repeat=2)]
    runs = [_log([pair[side] for pair in grades]) for side in (0, 1)]
    for sign, (old, new) in {1: runs, -1: runs[::-1]}.items():
        report = m.PartialReport(m.change_of(tmp_path / str(sign), old, new))
        for table, way in (("gains", sign), ("regressions", -sign)):
            moved = {f"s{n:03}" for n, (was, now) in enumerate(grades) if way * (now - was) >= 1}
            assert {row["sample"] for row in m.rows_of(report, table)} == moved


def test_sole_primary_measure_is_named_with_alternatives(tmp_path: Path) -> None:
    scores = {
        "rouge": m.scored({"rouge1": 0.5, "rouge2": 0.5}),
        "answer_match": Score.unscored(reason="no_reference"),
    }
    all_frames = frames(m.write(tmp_path, m.run_of("arag", scores)))
    (study,) = studies(all_frames)
    decides, _, others = deciding_note(study).partition("; --primary NAME chooses others: ")
    assert decides.startswith("ROUGE-") and others.startswith("rouge.")
    texts = [notice.text for notice in make_report(all_frames).notices]
    assert deciding_note(study) in texts
    picked = make_report(all_frames, primary=[others])  # a name that the option accepts
    assert not any("decides" in notice.text for notice in picked.notices)


def test_measure_of_both_runs_decides_a_change(tmp_path: Path) -> None:
    """A judge's grade of the earlier run alone compares nothing."""

    def run(**values: float) -> EvalLog:
        about = {"style": "qa"}
        scores = {name: m.scored(value, name) for name, value in values.items()}
        return m.log([m.sample(n, scores, metadata=about) for n in range(8)])

    judged = run(answer_match=1.0, llm_accuracy=1.0)
    study = m.change_of(tmp_path, judged, run(answer_match=0.0))
    assert primary_measures(study) == ("answer_match",)
    assert [pair.measure.key for pair in primary_pairs(study)] == ["answer_match"]


@pytest.mark.parametrize(
    ("measures", "steps", "doubt"),
    [
        (
            1,
            [0, 1, 1, 1, 1, 1],
            (
                "p is 0.062 by randomisation and cannot be below 0.05 with a difference in "
                "only 5 companies"
            ),
        ),
        (2, [0, 1, 1, 1, 1, 1, 1], "p is 0.062 after correction"),
    ],
)
def test_undecided_verdict_states_reason_when_interval_excludes_zero(
    measures: int, steps: list[int], doubt: str, tmp_path: Path
) -> None:
    names = ("geval_coverage", "geval_faithfulness")[:measures]
    runs = []
    for gain in (0, 1):
        samples = []
        for number in range(2 * len(steps)):
            grade = 3.0 + gain * steps[number // 2]
            scores = {name: m.judged(grade, name=name) for name in names}
            samples.append(m.sample(number, scores, metadata={"company": f"C{number // 2}"}))
        runs.append(m.log(samples))
    report = m.PartialReport(m.change_of(tmp_path, *runs))
    texts = m.finding_texts(report.study)
    assert f"0 worse of {2 * len(steps)}, but {doubt}" in texts["Coverage (1-5)"]
    assert {found.verdict for found in report.comparisons} == {f"not shown: {doubt}"}


def test_log_given_twice_counts_once(tmp_path: Path) -> None:
    path = str(next(m.write(tmp_path, _log(BEFORE)).iterdir()))
    all_frames = frames([path, path])
    assert len(all_frames.runs) == 1
    assert any(
        notice.text.endswith("is given twice and read once") for notice in all_frames.notices
    )


@pytest.mark.parametrize(("fell", "shown"), [(3, 3), (50, 40)])
def test_regressions_are_listed_up_to_limit_and_counted(
    tmp_path: Path, fell: int, shown: int
) -> None:
    """Including those below a quarter of the scale; largest change first."""

    def scores(fallen: int, number: int) -> dict[str, Score]:
        change = (number + 1) / 1000 if number < fallen else 0
        return {"rouge": m.scored({"rouge2": 0.5 - change})}

    runs = (m.run_of("arag", partial(scores, fallen), 60) for fallen in (0, fell))
    report = m.PartialReport(m.change_of(tmp_path, *runs))
    rows = m.rows_of(report, "regressions")
    assert [row["sample"] for row in rows] == [f"s{n:03}" for n in range(fell)][::-1][:shown]
    assert f"({shown} of {fell} shown)" in m.table_of(report, "regressions").text
    assert report.table("gains") is None


def test_regression_of_sample_about_two_documents_names_both(tmp_path: Path) -> None:
    doc_ids = [["q1"], ["q1", "q2"], ["q2"]]
    runs = []
    for grade in (4, 2):
        samples = [
            m.sample(
                n,
                {"geval_coverage": m.judged(grade)},
                metadata={"doc_ids": names, "company": ""},
            )
            for n, names in enumerate(doc_ids)
        ]
        runs.append(m.log(samples, params={"top_k": grade}))
    rows = m.rows_of(m.PartialReport(m.change_of(tmp_path, *runs)), "regressions")
    assert [row["document"] for row in rows] == ["q1", "q1 and q2", "q2"]
