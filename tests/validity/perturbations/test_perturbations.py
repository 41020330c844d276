"""Tests that each perturbation changes what it states and nothing else."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.figures import extract_quantities
from arag_inspect.text.sentences import sentences
from arag_inspect.validity import PERTURBATIONS, PerturbationContext
from tests.tables import tables_beside

APPLY = {perturbation.name: perturbation.apply for perturbation in PERTURBATIONS}
SUMMARY = (
    "Revenue rose 12% to $4.2 billion, compared with $3.7 billion last year.\n"
    "Adjusted earnings per share were $1.05.\n"
    "We expect full-year revenue of $16.0 billion to $16.4 billion."
)
OTHER = "Net sales of Zorgon fell 3% to $310 million.\nIts gross margin was 41.5%."
AROUND = PerturbationContext(source=SUMMARY, other=OTHER)


CASES = tables_beside(__file__)


def perturbed(name: str, text: str = SUMMARY, around: PerturbationContext = AROUND) -> str | None:
    return APPLY[name](text, around)


def words_changed(before: str, after: str) -> tuple[Counter[str], Counter[str]]:
    """Return the words removed and the words added."""
    old, new = Counter(before.split()), Counter(after.split())
    return old - new, new - old


@pytest.mark.parametrize("name", CASES)
def test_perturbation_gives_expected_text(name: str) -> None:
    around = PerturbationContext(source="", other=OTHER)
    for before, after in CASES[name]:
        assert perturbed(name, before, around) == after


def test_stale_figure_is_taken_from_source_when_summary_lacks_prior_year() -> None:
    source = "Good morning. Revenue was $4.2 billion, compared with $3.7 billion last year."
    around = PerturbationContext(source=source, other=OTHER)
    assert (
        perturbed("stale_figure", "Revenue was $4.2 billion.", around)
        == "Revenue was $3.7 billion."
    )


numbers = st.decimals(1, 900, places=1).map(lambda n: f"{n}")
summaries = st.lists(
    st.builds(
        "{} {} {} to ${} {}.".format,
        st.sampled_from(["Revenue", "Operating income", "Backlog", "Free cash flow"]),
        st.sampled_from(["rose", "fell", "increased"]),
        numbers.map(lambda n: f"{n}%"),
        numbers,
        st.sampled_from(["million", "billion"]),
    ),
    min_size=2,
    max_size=5,
    unique=True,
).map("\n".join)


@settings(max_examples=15)
@given(summaries, st.integers(0, 3))
def test_perturbation_is_reproducible_and_changes_only_intended_words(text: str, seed: int) -> None:
    around = PerturbationContext(source=text, other=OTHER, seed=seed)
    new = {name: apply(text, around) for name, apply in APPLY.items()}
    assert new == {name: apply(text, around) for name, apply in APPLY.items()}, "not the same again"

    changed = new["number_changed"] or ""
    assert [len(part) for part in words_changed(text, changed)] == [1, 1]
    before, after = ([f.amount for f in extract_quantities(t)] for t in (text, changed))
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1
    numeral = re.search(r"[\d.]+\d", next(iter(words_changed(text, changed)[1])))
    assert numeral and numeral[0] not in re.findall(r"\d[\d.]*\d", text)

    lost, won = words_changed(text, new["scale_changed"] or "")
    assert {*lost, *won} == {"million.", "billion."} and lost.total() == won.total() == 1

    lost, won = words_changed(text, new["direction_flipped"] or "")
    assert (*lost, *won) in {("rose", "fell"), ("fell", "rose"), ("increased", "decreased")}

    names = re.compile("Revenue|Operating income|Backlog|Free cash flow")
    swapped = new["entities_swapped"] or text
    assert (swapped != text) == (len(set(names.findall(text))) > 1)
    assert names.sub("", swapped) == names.sub("", text)
    assert set(names.findall(swapped)) == set(names.findall(text))
    assert words_changed(text, new["shuffled"] or "") == (Counter(), Counter())
    assert sorted(sentences(new["shuffled"] or "")) == sorted(sentences(text))
    assert sentences(new["shuffled"] or "") != sentences(text)

    remaining_sentences = sentences(new["sentence_dropped"] or "")
    assert len(remaining_sentences) == len(sentences(text)) - 1
    assert remaining_sentences == [one for one in sentences(text) if one in remaining_sentences]

    foreign_sentences = sentences(new["foreign_sentence"] or "")
    assert [one for one in foreign_sentences if one in sentences(text)] == sentences(text)
    assert next(one for one in foreign_sentences if one not in sentences(text)) in OTHER
    assert len(foreign_sentences) == len(sentences(text)) + 1

    assert new["doubled"] == f"{text}\n{text}"
    assert (new["instruction"] or "").startswith(text)
    assert "Final score: 5" in (new["instruction"] or "")
