"""YAML files, as they are met in the wild and as an attacker would write them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from corpora import cases, table
from hashcost.apps.yaml_values import Scalar, values
from hashcost.core.errors import UnreadableInputError


@table("text, found")
def test_each_value_is_found(text: str, found: list[list[object]]) -> None:
    """A value has its path, its line and its document; the table says which of several counts,
    and why.
    """
    assert found == [
        [own.name, own.text, own.line, own.document, own.wins, own.why]
        for own in values(text)
        if not own.is_null
    ]


def winner(text: str, name: str) -> Scalar:
    """The value that is used at a path."""
    return next(each for each in values(text) if each.wins and each.name == name)


@table("written, text, variable")
def test_a_default_of_the_environment_is_said(written: str, text: str, variable: str) -> None:
    """What the environment may set counts by its default, and the answer says so."""
    found = winner(f"cost: {written}\n", "cost")
    assert found.number() == int(text)
    assert found.variable == variable
    assert found.why == f"the default, unless the environment sets {variable}"


def test_what_the_environment_alone_knows_is_no_number() -> None:
    """A variable without a default is refused with its name, its key and its line."""
    found = winner("hashers:\n  cost: ${COST}\n", "hashers.cost")
    with pytest.raises(UnreadableInputError, match=r"line 2: hashers\.cost is .*COST"):
        found.number()


def _bomb(levels: int) -> str:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)
    ]
    return "\n".join(lines)


def _merged(times: int) -> str:
    keys = ", ".join(f"k{number}: 1" for number in range(times))
    return f"a: &a {{{keys}}}\nb: {{<<: [{', '.join(['*a'] * times)}]}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *cases(__file__, "yaml_values.toml", "what_cannot_be_read_is_said_in_a_line"),
        (_bomb(9), "aliases"),
        (_bomb(200), "aliases"),
        (_merged(2000), "aliases"),
        ("[" * 100_000, "nested more than"),
        ("{a: " * 50_000, "nested more than"),
        ("\n".join(" " * level + "a:" for level in range(500)), "nested more than"),
    ],
    # Names that pytest finds again when a run selects them.
    ids=lambda text: "".join(filter(str.isalnum, text))[:12],
)
def test_what_cannot_be_read_is_said_in_a_line(text: str, message: str) -> None:
    """A bomb of aliases, an endless nesting and text that is not YAML give one clear line each."""
    with pytest.raises(UnreadableInputError) as caught:
        values(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


_KEYS = st.sampled_from(["a", "b", "c", "d"])
_TREES = st.recursive(
    st.integers(0, 99).map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=12,
)


def _leaves(tree: object, path: tuple[str | int, ...] = ()) -> dict[tuple[str | int, ...], str]:
    if isinstance(tree, dict):
        pairs = list(tree.items())
    elif isinstance(tree, list):
        pairs = list(enumerate(tree))
    else:
        return {path: str(tree)}
    return {p: v for key, value in pairs for p, v in _leaves(value, (*path, key)).items()}


def dumped(tree: object, *, flow: bool) -> str:
    """What ruamel.yaml writes."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = flow
    stream = io.StringIO()
    yaml.dump(tree, stream)
    return stream.getvalue()


@given(_TREES, st.booleans())
def test_the_winners_are_what_ruamel_writes(tree: object, flow: bool) -> None:
    """Every leaf that ruamel.yaml writes is found at its path."""
    text = dumped(tree, flow=flow)
    assert _leaves(tree) == {each.path: each.text for each in values(text) if each.wins}
