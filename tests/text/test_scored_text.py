"""Tests of where the text that scorers read is in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arag_inspect.text.model_marks import without_thoughts
from arag_inspect.text.scored_text import plain, scored_offsets

BULLET = (
    "- The company said that revenue in the third quarter rose seven percent to\n"
    "  $4,211 million [3], while the gross margin of the segment stayed at nearly the\n"
    "  same level as a year before, at 41.3%, and free cash flow came to about\n"
    "  half of the figure that had been expected, namely $312 million.\n"
)
_PARTS = st.sampled_from(
    [
        "<think>Profit was $7 million, not $9.</think>",
        "<|channel|>analysis<|message|>Profit $7<|channel|>final<|message|>",
        "Profit was $7 million",
        " Costs fell 3 %.[2]",
        BULLET,
        BULLET.replace("\n", "\r\n").replace("third quarter rose", "third quar\u00ad\nter rose"),
        "that net in-\ncome of the whole group for the year",
        "</think>",
        " ",
        "\n\n",
    ]
)


@given(st.lists(_PARTS, max_size=8).map("".join))
def test_offsets_lead_to_the_characters_that_scorers_read(answer: str) -> None:
    scored, offsets = scored_offsets(answer)
    assert scored == plain(without_thoughts(answer)) and len(scored) == len(offsets)
    letters = [
        (character, offset)
        for character, offset in zip(scored, offsets, strict=True)
        if not character.isspace()
    ]
    assert [answer[offset] for _, offset in letters] == [character for character, _ in letters]
    places = [offset for _, offset in letters]
    assert places == sorted(set(places))


@pytest.mark.parametrize(
    ("answer", "figure"),
    [
        ("Sales: $5. <think>Is profit $7 million?</think> Profit was $7 million.", "$7 million"),
        (BULLET, "$312 million"),
        (
            BULLET.replace("million.", "mil-\nlion in the year before that, as the notes say."),
            "41.3%",
        ),
        (f"Is it $312 million?</think>{BULLET}", "$312 million"),
    ],
)
def test_figure_is_at_its_last_place_in_the_answer(answer: str, figure: str) -> None:
    scored, offsets = scored_offsets(answer)
    assert offsets[scored.index(figure)] == answer.rindex(figure)
