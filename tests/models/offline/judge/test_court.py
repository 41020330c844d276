"""What the judge by rule sees in summaries of judgments."""

import pytest

from arag_inspect.datasets.legal import DAMAGES, DEMO, load_pairs, read_damages
from arag_inspect.models.offline.judge.judgment import faults

OPINION = (
    "JUSTICE ROE delivered the opinion of the Court.\nSee Poe v. Doe, 17 Ard. 3d 240.\n"
    "The judgment of the Court of Appeals is reversed.\n"
    "JUSTICE LOE, concurring.\nI agree.\n"
    "JUSTICE MOE, with whom CHIEF JUSTICE ZOE joins, dissenting.\nI would affirm.\n"
)
SUMMARY = (
    "By 5-2 the Court followed Poe v. Doe, 17 Ard. 3d 240. The judgment below is reversed. "
    "Loe concurred; Moe dissented."
)


def test_a_true_summary_has_no_fault() -> None:
    assert faults(SUMMARY, OPINION, SUMMARY) == []


@pytest.mark.parametrize(
    ("find", "replace", "grade", "what"),
    [
        ("17 Ard. 3d 240", "18 U. S. 6", 2, "18 U. S. 6 is cited nowhere in the opinion"),
        ("is reversed", "is affirmed", 1, "the judgment is not affirmed"),
        ("5-2", "6 to 1", 2, "the vote was not 6-1"),
        ("By 5-2", "Unanimously", 2, "the court was not unanimous"),
        ("Loe concurred; ", "", 3, "there is a concurring opinion, and it is left out"),
        ("Moe dissented", "Moe did not", 3, "there is a dissenting opinion, and it is left out"),
    ],
)
def test_each_fault_is_seen(find: str, replace: str, grade: int, what: str) -> None:
    assert find in SUMMARY
    assert faults(SUMMARY.replace(find, replace), OPINION, SUMMARY) == [(grade, what)]


def test_what_is_no_judgment_has_no_fault() -> None:
    assert faults(SUMMARY.replace("5-2", "4-3"), "Revenue rose by 5-2 %.", SUMMARY) == []


def test_the_human_summaries_of_the_demo_are_true_and_the_damaged_ones_are_not() -> None:
    found = load_pairs(DEMO)
    sources = {d.doc_id: "\n\n".join(s.text for s in d.sections) for d in found.documents}
    summaries = {one.question_id: one.answers[0] for one in found.questions}
    assert all(faults(text, sources[case], text) == [] for case, text in summaries.items())
    seen: dict[str, int] = {}
    for one in read_damages(DEMO / DAMAGES):
        text = summaries[one.case]
        seen.setdefault(one.code, 0)
        seen[one.code] += bool(faults(one.apply(text), sources[one.case], text))
    # the invented detail that is not seen has its figure in words
    assert seen == {"FC": 6, "ID": 5, "WH": 6, "RO": 6, "WV": 6, "MO": 6, "OH": 6, "OC": 6, "OD": 6}


LONGER = (
    "JUSTICE ROE delivered the opinion of the Court.\n"
    "A tenant paid his rent with 40 sacks of grain.\n"
    "We hold that rent may be paid in kind where the lease does not forbid it.\n"
    "The judgment is affirmed as to Mr. Ash and reversed as to the bank.\n"
    "JUSTICE MOE, dissenting.\n"
    "I would hold that a lease without a price in money is a mere licence.\n"
)
TOLD = (
    "A tenant paid with 40 sacks of grain. Justice Roe held for the Court that rent may be paid in kind "
    "where the lease does not forbid it. The judgment is affirmed as to Mr. Ash and reversed as to the bank. "
    "Justice Moe dissented: a lease without a price in money is a mere licence."
)


@pytest.mark.parametrize(
    ("find", "replace", "what"),
    [
        ("40 sacks", "90 sacks", ["90 stands nowhere"]),
        ("may be paid", "may not be paid", ["a holding is told wrongly (only one of them denies"]),
        ("Justice Moe dissented: a", "Justice Roe added that a", ["dissenting opinion, and it is left out", "words of Moe (dissent) are given to Roe"]),
        ("affirmed as to Mr. Ash and reversed", "reversed as to Mr. Ash and affirmed", ["not reversed as to ash", "not affirmed as to bank"]),
        ("rent may be paid in kind where the lease does not forbid it", "so", ["a holding is left out"]),
    ],
)  # fmt: skip
def test_faults_that_no_case_of_the_demo_has_in_these_words(
    find: str, replace: str, what: list[str]
) -> None:
    assert faults(TOLD, LONGER, "") == [] and find in TOLD
    found = [fault.what for fault in faults(TOLD.replace(find, replace), LONGER, "")]
    assert len(found) == len(what)
    assert all(part in text for part, text in zip(what, found, strict=True)), found
