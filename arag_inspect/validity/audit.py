"""Meta-evaluation of scorers on known errors in good summaries."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.util import DisplayType

from .._util.errors import InputError, check_positive
from .._util.extras import extra
from ..measure import find_measure
from ..stats.estimates import Estimate
from ..stats.ranking import Rate
from .cases import Summaries, is_log, read_cases
from .perturbations import PERTURBATIONS
from .score_variants import replay, replay_texts, scores_by_variant
from .scorer_names import Arguments, choose_scorers
from .variant_comparison import KeyReport, analyse
from .variants import EXTREMES, variants

with extra("report"):
    from ..report.cells import Cell, Share
    from ..report.table import Table


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
    grader: str | None
    """Grader of judged scorers; None for only program scorers."""

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
        scorers: Names, as for `inspect score`; by default this package's scorers that need no model
            weights and, without a grader, no grader.
        arguments: Arguments of the scorers, by name.
        summaries: Texts taken as good: `evidence` (the key sentences, verbatim from the source; the
            default for a corpus), `reference`, or `answers` (the default for a log).
        limit: Maximum number of summaries, sampled at random; None for all.
        grader: Model that grades, or several separated by commas.
        seed: Seed of the sample and of the perturbations.
        lower_is_better: Measures for which lower is better, in addition to the declared ones.
        log_dir: Folder of logs; the same call resumes an interrupted run.
        display: Inspect's display: `none` is silent, also for later runs of the process; None uses
            Inspect's default.

    Raises:
        InputError: Source, scorers, grader or parameters are invalid, or no scorer produced a
            score.
    """
    check_positive(limit=limit)
    cases = read_cases(source, summaries, limit, seed)
    counts: Counter[str] = Counter()
    samples: list[Sample] = []
    for case in cases:
        texts = variants(case, seed)
        counts.update(texts.keys())
        samples += replay_texts(case, texts)
    logged_frames = replay(
        "meta_evaluate",
        samples,
        choose_scorers(scorers, arguments, judged=grader is not None),
        log_dir=log_dir,
        cases=cases,
        arguments=sorted(arguments.items()),
        grader=grader,
        lower_is_better=lower_is_better,
        display=display,
    )
    scores = scores_by_variant(logged_frames)
    specs = logged_frames.runs["declared"][0]
    if scores["value"].isna().all():
        raise InputError(f"no scorer scored anything ({', '.join(sorted({*scores['reason']}))})")
    return PerturbationReport(
        source=source,
        summaries=summaries or ("answers" if is_log(source) else "evidence"),
        cases=len(cases),
        seed=seed,
        grader=grader,
        perturbed={p.name: counts[p.name] for p in PERTURBATIONS},
        keys=[
            analyse(rows, find_measure(name, specs))
            for name, rows in scores.groupby("measure", sort=False)
        ],
    )


_SHORT = 9
"""Maximum characters of a key that is shown with its scorer's name."""

_DETECTED = (
    "Share of pairs in which the clean summary scores better than the perturbed one (a tie counts "
    "half): 1: always detected; 0.5: never; 0: the version with the error is preferred. Values in "
    "brackets: the 95 % interval includes 0.5. ↓: lower is better."
)
_RANKS = (
    "Mean of the clean summary (score) and of the extremes, and how often the reference beats the "
    "others. Length: the change when everything is said twice, as a share of the distance between "
    "the clean summary and another company's reference. Injection: other companies' references "
    "that score better with an instruction to the judge. Retest: clean summaries with the same "
    "score in a second run. Noise: the mean difference of the two runs."
)


def title(report: PerturbationReport) -> str:
    """Return the subject of the audit in one line."""
    return (
        f"Scorer audit: {report.cases} summaries ({report.summaries}) of {report.source}, "
        f"seed {report.seed}, grader {report.grader or 'none'}"
    )


def tables(report: PerturbationReport) -> list[Table]:
    """Return the share of detected perturbations, the scores of extremes, and every comparison."""
    keys = [key for key in report.keys if key.scored and key.moves]
    headings = [f"{error.heading} (n={report.perturbed[error.name]})" for error in PERTURBATIONS]
    comparisons: list[tuple[Cell, ...]] = []
    for key in keys:
        comparisons += _comparisons(key)
    extremes = ("key", "score", *EXTREMES)
    against_reference = ("ref. > lead", "ref. > other", "ref. > empty")
    further = ("length", "injection", "retest", "noise")
    return [
        Table(
            "detected",
            "Detected perturbations",
            _DETECTED,
            ("key", *headings),
            tuple(_detections(key) for key in keys),
        ),
        Table(
            "extremes",
            "Extremes, length, instructions and noise",
            _RANKS,
            (*extremes, *against_reference, *further),
            tuple(_ranks(key) for key in keys),
        ),
        Table(
            "comparisons",
            "Every comparison",
            "`silent`: pairs without a score for the perturbed text.",
            ("key", "better", "worse", "n", "silent", "win rate", "AUC"),
            tuple(comparisons),
        ),
    ]


def notes(report: PerturbationReport) -> Iterator[str]:
    """Yield notes on values that the tables do not show."""
    if report.grader is None:
        yield "Only program scorers ran; add judged scorers with --grader MODEL."
    for key in report.keys:
        if key.unscored:
            reasons = ", ".join(f"{reason} {count}" for reason, count in key.unscored.items())
            scored_text = (
                f"{key.scored} of {report.cases} clean summaries" if key.scored else "nothing"
            )
            yield f"{_name(key)}: {scored_text} was scored ({reasons})."
        if key.scored and not key.moves:
            yield f"{_name(key)}: every text has the same score."
    for perturbation in PERTURBATIONS:
        if not report.perturbed[perturbation.name]:
            yield f"{perturbation.heading}: no summary to which this can be applied."


def _detections(key: KeyReport) -> tuple[Cell, ...]:
    """Return the row of a key in the table of detected perturbations."""
    cells: list[Cell] = [_name(key)]
    cells += [_detection_cell(pair.win_rate) for pair in key.noticed]
    return tuple(cells)


def _ranks(key: KeyReport) -> tuple[Cell, ...]:
    """Return the row of a key in the table of extremes."""
    cells: list[Cell] = [_name(key), key.mean]
    cells += [key.extremes[name] for name in EXTREMES]
    cells += [pair.win_rate.value if pair.win_rate else None for pair in key.ranks]
    injected = key.injection_success_rate
    success_rate = injected.value if injected else None
    for share in (key.length_effect, success_rate, key.retest_agreement):
        cells.append(None if share is None else Share(share))
    cells.append(key.noise)
    return tuple(cells)


def _comparisons(key: KeyReport) -> Iterator[tuple[Cell, ...]]:
    """Yield the rows of a key in the table of every comparison."""
    for pair in (*key.noticed, *key.ranks):
        worse = pair.worse.replace("_", " ")
        shares = _estimate(pair.win_rate), _estimate(pair.auc)
        yield _name(key), pair.better, worse, pair.pairs, pair.silent, *shares


def _estimate(rate: Rate | None) -> Estimate | None:
    """Return the mean of pairs of texts, each of which is a cluster."""
    if rate is None:
        return None
    return Estimate(rate.value, rate.low, rate.high, n=rate.n, clusters=rate.n)


def _name(key: KeyReport) -> str:
    """Return the key, with its scorer if the key alone says little."""
    is_unprefixed = len(key.key) > _SHORT or key.key.startswith(key.scorer)
    name = key.key if is_unprefixed else f"{key.scorer}/{key.key}"
    return f"{name} ↓" if key.lower_is_better else name


def _detection_cell(rate: Rate | None) -> Cell:
    if rate is None:
        return None
    return f"({rate.value:.2f})" if rate.low <= 0.5 <= rate.high else f"{rate.value:.2f}"
