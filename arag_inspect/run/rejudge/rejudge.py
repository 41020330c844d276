"""Judge the same answers again, to measure a judge's self-agreement."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import uuid4

from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSample, write_eval_log
from inspect_ai.model import Model, ModelConfig, ModelCost, get_model
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from ... import scorers
from ..._util.errors import InputError, one_line
from ..._util.log_files import is_appended_score, open_log
from ..._util.names import short_name
from ...judge.unread_verdicts import unread_by_judge
from ...models.call_monitor import watching
from ...models.pricing import set_prices
from ...models.provider_faults import CallError
from ...models.spending import LEDGER_TASK
from ...types.score_metadata import read_metadata
from .logged_scorers import OptionsByScorer, is_of_package, recreate_scorer
from .order_effect import OrderEffect, order_effect


class UnreadVerdicts(NamedTuple):
    """Verdicts of one judge that could not be read."""

    scorer: str
    judge: str
    failed: int
    total: int
    """Answers that it was asked to judge."""

    reason: str
    """Most frequent reason."""


class RejudgedLog(NamedTuple):
    """A log whose answers were judged again."""

    log: Path
    other_measures: tuple[str, ...]
    """Scorers whose new scores do not repeat the old: version, prompt, criteria or judge differ."""

    unopened: str | None
    """Corpus in the log, if it was not opened."""

    order_effects: tuple[OrderEffect, ...] = ()
    """Effects of reversing the order, by scorer and judge, if requested."""

    unread: tuple[UnreadVerdicts, ...] = ()
    """Unreadable verdicts, by scorer and judge."""

    foreign: tuple[str, ...] = ()
    """Judged scorers of other packages, whose verdicts were not repeated."""


def rejudge(
    location: str,
    out: Path | None = None,
    only: Sequence[str] = (),
    *,
    graders: Sequence[str] = (),
    corpus: str | None = None,
    given: OptionsByScorer | None = None,
    reverse_order: bool = False,
    prices: str | Mapping[str, ModelCost] | None = None,
) -> RejudgedLog:
    """Judge the answers of a log once more, with the same settings.

    Judges, corpus, files and models come from the arguments, never from the log, which is untrusted
    data.

    The new scores are stored next to the old ones, as by `inspect score --action append`
    (`geval_coverage1` next to `geval_coverage`), in a separate log, which `eval_set` does not
    mistake for an attempt; `arag-inspect report` recognises one as a repetition of the other by
    their common `eval_id`.

    Args:
        location: The log, local or any address that Inspect can read.
        out: Log to write. Default: `<name>-rejudged.eval` next to a local log.
        only: Names of the scorers to repeat; default: all of this package that ask a judge.
        graders: Models that judge.
        corpus: Prepared folder of the samples, for scorers that read it.
        given: Options that are files or models, by scorer; the log's are not used.
        reverse_order: Judge only `fact_match`, reversing the list that each fact is compared with.
        prices: Value of Inspect's `--model-cost-config`, which overrides the package's prices.

    Raises:
        InputError: The log or the prices are unreadable, the log has no judged score, uses a file
            or a model that the arguments do not give, no grader is given, or the new log already
            exists.
    """
    set_prices(prices)
    log = open_log(location, resolve_attachments=True)
    target = out or _default_target(location)
    if target.exists():
        raise InputError(f"{target} exists; choose another file with -o")
    names, foreign = _judged_scorers(log, only)
    if reverse_order:
        names = _matching_scorers(names)
        if not order_effect(log, log, names):
            raise InputError(f"{location} has no verdict that the order of the facts could change")
    scorers_again = []
    for name in names:
        options = dict((given or {}).get(short_name(name), {}))
        if reverse_order:
            options["reverse_order"] = True
        scorers_again.append(recreate_scorer(log, name, options))
    new_log = _mark_as_own_task(_score_again(log, scorers_again, graders, corpus))
    _write_log(new_log, target)
    return RejudgedLog(
        target,
        other_measures=tuple(name for name in names if _is_another_measure(name, log, new_log)),
        unopened=_named_corpus(log) if corpus is None else None,
        order_effects=order_effect(log, new_log, names) if reverse_order else (),
        unread=tuple(chain.from_iterable(_unread(name, log, new_log) for name in names)),
        foreign=foreign,
    )


def _default_target(location: str) -> Path:
    path = Path(location.removeprefix("file://"))
    if not path.is_file():
        raise InputError(f"{location} is not a local file; name the file to write with -o")
    return path.with_name(f"{path.stem}-rejudged.eval")


def _judged_scorers(log: EvalLog, only: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the judged scorers of a log: scorers to repeat, and scorers of other packages."""
    judged = {key for key, metadata in _metadata(log) if metadata.get("judges")}
    names = [entry.name for entry in log.eval.scorers or [] if entry.name in judged]
    unknown = [name for name in only if name not in names]
    if unknown or not names:
        scorer = f"scorer {unknown[0]!r} recorded no" if unknown else "no scorer recorded a"
        raise InputError(
            f"{scorer} judge's verdict in {log.location}; those that did: "
            f"{', '.join(names) or 'none'}; to run any scorer again, use inspect score"
        )
    if only:
        return list(only), ()
    ours = [name for name in names if is_of_package(name)]
    return ours or names, tuple(name for name in names if not is_of_package(name))


def _metadata(log: EvalLog) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield key and metadata of every score of a log."""
    for sample in log.samples or []:
        for key, result in (sample.scores or {}).items():
            yield key, result.metadata or {}


def _matching_scorers(names: Sequence[str]) -> list[str]:
    """Return the scorers that match facts, whose verdicts the order of the facts may change."""
    specs = scorers.MEASURES.values()
    matchers = {spec.scorer for spec in specs if spec.aspect == "facts matched"}
    return [name for name in names if name in matchers]


def _write_log(log: EvalLog, target: Path) -> None:
    """Write a log as a whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name}.partial")
    try:
        form: Literal["json", "eval"] = "json" if target.suffix == ".json" else "eval"
        write_eval_log(log, str(unfinished), format=form)
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def _score_again(
    log: EvalLog, scorers: Sequence[Scorer], graders: Sequence[str], corpus: str | None
) -> EvalLog:
    """Score a log with the given graders and corpus, never with the log's.

    Raises:
        InputError: No grader is given, or scoring failed.
    """
    if not graders:
        logged = ", ".join(_graders_of(log)) or "no known model"
        raise InputError(
            f"{log.location} was judged by {logged}; name the model that judges now with --grader "
            "MODEL"
        )
    models = [get_model(name) for name in graders]
    originals = log.samples or []
    # failed samples have no scores
    samples = [_set_corpus(sample, corpus) for sample in originals if sample.scores]
    spec = log.eval.model_copy(update={"model_roles": None})
    try:
        with watching(stops=False):
            new_log = score(
                log.model_copy(update={"eval": spec, "samples": samples}),
                [_unscored_on_call_error(scorer, models) for scorer in scorers],
                model="none/none",  # or Inspect would use the one in the log
                model_roles={"grader": models},
                action="append",
            )
    except InputError:
        raise
    except Exception as error:  # of a provider, or of a damaged or forged log
        reason = one_line(error) or type(error).__name__
        raise InputError(f"{log.location} cannot be judged again ({reason})") from error
    new_log.eval.model_roles = log.eval.model_roles
    judged = iter(new_log.samples or [])
    new_log.samples = [next(judged) if before.scores else before for before in originals]
    for sample, before in zip(new_log.samples, originals, strict=True):
        sample.metadata = before.metadata
    return new_log


def _set_corpus(sample: EvalSample, corpus: str | None) -> EvalSample:
    metadata = {name: value for name, value in sample.metadata.items() if name != "corpus"}
    if corpus is not None:
        metadata["corpus"] = corpus
    return sample.model_copy(update={"metadata": metadata})


def _graders_of(log: EvalLog) -> list[str]:
    """Return the graders in a log's header, else in its scores."""
    bound = (log.eval.model_roles or {}).get("grader") or []
    names = [model.model for model in ([bound] if isinstance(bound, ModelConfig) else bound)]
    if not names:
        judges = (read_metadata(metadata).judges for _, metadata in _metadata(log))
        names = [record.grader for record in chain.from_iterable(judges)]
    return list(dict.fromkeys(re.sub(r"#\d+$", "", name) for name in names))


def _unscored_on_call_error(scorer: Scorer, graders: Sequence[Model]) -> Scorer:
    """Wrap a scorer to leave an answer unscored if a call of a judge fails."""

    @wraps(scorer)  # keeps its name and metrics
    async def score_answer(state: TaskState, target: Target) -> Score | None:
        try:
            return await scorer(state, target)
        except CallError as error:
            judges = [{"grader": "+".join(map(str, graders)), "reason": str(error)}]
            return Score.unscored(
                reason="grader_failed", explanation=str(error), metadata={"judges": judges}
            )

    return score_answer


def _mark_as_own_task(log: EvalLog) -> EvalLog:
    """Give a log its own task id and plan.

    Among logs with the same task id, `eval_set` keeps only the newest; a different plan name marks
    this log as another task, which `eval_set` never continues. The ledger of a log folder has the
    first task id, which stays in the metadata.
    """
    metadata = {LEDGER_TASK: log.eval.task_id, **(log.eval.metadata or {})}
    spec = log.eval.model_copy(update={"task_id": uuid4().hex, "metadata": metadata})
    plan = log.plan.model_copy(update={"name": "rejudged"})
    return log.model_copy(update={"eval": spec, "plan": plan})


def _named_corpus(log: EvalLog) -> str | None:
    """Return the first corpus in the samples of a log."""
    corpora = (sample.metadata.get("corpus") for sample in log.samples or [])
    corpus = next(filter(None, corpora), None)
    return None if corpus is None else str(corpus)


def _new_metadata(name: str, old: EvalLog, new: EvalLog) -> list[dict[str, Any]]:
    old_keys = {key for key, _ in _metadata(old)}
    return [
        entry
        for key, entry in _metadata(new)
        if key not in old_keys and is_appended_score(key, name)
    ]


def _unread(name: str, old: EvalLog, new: EvalLog) -> Iterator[UnreadVerdicts]:
    """Yield the number of each judge's new verdicts that could not be read, if any."""
    for judge, reasons in unread_by_judge(_new_metadata(name, old, new)).items():
        lost = Counter(filter(None, reasons))
        if lost:
            yield UnreadVerdicts(name, judge, lost.total(), len(reasons), lost.most_common(1)[0][0])


def _is_another_measure(name: str, old: EvalLog, new: EvalLog) -> bool:
    """Return whether a scorer's new scores have a signature that its old scores lack."""
    old_scores = [read_metadata(entry) for key, entry in _metadata(old) if key == name]
    new_scores = map(read_metadata, _new_metadata(name, old, new))
    old_signatures = {score.signature for score in old_scores}
    new_signatures = {score.signature for score in new_scores}
    return not new_signatures <= {None, *old_signatures}
