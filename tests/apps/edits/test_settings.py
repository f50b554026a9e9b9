"""Settings put where they belong: below the headers that a file has already."""

from __future__ import annotations

import pytest

from hashcost.apps.edits.settings import keys_in, merged, value_on, values_of

KRATOS = "hashers:\n  algorithm: bcrypt\n  bcrypt:\n    cost: 12\n"
COST = frozenset({"cost"})


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", KRATOS),
        ("dsn: memory\n", f"dsn: memory\n{KRATOS}"),
        ("dsn: memory", f"dsn: memory\n{KRATOS}"),
        ("hashers:\n  algorithm: bcrypt\nlog: x\n", KRATOS + "log: x\n"),
        (
            "hashers:\n    algorithm: 'bcrypt' # for now\n    bcrypt:\n        x: 1\n",
            KRATOS.replace("  ", "    ").replace("bcrypt\n", "'bcrypt' # for now\n", 1)
            + "        x: 1\n",
        ),
        (KRATOS, KRATOS),
        (KRATOS.replace("12", "10"), KRATOS.replace("12", "10")),
    ],
)
def test_a_mapping_gets_what_it_lacks(text: str, after: str) -> None:
    """The deepest header that is there gets the rest, as far in as its own keys are."""
    found = merged(text, KRATOS, (), COST)
    assert found is not None
    assert sorted(found.splitlines()) == sorted(after.splitlines())
    assert len(found) == len(after)


def test_another_value_for_a_key_is_no_place() -> None:
    """What chooses another algorithm stays as it is."""
    assert merged("hashers:\n  algorithm: argon2\n", KRATOS, (), COST) is None


def test_a_section_gets_what_it_lacks() -> None:
    """Below its header, and not in another section."""
    text = "[server]\nHTTP_PORT = 3000\n\n[security]\nINSTALL_LOCK = true\n"
    found = merged(text, "[security]\nALGO = bcrypt$12\n", ("; x",), frozenset({"ALGO"}))
    assert found == text.replace("[security]\n", "[security]\n; x\nALGO = bcrypt$12\n")


def test_a_file_without_sections_gets_none() -> None:
    """What has no sections is a file of another kind, such as code."""
    assert merged("import x\n", "[passlib]\nrounds = 1\n", (), frozenset({"rounds"})) is None


def test_a_flat_file_gets_a_line_behind_the_comment_that_shows_it() -> None:
    """A default that is commented out is where people look for the setting."""
    text = "a = 1\n#scram_iterations = 4096\nb = 2\n"
    found = merged(text, "scram_iterations = 5000\n", ("# x",), frozenset({"scram_iterations"}))
    assert found == text.replace("b =", "# x\nscram_iterations = 5000\nb =")


def test_windows_line_ends_stay() -> None:
    """A line that is added ends as the others do."""
    found = merged("A=1\r\n", "B=2\n", ("# x",), frozenset({"B"}))
    assert found == "A=1\r\n# x\r\nB=2\r\n"


@pytest.mark.parametrize(
    ("template", "keys"),
    [
        ("BCRYPT_ROUNDS=<cost>\n", {"BCRYPT_ROUNDS"}),
        ("ENCRYPT_METHOD SHA512\nMIN <rounds>\nMAX <rounds>\n", {"MIN", "MAX"}),
        ("a:\n  memory: <memory_kib as MiB>MB\n", {"memory"}),
        (":bcrypt_cost: <cost>\n", {":bcrypt_cost"}),
        ("kcadm.sh update x -s 'hashIterations(<iterations>)'\n", set()),
    ],
)
def test_the_keys_of_a_snippet(template: str, keys: set[str]) -> None:
    """A command is no setting, though a space follows its first word."""
    assert keys == set(keys_in(template))


def test_a_value_keeps_its_quotes_and_comment() -> None:
    """Only the value is replaced, wherever its key stands."""
    text = "x: 1\nalgo: 'pbkdf2'  # FIPS\n"
    (edit,) = values_of(text, "algo: pbkdf2_50000\n", ["algo"])
    assert edit.within(text) == "x: 1\nalgo: 'pbkdf2_50000'  # FIPS\n"
    (edit,) = value_on(text, 2, "a.dotted.algo: pbkdf2_50000\n")
    assert edit.within(text) == "x: 1\nalgo: 'pbkdf2_50000'  # FIPS\n"


@pytest.mark.parametrize("value", ["${ROUNDS}", "$ROUNDS", "[1, 2]", "{{ rounds }}", "f(1)"])
def test_what_is_no_plain_value_is_left_alone(value: str) -> None:
    """Variables, lists and calls are not replaced by a number."""
    text = f"rounds: {value}\n"
    assert not list(values_of(text, "rounds: 12\n", ["rounds"]))
    assert not list(value_on(text, 1, "rounds: 12\n"))
