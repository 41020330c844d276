"""Tests that a mistyped command gives a one-line error and leaves no files."""

import json
import shlex
from pathlib import Path

import pytest

from tests.commands import call
from tests.scripted import STEADY

RUN = "--model offline/extractive"
CUSTOM = "prepare custom --documents docs --questions q.json"
AUDIT = "meta-eval audit CORPUS"
PLAN = "plan earnings_synthetic -T corpus=CORPUS"
QUESTIONS = f"prepare questions CORPUS --model {STEADY}"
ESTIMATE = f"run earnings_synthetic -T corpus=CORPUS {RUN} --estimate"
VALIDATE = f"{RUN} --grader {STEADY} --limit 2"
NO_JUDGE = "offline/extractive writes by rule and cannot judge; name a language model"
ONE_SOURCE = "give one of --documents DIR, --chunks FILE and --corpus NAME"

MISTAKES = [
    ("prepare nothing", "No such command 'nothing'"),
    ("prepare ectsum --source nowhere", "source folder nowhere does not exist"),
    ("prepare ectsum --split dev", "'dev' is not one of 'test', 'val', 'train'"),
    ("prepare synthetic --documents 0", "0 is not in the range x>=1"),
    ("prepare synthetic --documents 1 --embedding-model no/such", "cannot be loaded"),
    ("prepare references financebench_qfs --model anthropic/claude-that-no-other-test-asks",
     "Anthropic client No ANTHROPIC_API_KEY defined in the environment."),
    ("prepare finqa --source nowhere", "--source is the root of a copy of https://github.com"),
    ("prepare finder --source nowhere", "FinDER, or that file"),
    ("prepare docfinqa --split dev --source .", "dev.json is missing"),
    ("prepare synthetic --build colour=red",
     "--build has no parameter 'colour'; choose from dtype, embed_prefix, engine"),
    ("prepare synthetic --build engine=slurm", "--build engine: Input should be 'local' or 'ray'"),
    ("prepare synthetic --build dtype=float8",
     "--build dtype: Input should be 'float32' or 'bfloat16'"),
    ("prepare synthetic --build embed_prefix=perhaps",
     "--build embed_prefix: Input should be a valid boolean"),
    ("prepare synthetic --build engine", "--build 'engine' is not NAME=VALUE"),
    ("prepare custom --questions q.json", ONE_SOURCE),
    (f"{CUSTOM} --corpus c", ONE_SOURCE),
    ("prepare custom --documents docs", "give one of --questions FILE and --xbrl questions"),
    ("prepare custom --corpus nothing --questions q.json", "no prepared corpus at"),
    (f"{CUSTOM} --name ../x", "is not a plain name"),
    (f"{CUSTOM} --name=-x", "'-x' is not a plain name"),
    (f"{CUSTOM} --name a*b", "is not a plain name"),
    (f"{CUSTOM} --name {'x' * 300}", "is not a plain name"),
    (f"{CUSTOM} --name 2024",
     "would not be read as text in `-T corpus=2024`; put a letter before it"),
    (f"{CUSTOM} --out {'x' * 250}", "is too long; give another --out"),
    ("corpus export nothing -o x", "no prepared corpus at"),
    (f"run ectsum {RUN} --grader offline/extractive", NO_JUDGE),
    ("run ectsum --model no/such", "'no/such' cannot be used: Model API no"),
    (f"run nothing {RUN}", "task 'nothing' is unknown; choose from "),
    ("plan perspectives --effect 0.3",
     "task perspectives has a fixed solver, so there are no systems to compare"),
    (f"run ectsum {RUN} -T x", "-T 'x' is not NAME=VALUE"),
    (f"run ectsum {RUN} -T corpus=none", "corpus none is not prepared"),
    (f"{ESTIMATE} --earlier nowhere", "earlier log nowhere cannot be read"),
    (f"{ESTIMATE} --earlier q.json", "earlier log q.json cannot be read"),
    (f"{ESTIMATE} -- --model-cost-config none.yaml", "prices none.yaml cannot be read"),
    (f"{ESTIMATE} -- --model-cost-config q.json", "prices q.json cannot be read"),
    (f"prepare questions nowhere --model {STEADY}", "no prepared corpus"),
    (f"prepare questions CORPUS {RUN}", NO_JUDGE),
    (f"{QUESTIONS} --types single,odd", "type 'odd' is unknown"),
    (f"{QUESTIONS} --types=,", "type '' is unknown"),
    (f"{QUESTIONS} -o /dev/null/q", "cannot be written to"),
    ("ask no-such-corpus Why?", "no-such-corpus"),
    ("ask CORPUS ' '", "question"),
    ("ask CORPUS Why? --systems nope", "'nope' is unknown"),
    ("ask CORPUS Why? --systems naive_rag,external --model offline/extractive",
     "external needs a target: -S target="),
    ("report . --label nothing", "is not FILE=NAME"),
    ("report . --label a.eval=x --label b.eval=x", "gives two logs the name x"),
    ("report . --lower m --higher m", "m is in --lower and in --higher"),
    ("report . --lower a,m --higher m,b", "m is in --lower and in --higher"),
    ("report nowhere",
     "no log to report in nowhere: nowhere cannot be read: no such file or folder"),
    ("rejudge nowhere.eval", "nowhere.eval cannot be read as a log"),
    ("rejudge .", ". cannot be read as a log (it is a folder; name a log in it)"),
    ("retrieval nowhere", "nowhere"),
    ("retrieval CORPUS --retrievers sparse", "retriever 'sparse' is unknown"),
    ("retrieval CORPUS --rerank no/such-model --limit 1", "no/such-model"),
    (f"{PLAN} --effect 0", "Invalid value for '--effect'"),
    (f"{PLAN} --effect 0.3 --earlier nowhere", "no log to report in nowhere"),
    ("plan logs/nowhere --effect 0.3",
     "no log to report in logs/nowhere: logs/nowhere cannot be read: no such file or folder"),
    (f"validate nosuch {VALIDATE}", "task 'nosuch' is unknown"),
    (f"validate earnings_synthetic -T corpus=CORPUS -T scorers=rouge {VALIDATE}",
     "no judged scorer that assesses content"),
    (f"{AUDIT} --scorers rogue", "scorer 'rogue' is unknown; choose from"),
    (f"{AUDIT} --scorers rouge,llm_accuracy",
     "llm_accuracy cannot score without a grader; name one with --grader MODEL"),
    (f"{AUDIT} --scorers rouge,rouge", "scorer rouge is named twice"),
    (f"{AUDIT} --scorers rouge -S rouge.stem=1", "scorer rouge has no parameter 'stem'"),
    (f"{AUDIT} --scorers rouge -S bertscore.model=x", "bertscore, which is not among"),
    (f"{AUDIT} -S model=x", "-S model=x is not SCORER.NAME=VALUE"),
    (f"{AUDIT} --summaries answers", "contains no answers; use an Inspect log"),
    ("meta-eval audit no-such-corpus", "no-such-corpus"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "message"), MISTAKES)
def test_command_line_mistake_is_reported_in_one_line(
    synthetic_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "zorg.txt").write_text("Zorg makes pumps.")
    (tmp_path / "q.json").write_text(json.dumps([{"id": 1, "question": "What?", "answer": "-"}]))
    monkeypatch.chdir(tmp_path)
    result = call(*shlex.split(line.replace("CORPUS", str(synthetic_folder))), code=None)
    *others, last = result.output.strip().splitlines()
    assert last.startswith("Error: ") and message in last
    assert result.exit_code == 2 or (result.exit_code, others) == (1, [])
    files = {path.name for path in tmp_path.rglob("[!.]*") if path.is_file()}
    assert files == {"zorg.txt", "q.json"}
