"""YAML files, as they are met in the wild and as an attacker would write them."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from corpora import cases, table
from hashcost.apps.yaml_values import LARGEST, Path, Scalar, values
from hashcost.core.errors import UnreadableInputError

ANY = "*"


def at(found: tuple[Scalar, ...], path: Path) -> list[Scalar]:
    """The values at a path, in which `ANY` stands for any one part."""
    return [
        value
        for value in found
        if len(value.path) == len(path)
        and all(part in {ANY, own} for part, own in zip(path, value.path, strict=True))
    ]


def winner(found: tuple[Scalar, ...], path: Path) -> Scalar | None:
    """The one that is used at a path."""
    return next((each for each in at(found, path) if each.wins), None)


_CONFIGURATION = cases(__file__, "yaml_values.toml", "configuration")


def test_a_value_has_its_path_and_line() -> None:
    """Block and flow mappings and sequences give paths, each value with the line of its key."""
    found = values(_CONFIGURATION)
    assert [(each.text, each.line) for each in at(found, ("hashers", "bcrypt", "cost"))] == [
        ("12", 8)
    ]
    assert [(each.text, each.line) for each in at(found, ("hashers", "argon2", "memory"))] == [
        ("64MB", 9)
    ]
    assert [(each.path, each.line) for each in at(found, ("users", ANY, "cost"))] == [
        (("users", 0, "cost"), 11),
        (("users", 1, "cost"), 13),
    ]


def test_what_is_merged_in_counts_unless_it_is_written_out() -> None:
    """A merge key brings values of the anchor's line; a key written out overrides them."""
    assert (
        winner(values(_CONFIGURATION), ("hashers", "algorithm"))
        == at(values(_CONFIGURATION), ("hashers", "algorithm"))[0]
    )
    text = "base: &base\n  cost: 10\nreal:\n  <<: *base\n  cost: 12\n"
    [cost] = at(values(text), ("real", "cost"))
    assert ("12", 5, True, "") == (cost.text, cost.line, cost.wins, cost.why)


def test_of_equal_keys_the_last_counts() -> None:
    """A key that comes again wins, and what stands below the first is lost."""
    text = "a:\n  cost: 4\n  rounds: 9\na:\n  cost: 5\n"
    found = values(text)
    assert [(each.text, each.wins) for each in at(found, ("a", ANY))] == [
        ("4", False),
        ("9", False),
        ("5", True),
    ]
    assert winner(found, ("a", "rounds")) is None
    winning = winner(found, ("a", "cost"))
    assert winning is not None
    assert winning.why == "the last of several a in one mapping counts"


def test_documents_are_told_apart() -> None:
    """A file of several documents has the values of each."""
    found = values("cost: 1\n---\n---\ncost: 2\n")
    assert [(each.text, each.document) for each in found if each.path] == [("1", 0), ("2", 2)]


@table("written, text, variable")
def test_a_default_of_the_environment_is_said(written: str, text: str, variable: str) -> None:
    """What the environment may set counts by its default, and the answer says so."""
    found = winner(values(f"cost: {written}\n"), ("cost",))
    assert found is not None
    assert found.number() == int(text)
    assert found.variable == variable
    assert found.why == f"the default, unless the environment sets {variable}"


def test_what_the_environment_alone_knows_is_no_number() -> None:
    """A variable without a default is refused with its name, its key and its line."""
    found = winner(values("hashers:\n  cost: ${COST}\n"), ("hashers", "cost"))
    assert found is not None
    with pytest.raises(UnreadableInputError, match=r"line 2: hashers\.cost is .*COST"):
        found.number()


def test_what_is_null_sets_nothing() -> None:
    """A key without a value is as if it were not there; a quoted text is a value."""
    found = values("a:\nb: ~\nc: null\nd: ''\n")
    assert [each.name for each in found if not each.is_null] == ["d"]


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
        (_bomb(9), "aliases"),
        (_bomb(200), "aliases"),
        (_merged(2000), "aliases"),
        ("a: &a [*a]", "nested more than"),
        ("a: &a {<<: *a}", "nested more than"),
        ("a: &a\n  b: *a", "nested more than"),
        ("[" * 100_000, "nested more than"),
        ("{a: " * 50_000, "nested more than"),
        ("\n".join(" " * level + "a:" for level in range(500)), "nested more than"),
        ("x" * (LARGEST + 1), "more than"),
        ("a: \0", "not YAML"),
        ("a: [", "line 1: not YAML"),
        ("a:\n  b: *none", "line 2: not YAML"),
        ('a: "\\UFFFFFFFF"', "not YAML"),
        ("%YAML 99999.1\n---\na", "not YAML"),
        ("a:\n\t- b", "line 2: not YAML"),
        ("<<: 12", "something other than a mapping"),
    ],
    ids=lambda text: text[:12],
)
def test_what_cannot_be_read_is_said_in_a_line(text: str, message: str) -> None:
    """A bomb of aliases, an endless nesting and text that is not YAML give one clear line each."""
    with pytest.raises(UnreadableInputError) as caught:
        values(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_anchor_may_be_set_again() -> None:
    """An alias stands for the last value that its anchor was set on, as YAML has it."""
    found = values("a: &x 1\nb: *x\nc: &x 2\nd: *x\n")
    assert [(each.name, each.text) for each in found] == [
        ("a", "1"),
        ("b", "1"),
        ("c", "2"),
        ("d", "2"),
    ]


def test_nothing_is_constructed() -> None:
    """Tags of Python objects and of other programs are read as text, and do nothing."""
    found = values("a: !!python/object/apply:os.system [exit]\nb: !secret x\nc: !!int 7\n")
    assert [(each.path, each.text) for each in found] == [
        (("a", 0), "exit"),
        (("b",), "x"),
        (("c",), "7"),
    ]


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
