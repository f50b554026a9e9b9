"""Filters in templates, as they are met in the wild and as an attacker would write them."""

from __future__ import annotations

import pytest

from hashcost.apps.jinja import Argument, filters
from hashcost.apps.yaml_values import LARGEST
from hashcost.core.errors import UnreadableInputError


def uses(text: str) -> list[tuple[int, str | None]]:
    """The lines that use ``mix``, each with the text of its argument ``n``."""
    return [
        (each.line, None if (given := each.argument("n", 1)) is None else given.text)
        for each in filters(text, "mix")
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: \"{{ p | mix('x', n=5) }}\"", [(1, "5")]),
        ("a: '{{ p | mix(''x'', 6) }}'", [(1, "6")]),
        ('a: "{{ p | mix(\\"x\\", n=7) }}"', [(1, "7")]),
        ("a: '{{ p | mix('''', n=8) }}'", [(1, "8")]),
        ("a:\n  b: >-\n    {{ p |\n    mix('x',\n    n=9) }}\n", [(4, "9")]),
        ("- when: h == p | mix('x', n=5)\n", [(1, "5")]),
        ("a: '{% filter mix(1, n=4) %}{% endfilter %}'", [(1, "4")]),
        ("a: '{{ p|mix }} {# p|mix(1) #}'  # {{ p|mix }}", [(1, None)]),
        ("p: &p\n  a: '{{ p | mix }}'\nb: *p\nc: {<<: *p}\n", [(2, None)]),
        ("a: '{{ p | remix }}'\nmix: 1\nb: a | mix of things\n", []),
        ("{% if a %}\n{{ p | mix(1, n=2) }}\n{% endif %}\n", [(2, "2")]),
    ],
)
def test_a_filter_is_found_where_it_is_used(
    text: str, found: list[tuple[int, str | None]]
) -> None:
    """Quoting, folding and bare expressions are seen through; comments and prose are not uses."""
    assert found == uses(text)


@pytest.mark.parametrize(
    ("expression", "argument"),
    [
        ("40_000", Argument("40000", 2)),
        ("'5' | int", Argument("5", 2)),
        ("known", Argument("12", 1, "known")),
        ("known | default(5)", Argument("12", 1, "known")),
        ("other | d(5) | int", Argument("5", 2, "other")),
        ("other | default(known)", Argument("12", 1, "known")),
        ("other | default(omit)", Argument(None, 2, "omit")),
        ("other", Argument(None, 2, "other")),
        ("known + 1", Argument(None, 2)),
        ("0x" + "f" * 5000, Argument(None, 2)),
    ],
)
def test_an_argument_is_what_the_file_tells_of_it(expression: str, argument: Argument) -> None:
    """Constants, variables of the file and defaults are told; nothing is computed."""
    (used,) = filters(f'known: 12\na: "{{{{ p | mix({expression}) }}}}"\n', "mix")
    assert argument == used.argument("n", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: '{{ p | mix(1 }}'", "line 2: not Jinja: unexpected '}'"),
        ("a: '{{ p | mix(*more) }}'", "line 1: the arguments of mix"),
        ("a: '{{ " + "(" * 50_000 + " p | mix'", "line 1: not Jinja: beyond any template"),
        ("a: '{{ p " + "| mix " * 30_000 + "}}'", "line 1: not Jinja: beyond any template"),
        ("a: '{{ p | mix(" + "9" * 5000 + ") }}'", "line 1: not Jinja: beyond any template"),
        ("x" * (LARGEST + 1), "it is larger than"),
    ],
    ids=lambda text: text[:20],
)
def test_what_cannot_be_read_is_said_in_a_line(text: str, message: str) -> None:
    """Broken, endless and enormous templates give one clear line each."""
    with pytest.raises(UnreadableInputError) as caught:
        filters(text, "mix")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
