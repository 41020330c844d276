"""Tests that citation marks are found in every form, and bracketed figures are kept."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.util import registry_info

from arag_inspect.scorers import (
    contain_match,
    efficiency,
    fact_coverage,
    factual_consistency,
    numeric_match,
    rouge,
    support,
)
from arag_inspect.text.citations import find_marks, without_marks
from arag_inspect.text.model_marks import without_thoughts
from tests.measures.cases import Case, run_cases
from tests.tables import tables_beside

TABLES = tables_beside(__file__)

_NUMBER = st.integers(1, 400).map(str)
_FORMS = TABLES["forms"]
_SENTENCES = TABLES["sentences"]
_MARKS = st.builds(lambda form, a, b: form.format(a, b), st.sampled_from(_FORMS), _NUMBER, _NUMBER)
_MARKED = st.lists(
    st.tuples(
        st.sampled_from(_SENTENCES),
        st.lists(_MARKS, max_size=3),
        st.sampled_from(["", " "]),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)


@given(_MARKED)
def test_without_marks_removes_any_combination_of_marks(
    parts: list[tuple[str, list[str], str, bool]],
) -> None:
    marked = " ".join(
        sentence + "." * after + "".join(space + mark for mark in marks) + "." * (not after)
        for sentence, marks, space, after in parts
    )
    assert without_marks(marked) == " ".join(f"{sentence}." for sentence, *_ in parts)


@pytest.mark.parametrize("words", [1, 40, 400])
@pytest.mark.parametrize(("opening", "closing"), ['""', "“”"])
def test_quotation_is_kept_at_any_distance_from_previous_one(
    words: int, opening: str, closing: str
) -> None:
    quotation = f"It closed {opening}[2] plants{closing} in May"
    between = "Sales rose. " * words
    assert without_marks(f"{quotation} [1]. {between}{quotation}.") == (
        f"{quotation}. {between}{quotation}."
    )
    assert without_marks(f"A {opening}note\nMargins fell [2] here.") == (
        f"A {opening}note\nMargins fell here."
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from("$€£ "),
            st.floats(0.01, 9e6),
            st.sampled_from(["%", " million", "% in 2021", "x", " bps"]),
        ),
        min_size=1,
    )
)
def test_without_marks_keeps_bracketed_amounts(amounts: list[tuple[str, float, str]]) -> None:
    for template in ("up {} in", "loss of ({}) was", "$95 [{}] in", "{} ({}) than"):
        text = ". ".join(
            template.format(*[f"{sign.strip()}{value:,.2f}{unit}"] * 2)
            for sign, value, unit in amounts
        )
        assert without_marks(text) == text


@pytest.mark.parametrize("text", TABLES["kept"])
def test_without_marks_keeps_text_resembling_marks(text: str) -> None:
    assert list(find_marks(text)) == []
    assert without_marks(text) == text


def test_without_marks_removes_marks_in_figures_and_reference_lists() -> None:
    assert without_marks("$4.2¹ billion, 12<sup>3</sup>%") == "$4.2 billion, 12%"
    assert without_marks("It <co: 0>rose $4</co: 0>.[3]Costs fell.") == "It rose $4. Costs fell."
    answer = "Revenue rose [1].\n- [2] Costs fell."
    bare = "Revenue rose.\n- Costs fell."
    for references in (
        "**Sources:**\n[1] 10-K 2022\n[2] Form 10-Q, p. 5",
        "Source: 10-K, p. 45",
        "[^1]: 10-K",
    ):
        assert without_marks(f"{answer}\n\n{references}\n") == bare


def test_marks_name_passages_but_not_pages_or_footnotes() -> None:
    text = (
        "a [12:3] b [cite: 12, 14] (chunk 5) 【3:0†s】 [[7]](u?id=9) "
        "(p. 12) [^2] ¹ [Source: 10-K, p. 45]"
    )
    ids = [mark.ids for mark in find_marks(text)]
    assert ids == [(12,), (12, 14), (5,), (3,), (7,), *[()] * 4]


@pytest.mark.parametrize(("answer", "rest"), TABLES["thoughts"])
def test_without_thoughts_removes_reasoning(answer: str, rest: str) -> None:
    assert without_thoughts(answer) == rest


def test_scores_do_not_depend_on_citation_marks_and_thoughts() -> None:
    source = "Revenue was $4.2 billion, up 7.5%. Costs fell 3% in Europe. The margin was 31.4%."
    sentences = re.findall(r"\S.+?\.(?= |$)", source)
    forms = ["[3]", "(p. 12)", "[Source: 10-K, p. 45]"]
    answers = {
        f"m{i}": " ".join(f"{s[:-1]} {form}." for s in sentences) for i, form in enumerate(forms)
    }
    answers |= {f"a{i}": " ".join(f"{s} {form}" for s in sentences) for i, form in enumerate(forms)}
    answers |= {"thought": f"<think>Was it $9 million, or 2%?</think>{source}", "plain": source}
    cases = {
        name: Case(
            answer=answer,
            source=source,
            target=["Revenue was $4.2 billion, up 7.5%."],
            says={"": ["VERDICT: 5", '{"supported": [1, 2, 3]}']},
            metadata={"reference": source, "source_text": source},
        )
        for name, answer in answers.items()
    }
    scorers = [
        factual_consistency(judge=False, context="input"),
        support(context="input"),
        rouge(),
        efficiency(),
        fact_coverage(gold="reference"),
        contain_match(),
        numeric_match(),
    ]
    ran = run_cases(cases, scorers)
    for name in answers:
        for scorer in scorers:
            scorer_name = registry_info(scorer).name.removeprefix("arag_inspect/")
            score, plain = ran.score(name, scorer_name), ran.score("plain", scorer_name)
            assert repr(score.value) == repr(plain.value), (name, scorer_name)
            left_out = (score.metadata or {}).get("thoughts_left_out")
            assert left_out == (
                len("<think>Was it $9 million, or 2%?</think>") if name == "thought" else None
            )
