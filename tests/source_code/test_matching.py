"""What a file says of its costs, and what it does not."""

from __future__ import annotations

from typing import Final

import pytest

from bounded import ends_in_time
from corpora import rows, table
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.files import LARGEST_FILE
from hashcost.source_code.matching import found_in
from laws import sized
from sources import program

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


@table("methods, value")
def test_an_attribute_of_an_object_is_what_its_class_sets_once(
    methods: str, value: int | None
) -> None:
    """What methods set is followed if there is one value, and not told if there are more."""
    text = f"import bcrypt\nclass A:\n    {methods}\n    def f(self): bcrypt.gensalt(self.n)\n"
    found = found_in(text, "python")
    assert ([] if value is None else [value]) == [each.params["cost"] for each in found.costs]
    assert len(found.unknown) == (value is None)


def test_a_property_is_what_it_returns() -> None:
    """A property without a body of its own is a constant."""
    text = "class A { static int Cost => 9; string H() => BCrypt.HashPassword(p, Cost); }"
    assert [{"cost": 9}] == [each.params for each in found_in(text, "csharp").costs]


def test_what_another_line_says_to_an_object_counts() -> None:
    """An object is told its cost by a chain, an initializer or assignments."""
    for text in (
        "var a = new Argon2id(p) { Iterations = 2, MemorySize = 64, DegreeOfParallelism = 1 };",
        "var a = new Argon2id(p); a.Iterations = 2; a.MemorySize = 64; a.DegreeOfParallelism = 1;",
    ):
        (cost,) = found_in(program("csharp", text), "csharp").costs
        assert {"memory_kib": 64, "time_cost": 2, "parallelism": 1} == cost.params


def test_another_variant_is_not_taken_for_argon2id() -> None:
    """A cost of argon2i is not known, whichever rule finds it, and no digest is another."""
    found = found_in("argon2.hash(p, { type: argon2.argon2i, memoryCost: 4096 })", "javascript")
    assert ((), 1) == (found.costs, len(found.unknown))
    found = found_in("import hashlib\nhashlib.pbkdf2_hmac('sha384', p, s, 1000)", "python")
    assert ["its algorithm is 'sha384'"] == [each.why for each in found.unknown]


def test_what_the_library_makes_of_a_cost_is_said() -> None:
    """A cost that the library silently replaces counts as what it becomes."""
    (cost,) = found_in(program("go", "bcrypt.GenerateFromPassword(p, 3)"), "go").costs
    assert cost.why == "3 is written, and x/crypto makes 10 of what is below 4"


def test_the_algorithm_of_another_call_is_found() -> None:
    """The algorithm of a key specification is that of the one factory in the file."""
    text = (
        'static final String A = "PBKDF2WithHmacSHA1"; f = SecretKeyFactory.getInstance(A);'
        " new PBEKeySpec(p, s, 1000, 160);"
    )
    (cost,) = found_in(program("java", text), "java").costs
    assert ("pbkdf2-sha1", {"iterations": 1000}) == (cost.hasher, cost.params)
    both = text + ' g = SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256");'
    found = found_in(program("java", both), "java")
    assert () == found.costs
    assert 1 == len(found.unknown)


@pytest.mark.parametrize("written", ["$algo", "self::ALGO", "PASSWORD_ARGON2I", "choose($x)"])
def test_an_algorithm_that_the_code_does_not_tell_is_unknown(written: str) -> None:
    """A known function is listed although no rule is about what it is given."""
    found = found_in(f"<?php password_hash($p, {written}, ['cost' => 9]);", "php")
    assert () == found.costs
    assert [""] == [each.hasher for each in found.unknown]


def test_the_line_is_that_of_the_call() -> None:
    """The line is where the call's name ends, also in a chain, and after other alphabets."""
    text = "é = '日本'\nx = (a\n  .b()\n  .c(hashlib.pbkdf2_hmac(\n'sha1', p, s,\n 1000)))\n"
    (cost,) = found_in("import hashlib\n" + text, "python").costs
    assert 5 == cost.line


def test_html_around_php_is_no_code() -> None:
    """Text outside of PHP's marks is left out, and lines keep their numbers."""
    text = (
        "password_hash($p, PASSWORD_BCRYPT, ['cost' => 4]);\n<?php f('?>'); // ?> password_hash()"
        "\n"
        "<?= password_hash($p, PASSWORD_BCRYPT, ['cost' => 5]) ?>\n"
    )
    (cost,) = found_in(text, "php").costs
    assert (3, {"cost": 5}) == (cost.line, cost.params)


def test_tests_inside_a_file_are_told_apart() -> None:
    """Rust keeps tests in a module of the file; what they set is marked."""
    text = (
        "#[cfg(test)]\nmod tests {\n fn f() { bcrypt::hash(p, 4); }\n}\n"
        "fn g() { bcrypt::hash(p, 12); }"
    )
    assert [True, False] == [cost.in_tests for cost in found_in(text, "rust").costs]


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
        f"    found_in({head!r} + {part!r} * {sized(LARGEST_FILE) // len(part)}, {language!r})",
        cpu_seconds=sized(120),
    )


def test_thousands_of_calls_on_one_line_are_not_read() -> None:
    """What takes the square of a line's length is given up, and the same in lines is read."""
    call = "BCrypt::Engine.cost = 12"
    with pytest.raises(UnreadableInputError, match="lines are too long"):
        found_in(f"{call} " * 3000, "ruby")
    assert 3000 == len(found_in(f"{call}\n" * 3000, "ruby").costs)


def test_names_that_stand_for_each_other_end() -> None:
    """A long chain of names, and a circle of them, are followed to an end."""
    chain = "".join(f"n{i} = {'(' * 12}n{i + 1} + 1{')' * 12};" for i in range(50))
    for text in (f"{chain} n50 = 1; bcrypt.hash(p, n0)", "a = b; b = a; bcrypt.hash(p, a)"):
        found = found_in(text, "javascript")
        assert () == found.costs
        assert 1 == len(found.unknown)


@table("language, made, verified, hashed")
def test_what_only_verifies_sets_no_cost(
    language: str, made: str, verified: str, hashed: str
) -> None:
    """A hash that is verified has its own cost, whatever the object would have hashed with."""
    found = found_in(made + verified, language)
    assert ((), ()) == (found.costs, found.unknown)
    assert 1 == len(found_in(made + hashed, language).costs)


@pytest.mark.parametrize("made", ["genSaltSync()", "genSaltSync(11)"])
@pytest.mark.parametrize("name", ["salt", "s"])
def test_a_salt_has_the_only_row(made: str, name: str) -> None:
    """A call that is given a salt made elsewhere is not listed beside the salt's own cost."""
    text = f"const b = require('bcryptjs');\nconst {name} = b.{made};\nb.hashSync(p, {name});\n"
    found = found_in(text, "javascript")
    assert ([2], ()) == ([each.line for each in found.costs], found.unknown)
    found = found_in("const b = require('bcryptjs');\nb.hashSync(p, saltRounds());", "javascript")
    assert ((), 1) == (found.costs, len(found.unknown))


@pytest.mark.parametrize("name", ["@cost", "cost"])
def test_a_default_of_a_keyword_is_what_its_attribute_has(name: str) -> None:
    """A parameter is seen in the whole function, and what is assigned from it elsewhere."""
    text = (
        "class A\n  attr_reader :cost\n"
        '  def initialize(cost: Integer(ENV.fetch("BCRYPT_COST", "9")))\n    @cost = cost\n  end\n'
        f"  def call(p)\n    BCrypt::Password.create(p, cost: {name})\n  end\nend\n"
    )
    assert [{"cost": 9}] == [each.params for each in found_in(text, "ruby").costs]


def test_a_field_that_may_be_set_is_no_default() -> None:
    """What is not a parameter of a constructor may be set by any file."""
    text = "class P { public int Cost = 7; }\nclass A { void F() { var p = new P();"
    found = found_in(f"{text} BCrypt.HashPassword(x, p.Cost); }} }}", "csharp")
    assert ((), 1) == (found.costs, len(found.unknown))
