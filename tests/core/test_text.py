"""Text that others wrote, as it is shown."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora import cases, table
from hashcost.apps.registry import app_names
from hashcost.cli import COMMANDS
from hashcost.core.algorithms import COST_NAMES
from hashcost.core.text import (
    WITHHELD,
    escaped,
    harmless,
    hint,
    misspelt,
    name_bytes,
    path_name,
    printable,
    quoted,
    without,
)

ANY = st.text(st.characters())
PATHS = st.binary().map(os.fsdecode)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("\udcff", r"\xff"), ("\ud800", r"\ud800"), *cases(__file__, "text.toml", "escapes")],
)
def test_escapes(text: str, shown: str) -> None:
    """What would not be seen, or steers a terminal or a CI job, is told by its number."""
    assert shown == escaped(text)


@given(ANY)
def test_what_is_shown_is_visible_and_stays(text: str) -> None:
    """The result can be written anywhere, and nothing is escaped twice."""
    shown = escaped(text)
    assert shown.isprintable()
    assert shown.encode().decode() == shown
    assert shown == escaped(shown)


@given(PATHS)
def test_a_name_gives_its_bytes_back(path: str) -> None:
    """No two paths are shown alike."""
    assert os.fsencode(path) == name_bytes(path_name(path))
    assert path_name(path).isprintable()


@table("text, shown")
def test_lines_steer_nothing(text: str, shown: str) -> None:
    """Of lines only what a terminal or a CI job would obey is changed; CR alone ends none."""
    assert shown == harmless(text) == harmless(shown)


def test_what_is_ours_stays() -> None:
    """Colours and annotations that a format is made of are kept."""
    assert "\x1b[1mx\x1b[0m" == harmless("\x1b[1mx\x1b[0m", colored=True)
    assert "::error::x" == harmless("::error::x", commands=True)


def test_what_others_wrote_is_put_on_one_line() -> None:
    """Text of third parties is one line that cannot steer a terminal."""
    assert r"two lines, \x1b[2Jcleared" == printable("two\n  lines,\n\x1b[2Jcleared\n")


@pytest.mark.parametrize("name", ["bcrypt", "scrypt=n=16384,r=8", "./web/v1.json", "a:b", "± 3"])
def test_a_name_is_quoted(name: str) -> None:
    """Names, costs and paths are repeated."""
    assert f"'{name}'" == quoted(name)


def test_a_long_text_is_cut() -> None:
    """A quotation stays short."""
    assert f"'{'x' * 47}…'" == quoted("x" * 99)


@pytest.mark.parametrize(
    ("message", "text", "shown"),
    [
        ("'hunter2' is unknown", "hunter2", f"'{WITHHELD}' is unknown"),
        ("cannot read a/b", "a//b", f"cannot read {WITHHELD}"),
        (f"cannot read {'x' * 30}…", "x" * 99, f"cannot read {WITHHELD}…"),
        ("write bcrypt=12, not bcrypt", "bcrypt", f"write bcrypt=12, not {WITHHELD}"),
        ("an example", "ex", "an example"),
        ("that is not a cost", "a", "that is not a cost"),
        ("that is not a cost", "./a", "that is not a cost"),
        ("not a cost; write bcrypt=12", "cost", "not a cost; write bcrypt=12"),
        ("(hashers have a cost)", "cost", "(hashers have a cost)"),
        ("no column 'cost' in it", "cost", f"no column '{WITHHELD}' in it"),
        ("unexpected arguments (cost 12)", "cost", f"unexpected arguments ({WITHHELD} 12)"),
        ("cannot read cost", "cost", f"cannot read {WITHHELD}"),
        ("cost: no such file", "cost", f"{WITHHELD}: no such file"),
        ("no table monkey12 here", "monkey12", f"no table {WITHHELD} here"),
        (f"no such {'z' * 59}…", "z" * 50_000, f"no such {WITHHELD}…"),
        ("nothing of it", "$" * 500_000, "nothing of it"),
    ],
)
def test_a_message_goes_without_an_argument(message: str, text: str, shown: str) -> None:
    """An argument is taken out of a message, also where it was cut, but not out of words.

    A short word goes only where a message repeats what was typed.
    """
    assert shown == without(message, [text])


@table("name, told")
def test_a_near_name_is_told(name: str, told: str) -> None:
    """A name is answered with those that contain it, the one most like it, or all."""
    assert told == hint(name, ("bcrypt", "pbkdf2-sha1", "pbkdf2-sha256"))
    assert "see there" in (hint("zzz", ("bcrypt",), "see there"))


@table("typed, meant")
def test_only_a_misspelling_is_taken_for_a_name(typed: str, meant: str) -> None:
    """One letter in three may be wrong, missing, too many or in the other's place."""
    # A word that is right itself is compared with the others.
    names = [name for name in (*app_names(), *COST_NAMES, *COMMANDS) if name != typed]
    assert misspelt(typed, names)[:1] == ([meant] if meant else [])


@given(st.text("abcd", max_size=9), st.text("abcd", max_size=9))
def test_slips_count_in_both_directions(one: str, other: str) -> None:
    """Whichever of two words is the misspelling, they are as near."""
    assert bool(misspelt(one, [other])) == bool(misspelt(other, [one]))
    assert misspelt(one, [one]) == [one]
