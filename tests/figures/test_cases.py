"""Regression tests of small inputs once misread; the cases are in `cases.yaml`."""

from collections.abc import Callable, Sequence

import pytest

from arag_inspect.figures import extract_quantities, numerical_precision, verify_claims
from arag_inspect.figures.answers.gold import read_gold
from arag_inspect.figures.answers.match import match_answer
from arag_inspect.figures.numbers.currencies import units
from arag_inspect.judge.parsing import integer_form
from arag_inspect.text.replies import ReplyParseError
from tests.tables import tables_beside

CASES = tables_beside(__file__)
TAG = "3f9a1c"


def is_supported(source: str, statement: str) -> bool:
    verdicts = {claim.verdict for claim in verify_claims(statement, [source])}
    assert verdicts
    return verdicts == {"supported"}


def value(gold: str, answer: str) -> int:
    expected = read_gold(gold, "what was it?")
    assert expected
    return int(match_answer(answer, expected, 0.01).matched)


def precision(source: str, statement: str) -> float | None:
    return numerical_precision(statement, [source])


def verdict(reply: str) -> int | None:
    try:
        return integer_form(1, 5).read(reply.replace("{tag}", TAG), TAG)
    except ReplyParseError:
        return None


READERS: dict[str, Callable[..., object]] = {
    "statements": is_supported,
    "answers": value,
    "num-prec": precision,
    "verdicts": verdict,
}
ROWS = [(kind, *row) for kind in READERS for row in CASES[kind]]


@pytest.mark.parametrize(
    ("kind", "inputs", "expected"), [(kind, inputs, expected) for kind, *inputs, expected in ROWS]
)
def test_reader_returns_expected_result_for_small_inputs(
    kind: str, inputs: Sequence[str], expected: object
) -> None:
    assert READERS[kind](*inputs) == expected


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        ("£m", "£1,234 million"),
        ("(€bn)", "€1,234 billion"),
        ("£'000", "£1.234 million"),
        ("SEK m", "SEK 1,234 million"),
        ("TEUR", "EUR 1,234 thousand"),
        ("(in 000s)", "$1,234 thousand"),
    ],
)
def test_table_with_abbreviated_unit_supports_scaled_figure(head: str, unit: str) -> None:
    table = f"| {head} | 2023 | 2022 |\n| --- | --- | --- |\n| Revenue | 1,234 | 1,100 |\n"
    assert is_supported(table, f"Revenue was {unit} in 2023.")
    assert not is_supported(table, "Revenue was 1,234 in 2023.")


@pytest.mark.parametrize("name", CASES["names"])
def test_number_within_name_is_not_extracted(name: str) -> None:
    assert extract_quantities(f"The effect of {name} was small.") == []


@pytest.mark.parametrize(
    "form",
    [
        "{} 1.2 billion",
        "{}1.2bn",
        "1.2 billion {}",
        "1.2bn{}",
        "1.2bn {}",
        "{} 1,200 million",
        "T{} 1,200,000",
        "M{}1,200",
    ],
)
def test_currency_codes_are_read_before_after_and_attached_to_amount(form: str) -> None:
    words = {"all", "top", "try"} if form[0] in "TM" else set()
    for code in units().codes - {"gbx", "rmb"} - words:
        (figure,) = extract_quantities(f"Sales were {form.format(code.upper())} in all.")
        assert (figure.currency, figure.unit, figure.amount) == (code, "currency", 1.2e9), code


@pytest.mark.parametrize(
    ("question", "gold", "answer", "matched"),
    [
        ("What was free cash flow?", "-$45.2 million", "$45.2 million", False),
        ("What was free cash flow?", "$(45.2) million", "a deficit of $45.2 million", True),
        ("What was the net income (loss)?", "-$45.2 million", "$45.2 million", False),
        ("What was the net income (loss)?", "-$45.2 million", "a loss of $45.2 million", True),
        ("What was the gain or loss on the sale?", "$3 million", "a loss of $3 million", False),
        (
            "What was cash provided by (used in) investing?",
            "$(45.2) million",
            "$45.2 million",
            False,
        ),
        ("What was the net loss?", "-$45.2 million", "$45.2 million", True),
        ("How much cash was used in investing?", "$(45.2) million", "$45.2 million", True),
        ("What was the net cash outflow?", "$45.2 million", "-$45.2 million", True),
    ],
)
def test_sign_of_gold_must_match_unless_question_names_direction(
    question: str, gold: str, answer: str, matched: bool
) -> None:
    expected = read_gold(gold, question)
    assert expected and match_answer(answer, expected, 0.01).matched == matched
