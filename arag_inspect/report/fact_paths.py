"""The path of each reference fact: whether it was found, read and stated."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from ..figures import Quantity, match_claim
from ..figures.checks.statements import MatchVerdict
from ..figures.comparison.compare import conflicting, same_quantity
from ..measure import Aspect
from ..stats.estimates import Floats, Paired, paired_difference
from ..types.evidence_read import are_parts
from ..types.sample import QUESTION, SampleFact
from ..types.system import CLOSED_BOOK
from .comparison.contestants import contestants
from .comparison.correctness import Correctness, is_contested, outcome_of
from .reading import (
    ANSWER,
    MOST_WORDS,
    Reading,
    letters_of,
    locate_fact,
    sentences_with_words,
    statement_of,
    statements_in,
)
from .rows import AnswerRow
from .study import Study, cached_per_study

Stage = Literal[
    "stated", "unread", "wrong", "left_out", "not_read", "not_found", "unlocated", "unknown"
]
"""Where the path of a fact ends; see `STAGES`."""

STAGES: dict[Stage, str] = {
    "stated": "read and stated",
    "unread": "stated, not read",
    "wrong": "stated wrongly",
    "left_out": "read, left out",
    "not_read": "found, not read",
    "not_found": "not found",
    "unlocated": "not located",
    "unknown": "no verdict",
}

LOSSES: tuple[Stage, ...] = ("not_found", "not_read", "left_out", "wrong", "unread")
"""Stages at which a fact can be lost."""

_MOST_UNLOCATED = 0.25
"""Share of facts without a known chunk up to which the stages of the others describe a system."""

_VERDICTS: dict[Correctness, MatchVerdict] = {
    "right": "stated",
    "wrong": "contradicted",
    "abstained": "missing",
}

_OF_ITEMS: dict[str, MatchVerdict] = {
    "stated": "stated",
    "partly": "stated",
    "missing": "missing",
    "wrong": "contradicted",
}
"""Verdict on a fact, by a judge's verdict on an item of the reference."""

_COLUMNS = (
    "answer",
    "system",
    "id",
    "epoch",
    "fact",
    "text",
    "doc_id",
    "chunk_id",
    "stage",
    "said",
)


class _FactVerdict(NamedTuple):
    """A fact and a scorer's verdict on it."""

    text: str
    verdict: MatchVerdict | None
    said: str | None
    is_final: bool = False
    """Whether it is stated as a whole, or judged, so that no figure of the answer refutes it."""

    is_contested: bool = False
    """Whether a judge and a program disagree on it."""


@cached_per_study
def fact_paths(study: Study) -> pd.DataFrame:
    """Return a row per fact and answer: where its path ends.

    The reference answer of a question counts as one fact, which is stated if the answer is right.
    Facts of a bank, and of questions without a measure of right answers and of summaries, are those
    that a judge or a program looked for; the judge decides if it has a verdict, else the program.
    Without a bank, they are the items of the reference that a judge of coverage listed.

    Args:
        study: One of `studies(frames(logs))`, or the `study` of one of the studies of a report.

    Returns:
        Columns answer, system, id, epoch, fact, text, doc_id and chunk_id (the first that holds the
        fact; None if not known), stage, said.
    """
    documents = _documents(study)
    texts_by_corpus = _chunk_texts(study)
    rows = []
    for answer in filter(_is_traced, study.finished.itertuples(index=False)):
        about_answer = (answer.answer, answer.system, answer.id, answer.epoch)
        reading = Reading(answer)
        texts = texts_by_corpus.get(study.runs.loc[answer.system, "corpus"], {})
        for fact, statement, stage in _paths(study, answer, reading, texts):
            chunk_id = _first_chunk(fact, answer)
            only = answer.doc_ids[0] if len(answer.doc_ids) == 1 else None
            doc_id = documents.get((study.runs.loc[answer.system, "corpus"], chunk_id)) or only
            about_fact = fact.id, fact.text, doc_id, chunk_id
            rows.append((*about_answer, *about_fact, stage, statement.said))
    return pd.DataFrame(rows, columns=list(_COLUMNS), dtype=object)


@cached_per_study
def shares(study: Study) -> dict[tuple[str, Stage], Floats]:
    """Return the share of each sample's facts at a stage, by system and stage, shape (samples,).

    Epochs are averaged; samples without facts are NaN.
    """
    paths = fact_paths(study)
    counts = paths.groupby(["system", "id", "stage"], sort=False).size().unstack("stage")
    counts = counts.reindex(columns=list(STAGES)).fillna(0)
    parts = counts.div(counts.sum(axis=1), axis=0)
    sample_ids = list(study.sample_ids)
    return {
        (system, stage): parts.loc[system][stage].reindex(sample_ids).to_numpy()
        for system, stage in product(parts.index.unique("system"), STAGES)
    }


@cached_per_study
def stage_names(study: Study) -> dict[Stage, str]:
    """Return the names of the stages; a wrong answer is only known not to be right."""
    if of_answers(study):
        return STAGES | {"wrong": "read, not right"}
    return STAGES | {"wrong": "stated wrongly or not right"} if has_answers(study) else STAGES


def has_answers(study: Study) -> bool:
    """Return whether any fact is a reference answer."""
    return bool((fact_paths(study)["fact"] == ANSWER).any())


def of_answers(study: Study) -> bool:
    """Return whether every fact is a reference answer."""
    return set(fact_paths(study)["fact"]) == {ANSWER}


@cached_per_study
def unlocated_shares(study: Study) -> dict[str, float]:
    """Return the mean share of facts not located, of contestants with too many of them."""
    means: dict[str, float] = {}
    for system in contestants(study):
        by_sample = shares(study).get((system, "unlocated"))
        if by_sample is not None and not np.isnan(by_sample).all():
            means[system] = float(np.nanmean(by_sample))
    return {system: share for system, share in means.items() if share > _MOST_UNLOCATED}


@cached_per_study
def compare_stage(study: Study, a: str, b: str, stage: Stage) -> Paired | None:
    """Compare two systems' shares of facts at a stage; None without a common sample."""
    first = shares(study).get((a, stage))
    second = shares(study).get((b, stage))
    if first is None or second is None:
        return None
    return paired_difference(first, second, study.clusters, span=1.0)


def _first_chunk(fact: SampleFact, answer: AnswerRow) -> int | None:
    """Return the first chunk with a fact; None if only some gold chunk is known to have it."""
    if fact.id == ANSWER:
        return next(iter(answer.gold.chunk_ids), None)
    is_in_bank = any(fact.id == of_bank.id and of_bank.holders for of_bank in answer.facts)
    return next(iter(fact.holders), None) if is_in_bank else fact.chunk_id


def _documents(study: Study) -> dict[tuple[str, int | None], str]:
    """Return the document of each chunk that any system read, by corpus and chunk."""
    documents = {}
    for answer in study.finished.itertuples(index=False):
        corpus = study.runs.loc[answer.system, "corpus"]
        for passage in answer.passages:
            if passage.doc_id:
                documents[corpus, passage.chunk_id] = passage.doc_id
    return documents


def _chunk_texts(study: Study) -> dict[str, dict[int, str]]:
    """Return the text of each whole chunk that any system read, by corpus and chunk."""
    texts: dict[str, dict[int, str]] = {}
    for answer in study.finished.itertuples(index=False):
        if not are_parts(answer.passages):
            of_corpus = texts.setdefault(study.runs.loc[answer.system, "corpus"], {})
            of_corpus |= {passage.chunk_id: passage.text for passage in answer.passages}
    return texts


def _is_traced(answer: AnswerRow) -> bool:
    """Return whether it is known what the system read."""
    traced = answer.context in ("retrieved", "document", "gold") or answer.passages
    return bool(traced) or answer.answered_by == CLOSED_BOOK.name


class _FactReading(NamedTuple):
    """How a system found and read a fact, as far as known."""

    has_chunks: bool
    """Whether the chunks that hold it are known."""

    is_located: bool
    """Whether it would be known if it had been read."""

    is_found: bool
    is_read: bool


def _paths(
    study: Study, answer: AnswerRow, reading: Reading, texts: Mapping[int, str]
) -> Iterator[tuple[SampleFact, _FactVerdict, Stage]]:
    """Yield each fact of an answer, the verdict on it, and where its path ends."""
    bank = {fact.id: fact for fact in answer.facts}
    judged_facts = _verdicts(study, answer.answer, "facts read")
    has_read_evidence = reading.has_read_evidence()
    for name, statement in _fact_verdicts(study, answer).items():
        fact = bank.get(name) or SampleFact(id=name, text=statement.text)
        is_in_evidence = name not in bank and has_read_evidence is not None
        if not fact.holders:
            fact = locate_fact(fact, answer, texts, is_in_gold=is_in_evidence)
        fact_reading = _read_fact(fact, reading, _containing(fact, judged_facts))
        if is_in_evidence and has_read_evidence:
            fact_reading = fact_reading._replace(is_read=True)
        if name != ANSWER and not statement.is_final:
            statement = _with_contradiction(fact, statement, answer)
        yield fact, statement, _stage_of(statement, fact_reading)


def _read_fact(fact: SampleFact, reading: Reading, judged: _FactVerdict | None) -> _FactReading:
    """Return how a fact was read: by its chunks or, if these are unknown, according to a judge."""
    has_chunks = bool(reading.chunks_of(fact))
    if judged and not has_chunks:
        return _FactReading(has_chunks, True, False, is_read=judged.verdict == "stated")
    is_located = has_chunks or reading.is_empty
    return _FactReading(has_chunks, is_located, reading.has_found(fact), reading.has_read(fact))


def _containing(fact: SampleFact, judged_facts: Mapping[str, _FactVerdict]) -> _FactVerdict | None:
    """Return the first judged fact whose text contains that of a fact."""
    letters = letters_of(fact.text)
    matches = (judged for judged in judged_facts.values() if letters in letters_of(judged.text))
    return next(matches, None) if letters else None


def _stage_of(statement: _FactVerdict, reading: _FactReading) -> Stage:
    """Return where the path of a fact ends.

    One that was not read counts as stated only if no judge or program contradicts this.
    """
    verdict = statement.verdict
    if verdict is None:
        return "unknown"
    if verdict == "contradicted" and (reading.is_read or not reading.has_chunks):
        return "wrong"  # where a known chunk was not read, its evidence was not at hand
    if verdict == "stated":
        if reading.is_read or reading.is_found:
            return "stated"  # a search shows sentences of the chunks that it finds
        if not (statement.is_contested and reading.has_chunks):
            return "unread" if reading.is_located else "unlocated"
    if reading.is_read:
        return "left_out"
    if reading.has_chunks:
        return "not_read" if reading.is_found else "not_found"
    return "unlocated"


def _verdicts(study: Study, answer: int, aspect: Aspect) -> dict[str, _FactVerdict]:
    """Return the verdicts that an aspect's scorer lists as `facts`; `partly` counts as stated."""
    verdicts = {}
    for fact in study.details(answer, aspect).facts:
        verdict: Any = "stated" if fact.verdict == "partly" else fact.verdict
        if verdict in ("stated", "contradicted", "missing"):
            is_whole = fact.verdict == "stated"
            verdicts[fact.id] = _FactVerdict(fact.text, verdict, fact.said, is_final=is_whole)
    return verdicts


def _fact_verdicts(study: Study, answer: AnswerRow) -> dict[str, _FactVerdict]:
    """Return the verdict on each fact: by a judge, by a program, or on the whole answer."""
    outcome = outcome_of(study, answer) if answer.style == QUESTION and not answer.facts else None
    if outcome is None:
        return _listed_verdicts(study, answer)
    verdict = _VERDICTS[outcome]
    is_disputed = is_contested(study, answer)
    if answer.gold.chunk_ids:
        fact_verdict = _FactVerdict(answer.target, verdict, answer.text, is_contested=is_disputed)
        return {ANSWER: fact_verdict}
    verdicts = _listed_verdicts(study, answer)
    return {
        name: statement._replace(verdict=verdict, is_final=True, is_contested=is_disputed)
        for name, statement in verdicts.items()
    }


def _listed_verdicts(study: Study, answer: AnswerRow) -> dict[str, _FactVerdict]:
    """Return the verdict on each fact that scorers list: by a judge or, without any, a program."""
    items = {} if answer.facts else _item_verdicts(study, answer.answer)
    if items:
        return items
    by_program = _verdicts(study, answer.answer, "facts stated")
    judged = _majority_verdicts(study, answer.answer)
    for name, verdict in judged.items():
        computed = by_program.get(name)
        if computed and computed.text != verdict.text:
            return judged  # facts of a reference, which each lists by itself
        if computed and computed.verdict == "contradicted":
            is_missing = verdict.verdict == "missing"
            judged[name] = computed if is_missing else verdict._replace(is_contested=True)
    return {**by_program, **judged}


def _item_verdicts(study: Study, answer: int) -> dict[str, _FactVerdict]:
    """Return the verdict on each item of the reference that each judge of coverage listed."""
    verdicts = {}
    for number, judge in enumerate(study.details(answer, "items stated").judges, 1):
        for position, item in enumerate(judge.items, 1):
            verdict = _OF_ITEMS.get(str(item.get("verdict")))
            if verdict:
                text = str(item.get("text", ""))
                name = f"{number}.{position}"
                verdicts[name] = _FactVerdict(text, verdict, None, is_final=True)
    return verdicts


def _majority_verdicts(study: Study, answer: int) -> dict[str, _FactVerdict]:
    """Return the majority verdict of judges on each gold fact; none for a tie."""
    margins: Counter[str] = Counter()
    texts: dict[str, str] = {}
    for judge in study.details(answer, "facts matched").judges:
        for fact in judge.gold:
            if fact.verdict in ("TP", "FN"):
                margins[fact.id] += 1 if fact.verdict == "TP" else -1
                texts[fact.id] = fact.text
    verdicts = {}
    for name, margin in margins.items():
        if margin:
            verdict: MatchVerdict = "stated" if margin > 0 else "missing"
            verdicts[name] = _FactVerdict(texts[name], verdict, None, is_final=margin > 0)
    return verdicts


def _with_contradiction(fact: SampleFact, verdict: _FactVerdict, answer: AnswerRow) -> _FactVerdict:
    """Return the verdict on a fact, `contradicted` if the answer states it with another figure.

    That is, a sentence about the fact lacks one of its figures, and has another figure of that
    kind that no passage read gives for the same period. A sentence that the passages state is
    about something else, even if a program takes it for a contradiction.
    """
    expected = statement_of(fact.text)
    if not (expected.figures and answer.passages):
        return verdict
    if verdict.verdict == "contradicted" and _is_stated(verdict.said or "", answer):
        verdict = verdict._replace(verdict="missing", said=None)
    for sentence, words in sentences_with_words(answer.text):
        figures = statement_of(sentence).figures
        missing = [figure for figure in expected.figures if not _has_quantity(figures, figure)]
        has_most_words = len(expected.words & words) >= MOST_WORDS * len(expected.words)
        others = [
            figure
            for figure in figures
            if not _has_quantity(expected.figures, figure)
            and _is_in_place_of_any(figure, missing, has_most_words)
        ]
        if not others:
            continue
        figures_read = _figures_in(passage.text_below_table_head for passage in answer.passages)
        if any(not _is_given(figure, figures_read) for figure in others):
            return verdict._replace(verdict="contradicted", said=sentence)
    return verdict


def _is_stated(sentence: str, answer: AnswerRow) -> bool:
    """Return whether the passages read support every figure of a sentence."""
    texts = [passage.text_below_table_head for passage in answer.passages]
    facts = list(chain.from_iterable(map(statements_in, texts)))
    return match_claim(statement_of(sentence), facts).share == 1


def _is_in_place_of_any(
    figure: Quantity, missing: Iterable[Quantity], has_most_words: bool
) -> bool:
    """Return whether a figure replaces a figure of a fact that a sentence lacks.

    Args:
        figure: Figure of the sentence.
        missing: Figures of the fact that the sentence lacks.
        has_most_words: Whether it has most words of the fact, so that its metric may differ.
    """
    for expected in missing:
        is_same_metric = expected.metric is not None and expected.metric == figure.metric
        is_same_kind = figure.unit == expected.unit and not _conflicts(figure, expected)
        if is_same_kind and (has_most_words or is_same_metric):
            return True
    return False


def _is_given(figure: Quantity, others: Iterable[Quantity]) -> bool:
    """Return whether any of some figures is the same, and of no other period, status or basis."""
    return any(
        _has_quantity([other], figure) and not conflicting(figure, other) for other in others
    )


def _conflicts(figure: Quantity, expected: Quantity) -> bool:
    """Return whether two figures differ in more than value, sign and direction."""
    return not {"sign", "direction"}.issuperset(conflicting(figure, expected))


def _has_quantity(figures: Sequence[Quantity], figure: Quantity) -> bool:
    """Return whether any of the figures is the same quantity, allowing either to be rounded."""
    return any(same_quantity(figure, other) or same_quantity(other, figure) for other in figures)


def _figures_in(texts: Iterable[str]) -> list[Quantity]:
    """Return the figures of all statements in some texts."""
    figures: list[Quantity] = []
    for text in texts:
        for statement in statements_in(text):
            figures += statement.figures
    return figures
