"""State how often people agree with the judge."""

import numpy as np

from ..._util.wording import format_count
from ...stats.agreement import both_known, kappa
from ..cells import show
from ..comparison.human import corrections, has_kappa
from ..comparison.primary import primary_measures
from ..study import Study, cached_per_study


@cached_per_study
def agreement_sentences(study: Study) -> list[str]:
    """Say how often people agree with the judge, for each primary measure that they marked."""
    sentences = []
    human_by_judge = corrections(study)
    for measure in map(study.catalogue.spec, primary_measures(study)):
        human = human_by_judge.get(measure.key)
        if human is None:
            continue
        marks, values = both_known(study.pool(human), study.pool(measure.key))
        if not len(marks):
            continue
        same = int((np.abs(marks - values) < measure.tie).sum())
        text = f"{measure.label}: {same} of {format_count(len(marks), 'mark')} equal the judge's"
        coefficient = kappa(marks, values) if has_kappa(marks, values, measure) else None
        kappa_text = "" if coefficient is None else f" (kappa {show(coefficient)})"
        sentences.append(f"{text} {'grade' if measure.graded else 'value'}{kappa_text}.")
    return sentences
