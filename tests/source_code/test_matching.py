"""What a file says of its costs, and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounded import ends_in_time
from hashcost.core.errors import UnreadableInputError
from hashcost.source_code.files import LARGEST_FILE
from hashcost.source_code.matching import found_in
from hashcost.source_code.rules import LANGUAGES
from laws import sized
from sources import program


@pytest.mark.parametrize(
    ("language", "text", "value"),
    [
        ("python", "import bcrypt as b\nclass A:\n N = 9\n def f(self): b.gensalt(self.N)", 9),
        ("python", "import bcrypt\nN = 12\ndef g():\n global N\n N = 4\nbcrypt.gensalt(N)", None),
        ("python", "import bcrypt\nN = 4\nfor x in y: N += 1\nbcrypt.gensalt(N)", None),
        ("javascript", "class A { static #n = 12; f() { bcrypt.hash(p, this.#n) } }", 12),
        ("javascript", "bcrypt?.hash(p, Number(11), (e, h) => h)", 11),
        ("javascript", "bcrypt.hash(p, parseInt(process.env['N'] ?? '11', 10))", 11),
        ("php", "Hash::make($p, ['rounds' => (int) env('R', 11)]);", 11),
        ("php", "Hash::make($p, ['rounds' => $_ENV['R'] ?? 11]);", 11),
        ("ruby", "BCrypt::Engine.cost = Integer(ENV['R'] || 11)", 11),
        (
            "java",
            'new BCryptPasswordEncoder(parseInt(System.getenv().getOrDefault("R", "11")));',
            11,
        ),
        ("kotlin", 'val e = BCryptPasswordEncoder(System.getenv("R")?.toInt() ?: 11)', 11),
        ("rust", "fn f() { bcrypt::hash(p, if latest { 12 } else { 10 })?; }", None),
        (
            "csharp",
            'BCrypt.HashPassword(p, int.Parse(Environment.GetEnvironmentVariable("R") ?? "11"));',
            11,
        ),
        ("rust", "fn f() { bcrypt::hash(p, if is_test { 4 } else { 9 })?; }", 9),
        (
            "elixir",
            'Bcrypt.gen_salt(String.to_integer(System.get_env("R", "11")))',
            11,
        ),
        ("javascript", "let n = 4; n++; bcrypt.hash(p, n)", None),
        ("javascript", "bcrypt.hash(p, 0)", 10),
        ("javascript", "bcrypt.genSalt((e, s) => s)", 10),
        ("typescript", "bcrypt.hash(p, process.env.NODE_ENV === 'test' ? 4 : 12)", 12),
        ("typescript", "bcrypt.hash(p, process.env.NODE_ENV === 'production' ? 12 : 4)", 12),
        ("php", "password_hash(options: ['cost' => 14], password: $p, algo: '2y');", 14),
        ("php", "password_hash($p, PASSWORD_BCRYPT, [...$more]);", None),
        ("php", "$o = ['cost' => 13]; $o['cost'] = 4; password_hash($p, '2y', $o);", None),
        ("javascript", "const {n} = 12; bcrypt.hash(p, n)", None),
        ("python", "import bcrypt\nbcrypt.gensalt(None)", None),
        ("ruby", "C = 13\nBCrypt::Password.create(p, :cost => C)", 13),
        ("ruby", "BCrypt::Engine.cost = Rails.env.production? ? 13 : 4", 13),
        ("java", "static final int N = 13; x = new org.a.BCryptPasswordEncoder(A.N);", 13),
        ("java", "new BCryptPasswordEncoder(BCryptVersion.$2B, 11);", 11),
        ("kotlin", "val n = 1 shl 2\nval e = BCryptPasswordEncoder(strength = n)", 4),
        ("go", "bcrypt.GenerateFromPassword(p, bcrypt.DefaultCost+2)", 12),
        ("csharp", "const int W = 13; BC.BCrypt.HashPassword(p, W);", 13),
        ("rust", "const C: u32 = 12u32; fn f() { bcrypt::hash(p, C)?; }", 12),
        ("elixir", "@r 13\nBcrypt.hash_pwd_salt(p, log_rounds: @r)", 13),
        ("elixir", "Bcrypt.gen_salt(Application.get_env(:a, :rounds, 12))", 12),
        ("javascript", "bcrypt.hash(p, parseInt(process.env.N) || 9)", 9),
        ("javascript", "const h = promisify(bcrypt.hash); h(p, 9)", 9),
        ("javascript", "function f(n = 9) { bcrypt.hash(p, n) }", 9),
        ("javascript", "function f(n) { bcrypt.hash(p, n) } const n = 9;", None),
        ("javascript", "const n = 9; function g(n) {} function f() { bcrypt.hash(p, n) }", 9),
        ("javascript", "function n() { return 9; } bcrypt.hash(p, n())", None),
        ("typescript", "const C = { n: 9 } as const; bcrypt.hash(p, C.n!)", 9),
        ("go", "p := &params{cost: 9}\nbcrypt.GenerateFromPassword(p, p.cost)", 9),
        ("php", "crypt($p, '$2y$09$' . $salt);", 9),
        ("php", 'crypt($p, "\\$2y\\$09\\${$salt}");', 9),
        ("php", "$b = new Bcrypt(); $b->setCost(9);", 9),
        ("ruby", "include BCrypt\nPassword.create(p, cost: 9)", 9),
        ("ruby", "has_secure_password", 12),
        ("csharp", 'BCrypt.HashPassword(p, _config.GetValue<int>("Cost", 9));', 9),
        ("javascript", "const { n, m: r } = { m: 9, n: 4 }; bcrypt.hash(p, r)", None),
        ("python", "from app import bcrypt\nbcrypt.generate_password_hash(p)", 12),
        ("python", "app.config['BCRYPT_LOG_ROUNDS'] = 9", 9),
        ("python", "import bcrypt\ndef n():\n return 9\nbcrypt.gensalt(n())", None),
    ],
)  # fmt: skip
def test_a_cost_is_followed_as_far_as_the_file_tells(
    language: str, text: str, value: int | None
) -> None:
    """Constants, sums, products and powers of the same file count; nothing is guessed."""
    found = found_in(program(language, text), language)
    if value is None:
        assert () == found.costs
        assert len(found.unknown) == (0 if "import bcrypt as b" in text else 1)
    else:
        assert [("bcrypt", {"cost": value})] == [(c.hasher, c.params) for c in found.costs]
        assert () == found.unknown


@pytest.mark.parametrize(
    ("methods", "value"),
    [
        ("def __init__(self):\n        self.n = 9", 9),
        ("def __init__(self, n=9):\n        self.n = n", 9),
        ("def __init__(self, n):\n        self.n = n", None),
        ("n = 9\n    def change(self, n):\n        self.n = n", None),
        ("n = 9\n    def change(self):\n        self.n += 1", None),
        (
            "def __init__(self):\n        self.n = 9\n    def change(self):\n        self.n = 4",
            None,
        ),
    ],
)
def test_an_attribute_of_an_object_is_what_its_class_sets_once(
    methods: str, value: int | None
) -> None:
    """What methods set is followed if there is one value, and not told if there are more."""
    text = f"import bcrypt\nclass A:\n    {methods}\n    def f(self): bcrypt.gensalt(self.n)\n"
    found = found_in(text, "python")
    assert ([] if value is None else [value]) == [each.params["cost"] for each in found.costs]
    assert len(found.unknown) == (value is None)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "import { hash } from './own'; hash(p, 4)"),
        ("javascript", "import hash from 'object-hash'; hash(p, 4); bcrypt.compare(p, h)"),
        ("javascript", "crypto.subtle.deriveBits({ name: 'ECDH', public: k }, key, 256)"),
        ("php", "crypt($p, $hash) === $hash;"),
        ("php", "return ['driver' => 'smtp', 'bcrypt' => ['rounds' => 4]];"),
        ("ruby", "pw.crypt(stored) == stored; BCrypt::Password.new(stored) == pw"),
        ("python", "import crypt\ncrypt.crypt(p, stored) == stored"),
        ("python", "from werkzeug.security import generate_password_hash as g\ng(p, 'plain')"),
        ("csharp", "BCrypt.HashPassword(p, salt);"),
        ("rust", "fn f() { hash(p, 4); let x = Params::new(1, 2, 3); }"),
    ],
)
def test_what_only_looks_like_a_cost_is_silent(language: str, text: str) -> None:
    """Verifying, other functions of the same name and other settings set no cost."""
    found = found_in(program(language, text), language)
    assert ((), ()) == (found.costs, found.unknown)


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


@given(
    st.sampled_from(LANGUAGES),
    st.lists(
        st.sampled_from(
            ["bcrypt.hash", "(", ")", "p, ", "12", "{", "}", "'", '"', "=", "N", ";", "\n",
             "cost:", "import bcrypt", "gensalt", "scrypt", "[", "]", "...", "*", "<?php ", "?>",
             "é", "\r"]
        ),
        max_size=40,
    ),
)  # fmt: skip
def test_any_text_is_read(language: str, parts: list[str]) -> None:
    """Whatever stands in a file, it is read or refused, and every line is one of the file."""
    text = "".join(parts)
    try:
        found = found_in(text, language)
    except UnreadableInputError:
        assert language == "python"
        return
    lines = text.count("\n") + 1
    places = [*(c.line for c in found.costs), *(u.line for u in found.unknown)]
    assert all(1 <= line <= lines for line in places)


@pytest.mark.parametrize(
    ("language", "head", "part"),
    [
        ("php", "<?php bcrypt(1); ", "<<<A\n"),
        ("php", "<?php bcrypt(1); ", "'\\\\\" "),
        ("php", "<?php password_hash(1); ", "?><?php "),
        ("javascript", "", "bcrypt.hash(p, a ? b : c || d);\n"),
        ("python", "import bcrypt\n", "x = [a if b else c, bcrypt.gensalt(d or e)]\n"),
        ("java", "", "new PBEKeySpec(p, s, A.n, 1); "),
        ("java", "", "SecretKeyFactory.getInstance(a);\nnew PBEKeySpec(p, s, 9, 1);\n"),
        ("python", "import bcrypt\n", "bcrypt.gensalt("),
        ("javascript", "bcrypt.hash(p, ", "1 + "),
        ("javascript", "x = bcrypt; ", "[a, "),
        ("ruby", "", "BCrypt::Engine.cost = 12 "),
        ("rust", "mod tests { fn f() { ", "bcrypt::hash(p, 4); "),
        ("go", "package a\n", "bcrypt.GenerateFromPassword("),
        ("javascript", "bcrypt.hash(p, N); ", "bcrypt import {"),
        ("javascript", "bcrypt.hash(p, N); ", "bcrypt import  \t\n"),
        ("javascript", "bcrypt.hash(p, N); ", "const { bcrypt"),
        ("javascript", "bcrypt.hash(p, N); ", "bcrypt = a.b.c "),
        ("go", "bcrypt.hash(p, N); ", '"bcrypt '),
        ("rust", "bcrypt::hash(p, N); ", "use bcrypt::"),
        ("php", "<?php bcrypt(1); ", "<?php require bcrypt "),
    ],
)
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


@pytest.mark.parametrize(
    ("language", "made", "verified", "hashed"),
    [
        ("rust", "use argon2::Argon2; fn f() { Argon2::default()", ".verify_password(p, &h); }",
         ".hash_password(p, &s); }"),
        ("rust", "use argon2::Argon2; fn f() { Argon2::default()", "\n .verify_password(p, &h); }",
         "; }"),
        ("java", "class A { Object f() { return new BCryptPasswordEncoder()",
         ".matches(p, h); } }", ".encode(p); } }"),
        ("kotlin", "fun f() = BCryptPasswordEncoder()", ".matches(p, h)", ".encode(p)"),
        ("python", "from argon2 import PasswordHasher\nPasswordHasher()", ".verify(h, p)",
         ".hash(p)"),
    ],
)  # fmt: skip
def test_what_only_verifies_sets_no_cost(
    language: str, made: str, verified: str, hashed: str
) -> None:
    """A hash that is verified has its own cost, whatever the object would have hashed with."""
    found = found_in(made + verified, language)
    assert ((), ()) == (found.costs, found.unknown)
    assert 1 == len(found_in(made + hashed, language).costs)
    told = made.replace("Encoder()", "Encoder(12)").replace("Hasher()", "Hasher(time_cost=4)")
    assert int(told != made) == len(found_in(told + verified, language).costs)


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
