"""PHP files that hold an array."""

import pytest

from corpora import table
from hashcost.apps.php_values import _LARGEST, php_values
from hashcost.apps.text import Entry
from hashcost.core.errors import UnreadableInputError


@table("text, found")
def test_settings_have_the_dotted_names_of_their_arrays(
    text: str, found: list[tuple[str, str, int]]
) -> None:
    """Keys have plain words as values; comments and strings are passed over."""
    assert php_values(text) == tuple(Entry(*entry) for entry in found)


def test_what_is_too_large_is_refused() -> None:
    """A file beyond any configuration is refused in a line."""
    with pytest.raises(UnreadableInputError, match="more than"):
        php_values(" " * (_LARGEST + 1))
