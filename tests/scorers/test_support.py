"""The scorer `support`: its counts and its value."""

from pathlib import Path

import pytest
from inspect_ai.scorer import Score

from arag_inspect.quantities.sentence_support import Signs, read_support, support_value
from arag_inspect.scorers import support
from tests.scorers.cases import Case, run_cases

SOURCE = (
    "Revenue rose 5% to $20 million in Europe. Anna Smith expects more hiring. "
    "The board did not approve the merger with Contoso. Costs were 7 million."
)


def signs(summary: str) -> Signs:
    [sentence] = read_support(summary, [SOURCE])
    return sentence.signs


@pytest.mark.parametrize(
    ("summary", "counted"),
    [
        ("Revenue rose 5% to $20 million in Europe.", {}),
        ("Revenue rose 6% to $20 million.", {"figures": 1}),
        ("Revenue in Asia rose 5%.", {"new_names": 1}),
        ("All costs were 7 million.", {}),
        ("Costs were fully 7 million.", {"limits": 1}),
        ("1) Revenue rose 5% in Europe.", {}),
        ("Costs were 7 million, no matter what.", {}),
        ("Anna Smith expects unhiring.", {"opposes": 1}),
        ("The board did not approve the merger.", {}),
        ("Revenue rose 5% to $20 million in Europe [11, 12].", {}),
        ("Revenue of European units rose.", {}),
        ("Revenue of about $0.02 billion was up 5%.", {}),
        ("Costs were no less than 7 million in Q3.", {}),
        ("Revenue fell 5%.", {"figures": 1, "opposes": 1}),
        ("Revenue fell in Europe.", {"opposes": 1}),
        ("Revenue rose only 5%, but costs were 7 million.", {"limits": 1}),
    ],
)
def test_what_is_counted(summary: str, counted: dict[str, float]) -> None:
    assert {name: count for name, count in signs(summary)._asdict().items() if count} == counted


@pytest.mark.parametrize(
    ("summary", "source", "opposed"),
    [
        ("Gross margin fell.", "Gross margin improved. Costs fell.", 1),
        ("Gross margin improved as costs fell.", "Costs decreased and gross margin rose.", 0),
        ("It lowered its outlook.", "Today we are raising our full-year guidance.", 1),
        ("Orders rose year over year.", "Orders rose sequentially.", 1),
        ("Second-quarter orders rose.", "In the first quarter, orders fell. Orders rose in Q2.", 0),
        ("Margins will recover in the fourth quarter.", "Third-quarter sales rose. In the third quarter, costs fell. We see margins recover in the first quarter.", 1),
        ("Full-year margins will recover.", "We see margins recover in the first quarter.", 0),
        ("It reported second-quarter orders of $5 million.", "In the third quarter we did well. Third-quarter orders were $5 million.", 1),
        ("It reported third-quarter orders of $5 million.", "In the third quarter we did well. Orders were $5 million. We see the fourth quarter up.", 0),
        ("Orders were up 7% sequentially.", "Welcome to our third quarter call. Orders were up 7% versus the third quarter of 2019.", 1),
        ("Orders were up 7% from a year ago.", "Welcome to our third quarter call. Orders were up 7% versus the third quarter of 2019.", 0),
        ("Net income fell to $38 million.", "Net income increased to $38 million. Some see net income fall again.", 1),
        ("Sales of Acme climbed 16%.", "Sales were up 16%. Demand for lower tiers hurts the sales of Acme.", 0),
        ("Assets under custody rose.", "Custody balances were higher.", 0),
        ("Net interest margin fell 8 basis points.", "NIM declined 8 basis points. The margin of sales increased.", 0),
        ("Net interest margin rose 8 basis points.", "NIM declined 8 basis points.", 1),
        ("Revenue declined.", "Net sales grew.", 1),
        ("Orders were $5 million, up 9% from the second quarter.", "Third-quarter sales were fine. Third-quarter orders were $5 million, up 9% from the second quarter.", 0),
        ("Orders were $5 million, up 9% from the third quarter.", "Third-quarter sales were fine. Third-quarter orders were $5 million, up 9% from the second quarter. Sequentially, orders were up 9%.", 1),
        ("The combined ratio worsened by 12 points.", "The combined ratio increased 12 points.", 0),
        ("Gross margin worsened by 12 points.", "Gross margin increased 12 points.", 1),
        ("Bookings declined on account of it.", "Strategic accounts increased.", 0),
        ("Underwriting made up for fewer mergers.", "Fewer mergers hurt underwriting.", 0),
        ("The plan has suitable terms.", "The plan has unsuitable terms.", 1),
        ("It gives an inflexible answer.", "It gives a flexible answer.", 1),
        ("Its forecast is imprecise.", "Its forecast is good.", 0),
        ("The plan has unsuitable terms.", "The plan does not have suitable terms.", 0),
        ("The plan has no suitable terms.", "The plan has unsuitable terms.", 0),
        ("They met on Monday at the cinema.", "They met on Friday at the cinema.", 1),
        ("Bonus shares are granted annually.", "Bonus shares are granted quarterly.", 1),
        ("It is opening stores in Spain.", "It opened stores in Spain.", 0),
    ],
)  # fmt: skip
def test_an_opposite_counts_where_the_source_says_it_of_the_same(
    summary: str, source: str, opposed: int
) -> None:
    [sentence] = read_support(summary, [source])
    assert sentence.signs.opposes == opposed


def test_an_acronym_is_no_new_name_where_its_words_are() -> None:
    [spelled] = read_support("It said EPS rose.", ["Earnings per diluted share rose."])
    assert spelled.signs.new_names == 0
    [foreign] = read_support("It said FDA approval came.", ["Earnings per diluted share rose."])
    assert foreign.signs.new_names == 1


@pytest.mark.parametrize(
    "near", ["of at least 7 million", "of 7 million or more", "above 7 million"]
)
def test_a_lower_limit_may_be_worded_otherwise(near: str) -> None:
    summary = "It sees costs of at least 7 million."
    [sentence] = read_support(summary, [f"It sees costs {near}."])
    assert sentence.signs.limits == 0
    [sentence] = read_support(summary, ["It sees costs of 7 million."])
    assert sentence.signs.limits == 1


def test_a_name_is_known_from_a_word_with_hyphens_and_a_number_from_a_transcript() -> None:
    [sentence] = read_support(
        "Sales of SARS vaccines rose to 25 machines.",
        ["Sales of the SARS-CoV-2 vaccines rose to twenty - five machines."],
    )
    assert (sentence.signs.new_names, sentence.signs.figures) == (0, 0)


def test_repeated_sentences_count_their_own_figures_and_odd_endings_are_read() -> None:
    source = "Operating income was $11.2 billion. Interest expense was $12.4 billion."
    repeated = read_support("Operating income was $12.4 billion. " * 3, [source])
    assert [sentence.signs.figures for sentence in repeated] == [1, 1, 1]
    assert read_support("The 1990s's revenue fell.", ["Revenue rose."])


def test_a_denial_counts_where_no_near_sentence_denies() -> None:
    source = "Revenue rose 5% in Europe. Costs were 7 million."
    [denied] = read_support("Costs were not 7 million.", [source])
    assert denied.signs.denies == 1
    [both] = read_support("Costs were not 7 million.", [f"{source} Costs did not rise."])
    assert both.signs.denies == 0


def test_a_sentence_of_names_and_numbers_alone_has_a_value() -> None:
    many = "The table lists " + ", ".join(str(1000 + 7 * number) for number in range(300)) + "."
    assert 0 <= support_value(read_support(many, [SOURCE])) < 1e-9


def test_nothing_that_is_counted_speaks_for_a_summary() -> None:
    plain = support_value(read_support("Revenue rose 5% to $20 million in Europe.", [SOURCE]))
    for summary in ("Revenue rose 6%.", "Revenue in Asia rose 5%.", "Revenue fell 5%."):
        assert support_value(read_support(summary, [SOURCE])) < plain


@pytest.mark.usefixtures("logs")
def test_scores_and_refusals_to_score(tmp_path: Path) -> None:
    ran = run_cases(
        {
            "good": Case(answer="Revenue rose 5% to $20 million.", source=SOURCE),
            "bad": Case(answer="Revenue rose 6% to $30 million.", source=SOURCE),
            "empty": Case(answer="", source=SOURCE),
        },
        [support()],
    )
    good, bad = ran.score("good", "support"), ran.score("bad", "support")
    assert isinstance(good.value, float) and isinstance(bad.value, float)
    assert good.value > 0.5 > bad.value
    assert "figures 2" in (bad.explanation or "")
    empty: Score = ran.score("empty", "support")
    assert empty.reason
