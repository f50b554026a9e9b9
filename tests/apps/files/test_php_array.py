"""PHP files that hold an array."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.outcome import outcome
from hashcost.apps.files.lines import Entry
from hashcost.apps.files.php_array import LARGEST, elements
from hashcost.core.errors import UnreadableInputError


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<?php\n$C = array(\n'a' => 1,\n);", (Entry("a", "1", 3),)),
        (
            "<?php return ['a' => true, \"b\" => 'x'];",
            (Entry("a", "true", 1), Entry("b", "x", 1)),
        ),
        ("'a' => 1,\n'b' => 2", (Entry("a", "1", 1), Entry("b", "2", 2))),
        ("<?php $C['a'] = 5;", (Entry("a", "5", 1),)),
        ("<?php $C = ['x' => ['a' => 1], 'b' => 2];", (Entry("b", "2", 1),)),
        ("<?php $C = ['a' => 1 + 2, 'b' => f(3)];", ()),
        ("<?php // 'a' => 1,\n# 'a' => 2,\n/* 'a' => 3, */ $x = \"'a' => 4,\";", ()),
        ("<?php $C = ['it\\'s' => 1];", (Entry("it\\'s", "1", 1),)),
    ],
)
def test_settings_of_the_outermost_array_are_read(text: str, found: tuple[Entry, ...]) -> None:
    """Keys have plain words as values; comments, strings and inner arrays are passed over."""
    assert elements(text) == found


def test_what_is_too_large_is_refused() -> None:
    """A file beyond any configuration is refused in a line."""
    with pytest.raises(UnreadableInputError, match="more than"):
        elements(" " * (LARGEST + 1))


@given(
    st.lists(
        st.sampled_from(
            ["'a'", " => ", "1", ",", "(", ")", "[", "]", "/*", "*/", "//", "\n", "'", '"']
        )
        | st.text(max_size=4),
        max_size=40,
    ).map("".join)
)
def test_any_text_is_read_or_refused_in_a_line(text: str) -> None:
    """Whatever the text, there are elements or one clear line."""
    found, message = outcome(lambda: elements(text))
    assert found is not None or message
    assert "\n" not in message
