"""No regular expression takes more than in proportion to the size of what it is given."""

import re
from functools import partial

import pytest

from expressions import Expression, collected
from hashcost.apps.registry import load_tunable
from hashcost.checks.app_costs import costs_in
from hashcost.source_code.versions import FILES, fixed_in
from pumped import END, Pump, grows, pumps, slow

_SHARES = 4
"""For as many workers."""


@pytest.mark.parametrize("share", range(_SHARES))
def test_no_expression_is_slow(share: int) -> None:
    """Every regular expression of the package, pumped to 100 kB by its own parts, takes at most 20
    ms of CPU time, or at most eight times what it takes for 25 kB: linear is 4, quadratic 16.
    """
    expressions = collected().expressions[share::_SHARES]
    assert [] == [found for expression in expressions for found in slow(expression)]


def test_no_expression_escapes() -> None:
    """Each place of the source that gives a pattern to `re` gave one that was tried."""
    assert () == collected().escaped
    assert len(collected().expressions) > 500


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"^\s*a", "findall"),
        (r"<%=.*?%>", "search"),
        (r"\w+\(", "search"),
        (r"a(?!.*b)", "search"),
        (r"[a-z.]*a[a-z.]*", "fullmatch"),
        (r"(?:a?.a)+", "fullmatch"),
    ],
)
def test_a_slow_expression_is_found(pattern: str, method: str) -> None:
    """What begins anew at each character, or may be divided in many ways, is told."""
    flags = int(re.MULTILINE)
    expression = Expression(pattern, flags, is_bytes=False, methods=(method,), place="")
    assert [*slow(expression)]


@pytest.mark.parametrize("pattern", [r"^[ \t]*+a", r"<%=(?:(?!<%=).)*?%>", r"\b\w++\("])
def test_a_linear_expression_is_not(pattern: str) -> None:
    """What gives nothing back, and begins once, is linear."""
    expression = Expression(
        pattern, int(re.MULTILINE), is_bytes=False, methods=("search",), place=""
    )
    assert pumps(expression)
    assert [] == [*slow(expression)]


_NAMES = {pattern.replace("*", ""): pattern for pattern in FILES}


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize(
    "piece", ["\n", " ", "\t\n", 'name = "x"\n', '"a": {', "a[", "    a (0\n", "a: b\n"]
)
def test_versions_are_read_in_proportion(name: str, piece: str) -> None:
    """A lock file or manifest of 100 kB hides nothing by the time that it takes."""

    def read(text: str) -> object:
        return [*fixed_in(name, text)]

    assert not grows(read, Pump("", piece))


def _costs(app: str, text: str) -> object:
    return costs_in(load_tunable(app), text.removesuffix(END), "file", None)


@pytest.mark.parametrize(
    ("app", "pump"),
    [
        ("kratos", Pump("hashers:\n  bcrypt:\n    cost: 12\n# ", "<%=a")),
        ("postgresql", Pump("password_encryption = scram-sha-256\n", " ")),
    ],
)
def test_configurations_are_read_in_proportion(app: str, pump: Pump) -> None:
    """A long comment or line of spaces takes no more than its share of the time."""
    assert not grows(partial(_costs, app), pump)
