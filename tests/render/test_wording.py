"""What several commands say alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import table
from fakes import TWO_CPUS
from hashcost.core.machine import TOOL
from hashcost.core.profile import Failure
from hashcost.render.wording import folded, gathered, place


@table("implementations, is_named")
def test_the_head_names_this_python_only_where_it_hashed(
    implementations: tuple[str, ...], is_named: bool
) -> None:
    """The head leaves out this Python and its OpenSSL if they did not run."""
    rows = [
        Failure(hasher="pbkdf2-sha256", implementation=name, code="unavailable", error="")
        for name in implementations
    ]
    _, libraries = place(TWO_CPUS, TOOL, rows)

    assert is_named == (TWO_CPUS.python in libraries) == (TWO_CPUS.openssl in libraries)
    assert TWO_CPUS.os in libraries


def test_an_option_keeps_its_value() -> None:
    """An option and its value stay on one line, so that they can be copied; two options part."""
    assert ["use bcrypt with", "  --target 58ms to meet it"] == folded(
        "use bcrypt with --target 58ms to meet it", 28
    )
    assert ["give --quiet", "  --target"] == folded("give --quiet --target", 13)


@pytest.mark.parametrize("unit", ["ms", "MiB", "%", "logins/s", "months", "day"])
def test_a_number_keeps_its_unit(unit: str) -> None:
    """No line ends between a number and its unit."""
    assert ["as many as", f"  12 {unit}."] == folded(f"as many as 12 {unit}.", 13)


def test_a_statement_names_nothing_twice() -> None:
    """What several rows say alike is one statement, which names each library once."""
    rows = [
        Failure(hasher=hasher, implementation="bcrypt", code="unavailable", error="")
        for hasher in ("bcrypt", "bcrypt", "scrypt", "bcrypt")
    ]
    pairs = [(row.implementation, row.hasher) for row in rows]

    assert {"bcrypt": ["bcrypt", "scrypt"]} == gathered(pairs)


@given(st.text(st.sampled_from("ab- "), max_size=80), st.integers(20, 60))
def test_no_word_is_lost(text: str, width: int) -> None:
    """The words are those of the text, and no line is wider than it must be."""
    lines = folded(text, width)
    assert " ".join(lines).split() == text.split()
    assert all(len(line) <= width or len(line.split()) <= 2 for line in lines)
