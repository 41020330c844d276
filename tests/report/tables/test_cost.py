"""Tests that a skipped sample is not averaged in as free."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score

from arag_inspect.report import frames, make_report
from arag_inspect.report.chart import Chart, as_spec
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.output.run_log import log_rows
from arag_inspect.report.page.render import render_page
from tests.report import material as m

PRICES = {"naive_rag": 0.02, "stuffing": 0.0128}
CALLS, TOO_LONG = 20, 8


def _log(system: str) -> EvalLog:
    """Twenty calls; the first eight are too long for the second system."""

    def sample(number: int) -> EvalSample:
        company = {"company": f"C{number}"}
        if system == "stuffing" and number < TOO_LONG:
            store = m.trace(system, skipped="too long", cost_usd=0.0, latency_ms=2.0, loops=0)
            scores = {name: Score.unscored(reason="skipped") for name in ("rouge", "efficiency")}
            return m.sample(number, scores, system=system, answer="", store=store, metadata=company)
        quality = (0.3 if system == "stuffing" else 0.6) + number % 2 / 50
        effort = m.scored({"cost_usd": PRICES[system]})
        scores = {"rouge": m.scored({"rouge1": quality}), "efficiency": effort}
        store = m.trace(system, cost_usd=PRICES[system], loops=1, latency_ms=400.0 + number)
        return m.sample(number, scores, system=system, store=store, metadata=company)

    return m.log([sample(number) for number in range(CALLS)], system=system)


def test_cost_is_same_in_table_finding_and_chart_when_samples_are_skipped(tmp_path: Path) -> None:
    report = m.report_of(tmp_path, *map(_log, PRICES), primary=["rouge.rouge1"])
    naive, own = m.rows_of(report, "cost")
    answered = CALLS - TOO_LONG
    assert (naive["skipped"], own["skipped"]) == (0, TOO_LONG)
    price = own["cost per question (USD)"]
    assert (price.value.value, price.n) == (pytest.approx(0.0128), answered)
    assert own["words"] == (5, answered)
    by_system = report.study.answers.groupby("system")[["words", "latency_ms"]]
    assert by_system.mean()["words"].tolist() == [5.0, 5.0]
    assert by_system.count().loc["Stuffing"].tolist() == [answered, answered]
    assert own["loops"] == (1, answered) and own["p50 ms"].value > 400
    assert own["total USD"].value == pytest.approx(0.0128 * answered)

    basis, finding = report.findings
    assert basis.text.endswith(f" of {CALLS} samples (skipped: {TOO_LONG}).")
    assert finding.text.startswith("Naive RAG is better in ROUGE-1 than Stuffing (+")
    assert finding.text.endswith(", at 1.6 times the cost).")  # 0.02 / 0.0128
    chart = m.chart_of(report, "frontier")
    points = as_spec(chart)["layer"][-1]["data"]["values"]
    (point,) = (point for point in points if point["system"] == "Stuffing")
    assert (point["n"], point["skipped"]) == (answered, TOO_LONG)
    assert point["cost"] == pytest.approx(12.8)
    assert "; Stuffing: " in chart.description and " at 12.8. " in chart.description

    (row,) = (row for row in log_rows(report.study) if row["system"] == "Stuffing")
    assert (row["samples"], row["skipped"]) == (str(CALLS), str(TOO_LONG))
    assert float(row["efficiency.cost_usd"]) == pytest.approx(0.0128)
    assert row["efficiency.cost_usd n"] == str(answered)


def test_dollars_in_all_are_unknown_when_only_skipped_samples_have_a_cost(tmp_path: Path) -> None:
    unpriced = _log("stuffing")
    for sample in unpriced.samples or []:
        if "RetrievalTrace:skipped" not in sample.store:
            sample.store["RetrievalTrace:cost_usd"] = None
            sample.scores = {"rouge": m.scored({"rouge1": 0.3})}
    report = m.report_of(tmp_path, _log("naive_rag"), unpriced, primary=["rouge.rouge1"])
    naive, stuffing = m.rows_of(report, "cost")
    assert stuffing["skipped"] == TOO_LONG
    assert stuffing["cost per question (USD)"] is None
    assert stuffing["total USD"] is None
    assert naive["total USD"].value == pytest.approx(0.02 * CALLS)


def test_cost_chart_names_contestants_without_point(tmp_path: Path) -> None:
    """One answer reports no tokens, as a user's service may, and another has no score."""
    scores = {"rouge": m.scored({"rouge1": 0.5})}
    efforts: dict[str, dict[str, Any]] = {
        "arag": {"cost_usd": None, "input_tokens": 9000},
        "naive_rag": {"cost_usd": None, "input_tokens": 1000},
        "external": {"cost_usd": None, "input_tokens": 0, "output_tokens": 0},
    }
    logs = [m.run_of(system, scores, 4, effort=effort) for system, effort in efforts.items()]
    logs.append(m.run_of("stuffing", {}, 4, effort={"cost_usd": None}))
    report = make_report(frames(m.write(tmp_path, *logs)), ["rouge.rouge1"])
    (chart,) = (chart for chart in report.studies[0].charts if chart.name == "frontier")
    assert chart.note == "Not shown: external (no tokens recorded), Stuffing (not scored)"
    assert f'<p class="legend quiet">{chart.note}</p>' in render_page(report)
    assert f"frontier.svg)\n\n{chart.note}\n" in to_markdown(report, ["ectsum"])


def _frontier(folder: Path, systems: Sequence[tuple[float, float]], *names: str) -> Chart:
    """Return the chart of costs and shares of systems, or of settings of one system."""
    logs = []
    for number, (cost, share) in enumerate(systems):
        name = names[number] if names else "arag"
        params = {} if names else {"top_k": number + 1}
        scores = {"rouge": m.scored({"rouge1": share})}
        run = m.run_of(name, scores, 4, effort={"cost_usd": cost}, params=params)
        logs.append(run)
    return m.chart_of(m.report_of(folder, *logs, primary=["rouge.rouge1"]), "frontier")


def test_cost_chart_rings_systems_on_frontier(tmp_path: Path) -> None:
    costs_and_shares = {
        "closer": (0.05, 0.8),
        "as_good_but_dearer": (0.06, 0.8),
        "cheap": (0.01, 0.2),
        "as_cheap_as_good": (0.01, 0.2),
        "as_cheap_but_worse": (0.01, 0.1),
        "dear": (0.04, 0.1),
    }
    chart = _frontier(tmp_path, [*costs_and_shares.values()], *costs_and_shares)
    rings, *_ = as_spec(chart)["layer"]
    ringed = [point["system"] for point in rings["data"]["values"]]
    assert ringed == ["as_cheap_as_good", "cheap", "closer"]


@pytest.mark.parametrize(
    ("costs", "domain"),
    [
        ([0.1, 3.0], None),
        ([0.1] * 6 + [1.9], None),
        ([0.0] * 6 + [5.0], None),
        ([0.1] * 6 + [2.0], [100 / 1.3, 2600]),
        ([0.0001] * 8 + [3.0], [0.1 / 1.3, 3900]),
    ],
)
def test_cost_chart_of_many_systems_is_logarithmic_if_costs_differ_widely(
    tmp_path: Path, costs: list[float], domain: list[float] | None
) -> None:
    chart = _frontier(tmp_path, [(cost, 0.5) for cost in costs])
    scale = as_spec(chart)["layer"][0]["encoding"]["x"]["scale"]
    assert scale.get("type", "linear") == ("log" if domain else "linear")
    assert scale.get("domain") == (domain and pytest.approx(domain))


def test_cost_chart_of_many_systems_numbers_frontier(tmp_path: Path) -> None:
    shares = (0.4, 0.1, 0.5, 0.2, 0.3, 0.1, 0.6)
    chart = _frontier(tmp_path, [(n / 100, share) for n, share in enumerate(shares, start=1)])
    assert chart.note == (
        "On the frontier, where all cheaper systems have worse means: 1 A-RAG (top_k=1); 2 A-RAG "
        "(top_k=3); 3 A-RAG (top_k=7). The others are named on hover and in the table."
    )
    line, rings, *_, discs, numbers = as_spec(chart)["layer"]
    assert line["data"] == rings["data"]
    assert discs["encoding"]["color"].get("legend", True) is not None  # it would hide the legend
    numbered = numbers["data"]["values"]
    assert [(row["number"], row["quality"]) for row in numbered] == [(1, 0.4), (2, 0.5), (3, 0.6)]


@pytest.mark.parametrize(("systems", "has_legend"), [(8, True), (9, False)])
def test_cost_chart_names_at_most_eight_systems_in_legend(
    tmp_path: Path, systems: int, has_legend: bool
) -> None:
    chart = _frontier(tmp_path, [(float(number), 0.5) for number in range(1, systems + 1)])
    colors = [layer["encoding"].get("color", {}) for layer in as_spec(chart)["layer"]]
    assert [color for color in colors if "scale" in color and "field" in color]
    assert all((color.get("legend", True) is not None) == has_legend for color in colors if color)


@pytest.mark.parametrize(
    ("dollars", "said"), [(0.00129, "0.13"), (0.00052, "0.052"), (0.0106, "1.1"), (0.0129, "1.3")]
)
def test_lower_cost_of_winner_has_two_digits(tmp_path: Path, dollars: float, said: str) -> None:
    def run(system: str, quality: float, cost_usd: float) -> EvalLog:
        def scores(number: int) -> dict[str, Score]:
            return {"rouge": m.scored({"rouge1": quality + number % 2 / 50})}

        return m.run_of(system, scores, 12, company="C{}", effort={"cost_usd": cost_usd})

    runs = run("arag", 0.6, dollars), run("naive_rag", 0.3, 0.01)
    report = m.report_of(tmp_path, *runs, primary=["rouge.rouge1"])
    assert report.findings[0].text.endswith(f", at {said} times the cost).")
