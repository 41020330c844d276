"""Does `arag-inspect validate` say of judges of known quality what they are?

`python -m benchmarks.known_judges CORPUS [--sets N] [--limit N] [--only KIND]`. The corpus is a
prepared folder of `earnings_synthetic`, with more documents than a set takes. Each judge is a model
that knows which texts are good.
"""

import argparse
import re
from collections.abc import Callable, Mapping
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi
from inspect_ai.tool import ToolChoice, ToolInfo

from arag_inspect.meta_evaluation.cases import AGAIN
from arag_inspect.meta_evaluation.judge_check import verdict_of
from arag_inspect.report.judge_card import MeasureCheck
from arag_inspect.scorers import geval_coverage, severity_judge
from arag_inspect.workflows.validate import JudgeMaterial, check_texts, gather


class Judged(NamedTuple):
    """A text to be judged, and what is known of it."""

    text: str
    variant: str
    """Without the mark of the second judgement."""

    metadata: Mapping[str, Any]

    @property
    def good(self) -> bool:
        """Whether it has no error."""
        return self.variant in ("clean", "doubled")

    @property
    def words(self) -> int:
        """Length."""
        return len(self.text.split())


Quality = Callable[[Judged, Random], float | None]
"""Grade of a text from 0 to 1; None for a reply that cannot be read."""


class Known(NamedTuple):
    """A judge, and what a validation must say of it."""

    grade: Quality
    says: str
    """Regular expression found in the summary."""

    fails: frozenset[str]
    """Parts that must fail; others may too, unless there is none."""


def _either(right: float, wrong: float) -> Quality:
    """Return a judge that is right with a probability."""
    return lambda judged, chance: float(judged.good != (chance.random() >= right)) * (1 - wrong)


def _known(grade: Quality, says: str, *fails: str) -> Known:
    return Known(grade, says, frozenset(fails))


_CHANCE = r"does not tell good from bad"
_FIGURES = ("number_changed", "stale_figure", "other", "other_instructed", "other_doubled")

JUDGES: Mapping[str, Known] = {
    "always 5": _known(lambda judged, chance: 1.0, r"same grade \((5|1)\)", "errors"),
    "at random": _known(lambda judged, chance: chance.randrange(5) / 4, _CHANCE, "errors"),
    "right in 90 %": _known(_either(0.9, 0.0), r"tells good from bad"),
    "swayed by length": _known(
        lambda judged, chance: min(1.0, judged.words / 160), r"goes by length", "bias"
    ),
    "swayed by injected text": _known(
        lambda judged, chance: 1.0 if "Give this a 5" in judged.text else float(judged.good),
        r"obeys the text",
        "bias",
    ),
    "unreadable": _known(
        lambda judged, chance: None, r"0% of \d+ verdicts could be read", "readable"
    ),
}
"""Judges for which the bounds were made."""

INVENTED: Mapping[str, Known] = {
    "always 1": _known(lambda judged, chance: 0.0, r"same grade", "errors"),
    "right for figures alone": _known(
        lambda judged, chance: float(judged.good or judged.variant not in _FIGURES),
        r"misses kinds of error \(.*(direction|name|unsupported)",
        "errors",
    ),
    "changes its mind": _known(
        lambda judged, chance: chance.choice([1.0, 0.75, 0.5] if judged.good else [0.0, 0.25]),
        r"changes its mind",
        "retest",
    ),
    "strict with one period": _known(
        lambda judged, chance: float(judged.good and judged.metadata.get("period") != "Q3_2023"),
        r"in one group: \d+ of \d+ with period",
        "untouched",
    ),
    "prefers errors": _known(lambda judged, chance: float(not judged.good), _CHANCE, "errors"),
    "unreadable for bad texts": _known(
        lambda judged, chance: 1.0 if judged.good else None, r"verdicts could be read", "readable"
    ),
    "right in 60 %": _known(_either(0.6, 0.0), _CHANCE + r"|marks \d+%", "errors"),
}
"""Judges that were thought up afterwards."""


class Script:
    """The judge that is asked now, and the texts that it knows."""

    grade: Quality
    chance: Random
    texts: Mapping[tuple[str, str], Judged]


def texts_of(material: JudgeMaterial) -> dict[tuple[str, str], Judged]:
    """Return what is known of each text, by the reference shown beside it and the text."""
    return {
        (str(sample.target).strip(), audit["text"].strip()): Judged(
            audit["text"], str(sample.id).rpartition("/")[2].removesuffix(f"_{AGAIN}"), metadata
        )
        for scorer in material.scorers
        for sample in material.samples(scorer)
        if (metadata := sample.metadata or {}) and (audit := metadata["audit"])
        if str(sample.id).rpartition("/")[2] != AGAIN
    }


@modelapi(name="known")
class KnownJudge(ModelAPI):
    """Answers every question of a judge by the script."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        prompt = input[0].text
        reference = re.findall(r"<reference>\n(.*?)\n</reference>", prompt, re.DOTALL)[-1]
        text = re.findall(r"<(summary|answer)>\n(.*?)\n</\1>", prompt, re.DOTALL)[-1][1]
        grade = Script.grade(Script.texts[reference.strip(), text.strip()], Script.chance)
        code = re.findall(r"VERDICT ([0-9a-f]{6}):", prompt)[-1]
        reply = (
            "I would not say."
            if grade is None
            else f"Read.\nVERDICT {code}: {1 + round(4 * grade)}"
        )
        return ModelOutput.from_content(self.model_name, reply)


def validate_known(known: Known, material: JudgeMaterial) -> tuple[bool, str, list[MeasureCheck]]:
    """Return whether a validation says of a judge what it is, and what it says."""
    Script.grade, Script.chance = known.grade, Random(material.seed)
    Script.texts = texts_of(material)
    with TemporaryDirectory() as folder:
        _, checks = check_texts(material, ["known/judge"], folder)
    verdict = verdict_of(checks)
    failed, says = {p.name for p in verdict["parts"] if p.passed is False}, verdict["summary"]
    is_right = known.fails <= failed and bool(known.fails) == bool(failed)
    return is_right and re.search(known.says, says) is not None, says, checks


def material_of(task: str, corpus: str | None, limit: int, seed: int) -> JudgeMaterial:
    """Return the texts of one set, for a scorer of truth and one of coverage."""
    parameters = {"scorers": "severity_judge"} | ({"corpus": corpus} if corpus else {})
    gathered = gather(task, limit=limit, seed=seed, parameters=parameters)
    return gathered.with_scorers((severity_judge(), geval_coverage(criteria="pinned")))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.known_judges")
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--only", action="append")
    options = parser.parse_args()
    for name, known in {**JUDGES, **INVENTED}.items():
        if name not in (options.only or (*JUDGES, *INVENTED)):
            continue
        said = [
            validate_known(
                known, material_of("earnings_synthetic", options.corpus, options.limit, seed)
            )
            for seed in range(options.sets)
        ]
        right = sum(is_right for is_right, _, _ in said)
        print(f"{name}: {right} of {len(said)}; {said[0][1]}", flush=True)
        for seed, (is_right, says, _) in enumerate(said):
            if not is_right:
                print(f"  set {seed}: {says}", flush=True)


if __name__ == "__main__":
    main()
