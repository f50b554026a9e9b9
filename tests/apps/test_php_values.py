"""PHP files that hold an array."""

from __future__ import annotations

import pytest

from hashcost.apps.php_values import _LARGEST, php_values
from hashcost.apps.text import Entry
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
        ("<?php $C = ['x' => ['a' => 1], 'b' => 2];", (Entry("x.a", "1", 1), Entry("b", "2", 1))),
        ("<?php $C['x']['a'] = 5; $D = 'y';", (Entry("x.a", "5", 1), Entry("D", "y", 1))),
        (
            "<?php $C['x'] = array('a' => 2 * 8,\n'b' => PHP_X);",
            (Entry("x.a", "16", 1), Entry("x.b", "PHP_X", 2)),
        ),
        (
            "<?php return ['a' => env('A', 12), 'b' => (int) env('B')];",
            (Entry("a", "${A:-12}", 1), Entry("b", "${B}", 1)),
        ),
        ("<?php $C = ['a' => 1 + 2];", (Entry("a", "1+2];", 1),)),
        (
            "<?php // 'a' => 1,\n# 'a' => 2,\n/* 'a' => 3, */ $x = \"'a' => 4,\";",
            (Entry("x", "'a' => 4,", 3),),
        ),
        ("<?php $C = ['it\\'s' => 1];", (Entry("it\\'s", "1", 1),)),
    ],
)
def test_settings_have_the_dotted_names_of_their_arrays(
    text: str, found: tuple[Entry, ...]
) -> None:
    """Keys have plain words as values; comments and strings are passed over."""
    assert php_values(text) == found


def test_what_is_too_large_is_refused() -> None:
    """A file beyond any configuration is refused in a line."""
    with pytest.raises(UnreadableInputError, match="more than"):
        php_values(" " * (_LARGEST + 1))
