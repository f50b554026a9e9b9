"""What stands on a screen whose encoding lacks a character."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from hashcost.cli.streams import encoded

ROWS = """\
one hash       meets owasp  crack time
35.8 ms ±10%   yes            208 days
27.1 ms ±2.7%  from 55.7ms    105 days
"""


def test_columns_stay_in_their_places() -> None:
    """What takes more letters than it had takes them from the gap behind it."""
    assert """\
one hash       meets owasp  crack time
35.8 ms +-10%  yes            208 days
27.1 ms +-2.7% from 55.7ms    105 days
""" == encoded(ROWS, "ascii").decode()


@given(st.text(st.sampled_from("a ±2³…→\n"), max_size=60))
def test_nothing_is_lost_but_spaces(text: str) -> None:
    """Each word of a text is there, and an encoding that has all its letters changes none."""
    plain = encoded(text, "ascii").decode()
    for mark, letters in {"±": "+-", "…": "...", "→": "->"}.items():
        text = text.replace(mark, letters)
    assert re.sub("³+", lambda found: f"^{'3' * len(found[0])}", text).split() == plain.split()
    assert encoded(text, "utf-8").decode() == text
