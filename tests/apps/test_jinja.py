"""Filters in templates, as they are met in the wild and as an attacker would write them."""

from typing import Any

import pytest

from corpora import table
from hashcost.apps.jinja import Argument, filters
from hashcost.core.errors import UnreadableInputError


def uses(text: str) -> list[tuple[int, str | None]]:
    """The lines that use ``mix``, each with the text of its argument ``n``."""
    return [
        (each.line, None if (given := each.argument("n", 1)) is None else given.text)
        for each in filters(text, "mix")
    ]


@table("text, found")
def test_a_filter_is_found_where_it_is_used(text: str, found: list[tuple[int, str]]) -> None:
    """Quoting, folding and bare expressions are seen through; comments and prose are not uses."""
    assert [(line, given or None) for line, given in found] == uses(text)


@table("expression, argument")
def test_an_argument_is_what_the_file_tells_of_it(
    expression: str, argument: dict[str, Any]
) -> None:
    """Constants, variables of the file and defaults are told; nothing is computed."""
    (used,) = filters(f'known: 12\na: "{{{{ p | mix({expression}) }}}}"\n', "mix")
    assert Argument(**{"text": None, **argument}) == used.argument("n", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: '{{ p | mix(1 }}'", "line 2: not Jinja: unexpected '}'"),
        ("a: '{{ " + "(" * 50_000 + " p | mix'", "line 1: not Jinja: beyond any template"),
        ("a: '{{ p " + "| mix " * 30_000 + "}}'", "line 1: not Jinja: beyond any template"),
        ("a: '{{ p | mix(" + "9" * 5000 + ") }}'", "line 1: not Jinja: beyond any template"),
    ],
    # Names that pytest finds again when a run selects them.
    ids=lambda text: "".join(filter(str.isalnum, text))[:20],
)
def test_what_cannot_be_read_is_said_in_a_line(text: str, message: str) -> None:
    """Broken, endless and enormous templates give one clear line each."""
    with pytest.raises(UnreadableInputError) as caught:
        list(filters(text, "mix"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
