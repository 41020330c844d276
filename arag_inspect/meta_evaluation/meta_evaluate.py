"""The audit of scorers as a whole."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from inspect_ai.util import DisplayType

from .._util.errors import InputError, check_positive
from .analysis import KeyAudit, analyse
from .cases import Summaries, is_log, read_cases
from .score_variants import OFFLINE, score_variants
from .scorer_selection import Arguments, choose_scorers
from .variants import DAMAGES


@dataclass(frozen=True)
class Audit:
    """What scorers make of good, damaged and extreme summaries."""

    source: str
    """Corpus or log."""

    summaries: Summaries
    """Which texts were taken for good."""

    cases: int
    """Good summaries."""

    seed: int
    grader: str
    """Who judged, where a scorer asks a judge."""

    keys: list[KeyAudit]
    """One entry a scorer and key."""

    @property
    def by_rule(self) -> bool:
        """Whether the judge was the rule that stands in for a model."""
        return self.grader == OFFLINE

    def as_dict(self) -> dict[str, Any]:
        """Everything, fit for JSON, with what each damage is."""
        return {
            **asdict(self),
            "version": version("arag-inspect"),
            "damages": {one.name: {"kind": one.kind, "what": one.what} for one in DAMAGES},
        }


def meta_evaluate(
    source: str,
    *,
    scorers: Sequence[str] = (),
    arguments: Arguments = {},  # noqa: B006
    summaries: Summaries | None = None,
    limit: int | None = 50,
    grader: str | None = None,
    seed: int = 0,
    lower_is_better: Collection[str] = (),
    log_dir: str | None = None,
    display: DisplayType | None = None,
) -> Audit:
    """Damage good summaries in known ways, and see which scorer notices what.

    Args:
        source: Name or path of a prepared corpus, or path of an Inspect log.
        scorers: Names, as `inspect score` takes them; by default those of this package that need no key.
        arguments: Of the scorers, by name.
        summaries: What is taken for good: `evidence` (the key sentences, which stand in the source word for word; the default for a corpus), `reference`, or `answers` (the default for a log).
        limit: Most summaries, drawn by chance; None takes all.
        grader: Model, or several with commas, for scorers that ask a judge; None is a judge by rule.
        seed: Of the draw and of the damages.
        lower_is_better: Keys of which less is better, besides those that are known.
        log_dir: Where the log goes.
        display: Inspect's, of the run: `none` is silent, also for later runs of the process; None is Inspect's choice.

    Raises:
        InputError: Source, scorers, grader or parameters cannot be used, or no scorer scored anything.
    """
    check_positive(limit=limit)
    chosen = choose_scorers(scorers, arguments)
    cases = read_cases(source, summaries, limit, seed)
    measured = score_variants(
        cases, chosen, grader=grader, seed=seed, log_dir=log_dir, display=display
    )
    if not any(one.values for one in measured):
        reasons = sorted(
            {why for one in measured for at in one.unscored.values() for why in at.values()}
        )
        raise InputError(f"no scorer scored anything ({', '.join(reasons)})")
    return Audit(
        source=source,
        summaries=summaries or ("answers" if is_log(source) else "evidence"),
        cases=len(cases),
        seed=seed,
        grader=grader or OFFLINE,
        keys=[analyse(one, lower_is_better) for one in measured],
    )
