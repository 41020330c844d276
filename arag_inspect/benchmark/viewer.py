"""Score columns of a task in the log viewer."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from inspect_ai.scorer import Scorer
from inspect_ai.util import registry_info
from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

from .._util.names import short_name
from ..measure import MeasureSpec, Scale, by_family, find_measure, measures_of
from ..measures.guard import details_of


class _ScoreColumn(NamedTuple):
    scorer: str
    spec: MeasureSpec
    scale: Scale

    @property
    def key(self) -> str:
        return self.spec.value_key


def task_viewer(scorers: Sequence[Scorer]) -> ViewerConfig:
    """Configure the log viewer to show a task's scores as columns.

    The viewer maps labels and colours by key alone, so scorers that share a key share them. Shares
    and grades are coloured over their whole range, so that a mediocre run does not look good
    because it has the best values of its log.

    Args:
        scorers: Scorers of the task. Each measure that they declare has a column, and so has a
            scorer that declares none.
    """
    columns = _columns(scorers)
    score_columns = [TaskSamplesColumn.score(column.scorer, column.key) for column in columns]
    score_columns += [
        TaskSamplesColumn.score(_name(scorer)) for scorer in scorers if not measures_of(scorer)
    ]
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Systems",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *score_columns,
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="error"),
            ],
            multiline=False,
            compact_scores=False,
            score_labels={column.key: column.spec.short_label for column in columns},
            score_color_scales={column.key: _color_scale(column) for column in columns},
            color_scales_enabled=True,
        ),
        sample_score_view=SampleScoreView(default="grid"),
    )


def _columns(scorers: Sequence[Scorer]) -> list[_ScoreColumn]:
    """Return the columns by family of measures, in the order of the scorers."""
    columns: dict[MeasureSpec, _ScoreColumn] = {}
    for scorer in scorers:
        name = _name(scorer)
        scale = details_of(scorer).scale
        for spec in _expand_specs(scorer):
            columns[spec] = _ScoreColumn(name, spec, scale)
    return [columns[spec] for spec in by_family(columns)]


def _name(scorer: Scorer) -> str:
    """Return the name of a scorer in the log."""
    return short_name(registry_info(scorer).name)


def _expand_specs(scorer: Scorer) -> list[MeasureSpec]:
    """Return the measures of a scorer, with its keys in place of a pattern.

    Measures in the metadata of scores have no column.
    """
    specs = {spec.key: spec for spec in measures_of(scorer) if not spec.in_metadata}
    plain_specs = [spec for key, spec in specs.items() if "*" not in key]
    other_keys = [key for key in details_of(scorer).keys if key not in specs]
    return [*plain_specs, *(find_measure(key, specs) for key in other_keys)]


def _color_scale(column: _ScoreColumn) -> ScoreColorScale:
    spec = column.spec
    if spec.higher_is_better is None:
        return ScoreColorScale(palette="neutral")
    low, high = column.scale if spec.graded else (spec.low, spec.high)
    palette: Literal["good-high", "good-low"] = "good-high" if spec.higher_is_better else "good-low"
    if low is None or high is None:
        return ScoreColorScale(palette=palette)
    return ScoreColorScale(palette=palette, min=low, max=high)
