"""Compare the scores of two sets of logs, sample by sample.

Run it as `python -m measurements.same_scores BEFORE AFTER [old=new ...]`, with two
folders of logs and the names of scorers or keys that changed. Exits with 1 where
a score differs by more than rounding.
"""

import math
import sys
from collections.abc import Iterator, Mapping

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

_TOLERANCE = 1e-9
Key = tuple[str, str, str, str]
"""System, sample, scorer and key."""


def scores(folder: str, renamed: Mapping[str, str]) -> dict[Key, object]:
    """Read every number of the logs in a folder."""
    logs = [read_eval_log(info) for info in list_eval_logs(folder)]
    return {key: value for log in logs for key, value in _scores(log, renamed)}


def _scores(log: EvalLog, renamed: Mapping[str, str]) -> Iterator[tuple[Key, object]]:
    system = str(log.eval.task_args.get("system", ""))
    for sample in log.samples or []:
        for scorer, score in (sample.scores or {}).items():
            values = score.value if isinstance(score.value, dict) else {scorer: score.value}
            for key, value in values.items():
                names = (renamed.get(scorer, scorer), renamed.get(f"{scorer}.{key}", key))
                yield (system, str(sample.id), *names), value


def main(before: str, after: str, *renames: str) -> int:
    """Print how many scores are equal, and every one that is not."""
    renamed = dict(rename.split("=", 1) for rename in renames)
    old, new = scores(before, renamed), scores(after, {})
    missing = sorted(old.keys() - new.keys())
    different = sorted(key for key in old.keys() & new.keys() if not _same(old[key], new[key]))
    for key in missing:
        print("missing  ", *key)
    for key in different:
        print("different", *key, old[key], new[key])
    equal = len(old.keys() & new.keys()) - len(different)
    print(f"{equal} scores equal, {len(different)} different, {len(missing)} missing")
    return 1 if different or missing else 0


def _same(old: object, new: object) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        both_nan = math.isnan(old) and math.isnan(new)
        return both_nan or math.isclose(old, new, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return old == new


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
