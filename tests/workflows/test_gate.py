"""The gate: kept, broken or undecided, with its exit code, its table and its JUnit file."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from arag_inspect.cli.main import main
from tests.report import material as m


def _logs(folder: Path, grade: float, wave: float = 0.0) -> str:
    samples = [
        m.sample(
            n,
            {"geval_coverage": m.judged(grade + wave * (-1) ** n)},
            metadata={"company": f"C{n}"},
        )
        for n in range(20)
    ]
    return str(m.write(folder, m.log(samples)))


def _gate(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["gate", *arguments])


@pytest.mark.parametrize(
    "grade, wave, options, code, verdict",
    [
        (3.0, 0.1, (), 0, "kept"),
        (2.5, 0.1, (), 1, "broken"),
        (2.8, 0.5, (), 2, "undecided"),
        (2.8, 0.5, ("--undecided", "pass"), 0, "undecided"),
    ],
)
def test_a_rule_is_kept_broken_or_undecided(
    tmp_path: Path, grade: float, wave: float, options: tuple[str, ...], code: int, verdict: str
) -> None:
    new, base = _logs(tmp_path / "new", grade, wave), _logs(tmp_path / "base", 3.0)
    rules, junit = tmp_path / "rules.yaml", tmp_path / "gate.xml"
    rules.write_text("- geval_coverage >= -0.2\n")
    done = _gate(new, "--against", base, "--rules", str(rules), "--junit", str(junit), *options)
    assert done.exit_code == code, done.output
    assert (
        f"| arag | geval\\_coverage &gt;= -0.2 | 20 | {grade - 3:+.3f}".replace("+0.000", "0.000")
        in done.output
        and f"| {verdict} |" in done.output
    )
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", str(int(code != 0)))
    (case,) = suite
    assert case.get("name") == "geval_coverage >= -0.2"


def test_less_can_be_better(tmp_path: Path) -> None:
    new, base = _logs(tmp_path / "new", 3.5, 0.1), _logs(tmp_path / "base", 3.0)
    assert _gate(new, "--against", base, "--rule", "geval_coverage <= 0.1").exit_code == 1
    assert _gate(new, "--against", base, "--rule", "geval_coverage <= 0.8").exit_code == 0


@pytest.mark.parametrize(
    "options, told",
    [
        (("--rule", "tone >= 0"), "measure 'tone' is unknown; choose from geval_coverage"),
        (("--rule", "geval_coverage"), "rule 'geval_coverage' is not MEASURE >= NUMBER"),
        ((), "give at least one --rule"),
        (("--rules", "nowhere.yaml"), "rules nowhere.yaml cannot be read"),
    ],
)
def test_a_wrong_rule_is_one_line(tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    logs = _logs(tmp_path / "new", 3.0)
    done = _gate(logs, "--against", logs, *options)
    assert done.exit_code == 1 and done.output.startswith("Error: ") and told in done.output
    assert len(done.output.splitlines()) == 1


def test_logs_of_another_task_are_one_line(tmp_path: Path) -> None:
    base = _logs(tmp_path / "base", 3.0)
    new = m.write(tmp_path / "new", m.log([m.sample(0)], task="arag_inspect/finqa"))
    done = _gate(str(new), "--against", base, "--rule", "geval_coverage >= 0")
    assert done.exit_code == 1 and len(done.output.splitlines()) == 1
    assert "no system of the new logs is in the earlier ones, on the same task" in done.output
