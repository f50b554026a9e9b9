"""What a file says of its costs, and what it does not."""

from typing import Final

import pytest

from bounded import ends_in_time
from corpora import rows, table
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.files import LARGEST_SOURCE
from hashcost.source_code.matching import found_in
from laws import sized
from sources import program, told

STATEMENTS: Final = rows(__file__, "statements.tsv")
"""A language, bcrypt's cost, and a statement; ``?`` is a cost that the file does not tell, ``-``
what only looks like one."""


@pytest.mark.parametrize(("language", "cost", "text"), STATEMENTS)
def test_a_cost_is_followed_as_far_as_the_file_tells(language: str, cost: str, text: str) -> None:
    """Constants, sums, products and powers of the same file count; nothing is guessed. Verifying,
    other functions of the same name and other settings set no cost.
    """
    found = found_in(program(language, text), language)
    costs = [("bcrypt", {"cost": int(cost)})] if cost.isdecimal() else []
    assert costs == [(each.hasher, each.params) for each in found.costs]
    assert int(cost == "?") == len(found.unknown)


@table("language, made, key, hashed")
def test_a_key_for_encryption_sets_no_cost(
    language: str, made: str, key: str, hashed: str
) -> None:
    """What goes into a cipher is no hash of a password, whatever derives it."""
    found = found_in(made + key, language)
    assert ((), ()) == (found.costs, found.unknown)
    assert 1 == len(found_in(made + hashed, language).costs)


@table("language, made, compared")
def test_what_helps_to_verify_has_no_unknown_cost(language: str, made: str, compared: str) -> None:
    """What only verifiers call has the cost of the hash that they compare, unless others may."""
    assert 1 == len(found_in(made, language).unknown)
    found = found_in(made + compared, language)
    assert ((), ()) == (found.costs, found.unknown)
    handed_on = "\nstore = old = pbkdf2\n"
    assert 1 == len(found_in(made + compared + handed_on, language).unknown)


@table("language, text")
def test_a_dummy_that_the_program_makes_is_told_apart(language: str, text: str) -> None:
    """A hash that nobody has is told by what holds it or makes it, or by a comment above."""
    found = found_in(text, language)
    assert ((), ()) == (found.costs, found.unknown)
    assert [{"cost": 9}] == [each.params for each in found.dummies]


@table("language, text")
def test_what_is_beside_a_dummy_sets_a_cost(language: str, text: str) -> None:
    """Such a word says nothing of a hash that another name holds."""
    found = found_in(text, language)
    assert [{"cost": 9}] == [each.params for each in found.costs]
    assert () == found.dummies


@table("language, text, costs")
def test_a_file_sets_these_costs(language: str, text: str, costs: list[str]) -> None:
    """Each cost has its line, and the reason if it is another than what is written."""
    assert costs == told(found_in(text, language))


@pytest.mark.parametrize(("language", "head", "part"), rows(__file__, "hostile.tsv"))
def test_a_hostile_file_ends(language: str, head: str, part: str) -> None:
    """A file as large as any that is read ends, whatever it repeats: with so many
    repetitions, time that grows with their square is minutes.
    """
    ends_in_time(
        "import contextlib\n"
        "from hashcost.core.errors import UnreadableInputError\n"
        "from hashcost.source_code.matching import found_in\n"
        "with contextlib.suppress(UnreadableInputError):\n"
        f"    found_in({head!r} + {part!r} * {sized(LARGEST_SOURCE) // len(part)}, {language!r})",
        cpu_seconds=sized(120),
    )


@table("language, start, text, times, message")
def test_what_takes_the_square_of_its_length_is_not_read(
    language: str, start: str, text: str, times: int, message: str
) -> None:
    """Thousands of calls on one line, with names of hashing ones, or in each other; a third is."""
    found_in(start + text * (times // 3), language)
    with pytest.raises(UnreadableInputError, match=message):
        found_in(start + text * times, language)


def test_names_that_stand_for_each_other_end() -> None:
    """A long chain of names is followed to its end, and a circle of them has none."""
    chain = "".join(f"n{i} = {'(' * 12}n{i + 1} + 1{')' * 12};" for i in range(50))
    found = found_in(f"{chain} n50 = 1; bcrypt.hash(p, n0)", "javascript")
    assert [{"cost": 51}] == [cost.params for cost in found.costs]
    found = found_in("a = b; b = a; bcrypt.hash(p, a)", "javascript")
    assert ((), 1) == (found.costs, len(found.unknown))
    found = found_in("x = {cost: y.cost}; bcrypt.hash(p, z.cost)", "javascript")
    assert ((), 1) == (found.costs, len(found.unknown))


def test_what_is_nested_too_deeply_costs_no_other_row() -> None:
    """An expression with hundreds of parts in each other is not followed; others are."""
    deep = "f" + ".g(1)" * 600
    found = found_in(f"bcrypt.hash(p, {deep}); bcrypt.hash(q, 9);", "javascript")
    assert [{"cost": 9}] == [cost.params for cost in found.costs]
    assert 1 == len(found.unknown)


@table("language, made, verified, hashed")
def test_what_only_verifies_sets_no_cost(
    language: str, made: str, verified: str, hashed: str
) -> None:
    """A hash that is verified has its own cost, whatever the object would have hashed with."""
    found = found_in(made + verified, language)
    assert ((), ()) == (found.costs, found.unknown)
    assert 1 == len(found_in(made + hashed, language).costs)


@table("language, text")
def test_a_caller_that_encrypts_a_hash_of_bcrypt_tells_its_cost(language: str, text: str) -> None:
    """No library makes a key by bcrypt: what goes into a cipher is a hash, encrypted at rest."""
    assert [{"cost": 4}] == [cost.params for cost in found_in(text, language).costs]


@table("language, head, line")
def test_names_that_lead_to_each_other_are_searched_once_for_a_key(
    language: str, head: str, line: str
) -> None:
    """The search for a cipher takes time in proportion to the uses of a name, not their square."""
    ends_in_time(
        "from hashcost.source_code.matching import found_in\n"
        f"found_in({head!r} + {line!r} * {sized(40_000)}, {language!r})",
        cpu_seconds=sized(64),
    )


@table("language, text")
def test_what_is_no_branch_of_tests_counts_in_production(language: str, text: str) -> None:
    """A word for tests in an expression is no condition of what stands behind it."""
    (cost,) = found_in(program(language, text), language).costs
    assert not cost.in_tests


@table("language, text, cost")
def test_a_condition_of_tests_does_not_count(language: str, text: str, cost: int) -> None:
    """Where a condition speaks of tests or development, production has the other cost."""
    matches = found_in(text, language)
    (setting,) = matches.costs
    assert ({"cost": cost}, ()) == (setting.params, matches.unknown)
    assert "in production" in setting.why


@table("language, text")
def test_a_condition_of_something_else_leaves_a_cost_unknown(language: str, text: str) -> None:
    """No cost is chosen by a condition that only a running program can decide."""
    matches = found_in(text, language)
    assert ((), 1) == (matches.costs, len(matches.unknown))


@table("language, text")
def test_a_call_in_a_branch_of_tests_is_of_tests(language: str, text: str) -> None:
    """A call that only tests or development make sets no cost of production."""
    costs = found_in(text, language).costs
    assert [(4, True), (12, False)] == [(one.params["cost"], one.in_tests) for one in costs]


@table("language, text")
def test_no_message_shows_a_name_of_the_tool_itself(language: str, text: str) -> None:
    """A message shows what the file has, never a name that stands for it inside the tool."""
    matches = found_in(text, language)
    assert matches.unknown
    for setting in matches.unknown:
        assert "opaque" not in setting.why
        assert "_(" not in setting.why


@table("language, text, costs")
def test_a_default_counts_where_nothing_is_given(
    language: str, text: str, costs: list[str]
) -> None:
    """A statement that asks for nothing, and a function that reads the environment, give one."""
    assert costs == told(found_in(text, language))
