"""Meta-evaluation of scorers."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from inspect_ai.util import DisplayType

from .._util.errors import InputError, check_positive
from ..types.measures import find_measure
from .analysis import KeyReport, analyse
from .cases import Summaries, is_log, read_cases
from .score_variants import OFFLINE, by_variant, replay, replayed
from .scorer_selection import Arguments, choose_scorers
from .variants import PERTURBATIONS, variants


@dataclass(frozen=True)
class PerturbationReport:
    """Results of scorers on good, perturbed and extreme summaries."""

    source: str
    """Corpus or log."""

    summaries: Summaries
    """Kind of texts taken as good."""

    cases: int
    """Good summaries."""

    seed: int
    grader: str
    """Grader of judged scorers."""

    perturbed: Mapping[str, int]
    """Summaries to which each perturbation could be applied."""

    keys: list[KeyReport]
    """One entry per scorer and key."""

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as JSON values."""
        return {**asdict(self), "version": version("arag-inspect")}


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
    log_dir: str = "logs/audit",
    display: DisplayType | None = None,
) -> PerturbationReport:
    """Insert known errors into good summaries, and measure which scorers detect them.

    Args:
        source: Name or path of a prepared corpus, or path of an Inspect log.
        scorers: Names, as `inspect score` takes them; by default those of this package that need no
            key.
        arguments: Arguments of the scorers, by name.
        summaries: Texts taken as good: `evidence` (the key sentences, verbatim from the source; the
            default for a corpus), `reference`, or `answers` (the default for a log).
        limit: Most summaries, sampled at random; None takes all.
        grader: Model that grades, or several separated by commas; None uses the rule-based offline
            judge.
        seed: Seed of the sample and of the perturbations.
        lower_is_better: Measures for which lower is better, besides the declared ones.
        log_dir: Folder of logs; the same call resumes an interrupted run.
        display: Inspect's display: `none` is silent, also for later runs of the process; None uses
            Inspect's default.

    Raises:
        InputError: Source, scorers, grader or parameters are invalid, or no scorer produced a
            score.
    """
    check_positive(limit=limit)
    cases = read_cases(source, summaries, limit, seed)
    texts = [(case, variants(case, seed)) for case in cases]
    counts = Counter(variant.name for _, made in texts for variant in made)
    samples = [sample for case, made in texts for sample in replayed(case, made)]
    read = replay(
        "meta_evaluate",
        samples,
        choose_scorers(scorers, arguments),
        log_dir=log_dir,
        cases=cases,
        arguments=sorted(arguments.items()),
        grader=grader,
        lower_is_better=lower_is_better,
        display=display,
    )
    scores, declared = by_variant(read), read.runs["declared"][0]
    if scores["value"].isna().all():
        raise InputError(f"no scorer scored anything ({', '.join(sorted({*scores['reason']}))})")
    return PerturbationReport(
        source=source,
        summaries=summaries or ("answers" if is_log(source) else "evidence"),
        cases=len(cases),
        seed=seed,
        grader=grader or OFFLINE,
        perturbed={p.name: counts[p.name] for p in PERTURBATIONS},
        keys=[
            analyse(rows, find_measure(name, declared))
            for name, rows in scores.groupby("measure", sort=False)
        ],
    )
