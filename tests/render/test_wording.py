"""What several commands say alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes import TWO_CPUS
from hashcost.core.machine import TOOL
from hashcost.core.profile import Failure
from hashcost.render.wording import folded, place


@pytest.mark.parametrize(
    ("implementations", "is_named"),
    [
        ((), True),
        (("hashlib",), True),
        (("node:crypto",), False),
        (("node:crypto", "hashlib"), True),
    ],
)
def test_the_head_names_this_python_only_where_it_hashed(
    implementations: tuple[str, ...], is_named: bool
) -> None:
    """What did not run is not what the times are of."""
    rows = [
        Failure(
            hasher="pbkdf2-sha256",
            implementation=each,
            code="unavailable",
            error="",
        )
        for each in implementations
    ]
    _, with_what = place(TWO_CPUS, TOOL, rows)
    assert is_named == (TWO_CPUS.python in with_what)
    assert is_named == (TWO_CPUS.openssl in with_what)
    assert TWO_CPUS.os in with_what


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
