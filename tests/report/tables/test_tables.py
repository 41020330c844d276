"""Every figure of the Markdown is the one that other code works out from the logs."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from arag_inspect.report import frames, make_report
from arag_inspect.report.charts import as_spec, charts
from arag_inspect.report.markdown import to_markdown
from tests.report import material as m
from tests.report.recount import LABELS, bounds_of, interval, read_logs

SYSTEMS = ("A-RAG", "Naive RAG", "Stuffing")
SOLVERS = ("arag", "naive_rag", "stuffing")
SHIFT = {"arag": 1.0, "naive_rag": 0.0, "stuffing": 0.9}


def _scores(random: np.random.Generator, system: str, number: int) -> dict[str, Score]:
    grade = float(np.clip(round(2.5 + SHIFT[system] + random.normal(scale=0.8)), 1, 5))
    other = float(np.clip(grade + random.integers(-1, 2), 1, 5))
    scores = {
        "rouge": m.scored({"rouge1": random.uniform(0.2, 0.4), "rouge2": random.uniform(0, 0.2)}),
        "geval_coverage": m.judged({"a/one": grade, "b/two": other}),
        "error_taxonomy": m.scored({"H": float(number % 3 == 0), "any": float(number % 3 == 0)}),
    }
    if system == "stuffing":
        scores["retrieval_pr"] = Score.unscored(reason="no_retrieval")
    return scores


def _sample(random: np.random.Generator, system: str, number: int) -> Any:
    loops = int(random.integers(2, 6)) if system == "arag" else 1
    read = [int(chunk) for chunk in random.permutation(6)[: loops + 1]]
    store = m.trace(
        system,
        loops=loops,
        latency_ms=float(random.uniform(500, 5000)),
        cost_usd=float(random.uniform(0.01, 0.02)) * loops,
        input_tokens=1000 * loops,
        stopped_by="max_loops" if loops == 5 else "answer",
        passages=[
            m.passage(chunk, loop=min(i + 1, loops), text="x" * 2400)
            for i, chunk in enumerate(read)
        ],
    )
    scores = _scores(random, system, number)
    if system != "stuffing":
        hits = len({1, 2} & set(read))
        search_recall = 1.0 if number % 2 else hits / 2
        scores["retrieval_pr"] = m.scored(
            {"recall": hits / 2, "precision": hits / len(read), "search_recall": search_recall}
        )
    if number == 5:
        scores["geval_coverage"] = Score.unscored(reason="grader_failed")
    metadata = {"company": f"C{number % 13}"}
    answer = "word " * (20 + number)
    return m.sample(number, scores, system=system, answer=answer, store=store, metadata=metadata)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(4)
    logs = [
        m.log([_sample(random, system, number) for number in range(40)], system=system)
        for system in SOLVERS
    ]
    return m.write(tmp_path_factory.mktemp("logs"), *logs)


@pytest.fixture(scope="module")
def markdown(folder: Path) -> str:
    return to_markdown(make_report(frames(folder)))


@pytest.fixture(scope="module")
def frame(folder: Path) -> pd.DataFrame:
    """The logs as a table, read without any code of ours."""
    read = read_logs(read_eval_log(str(path)) for path in sorted(folder.iterdir()))
    return read.assign(system=read.system.map(dict(zip(SOLVERS, SYSTEMS, strict=True))))


def _table(markdown: str, title: str) -> pd.DataFrame:
    text = markdown.split(f"#### {title}\n")[1].split("\n#")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [
        [c.strip().replace("\\", "") for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
    ]
    return pd.DataFrame([cells[0], *cells[2:]]).pipe(
        lambda f: f[1:].set_axis([f"{n}" for n in f.iloc[0]], axis=1).reset_index(drop=True)
    )


def _numbers(cell: str) -> list[float]:
    return [float(n.replace(",", "")) for n in re.findall(r"[-+]?\d[\d,]*\.?\d*", cell)]


def _equal(cell: str, value: float, digits: int = 3) -> None:
    if cell.startswith("<"):
        assert value < 0.001
        return
    assert _numbers(cell)[0] == pytest.approx(value, abs=0.51 * 10**-digits), cell


def _close(cell: str, interval: tuple[float, float, float]) -> None:
    assert _numbers(cell) == pytest.approx(interval, abs=0.00051)


def test_headline_and_errors(markdown: str, frame: pd.DataFrame) -> None:
    for title in ("Scores", "Errors"):
        table = _table(markdown, title).set_index("measure" if title == "Scores" else "error")
        for label, row in table.iterrows():
            for system in SYSTEMS:
                own = frame[frame.system == system]
                values = own[LABELS[str(label)]].dropna()
                if values.empty:
                    assert row[system] == "-"
                    continue
                _close(row[system], interval(values, own.company, bounds_of(str(label))))
    samples = _table(markdown, "Scores").set_index("measure").samples
    assert samples["Recall"] == "40 / 0 / 0; 40 / 0 / 0; 0 / 40 / 0"
    assert samples["Coverage (1-5)"] == "39 / 1 / 0" and samples["ROUGE-1"] == "40 / 0 / 0"
    assert len(_table(markdown, "Scores")) == 6 and len(_table(markdown, "Errors")) == 2


def test_comparisons(markdown: str, frame: pd.DataFrame) -> None:
    table = _table(markdown, "Which system is better")
    wide = frame.pivot(index="id", columns="system")
    companies = frame.drop_duplicates("id").set_index("id").company
    ps = []
    assert list(table.role) == ["primary"] * 4 + ["secondary"] * 7
    for _, row in table.iterrows():
        values = wide[LABELS[row.measure]]
        kept = values[[row.a, row.b]].dropna()
        difference = kept[row.a] - kept[row.b]
        assert row.n == str(len(kept))
        if difference.std() > 0:
            _close(row["a - b"], interval(difference, companies, None))
            _equal(row.d, difference.mean() / difference.std())
        else:
            assert row["a - b"] == "0.000 [0.000, 0.000]" and "no sample differs" in row.verdict
        signs = np.sign(difference)
        counts = [int((signs == sign).sum()) for sign in (1, 0, -1)]
        assert row["wins/ties/losses"] == "/".join(map(str, counts))
        sums = [kept[system].groupby(companies).sum().to_numpy() for system in (row.a, row.b)]
        p = stats.permutation_test(
            sums,
            lambda a, b, axis: (a - b).sum(axis),
            permutation_type="samples",
            vectorized=True,
        ).pvalue
        ps.append(p)
        _equal(row.p, p)  # 13 companies: both count all swaps
    for own, method in ((slice(0, 4), "holm"), (slice(4, 11), "fdr_bh")):
        adjusted = multipletests(ps[own], method=method)[1]
        for cell, p in zip(table["p corrected"][own], adjusted, strict=True):
            _equal(cell, p)
    for _, row in table.iterrows():
        won = row["p corrected"].startswith("<") or _numbers(row["p corrected"])[0] < 0.05
        assert won == row.verdict.endswith("is better")
    assert "A-RAG is better" in set(table.verdict)


def test_power(markdown: str, frame: pd.DataFrame) -> None:
    table = _table(markdown, "How many samples it takes")
    (row,) = [
        row for _, row in table.iterrows() if row.measure == "ROUGE-2" and row.b == "Naive RAG"
    ]
    wide = frame.pivot(index="id", columns="system", values="rouge.rouge2")
    difference = wide["A-RAG"] - wide["Naive RAG"]
    companies = frame.drop_duplicates("id").set_index("id").company
    sums = (difference - difference.mean()).groupby(companies).sum()
    clustered = 13 / 12 * (sums**2).sum() / 40**2
    design = max(1.0, clustered * 40 / difference.var())
    n = TTestPower().solve_power(abs(difference.mean()) / difference.std(), alpha=0.05, power=0.8)
    assert _numbers(row["for the difference seen"])[0] == pytest.approx(np.ceil(n) * design, abs=1)


def test_effort(markdown: str, frame: pd.DataFrame) -> None:
    for _, row in _table(markdown, "Cost and latency").iterrows():
        own = frame[frame.system == row.system]
        _equal(row["cost per question (USD)"], own.cost_usd.mean(), 4)
        _equal(row["USD in all"], own.cost_usd.sum(), 4 if own.cost_usd.sum() < 1 else 2)
        both = own.dropna(subset=["geval_coverage"])
        _equal(
            row["cost per coverage point (USD)"], both.cost_usd.sum() / both.geval_coverage.sum(), 4
        )
        for q in (50, 90, 99):
            _equal(row[f"p{q} ms"], np.percentile(own.latency_ms, q), 0)
        _equal(row["tokens in"], own.input_tokens.mean(), 0)
        _equal(row.loops, own.loops.mean())
        _equal(row.words, own.words.mean(), 1)
        _equal(row.stopped, 100 * (own.stopped_by == "max_loops").mean(), 1)
        _equal(row["judge cost per question (USD)"], 0.002, 4)


def test_retrieval(markdown: str, frame: pd.DataFrame) -> None:
    for _, row in _table(markdown, "Retrieval").iterrows():
        own = frame[frame.system == row.system]
        _equal(row.recall, own["retrieval_pr.recall"].mean())
        unread = own["retrieval_pr.search_recall"] - own["retrieval_pr.recall"]
        _equal(row["found, not read"], unread.mean())
        _equal(row["chunks read"], own.passages.map(len).mean())
        if row.system == "A-RAG":
            rho = stats.spearmanr(own.loops, own["retrieval_pr.recall"])
            _equal(row["loops and recall"], rho.statistic)
            _equal(row.p, rho.pvalue)


def _recall(frame: pd.DataFrame, chunks: int = 99, loops: int = 99) -> float:
    """Mean recall of gold chunks 1 and 2 after so many chunks and loops."""
    recalls = [
        len({1, 2} & {passage["chunk_id"] for passage in read[:chunks] if passage["loop"] <= loops})
        / 2
        for read in frame.passages
    ]
    return float(np.mean(recalls))


def test_growth_of_recall(markdown: str, frame: pd.DataFrame) -> None:
    by_chunks = _table(markdown, "Recall by number of chunks read")
    by_tokens = _table(markdown, "Recall by tokens read")
    for system in ("A-RAG", "Naive RAG"):
        own = frame[frame.system == system]
        for _, row in by_chunks.iterrows():
            _equal(row[system], _recall(own, chunks=int(row.chunks)))
        for _, row in by_tokens.iterrows():  # 600 tokens a chunk
            fitting = int(row.tokens.replace(",", "")) // 600
            _equal(row[system], _recall(own, chunks=fitting))
    assert list(_table(markdown, "What each loop adds").system) == ["A-RAG"] * 5
    for _, row in _table(markdown, "What each loop adds").iterrows():
        own = frame[frame.system == row.system]
        assert int(row["samples still running"]) == int((own.loops >= int(row.loop)).sum())
        after = _recall(own, loops=int(row.loop))
        _equal(row.recall, after)
        _equal(row.added, after - _recall(own, loops=int(row.loop) - 1))


def test_denominators(markdown: str, frame: pd.DataFrame) -> None:
    table = _table(markdown, "Denominators").set_index(["measure", "system"])
    for label, name in ((label, LABELS[label]) for label in dict(table.index)):
        for system in SYSTEMS:
            scored = int(frame[frame.system == system][name].notna().sum())
            assert table.loc[(label, system), "scored"] == str(scored)
            assert table.loc[(label, system), "unscored"] == str(40 - scored)
    reasons = _table(markdown, "Why scores have no value").set_index(["system", "scorer"])
    assert reasons.loc[("Stuffing", "retrieval_pr"), "values"] == "120"
    assert reasons.loc[("A-RAG", "geval_coverage"), "reason"] == "grader_failed"
    attrition = _table(markdown, "Attrition").set_index("system")
    assert list(attrition.unscored) == ["1", "1", "40"]
    assert list(attrition.answered) == ["40"] * 3


def test_agreement_and_length(markdown: str, frame: pd.DataFrame) -> None:
    from sklearn.metrics import cohen_kappa_score

    (row,) = [row for _, row in _table(markdown, "Agreement between judges").iterrows()]
    both = frame.dropna(subset=["geval_coverage by a/one"])
    a, b = both["geval_coverage by a/one"].astype(int), both["geval_coverage by b/two"].astype(int)
    assert row.answers == str(len(both)) == "117"
    _equal(row.kappa, cohen_kappa_score(a, b, weights="quadratic"))
    _equal(row["tau, answers"], stats.kendalltau(a, b).statistic)
    means = both.groupby("system")[["geval_coverage by a/one", "geval_coverage by b/two"]].mean()
    _equal(row["tau, systems"], stats.kendalltau(*means.to_numpy().T).statistic)
    assert 0.5 < _numbers(row.alpha)[0] < 1
    lengths = _table(markdown, "Length bias").set_index(["measure", "judge"])
    centred = both[["geval_coverage by b/two", "words"]] - both.groupby("system")[
        ["geval_coverage by b/two", "words"]
    ].transform("mean")
    correlation = stats.pearsonr(*centred.to_numpy().T)
    cell = lengths.loc[("Coverage (1-5)", "b/two"), "r"]
    assert _numbers(cell) == pytest.approx(
        [correlation.statistic, *correlation.confidence_interval()], abs=6e-4
    )


def test_the_figure_of_the_judges_holds_the_coefficients_of_the_table(folder: Path) -> None:
    (report,) = make_report(frames(folder)).benchmarks
    table = report.table("agreement")
    assert table is not None
    ((dimension, judges, _, *values),) = table.rows
    (chart,) = [chart for chart in charts(report) if chart.name == "judges"]
    rows = as_spec(chart)["data"]["values"]
    assert [(row["coefficient"], row["value"]) for row in rows] == list(
        zip(("alpha", "kappa", "tau, answers"), values[:3], strict=True)
    )
    assert {row["row"] for row in rows} == {f"{dimension}: {judges}"}


def test_correlations(markdown: str, frame: pd.DataFrame) -> None:
    table = _table(markdown, "Correlation of the measures").set_index("measure")
    for a in table.index:
        for b in table.index:
            both = (
                frame[[LABELS[a], LABELS[b]]].dropna()
                if a != b
                else frame[[LABELS[a]] * 2].dropna()
            )
            _equal(table.loc[a, b], stats.spearmanr(*both.to_numpy().T).statistic)
