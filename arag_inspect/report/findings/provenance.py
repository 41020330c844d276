"""Who wrote and judged the answers of a study, when, and for how much."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from math import isnan

from ..._util.wording import join_names, join_or_count
from ...models.recorded import is_recorded
from ...types.system import EXTERNAL
from ..cells import Usd, show
from ..comparison.basis import extent_of
from ..load.header import CODE
from ..rows import RunRow
from ..study import Study

_LONGEST_TARGET = 60
"""Maximum characters of the address of a live system."""


def sides(study: Study) -> str:
    """Return the systems in words; for a change, the new run against the earlier run."""
    if study.choices.is_change:
        return " against ".join(study.systems)
    return join_or_count(study.systems, "system")


def about(study: Study) -> Iterator[str]:
    """Yield the size, models, judges, dates and cost of the runs."""
    rows = study.rows
    yield extent_of(study)
    writers = list(filter(None, map(_writer, rows)))
    graders = list(chain.from_iterable(run.graders for run in rows))
    judges = [grader for grader in graders if not is_recorded(grader)]
    if writers:
        yield f"written by {_who_wrote(study, writers)}"
    if not _may_be_judged(study):
        yield "no judge ran"
    elif judges:
        yield f"judged by {join_or_count(judges, 'judge')}"
    elif not graders and not _has_imported_scores(study):
        yield "the logs record no judge"
    if _has_imported_scores(study):
        yield "the judge of imported scores is unknown"
    dates = [run.created[:10] for run in rows]
    replayed = "replayed " if recordings_of(study) else ""
    yield replayed + " to ".join(dict.fromkeys([min(dates), max(dates)]))
    price = _dollars(study)
    if price:
        yield price


def _who_wrote(study: Study, writers: Sequence[str]) -> str:
    """Name the writers; if two runs have different writers, say which run is earlier."""
    is_pair = study.choices.is_change and len(writers) == len(study.rows) == len(set(writers)) == 2
    if not is_pair:
        return join_or_count(writers, "model")
    writer, earlier_writer = writers
    return f"{writer} (earlier: {earlier_writer})"


def _writer(run: RunRow) -> str:
    """Return the model that wrote, or a live system's function or service; empty if unknown."""
    if run.model_wrote:
        return "" if is_recorded(run.model) else run.model
    target = run.parameters.get("target") if run.solver == EXTERNAL.name else None
    return target[:_LONGEST_TARGET] if isinstance(target, str) else ""


def recordings_of(study: Study) -> list[str]:
    """Describe the recordings whose replies were replayed."""
    return list(dict.fromkeys(study.answers["recordings"].explode().dropna()))


def by_rule(model: str) -> bool:
    """Return whether a rule of this package, or Inspect's mock model, replaces a model."""
    return model.startswith(("offline/", "mockllm/"))


def other_code(study: Study) -> str:
    """Name the code that differs between runs, e.g. `code of rag.py: 41bbf57c75c3 (old), ...`.

    Empty for a comparison of two runs, whose differences are stated anyway.
    """
    if study.choices.is_change:
        return ""
    systems_by_digest: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for run in study.rows:
        for name, digest in run.made_with.items():
            if name.startswith(CODE):
                systems_by_digest[name][digest].append(run.system)
    texts = []
    for name, systems in systems_by_digest.items():
        if len(systems) > 1:
            versions = [
                f"{digest} ({join_or_count(names, 'system')})" for digest, names in systems.items()
            ]
            texts.append(f"{name}: {', '.join(versions)}")
    return f"{'; '.join(texts)}." if texts else ""


def banner(study: Study) -> str:
    """Return a notice if rules wrote or judged in place of a model, or if a run is a replay."""
    notices = list(rule_notices(study.rows))
    recordings = recordings_of(study)
    if recordings:
        sources = join_names([recording.partition(". ")[0] for recording in recordings])
        notices.insert(0, f"Replay of {sources}: no model was called, and nothing was paid.")
    return " ".join(notices)


def rule_notices(rows: Sequence[RunRow]) -> Iterator[str]:
    """Yield the runs that were written or judged by rules instead of a model."""
    systems = list(dict.fromkeys(run.system for run in rows if _is_written_by_rule(run)))
    judged = any(map(by_rule, chain.from_iterable(run.graders for run in rows)))
    if all(map(_is_written_by_rule, rows)):
        done_by_rules = "Written and judged" if judged else "Written"
        yield f"{done_by_rules} by rules, not by a language model."
        return
    if systems:
        verb = "was" if len(systems) == 1 else "were"
        yield (
            f"{join_names(systems)} {verb} written by rules, not by a language model; "
            "cost and time say nothing about a model."
        )
    if judged:
        yield "Judged by rules, not by a language model."


def _is_written_by_rule(run: RunRow) -> bool:
    """Return whether a rule wrote; a user's system may leave a mock model unused."""
    return by_rule(run.model) and (run.model_wrote or not run.model.startswith("mockllm/"))


def _may_be_judged(study: Study) -> bool:
    """Return whether a judge gave verdicts, or another package's scorer may have asked a judge."""
    valued = set(study.scores.dropna(subset=["value"])["measure"])
    specs = [study.catalogue.spec(key) for key in valued]
    return len(study.first_verdicts) > 0 or any(
        spec.judged or spec.family in ("judgement", "other") for spec in specs
    )


def _has_imported_scores(study: Study) -> bool:
    """Return whether a results file gave scores of another tool."""
    valued = set(study.scores.dropna(subset=["value"])["measure"])
    families = {study.catalogue.spec(key).family for key in valued}
    return any(run.replayed for run in study.rows) and "other" in families


def _dollars(study: Study) -> str:
    """Return the amount paid or, without a ledger, the price of the answers and any verdicts.

    Empty if all replies are recordings.
    """
    if all(is_recorded(run.model) and all(map(is_recorded, run.graders)) for run in study.rows):
        return ""
    frames = study.answers, study.verdicts
    if not any(frame["cost_usd"].notna().any() for frame in frames):
        return "no price known"
    dollars = 0.0
    to_judges = 0.0
    is_paid = True
    for run in study.rows:
        answers, verdicts = (
            float(frame.loc[frame["system"] == run.system, "cost_usd"].sum()) for frame in frames
        )
        is_in_ledger = not isnan(run.paid_usd)
        dollars += run.paid_usd if is_in_ledger else answers + verdicts
        to_judges += run.paid_judges_usd if is_in_ledger else verdicts
        is_paid &= is_in_ledger or not (answers or verdicts)
    amount = show(Usd(dollars)) if dollars else "$0"
    text = f"{amount} spent" if is_paid else f"{amount} for answers"
    if to_judges:
        of_answers = show(Usd(dollars - to_judges))
        text = f"{of_answers} for answers and {show(Usd(to_judges))} for verdicts"
        text = f"{amount} spent: {text}" if is_paid else text
    is_unpriced = any(frame["cost_usd"].isna().any() for frame in frames)
    return f"{text}, known prices only" if is_unpriced else text
