"""Arguments, attributes and elements of an array that a file leaves out."""

from __future__ import annotations

import pytest

from hashcost.apps.edits.arguments import (
    arguments,
    at_end,
    at_end_of_array,
    beside,
    given,
    memory_limits,
)
from hashcost.core.errors import UnreadableInputError

CALL = "PasswordHasher(\n    time_cost=<time_cost>, memory_cost=<memory_kib>\n)\n"
CLASS = (
    "    work_factor = <n>\n    block_size = <r>\n    maxmem = <scrypt_bytes if above 33554432>\n"
)
PARAMS = {"time_cost": 3, "memory_kib": 65536}
LARGE = {"n": 65536, "r": 8, "p": 1}
NEEDED = 128 * 8 * (65536 + 1 + 2)


def _beside(text: str, template: str, params: dict[str, int], *missing: str) -> list[str]:
    known = arguments(template, params)
    return [edit.within(text) for edit in beside(text, known, missing, 1)]


def test_the_arguments_of_a_call() -> None:
    """Each is known by its name; the first one knows the call that it is in."""
    known = arguments(CALL, PARAMS)
    assert [each.written for each in known.values()] == ["time_cost=3", "memory_cost=65536"]
    assert known["time_cost"].call == "PasswordHasher"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("h = PasswordHasher()", "h = PasswordHasher(memory_cost=65536)"),
        (
            "h = PasswordHasher(hash_len=32)",
            "h = PasswordHasher(memory_cost=65536, hash_len=32)",
        ),
        (
            "h = PasswordHasher(time_cost=2)",
            "h = PasswordHasher(time_cost=2, memory_cost=65536)",
        ),
    ],
)
def test_an_argument_goes_beside_another_or_first(text: str, after: str) -> None:
    """Which place is right, the reader says."""
    assert after in _beside(text, CALL, PARAMS, "memory_kib")


def test_what_is_there_is_not_added() -> None:
    """A second argument of one name is a mistake in some languages and wins in others."""
    assert _beside("PasswordHasher(memory_cost=8)", CALL, PARAMS, "memory_kib") == []
    (edit,) = given("PasswordHasher(memory_cost=8)", arguments(CALL, PARAMS)["memory_kib"], 1)
    assert edit.written == "65536"


def test_an_attribute_goes_on_a_line_of_its_own() -> None:
    """Indented as the one above it."""
    text = "class A(B):\n    work_factor = 16384\n"
    assert text + "    block_size = 8\n" in _beside(text, CLASS, LARGE, "r")


def test_an_option_goes_behind_the_last_word() -> None:
    """Before a comment, and before the backslash that continues the line."""
    known = arguments("password pam_unix.so rounds=<rounds>\n", {"rounds": 7})
    for text in (
        "x pam_unix.so sha512{}\n",
        "x pam_unix.so sha512{} # old\n",
        "x sha512{} \\\n y\n",
    ):
        (edit,) = at_end(text.format(""), known, ("rounds",), 1)
        assert edit.within(text.format("")) == text.format(" rounds=7")


def test_an_array_gets_elements_at_its_end() -> None:
    """Indented as the others; without a comma behind the last one, none is added."""
    text = "<?php\n$CONFIG = array (\n  'a' => 1,\n);\n"
    assert at_end_of_array(text, ["'b' => 2,"]) == text.replace(");", "  'b' => 2,\n);")
    assert at_end_of_array(text.replace("1,", "1"), ["'b' => 2,"]) is None


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("maxmem = 33554432", f"maxmem = {NEEDED}"),
        ("maxmem = 32 * 1024 * 1024", f"maxmem = {NEEDED}"),
        ("maxmem = 128 * 1024 * 1024", None),
        ("maxmem = 100_000_000", None),
    ],
)
def test_a_limit_of_memory_follows_the_cost(written: str, after: str | None) -> None:
    """Else the library would refuse every password."""
    text = f"class A(B):\n    work_factor = 65536\n    {written}\n"
    edits = [edit.within(text) for edit in memory_limits(text, CLASS, LARGE, 2)]
    assert edits == ([] if after is None else [text.replace(written, after)])


def test_a_limit_that_is_missing_is_added_only_where_one_is_needed() -> None:
    """OpenSSL allows 32 MiB unless told."""
    text = "class A(B):\n    work_factor = 65536\n"
    limits = [edit.within(text) for edit in memory_limits(text, CLASS, LARGE, 2)]
    assert text + f"    maxmem = {NEEDED}\n" in limits
    assert not list(memory_limits(text, CLASS, {**LARGE, "n": 16384}, 2))


def test_a_limit_that_is_no_number_is_named() -> None:
    """What it must be at least is said, with its line."""
    text = "class A(B):\n    work_factor = 65536\n    maxmem = LIMIT\n"
    with pytest.raises(UnreadableInputError, match="line 2: maxmem is not a number here; write"):
        list(memory_limits(text, CLASS, LARGE, 2))
