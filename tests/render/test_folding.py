"""Text as it is folded to a width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hashcost.render.wording import folded


def test_an_option_keeps_its_value() -> None:
    """What is typed together stays on one line, so that it can be copied."""
    assert folded("use bcrypt with --target 58ms to meet it", 28) == [
        "use bcrypt with",
        "  --target 58ms to meet it",
    ]


def test_two_options_part() -> None:
    """An option that stands before another one has no value to keep."""
    assert folded("give --quiet --target", 13) == ["give --quiet", "  --target"]


@given(st.text(st.sampled_from("ab- "), max_size=80), st.integers(20, 60))
def test_no_word_is_lost(text: str, width: int) -> None:
    """The words are those of the text, and no line is wider than it must be."""
    lines = folded(text, width)
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= width or len(line.split()) <= 2 for line in lines)
