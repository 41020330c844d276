"""Tests of the HTML page: content, escaping and interaction."""

import re
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inspect_ai.scorer import Score

from arag_inspect._util.wording import milliseconds
from arag_inspect.report import Frames, LogOptions, Notice, Study, frames, make_report, studies
from arag_inspect.report.cells import Usd, show, show_score
from arag_inspect.report.chart import as_png, as_svg, vega_bundle
from arag_inspect.report.output.markdown import to_markdown
from arag_inspect.report.page import render
from arag_inspect.report.page.render import render_page
from tests.report.material import (
    data_of,
    judged,
    log,
    passage,
    run_of,
    runs_that_decline,
    sample,
    scored,
    trace,
    write,
)
from tests.serving import Response, free_port, serving

HOSTILE = "</script><script>alert(1)</script> <b>& \"quoted\" 'text' 利益は増加 \ue000\uf8ff"

ANSWER = "Sales of 5 rose by 4 % 𝛼 and 9 %."

SECTIONS = [
    {"section": "Risk <b>Factors</b>", "chunks": 2, "read": 1, "sentences": [0]},
    {"section": "Business", "chunks": 1, "read": 1, "sentences": []},
    {"section": "Notes", "chunks": 9, "read": 0, "sentences": []},
]


@pytest.fixture(scope="module", autouse=True)
def charts_are_drawn() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(render, "vega_bundle", vega_bundle)
        yield


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    folder = tmp_path_factory.mktemp("logs")
    claims = [
        _claim(ANSWER, "4 %", "contradicted"),
        _claim(ANSWER, "9 %", "not_found"),
        _claim(ANSWER, "5", "supported"),
    ]
    compared = [{"sentence": ANSWER, "nearest": "Sales of 5 were up."}]
    for system, coverage, tokens in (("arag", 4, 9000), ("naive_rag", 2, 3000)):
        passages = [passage(1, text=HOSTILE), passage(7, loop=2)]
        store = trace(system, input_tokens=tokens, passages=passages, cost_usd=None)
        codes = {"H": int(system == "naive_rag"), "O": 0, "any": int(system == "naive_rag")}
        samples = []
        for number in range(6):
            first = number == 0
            scores = {
                "geval_coverage": judged(coverage - (number == 5 and system == "arag") * 3),
                "error_taxonomy": scored(codes),
                "section_coverage": scored(0.5, sections=SECTIONS),
                "factual_consistency": scored({"supported": 0.5}, claims=claims if first else []),
                "support": scored(0.5, sentences=compared if first else []),
            }
            answer = ANSWER if first else HOSTILE
            samples.append(sample(number, scores, system=system, answer=answer, store=store))
        write(folder, log(samples, system=system))
    return frames(folder)


def _claim(answer: str, text: str, verdict: str) -> dict[str, Any]:
    start = answer.index(text)
    figure = {"text": text, "span": [start, start + len(text)]}
    checked = {"claim": answer, "source": "Up 3 %.", "differs": ["value"]}
    return {"verdict": verdict, "figure": figure, **checked}


@pytest.fixture(scope="module")
def study(results: Frames) -> Study:
    (result,) = studies(results)
    return result


@pytest.fixture(scope="module")
def page(results: Frames) -> str:
    noticed = results._replace(notices=(Notice("warning", f"careful {HOSTILE}"),))
    return render_page(make_report(noticed))


def test_page_escapes_log_text_and_loads_no_external_resource(page: str) -> None:
    assert "<script>alert" not in page and page.count("</script>") == 3
    head = page.split('<script type="text/plain"')[0]
    assert (
        re.search("<title>ectsum: .* - arag-inspect report</title>", head)
        and "careful &lt;/script&gt;" in head
    )
    assert "4 companies cannot show a difference" in head and ">3.500 [" in head
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", head)
    assert "default-src 'none'" in head
    answers = data_of(page)["benchmarks"][0]["samples"][1]["answers"]
    assert "".join(piece["text"] for piece in answers[0]["pieces"]) == HOSTILE


def test_page_data_holds_answer_of_every_system(page: str, study: Study) -> None:
    (data,) = data_of(page)["benchmarks"]
    assert [system["name"] for system in data["systems"]] == ["A-RAG", "Naive RAG"]
    assert list(data["code_names"]) == ["H", "O"]
    names = [measure["name"] for measure in data["measures"]]
    key = str(names.index("geval_coverage"))
    grades = [[a["marks"][key] for a in sample["answers"]] for sample in data["samples"]]
    assert grades == [[4, 2]] * 5 + [[1, 2]]
    (first, second) = data["samples"][0]["answers"]
    assert second["codes"] == ["H"] and first["codes"] == []
    chunks = [passage["chunk"] for passage in data["passages"]]
    assert chunks == [1, 7]
    assert [(chunks[p["passage"]], p["gold"]) for p in first["read"]] == [(1, True), (7, False)]
    assert first["missed"] == [2] and first["gold"] == 2
    assert first["judgements"][0]["reasoning"].startswith("I think <b>4</b>")


def test_every_answer_piece_names_supporting_sentence(page: str) -> None:
    pieces = data_of(page)["benchmarks"][0]["samples"][0]["answers"][0]["pieces"]
    near, source = "Sales of 5 were up.", "Up 3 %."
    assert [(p["text"], p.get("verdict"), p["source"]) for p in pieces] == [
        ("Sales of ", None, near),
        ("5", "supported", source),
        (" rose by ", None, near),
        ("4 %", "contradicted", source),
        (" 𝛼 and ", None, near),
        ("9 %", "not_found", source),
        (".", None, near),
    ]


def test_checked_figures_keep_positions_beside_citations_and_reasoning(tmp_path: Path) -> None:
    answer = (
        "<think>Is it 9 %?</think>\nSales [1] of $4¹ billion rose 9 %.[2]Costs (p. 3) fell 3 %.\n"
        "Sources:\n[1] p. 9"
    )
    plain_text = "Sales of $4 billion rose 9 %. Costs fell 3 %."
    claims = [_claim(plain_text, text, "supported") for text in ("$4 billion", "9 %", "3 %")]
    consistency = {"factual_consistency": scored({"supported": 1}, claims=claims)}
    write(tmp_path, log([sample(0, consistency, answer=answer)]))
    pieces = data_of(render_page(make_report(frames(tmp_path))))["benchmarks"][0]["samples"][0][
        "answers"
    ][0]["pieces"]
    assert "".join(piece["text"] for piece in pieces) == answer
    checked = [piece["text"] for piece in pieces if piece.get("verdict")]
    assert checked == ["$4¹ billion", "9 %", "3 %"]


def test_chart_descriptions_match_logged_figures(results: Frames) -> None:
    (report,) = make_report(results).studies
    charts_by_name = {chart.name: chart for chart in report.charts}
    names = (
        "differences frontier secondary_differences histograms sections errors documents "
        "correlations"
    )
    assert " ".join(charts_by_name) == names
    assert "Coverage (1-5) ↑, A-RAG: +1.500 [" in charts_by_name["differences"].description
    assert "A-RAG: 3.5 at 9100; Naive RAG: 2 at 3100" in charts_by_name["frontier"].description
    assert "On the frontier: Naive RAG, A-RAG" in charts_by_name["frontier"].description
    assert "; Error H Naive RAG 1.00;" in charts_by_name["errors"].description
    for chart in charts_by_name.values():
        assert as_svg(chart).startswith("<svg")
    image = as_svg(charts_by_name["errors"])
    assert "Error codes per answer" in image and "%" not in image  # several codes exceed 100 %
    frontier = charts_by_name["frontier"]
    assert as_png(frontier, as_svg(frontier)).startswith(b"\x89PNG")


def test_first_screen_ranks_systems(page: str) -> None:
    hero = page.split('<div class="hero">')[1].split("</section>")[0]
    board = hero.split("</table>")[0]
    headings = re.findall(
        r'<th scope="col"[^>]*>(.*?)</th>', board.replace("\N{NO-BREAK SPACE}", " ")
    )
    assert headings == [
        *("System", "Coverage (1-5)&nbsp;↑", "Coverage ≥ 4", "Time, p90", "Tokens per answer")
    ]
    assert '<p class="headline">No winner: ' in board and 'id="chart-0-frontier"' in board
    rows = [re.sub("<.*?>", " ", row).split() for row in board.split("<tr")[2:]]
    assert [{"A-RAG", "Naive"} & {*row} for row in rows] == [{"A-RAG"}, {"Naive"}]
    grades = [value for row in rows for value in row if re.fullmatch(r"\d\.\d{3}", value)]
    assert grades == ["3.500", "2.000"]
    assert "6 samples of 4 companies" in hero
    assert [row.count("separated") for row in rows] == [1, 1]
    assert "4 companies cannot show a difference" in hero


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    program = next(
        (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))),
        None,
    )
    driver = shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("no Chromium with its driver on this machine")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1200"):
        options.add_argument(argument)
    service = webdriver.ChromeService(executable_path=driver)
    chrome = webdriver.Chrome(options=options, service=service)
    yield chrome
    chrome.quit()


def _resize(browser: Any, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def _wait(browser: Any, condition: Callable[[Any], Any]) -> Any:
    """Wait until a condition holds and return its value."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 30).until(condition)


def _show(browser: Any, address: str) -> None:
    """Open a page and wait until it is ready."""
    browser.get(address)
    ready = "return document.documentElement.dataset.ready"
    _wait(browser, lambda driver: driver.execute_script(ready) == "yes")


def _show_report(browser: Any, folder: Path, place: str = "") -> None:
    """Open the page on the logs of a folder, at a place in it."""
    path = folder / "report.html"
    path.write_text(render_page(make_report(frames(folder / "logs"))), encoding="utf-8")
    _show(browser, f"{path.as_uri()}{place}")


@pytest.fixture(scope="module")
def address(page: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of the page on two systems."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    return path.as_uri()


def _tabs(browser: Any, chart: str) -> Iterator[Any]:
    """Click each tab in turn and yield it once its charts are drawn."""
    missing = f"return document.querySelectorAll('.open .chart:not(:has({chart}))').length"
    tabs = browser.find_elements("css selector", "[role=tab]")
    assert len(tabs) > 2
    for tab in tabs:
        browser.execute_script("arguments[0].click()", tab)
        _wait(browser, lambda driver: driver.execute_script(missing) == 0)
        yield tab


@pytest.mark.parametrize(
    ("answer", "scores", "first"),
    [
        ("Sales rose.", {}, "No primary measure has a score, so nothing is compared."),
        ("", {"geval_coverage": judged(3)}, "A-RAG and Stuffing answered none of 2 samples."),
    ],
)
def test_page_is_rendered_for_logs_without_scores_or_answers(
    browser: Any, tmp_path: Path, answer: str, scores: dict[str, Any], first: str
) -> None:
    for system in ("arag", "stuffing"):
        samples = [sample(n, scores, system=system, answer=answer) for n in range(2)]
        write(tmp_path / "logs", log(samples, system=system))
    _show_report(browser, tmp_path)
    assert browser.find_element("css selector", ".headline").text.startswith(first)
    shown = browser.find_element("css selector", "body").text
    assert "cannot be shown" not in shown and "Retrieval does not add" not in shown


@pytest.mark.parametrize(
    ("inputs", "titles"),
    [
        (["What was revenue?", "What was profit?"], ["What was revenue?", "What was profit?"]),
        (
            ["Summarize.\n\nZorg sold 40 pumps.", "Summarize.\n\nAcme lost $2 million."],
            ["Zorg sold 40 pumps.", "Acme lost $2 million."],
        ),
        (["Summarize."] * 2, ["ABM · Q1_2021: Summarize.", "CRL · Q1_2021: Summarize."]),
    ],
)
def test_title_of_sample_is_what_differs_from_other_samples(
    browser: Any, tmp_path: Path, inputs: list[str], titles: list[str]
) -> None:
    samples = [sample(n, {"geval_coverage": judged(3)}) for n in range(len(inputs))]
    for one, text in zip(samples, inputs, strict=True):
        one.input = text
    write(tmp_path / "logs", log(samples))
    _show_report(browser, tmp_path)
    texts = "return [...document.querySelectorAll('.asked')].map((item) => item.textContent)"
    assert browser.execute_script(texts) == titles


def test_charts_of_first_tab_are_drawn_before_load_event(browser: Any, address: str) -> None:
    listener = """
        window.addEventListener("load", () => {
          window.atLoad = ["", ":not(:has(svg.marks))"].map(
            (kind) => document.querySelectorAll(".open .chart" + kind).length);
        });
    """
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": listener})
    _show(browser, address)
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
    at_load = _wait(browser, lambda driver: driver.execute_script("return window.atLoad"))
    charts, missing = at_load
    assert charts and not missing


def test_page_responds_to_clicks_and_keys(browser: Any, address: str) -> None:
    browser.get("about:blank")
    _show(browser, address)

    def all_(css: str) -> list[Any]:
        return list(browser.find_elements("css selector", css))

    def pick(label: str, option: str) -> None:
        browser.execute_script(
            "const s = [...document.querySelectorAll('.filters label')]"
            ".find(l => l.textContent.startsWith(arguments[0])).querySelector('select');"
            "s.value = [...s.options].find(o => o.textContent === arguments[1]).value;"
            "s.dispatchEvent(new Event('change'))",
            label,
            option,
        )

    assert len(all_(".list li")) == 6 and not browser.execute_script("return window.alerted")
    all_("[role=tab]")[-2].click()
    assert all_("[role=tab]")[-2].text == "Samples"
    assert [heading.text for heading in all_(".answer h3")] == ["A-RAG", "Naive RAG"]
    figures = all_(".answer mark:not(.nearest)")
    assert [figure.text for figure in figures] == ["5", "4 %", "9 %"] * 2
    assert all_(".answer [role=status]")[0].text == ""
    figures[1].click()
    assert all_(".answer [role=status]")[0].text == "contradicted (value): Up 3 %."
    all_(".answer mark.nearest")[0].click()
    assert all_(".answer [role=status]")[0].text == "nearest sentence read: Sales of 5 were up."
    reasoning = all_(".answer details")[0]
    assert not reasoning.find_element("css selector", "pre").is_displayed()
    reasoning.find_element("css selector", "summary").click()
    assert "<b>4</b>" in reasoning.find_element("css selector", "pre").text
    parts = next(one for one in all_(".answer details") if "1 of 3 sections" in one.text)
    parts.find_element("css selector", "summary").click()
    assert parts.text.split("\n")[1:] == [
        "Used: Risk <b>Factors</b>",
        "Read, not used: Business",
        "Neither read nor used: Notes",
    ]
    passages_read = [one.text for one in all_(".answer summary") if "passage" in one.text]
    assert passages_read[0] == "2 passages read, with 1 of 2 gold passages"
    all_(".list")[0].send_keys("j")
    assert all_(".list li")[1].get_attribute("aria-selected") == "true"
    assert browser.current_url == f"{address}#sample-0-s001"
    browser.get("about:blank")
    _show(browser, f"{address}#sample-0-s004")
    assert all_("article p")[0].text.startswith("s004")
    assert all_("article p a")[0].get_attribute("href") == browser.current_url
    all_(".list li")[1].click()
    assert "alert(1)" in all_(".answer .text")[0].text
    pick("Show", "where A-RAG loses")
    assert [item.text.split("Summarize.")[1].split()[0] for item in all_(".list li")] == ["s005"]
    pick("Show", "with error Error H")
    assert len(all_(".list li")) == 6
    pick("Show", "all samples")
    pick("Order", "worst first")
    assert "s005" in all_(".list li")[0].text
    all_("input[type=search]")[0].send_keys("s003")
    assert [item.text.split("Summarize.")[1].split()[0] for item in all_(".list li")] == ["s003"]
    severe = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []


TIES = (0.125, 0.375, 2.675, 1.005, 0.0625, 0.3125, -0.0625, 0.0005, -0.0004, 0.062_500_000_1)
OTHERS = (0.0, 4.0, 0.5, 9.9996, 12.25, 12.35, 999.96, 1234.5, 1235.5, 1 / 3)


def test_page_and_markdown_round_numbers_alike(browser: Any, tmp_path: Path) -> None:
    values = TIES + OTHERS
    scores = ({"density": Score(value=value)} for value in values)
    logs = write(tmp_path / "logs", log([sample(*numbered) for numbered in enumerate(scores)]))
    report = make_report(frames(logs, reading=LogOptions(higher=("density",))))
    path = tmp_path / "report.html"
    path.write_text(render_page(report), encoding="utf-8")
    _show(browser, f"{path.as_uri()}#0-samples")
    items = browser.find_elements("css selector", ".list li .values span span")
    assert [item.text for item in items] == list(map(show_score, values))
    effort = browser.find_elements("css selector", ".answer p.quiet")[-1].text
    assert effort.endswith(f" · {show(Usd(0.01))} · {milliseconds(1000)}")
    (example,) = re.findall(r"\(density (.*?)\)", to_markdown(report))
    assert example == show_score(min(values)) == "-0.062"


def test_questions_that_only_some_systems_decline_come_first(browser: Any, tmp_path: Path) -> None:
    write(tmp_path / "logs", *runs_that_decline((1.0, 1.0, 1.0), (1.0, 0.0, 0.5)))
    _show_report(browser, tmp_path, "#0-samples")
    items = [item.text for item in browser.find_elements("css selector", ".list li .values")]
    names = [item.split()[0] for item in items]
    assert names[:4] == ["s007", "s008", "s000", "s001"]
    assert "Rightly declined" in items[0] and "system1 0" in " ".join(items[0].split())
    assert "Rightly declined" not in items[2]


def test_address_opens_tab_by_its_name(browser: Any, address: str) -> None:
    def opened() -> list[str]:
        tabs = browser.find_elements("css selector", "[role=tab][aria-selected=true]")
        return [tab.text for tab in tabs]

    browser.get("about:blank")
    _show(browser, f"{address}#samples")
    assert opened() == ["Samples"]
    browser.execute_script("location.hash = 'cost'")
    _wait(browser, lambda _: opened() == ["Cost"])
    browser.get("about:blank")
    _show(browser, f"{address}#no-such-tab")
    assert opened() == ["Overview"]


def test_sample_list_opens_at_its_top_on_phone(browser: Any, tmp_path: Path) -> None:
    samples = [sample(n, {"geval_coverage": judged(3)}) for n in range(20)]
    write(tmp_path / "logs", log(samples))
    _resize(browser, 375, 700)
    _show_report(browser, tmp_path, "#sample-0-s000")
    list_ = browser.find_element("css selector", ".list")
    assert list_.get_property("scrollHeight") > list_.get_property("clientHeight")
    assert list_.get_property("scrollTop") == 0


def test_textual_verdict_is_shown_verbatim(browser: Any, tmp_path: Path) -> None:
    def entry(verdict: object, reason: str | None = None) -> dict[str, Any]:
        raw = [f"Verdict: {verdict}"]
        return {"grader": "a/judge", "verdict": verdict, "reason": reason, "raw": raw}

    scores = {
        "llm_accuracy": scored({"correct": 1.0}, judges=[entry("CORRECT")]),
        "error_taxonomy": scored({"H": 1, "any": 1}, judges=[entry(["H", "O"])]),
        "severity_judge": scored(0.8, judges=[entry(4), entry(None, "timeout")]),
    }
    write(tmp_path / "logs", log([sample(0, scores)]))
    _show_report(browser, tmp_path, "#0-samples")
    titles = [found.text for found in browser.find_elements("css selector", ".answer summary")]
    assert titles[:4] == [
        "a/judge on llm_accuracy: CORRECT",
        "a/judge on error_taxonomy: H, O",
        "a/judge on absence of grave errors: 4",
        "a/judge on absence of grave errors: timeout",
    ]


def _three_measures(index: int, number: int) -> dict[str, Score]:
    return {
        "geval_faithfulness": judged(3 + (number + index) % 2),
        "geval_coverage": judged(4 - index % 3 + number % 2),
        "retrieval_pr": scored({"recall": (number + 3 * index) % 7 / 7}),
    }


@pytest.fixture(scope="module")
def three_systems(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a page on three systems with three primary measures."""
    folder = tmp_path_factory.mktemp("three")
    for index, system in enumerate(("arag", "naive_rag", "stuffing")):
        scores = partial(_three_measures, index)
        write(folder / "logs", run_of(system, scores, 12, company="C{}"))
    report = make_report(frames(folder / "logs"))
    assert len(report.studies[0].findings) == 3
    path = folder / "report.html"
    path.write_text(render_page(report), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width, height", [(1280, 800), (375, 812)])
def test_leaderboard_fits_first_screen_without_scrolling(
    browser: Any, three_systems: str, width: int, height: int
) -> None:
    _resize(browser, width, height)
    _show(browser, three_systems)
    bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    for part in (".board", ".notices, .about"):
        assert 0 < browser.execute_script(bottom, part) <= height
    gaps = browser.find_elements("css selector", ".board .gap:not([hidden])")
    assert len(gaps) == 6 and all(gap.is_displayed() for gap in gaps)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    tops = "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.offsetTop)"
    _resize(browser, width - 15, height)
    assert len(set(browser.execute_script(tops))) == 1


def test_board_with_many_columns_fits_width(browser: Any, tmp_path: Path) -> None:
    names = ("faithfulness", "answer_relevancy", "context_recall", "factual_correctness(mode=f1)")
    for system in ("version_1", "version_2"):
        samples = []
        for number in range(12):
            is_unanswerable = number % 4 == 0
            scores = {name: scored(0.5 + number % 3 / 10) for name in names}
            kind = "unanswerable" if is_unanswerable else "extractive"
            fields = {"style": "qa", "company": f"C{number}", "question_type": kind}
            answer = "The documents do not say." if is_unanswerable else "$5 million."
            samples.append(sample(number, scores, system=system, answer=answer, metadata=fields))
        write(tmp_path / "logs", log(samples, system=system))
    path = tmp_path / "report.html"
    page = render_page(make_report(frames(tmp_path / "logs"), names))
    path.write_text(page, encoding="utf-8")
    assert "Rightly declined" in page
    edges = """
        return [...document.querySelectorAll(".board td")]
          .map((cell) => cell.getBoundingClientRect().right)"""
    for width in (1280, 375):
        _resize(browser, width, 812)
        _show(browser, path.as_uri())
        assert max(browser.execute_script(edges)) <= width


def test_board_says_how_many_answers_tokens_rest_on(browser: Any, tmp_path: Path) -> None:
    for system, known in (("arag", 6), ("naive_rag", 4)):
        samples = []
        for number in range(6):
            tokens = 900 if number < known else 0
            store = trace(system, input_tokens=tokens, output_tokens=0)
            scores = {"geval_coverage": judged(3)}
            samples.append(sample(number, scores, system=system, store=store))
        write(tmp_path / "logs", log(samples, system=system))
    _show_report(browser, tmp_path)
    for width in (1280, 375):
        _resize(browser, width, 812)
        notes = [item.text for item in browser.find_elements("css selector", ".effort .ends")]
        assert "n 4" in notes and all(notes)


@pytest.fixture(scope="module")
def long_names(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Address of a page on seven systems and four errors with long names."""
    folder = tmp_path_factory.mktemp("long")
    names = {
        code: f"a figure {code} that no passage of the source supports at all" for code in "HOPQ"
    }

    def scores(index: int, number: int) -> dict[str, Score]:
        codes = {**dict.fromkeys(names, number % 2), "any": 1}
        errors = {"error_taxonomy": scored(codes, names=names)}
        return _three_measures(index, number) | errors

    for index in range(7):
        system = f"a_retriever_with_a_long_name_{index}"
        write(folder / "logs", run_of(system, partial(scores, index), 4, company="C{}"))
    path = folder / "report.html"
    path.write_text(render_page(make_report(frames(folder / "logs"))), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [1280, 375])
def test_chart_texts_are_not_cut_off(browser: Any, long_names: str, width: int) -> None:
    _resize(browser, width, 812)
    _show(browser, long_names)
    cut_off = """
        return [...document.querySelectorAll(".open svg.marks")].flatMap((svg) => {
          const edge = svg.closest(".chart").getBoundingClientRect();
          const drawing = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("text")].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.width && (box.left < drawing.left - 1
              || box.right > Math.min(drawing.right, edge.right) + 1);
          }).map((text) => `${svg.closest(".chart").id}: ${text.textContent}`);
        })"""
    count, texts = "return document.querySelectorAll('.open svg.marks text').length", 0
    for tab in _tabs(browser, "svg.marks"):
        assert (tab.text, browser.execute_script(cut_off)) == (tab.text, [])
        texts += browser.execute_script(count)
    assert texts > 50


def test_names_of_variants_differ_on_phone(browser: Any, tmp_path: Path) -> None:
    for index, retriever in enumerate(("bm25", "dense", "hybrid")):
        params = {"retriever": retriever, "top_k": 10}
        scores = partial(_three_measures, index)
        write(tmp_path / "logs", run_of("naive_rag", scores, 4, params=params))
        write(tmp_path / "logs", run_of("naive_rag", scores, 4, params=params | {"top_k": 5}))
    _resize(browser, 375, 812)
    _show_report(browser, tmp_path)
    names = """
        return [...document.querySelectorAll("#chart-0-differences .mark-group .role-axis-label")]
          .map((group) => [...group.querySelectorAll("text")].map((text) => text.textContent))
          .find((texts) => texts[0]?.startsWith("Naive RAG"))"""
    labels = next(_tabs(browser, "svg.marks")) and browser.execute_script(names)
    assert len(labels) == len(set(labels)) == 5
    assert "Naive RAG (dense, 10)" in labels


def test_printed_page_has_every_section_without_controls(browser: Any, three_systems: str) -> None:
    _resize(browser, 1047, 700)  # A4 landscape, inside its margins
    _show(browser, three_systems)
    undrawn = (
        "return [...document.querySelectorAll('.chart')].filter((c) => "
        "!c.querySelector('svg')).length"
    )
    _wait(browser, lambda driver: driver.execute_script(undrawn) == 0)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = """
        return [...document.querySelectorAll(arguments[0])]
          .filter((element) => element.checkVisibility({contentVisibilityAuto: true})).length"""
    assert (
        browser.execute_script(shown, "main button:not(th button), input, details:not([open])") == 0
    )
    tables = browser.execute_script(shown, "table")
    assert tables == len(browser.find_elements("css selector", "table")) > 10
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 1048
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(shown, "table") < tables


def test_samples_link_to_log_viewer_only_when_viewer_runs(
    browser: Any, results: Frames, tmp_path: Path
) -> None:
    report = make_report(results)

    def links(driver: Any) -> list[Any]:
        return list(driver.find_elements("link text", "Open in inspect view"))

    with serving(lambda _: Response()) as viewer:
        path = tmp_path / "report.html"
        path.write_text(render_page(report, viewer=viewer), encoding="utf-8")
        _show(browser, f"{path.as_uri()}#sample-0-s000")
        link = _wait(browser, links)[0].get_attribute("href")
    assert re.search(rf"^{viewer}/#/logs/.*\.eval/samples/sample/s000/1/$", link)
    alone = tmp_path / "alone.html"
    silent = f"http://127.0.0.1:{free_port()}"
    alone.write_text(render_page(report, viewer=silent), encoding="utf-8")
    _show(browser, f"{alone.as_uri()}#sample-0-s000")
    assert links(browser) == []


@pytest.mark.parametrize(
    ("width", "height", "dark", "rules"),
    [
        (1280, 800, False, None),
        (1280, 800, True, ["color-contrast", "link-in-text-block"]),
        (375, 812, False, ["cat.sensory-and-visual-cues", "cat.keyboard", "cat.structure"]),
    ],
    ids=["light", "dark", "phone"],
)
def test_axe_finds_no_accessibility_violation(
    browser: Any, address: str, width: int, height: int, dark: bool, rules: list[str] | None
) -> None:
    """All rules on a wide light page; beyond it, those that colours or the width can break."""
    package = pytest.importorskip("selenium_axe_python", reason="no selenium-axe-python")
    axe = files(package).joinpath("axe-core", "axe.min.js").read_text(encoding="utf-8")
    _resize(browser, width, height)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    _show(browser, address)
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": axe})
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    for tab in _tabs(browser, "svg.marks[aria-hidden]"):
        faults = browser.execute_async_script(
            "const done = arguments[1];"
            "axe.run(document, arguments[0])"
            ".then((result) => done(result.violations))",
            options,
        )
        found = [
            (fault["impact"], fault["id"], fault["nodes"][0]["html"][:200]) for fault in faults
        ]
        assert (tab.text, found) == (tab.text, [])


def test_colours_of_systems_stand_out_on_dark_background(browser: Any, tmp_path: Path) -> None:
    for number in range(12):
        scores = partial(_three_measures, number % 3)
        write(tmp_path / "logs", run_of("arag", scores, 4, params={"top_k": number}))
    dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
    try:
        _show_report(browser, tmp_path)
        drawn = browser.execute_script("""
            const draw = document.createElement("canvas").getContext("2d");
            const channels = (color) => {
              draw.fillStyle = color;
              draw.fillRect(0, 0, 1, 1);
              return [...draw.getImageData(0, 0, 1, 1).data].slice(0, 3);
            };
            const style = (element) => channels(getComputedStyle(element).backgroundColor);
            return {
              paper: style(document.body),
              swatches: [...document.querySelectorAll(".board .swatch")].map(style),
              points: [
                ...document.querySelectorAll("#chart-0-frontier .mark-symbol path[aria-label]")
              ].map((point) => channels(getComputedStyle(point).fill)),
            };""")
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def luminance(channels: list[int]) -> float:
        shares = [channel / 255 for channel in channels]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    paper = luminance(drawn["paper"]) + 0.05
    assert len(drawn["swatches"]) == 12 and len(drawn["points"]) > 12
    for colour in drawn["swatches"]:
        assert (luminance(colour) + 0.05) / paper >= 3, colour
    assert all(
        any(np.abs(np.subtract(swatch, point)).max() <= 1 for swatch in drawn["swatches"])
        for point in drawn["points"]
        if point != [255, 255, 255]
    )
