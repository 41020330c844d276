"""Tests of the synthetic earnings calls."""

import re
from collections import defaultdict
from functools import cache
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arag_inspect.benchmarks._shared.summary_set import SummarizedDocument
from arag_inspect.benchmarks._shared.templates import Phrase
from arag_inspect.benchmarks.synthetic import generate_calls
from arag_inspect.benchmarks.synthetic.figures import company_count, reports_of
from arag_inspect.types.sample import Fact

SCALES = {"one": 1, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
FIGURE = re.compile(r"\$?\d+(?:,\d{3})*(?:\.\d+)?(?:%| basis points| million| billion)?")
CALENDAR = re.compile(r"\bQ[1-4]\b|(?<![$,.])\b20\d\d\b(?![,.]\d)")
SENTENCE_END = re.compile(r"(?<=[.?])\s+")


@cache
def calls() -> tuple[SummarizedDocument, ...]:
    """Generate the calls that most tests use."""
    return tuple(generate_calls(100, 7))


def text_of(call: SummarizedDocument) -> str:
    """Join the sections of a call."""
    return "\n".join(section.text for section in call.document.sections)


def sentences_of(text: str) -> list[str]:
    """Split at line breaks and after full stops and question marks."""
    return [part for line in text.split("\n") for part in SENTENCE_END.split(line)]


def figures_in(sentence: str) -> list[str]:
    """Find numbers written in digits, except quarters and years."""
    return FIGURE.findall(CALENDAR.sub("", sentence))


def written(fact: Fact) -> list[str]:
    """Format the bounds of a fact's figure as a call does."""
    ends = [fact.value, *([fact.value_high] if fact.value_high is not None else [])]
    if fact.unit == "usd_per_share":
        return [f"${end:.2f}" for end in ends]
    number = [f"{end:,.4f}".rstrip("0").rstrip(".") for end in ends if end is not None]
    scale = "" if fact.scale == "one" else f" {fact.scale}"
    suffix = {"percent": "%", "basis_points": " basis points"}.get(fact.unit or "", scale)
    return [f"{'$' if fact.unit == 'usd' else ''}{end}{suffix}" for end in number]


@given(shorter=st.integers(0, 12), longer=st.integers(0, 12), seed=st.integers(0, 2**32))
@settings(max_examples=8)
def test_generate_calls_returns_prefix_for_smaller_count(
    shorter: int, longer: int, seed: int
) -> None:
    few, many = sorted((shorter, longer))
    assert list(generate_calls(few, seed)) == list(generate_calls(many, seed))[:few]


def test_generate_calls_raises_when_companies_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arag_inspect.benchmarks.synthetic.calls.company_count", lambda: 2)
    with pytest.raises(ValueError, match="at most 2 companies"):
        list(generate_calls(100))


def test_fact_ids_doc_ids_and_prefixes_match_document() -> None:
    assert len({call.document.doc_id for call in calls()}) == len(calls())
    for call in calls():
        assert len({fact.fact_id for fact in call.facts}) == len(call.facts)
        document = call.document
        assert re.fullmatch(r"Q[1-4]_20\d\d", document.period)
        assert document.doc_id == f"{document.company}_{document.period.lower()}"
        prefix = f"[COMPANY: {document.company} | TYPE: EARNINGS_CALL | PERIOD: {document.period}]"
        assert {section.prefix for section in document.sections} == {prefix}
        assert [section.title for section in document.sections] == [
            "Prepared Remarks",
            "Questions and Answers",
        ]


def test_earlier_calls_are_appended_after_last_call() -> None:
    """The question is about the last call, whose text comes first; calls keep facts and headers."""
    single = {call.document.doc_id: call for call in calls()}
    for number, call in enumerate(generate_calls(9, 7, earlier=2)):
        last = single[call.document.doc_id]
        assert call.document.sections[:2] == last.document.sections
        assert len(call.document.sections) == 2 * (number % 3 + 1)
        for section in call.document.sections[2:]:
            before = single[f"{call.document.company}_{section.period.lower()}"].document
            assert section.prefix == before.sections[0].prefix != last.document.sections[0].prefix
            assert section.text in {part.text for part in before.sections}
        assert (call.summary, call.evidence) == (last.summary, last.evidence)
        assert call.facts[: len(last.facts)] == last.facts
        ids = [fact.fact_id for fact in call.facts]
        assert len(set(ids)) == len(ids) >= 30 * (number % 3 + 1)
        text = text_of(call)
        assert all(fact.sentence in text for fact in call.facts)


def test_texts_summaries_and_key_sentences_have_expected_lengths() -> None:
    for call in calls():
        assert 1500 <= len(text_of(call).split()) <= 4000
        assert 60 <= len(call.summary.split()) <= 90
        assert 5 <= len(call.evidence) <= 8


def test_key_and_fact_sentences_are_sentences_of_text() -> None:
    for call in calls():
        sentences = set(sentences_of(text_of(call)))
        for sentence in {*call.evidence, *(fact.sentence for fact in call.facts)}:
            assert sentence.endswith(".")
            assert sentence in sentences


def test_every_figure_in_text_is_stated_as_fact() -> None:
    for call in calls():
        figures_by_sentence: dict[str, set[str]] = defaultdict(set)
        for fact in call.facts:
            assert set(written(fact)) <= set(figures_in(fact.sentence)), fact
            figures_by_sentence[fact.sentence] |= set(written(fact))
        for sentence in sentences_of(text_of(call)):
            assert set(figures_in(sentence)) <= figures_by_sentence[sentence], sentence


def test_every_figure_in_summary_is_in_key_sentence() -> None:
    for call in calls():
        key_figures = {figure for sentence in call.evidence for figure in figures_in(sentence)}
        for sentence in sentences_of(call.summary):
            assert set(figures_in(sentence)) <= key_figures, sentence


def test_fact_direction_matches_wording() -> None:
    ups = re.compile(r"\b(up|rose|grew|increas\w+|climbed|advanced|jumped|surged|rise|advance)\b")
    downs = re.compile(
        r"\b(down|fell|declined?|decreased?|dropped|slipped|eased|dipped|contracted|drop)\b"
    )
    for call in calls():
        for fact in call.facts:
            if fact.metric.endswith((" growth", " change")) and fact.direction:
                words = {"up": ups, "down": downs}[fact.direction]
                assert words.search(fact.sentence), fact


def test_facts_of_one_call_do_not_contradict_each_other() -> None:
    for call in calls():
        values = defaultdict(set)
        for fact in call.facts:
            if fact.status == "actual":
                key = (fact.metric, fact.period, fact.basis, fact.unit)
                values[key].add((fact.value, fact.scale))
        assert all(len(texts) == 1 for texts in values.values())


def test_stated_growth_agrees_with_stated_figures() -> None:
    checked = 0
    for call in calls():
        facts_by_key = {
            (f.metric, f.period, f.basis): f for f in call.facts if f.status == "actual"
        }
        quarter, year = call.document.period.split("_")
        prior_period = f"{quarter}_{int(year) - 1}"
        for (metric, period, basis), growth in facts_by_key.items():
            this = facts_by_key.get((metric.removesuffix(" growth"), period, basis))
            prior = facts_by_key.get((metric.removesuffix(" growth"), prior_period, basis))
            if not metric.endswith(" growth") or this is None or prior is None:
                continue
            if growth.unit != "percent" or period != call.document.period:
                continue
            assert this.value and prior.value and growth.value is not None
            ratio = this.value * SCALES[this.scale] / (prior.value * SCALES[prior.scale])
            sign = 1 if growth.direction == "up" else -1
            assert abs((ratio - 1) * 100 - sign * growth.value) <= 0.5001, growth
            checked += 1
    assert checked > 300


def test_generated_text_has_no_template_residue_or_typos() -> None:
    faults = re.compile(r"[\[\]{}|]|  | [.,;?]|\.\.|\ba [aeiou](?!ne)|\ban [^aeiouh\d\W]|\$\$|%%")
    for call in calls():
        for line in [*text_of(call).split("\n"), *call.summary.split("\n")]:
            assert not faults.search(line), line


def test_generator_has_enough_companies_for_load_tests() -> None:
    companies = [reports_of(index, 7)[0] for index in range(0, company_count(), 7)]
    assert len({company.ticker for company in companies}) == len(companies) > 3000
    assert all(re.fullmatch(r"[A-Z]{4,5}", company.ticker) for company in companies)
    assert len(list(islice(generate_calls(10**9), 3))) == 3  # generated lazily
    assert next(generate_calls(1, 1)) != next(generate_calls(1, 2))


@pytest.mark.parametrize("text", ["[a|b", "a]b", "[[a]", "a|b", "{a"])
def test_phrase_parse_rejects_unbalanced_brackets(text: str) -> None:
    with pytest.raises(ValueError):
        Phrase.parse(text)
