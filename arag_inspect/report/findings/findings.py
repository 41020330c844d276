"""Findings on each primary measure in plain words."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..._util.wording import as_sentence, format_count, plural
from ..cells import Usd, show
from ..comparison.basis import basis_in_brief, basis_sentences
from ..comparison.changes import recorded_differences
from ..comparison.comparisons import Comparison, primary_pairs
from ..comparison.contestants import contestants
from ..comparison.correctness import disagreements
from ..comparison.human import FEWEST_MARKS, corrected_by, corrections
from ..comparison.leads import largest_lead, ordered_systems
from ..comparison.means import mean_of_measure
from ..comparison.primary import primary_measures
from ..comparison.regressions import grave_regression, regressions
from ..comparison.sweeps import describe_reversal, reversals
from ..comparison.unjudged import (
    lists_of_other_texts,
    not_judged,
    refuted_grades,
    unread_elsewhere,
)
from ..labels import MOST_NAMED, in_sentence
from ..study import Study
from .advice import advice, without_advice
from .gap_text import between_models, too_few_groups
from .human_agreement import agreement_sentences
from .on_measure import describe_measure
from .pooling import kinds_alone, pooled_kinds
from .provenance import other_code
from .qualifications import (
    assumed_directions,
    better_elsewhere,
    documents_given,
    evidence_beside_recall,
    lower_effort,
    measures_disagree,
    worse_elsewhere,
)

_MOST_SENTENCES = 2
"""Maximum sentences on samples without a value that the first screen shows."""

_MOST_COSTS = 6
"""Maximum number of systems whose costs are listed in a sentence."""

FindingKind = Literal["not judged", "partial", "result", "qualification", "further"]


@dataclass(frozen=True)
class Finding:
    """Sentence of a report on one topic, and the comparisons that it states."""

    kind: FindingKind
    """Findings that are `not judged` come first; a `qualification` is shown beside the headline."""

    topic: str
    """Label of a measure, or a heading."""

    text: str
    comparisons: tuple[Comparison, ...] = ()
    """The differences in the text, each with its measure, the better and the worse system, its
    interval, p, number of samples and, if it is not shown, the reason.
    """

    brief: str = ""
    """A shorter text for the first screen of the page; empty if the text is short."""

    @property
    def shown(self) -> bool:
        """Whether any system is shown to be better on a measure that decides."""
        return self.kind == "result" and any(pair.winner for pair in self.comparisons)


def findings(study: Study) -> tuple[Finding, ...]:
    """State for each primary measure which system is better, if any.

    Measures that could not be judged, what differs between the two runs of a change, and measures
    that lack values on some samples come first. Below the findings
    on measures are: too few groups of samples for any winner, what qualifies the headline (code
    that differs, measures that disagree, measures that got worse), grades refuted by the judge's
    own lists, means corrected by people, contrasts that change sign with the model or system, and
    the stage at which each system loses most facts (`advice`). For a single system, the findings
    state how good it is, compared with the closed book and the references if these were run.
    """
    unjudged = [Finding("not judged", "Not judged", f"{text}.") for text in not_judged(study)]
    partial = []
    sentences = basis_sentences(study)
    if sentences:
        brief = basis_in_brief(study) if len(sentences) > _MOST_SENTENCES else ""
        text = " ".join(sentences)
        partial.append(Finding("partial", "Not on all samples", text, brief=brief))
    results = sorted(_on_measures(study), key=lambda finding: not finding.shown)
    too_few = too_few_groups(study)
    if too_few:
        topic = f"Too few {plural(study.cluster)}"
        results.append(Finding("result", topic, f"{too_few}.", tuple(primary_pairs(study))))
    if unjudged or partial or results:
        results += _qualifications(study)
    else:
        results = [Finding("result", "Nothing to compare", f"{_describe_missing_scores(study)}.")]
    return (*unjudged, *_what_differs(study), *partial, *results, *_further(study))


def _what_differs(study: Study) -> Iterator[Finding]:
    """Yield the differences between the two runs of a change that their logs record."""
    if study.choices.is_change:
        differences = "; ".join(map(str, recorded_differences(study)))
        text = differences or "nothing that the logs record"
        yield Finding("further", "What differs", f"{text.removesuffix('.')}.")


def _on_measures(study: Study) -> Iterator[Finding]:
    """Yield the finding on each primary measure that has one."""
    for measure in map(study.catalogue.spec, primary_measures(study)):
        pairs = tuple(primary_pairs(study, measure))
        sentences = [*describe_measure(study, measure)]
        won_pairs = tuple(pair for pair in pairs if pair.winner)
        sentences += filter(None, [pooled_kinds(study, won_pairs)])
        assumed = assumed_directions(study, [measure.key])
        if assumed and pairs:
            sentences.append(as_sentence(assumed))
        text = " ".join(sentences)
        if text:
            yield Finding("result", measure.label, text, pairs)


def _qualifications(study: Study) -> Iterator[Finding]:
    """Yield what the headline omits.

    It is documents given to some systems, other code, evidence in parts, measures that disagree,
    what only questions or only summaries show, and worse measures.
    """
    opposing = disagreements(study)
    texts = {
        "Documents given": documents_given(study),
        "Other code": other_code(study),
        "Evidence in parts": evidence_beside_recall(study),
        "Measures disagree": measures_disagree(study),
        "By kind": " ".join(kinds_alone(study)),
    }
    for topic, text in texts.items():
        if text:
            yield Finding("qualification", topic, text)
    keys = [*primary_measures(study), *(item.measure.key for item in opposing)]
    text = worse_elsewhere(study, keys)
    if text:
        grave = grave_regression(study)
        in_headline = [] if grave is None else [grave.measure.key]
        brief = worse_elsewhere(study, [*keys, *in_headline], most=MOST_NAMED)
        kind: FindingKind = "qualification" if brief else "further"
        shorter_text = f"{brief}." if brief and brief != text else ""
        worse = tuple(regressions(study, keys))
        yield Finding(kind, "Worse elsewhere", f"{text}.", worse, shorter_text)
    for topic, text in (
        ("Better elsewhere", better_elsewhere(study)),
        ("Less effort", lower_effort(study, keys)),
    ):
        if text:
            yield Finding("qualification", topic, f"{text}.")


def _describe_missing_scores(study: Study) -> str:
    """Return the reason why there is nothing to compare."""
    answers = study.answers
    if not (answers["outcome"] == "answered").any():
        errors = answers["error"].map(lambda text: f": {text}" if text else "")
        outcomes = Counter(answers["outcome"] + errors).most_common(MOST_NAMED)
        counts = "; ".join(f"{count} {outcome}" for outcome, count in outcomes)
        return f"No sample was answered ({counts})"
    if study.scores.empty:
        return "There are no scores; add them with inspect score"
    if study.scores["value"].isna().all():
        why = Counter(study.scores["reason"].fillna(study.scores["status"]))
        reasons = "; ".join(f"{count} {reason}" for reason, count in why.most_common(MOST_NAMED))
        return f"No score is a number ({reasons or 'all are texts'})"
    text = f"No two of {', '.join(study.systems)} have a primary measure in common"
    valued = study.scores.dropna(subset=["value"]).groupby("measure")["system"].nunique()
    shared = [spec.key for spec in study.catalogue.main if valued.get(spec.key, 0) > 1]
    advice = f"; --primary NAME chooses one they share: {', '.join(shared)}"
    return text + (advice if shared else "")


def _further(study: Study) -> Iterator[Finding]:
    """Yield what follows the findings on measures."""
    sentences_by_topic: dict[str, Iterable[str]] = {
        "Between models": [between_models(study)],
        "Cost per 1,000 answers": [_costs_without_winner(study)],
        "Unreadable verdicts": (f"{text}." for text in unread_elsewhere(study)),
        "Doubtful grades": (
            f"{text}." for text in (*refuted_grades(study), *lists_of_other_texts(study))
        ),
        "Agreement with people": agreement_sentences(study),
        "Corrected by people": _by_people(study),
        "Sign changes": _sign_changes(study),
        "What to change": (*(item.text for item in advice(study)), without_advice(study)),
    }
    for topic, sentences in sentences_by_topic.items():
        text = " ".join(filter(None, sentences))
        if text:
            yield Finding("further", topic, text)


def _costs_without_winner(study: Study) -> str:
    """Return each system's cost per 1,000 answers if no system wins and there are few."""
    if study.choices.is_change or largest_lead(study) is not None:
        return ""
    answers = study.finished[study.finished["system"].isin(contestants(study))]
    costs = answers.groupby("system")["cost_usd"].mean().dropna().sort_values()
    if not 2 <= len(costs) <= _MOST_COSTS or not costs.any():
        return ""
    texts = [f"{system} {show(Usd(1000 * cost))}" for system, cost in costs.items()]
    return f"{', '.join(texts)}."


def _by_people(study: Study) -> Iterator[str]:
    """Yield each primary measure's means corrected by people, next to the judge's means.

    A mean of too few marks is not stated.
    """
    human_by_judge = corrections(study)
    for measure in map(study.catalogue.spec, primary_measures(study)):
        human = human_by_judge.get(measure.key)
        if human is None:
            continue
        means = []
        for system in ordered_systems(study):
            mean = corrected_by(study, human, measure.key, system)
            judged = mean_of_measure(study, system, measure.key)
            if mean and judged and mean.n >= FEWEST_MARKS:
                marks = _describe_marks(study, human, system, mean.n)
                means.append(f"{system} {show(mean)} by {marks} (judge {show(judged.mean)})")
        if means:
            yield f"{measure.label}: {', '.join(means)}."
        else:
            needed = f"{FEWEST_MARKS} of each system are needed"
            yield f"{measure.label}: too few marks of random answers to correct a mean ({needed})."
    if human_by_judge:
        yield "Ranks and differences still use the judge's scores."


def _describe_marks(study: Study, human: str, system: str, number_random: int) -> str:
    """Return the number of marks of a system, and how many of them are of random answers."""
    number = len(study.known_values(system, human))
    marks = format_count(number, "mark")
    if number == number_random:
        return marks
    return f"{marks}, {number_random:,} of them of random answers"


def _sign_changes(study: Study) -> Iterator[str]:
    """Yield contrasts shown in both directions, e.g. of two systems with two models."""
    changes = [*reversals(study, "system"), *reversals(study, "model")]
    certain = [change for change in changes if change.shown]
    for change in certain[:MOST_NAMED]:
        yield f"{describe_reversal(change)} ({in_sentence(change.measure)})."
    if len(certain) > MOST_NAMED:
        yield f"The tables by model and by system have {len(certain) - MOST_NAMED} more."
