"""``calibrate scan`` on folders of source code, by a profile with made-up times."""

import datetime as dt
import json
from pathlib import Path

import pytest

from corpora import table
from end_to_end.command import MADE_UP, Ended, calibrate, formats_of
from hashcost.checks.judgement import NO_HIGHER_COST

DAY = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=30)
SALT = "N9qo8uLOickgx2ZMRZoMye"
DIGEST = "IjZAgcfl7p92ldGxad68LJZdL17lhWy"
STORED = f"$2b$05${SALT}{DIGEST}"
WEAK = "import bcrypt\nROUNDS = 4\nbcrypt.gensalt(ROUNDS)\n"
GOOD = "const n = 12;\nbcrypt.hash(p, n);\n"


SYMFONY = "security:\n  password_hashers:\n    App\\Entity\\User: "
UNSET = [
    ("django", "settings.py", "INSTALLED_APPS = []\nPASSWORD_HASHERS = ['{}']\n"),
    ("symfony", "security.yaml", SYMFONY + "auto\n"),
    ("symfony", "security.yaml", SYMFONY + "sodium\n"),
    ("symfony", "security.yaml", SYMFONY + "pbkdf2\n"),
    ("devise", "devise.rb", "Devise.setup do |config|\n  config.mailer_sender = 'a@b.c'\nend\n"),
]
"""An application, a file of it without a cost, and its text."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with one weak cost, one good one, one in tests and one vendored."""
    for name, text in {
        "src/weak.py": WEAK,
        "src/good.js": GOOD,
        "src/open.go": "package a\nfunc f() { bcrypt.GenerateFromPassword(p, config.Cost) }\n",
        "tests/test_it.py": WEAK,
        "node_modules/x/index.js": "bcrypt.hash(p, 4);\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def scan(folder: Path, *arguments: str) -> Ended:
    """Scan by the profile, without its notices."""
    return calibrate("scan", *arguments, "--profile", str(MADE_UP), "-q", cwd=folder)


def test_a_cost_to_set_has_the_names_of_the_call(tmp_path: Path) -> None:
    """An edit is told in the words of the source; a place without a name keeps ours."""
    (tmp_path / "a.py").write_text(
        "import hashlib\nhashlib.pbkdf2_hmac('sha256', password, salt, iterations=7)\n"
        "import bcrypt\nbcrypt.gensalt(rounds=4)\n"
    )
    (tmp_path / "b.js").write_text("bcrypt.hash(password, 4);\n")
    ended = scan(tmp_path, "--format", "json")

    named = {row["hasher"]: row["named"] for row in json.loads(ended.out)["results"][:2]}
    assert named == {"pbkdf2-sha256": {"iterations": "iterations"}, "bcrypt": {"cost": "rounds"}}
    assert {} == json.loads(ended.out)["results"][2]["named"]
    table = scan(tmp_path).out
    assert "rounds=" in table
    assert "cost=10" in table


def test_a_setting_to_change_has_its_own_name(tmp_path: Path) -> None:
    """A setting that holds the number is told by its name, not by that of the param."""
    (tmp_path / "devise.rb").write_text("Devise.setup { |config| config.stretches = 4 }\n")
    ended = scan(tmp_path, "-f", "json")

    assert [{"cost": "stretches"}] == [row["named"] for row in json.loads(ended.out)["results"]]
    assert "set stretches=" in scan(tmp_path).out


def test_a_weak_cost_fails_with_its_place(tree: Path) -> None:
    """A cost below the floor ends the scan with 1, and is shown with file and line."""
    ended = scan(tree)

    assert 1 == ended.code
    assert "src/weak.py:3" in ended.out
    assert "1 of 3 costs fails under owasp" in ended.out
    assert "node_modules" not in ended.out
    assert "1 vendored folder" in ended.out


@pytest.mark.parametrize(("name", "is_told"), [("src", True), ("absent.js", False)])
def test_the_libraries_that_were_timed_are_told_apart(
    tree: Path, name: str, *, is_told: bool
) -> None:
    """The code may hash with another library than this Python, and take another time."""
    (tree / "absent.js").write_text("bcrypt.hash(p, config.cost);\n")
    assert is_told == ("; times are of this Python's libraries" in scan(tree, name).out)


@pytest.mark.parametrize(("app", "name", "text"), UNSET)
def test_an_application_has_one_default(tmp_path: Path, app: str, name: str, text: str) -> None:
    """Where nothing tells the release, the scan and `check --app` count with the same default."""
    hasher = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    (tmp_path / name).write_text(text.format(hasher))
    options = ("--format", "json", "--profile", str(MADE_UP), "-q")
    scanned = calibrate("scan", *options, cwd=tmp_path)
    checked = calibrate("check", "--app", app, name, *options, cwd=tmp_path)
    found = [
        [(row["hasher"], row["params"]) for row in json.loads(ended.out)["results"]]
        for ended in (scanned, checked)
    ]

    assert 1 == len(found[0])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("name", "text", "params"),
    [
        ("a.js", "const argon2 = require('argon2');\nargon2.hash(p);\n", (4096, 3, 1)),
        ("a.php", "<?php\npassword_hash($p, PASSWORD_ARGON2I);\n", (65536, 4, 1)),
        ("a.go", "package a\nfunc f() { argon2.Key(p, s, 3, 32*1024, 4, 32) }\n", (32768, 3, 4)),
    ],
)
def test_an_algorithm_that_is_not_judged_is_named(
    tmp_path: Path, name: str, text: str, params: tuple[int, int, int]
) -> None:
    """Argon2i is not judged: its row is unknown, with the cost as text and in fields."""
    (tmp_path / "package.json").write_text('{"dependencies": {"argon2": "0.28.0"}}')
    (tmp_path / name).write_text(text)
    ended = scan(tmp_path)
    (row,) = json.loads(scan(tmp_path, "--format", "json").out)["results"]
    memory_kib, time_cost, parallelism = params
    setting = f"m={memory_kib},t={time_cost},p={parallelism}"

    assert 0 == ended.code
    assert f"unknown  argon2i  {setting}" in ended.out
    said = " ".join(ended.out.split())
    assert f"its algorithm is argon2i ({setting}), which is not judged" in said
    assert ("argon2i", "unknown") == (row["hasher"], row["outcome"])
    names = ("memory_kib", "time_cost", "parallelism")
    assert dict(zip(names, params, strict=True)) == row["params"]


def test_a_fast_digest_of_a_password_fails(tmp_path: Path) -> None:
    """A password that is kept as MD5 is a row of its own and fails, beside costs and without
    any; in tests it is none, and a waiver accepts it.
    """
    digest = "user.password = hashlib.md5(password.encode()).hexdigest()\n"
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_it.py").write_text(digest)
    (tmp_path / "users.py").write_text(digest)
    alone = scan(tmp_path)
    listed = json.loads(scan(tmp_path, "--format", "json").out)["results"]
    sarif = json.loads(scan(tmp_path, "--format", "sarif").out)["runs"][0]["results"]
    (tmp_path / "good.js").write_text(GOOD)
    (tmp_path / "users.py").write_text(digest * 2)
    beside = scan(tmp_path)
    accepted = f"# hashcost: accept fast-digest until {DAY}: replaced this month\n{digest}"
    (tmp_path / "users.py").write_text(accepted)
    waived = scan(tmp_path)

    assert 1 == alone.code
    assert "hashlib.md5 makes a fast digest of a password (md5)" in alone.out
    assert [("md5", "fast-digest", 1)] == [
        (row["hasher"], row["outcome"], row["place"]["line"]) for row in listed
    ]
    assert [("fast-digest", "error")] == [(row["ruleId"], row["level"]) for row in sarif]
    assert 1 == beside.code
    assert "2 places make a fast digest of a password" in " ".join(beside.out.split())
    assert 0 == waived.code
    assert "fast-digest, accepted until" in waived.out
    assert " ".join(waived.out.split()).endswith(f" 1 place is accepted until {DAY}.")


def test_only_what_was_read_counts_as_read(tmp_path: Path) -> None:
    """A file that is left out is not counted as read, and no verdict rests on it."""
    (tmp_path / "a.js").write_bytes(b"\0")
    (tmp_path / "b.min.js").touch()
    ended = scan(tmp_path)

    assert "0 source files read; left out: 1 binary, 1 made by programs\n" in ended.out
    assert ended.out.endswith("\nNothing is judged: no source file was read.\n")


def test_tests_are_listed_apart_and_never_fail(tree: Path) -> None:
    """A cost in tests is shown, and judged only when that is asked for."""
    ended = scan(tree, "--exclude", "src/")

    assert 0 == ended.code
    assert "In tests or development, not judged:" in ended.out
    assert "tests/test_it.py:3" in ended.out
    assert "1 source file read, except in tests or development;" in " ".join(ended.out.split())
    assert 1 == scan(tree, "--exclude", "src/", "--include-tests").code


def test_a_default_in_tests_is_not_listed_if_their_settings_may_replace_it(tmp_path: Path) -> None:
    """Settings of tests may choose another hasher: only a cost that a test writes is known."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "a"\ndependencies = ["django>=4.2,<4.3"]\n', "utf-8"
    )
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_it.py").write_text(
        "import bcrypt\nfrom django.contrib.auth.hashers import make_password\n"
        "make_password('a')\nbcrypt.gensalt(4)\n",
        "utf-8",
    )
    ended = scan(tmp_path)

    assert "tests/test_it.py:4" in ended.out
    assert "tests/test_it.py:3" not in ended.out


def test_what_cannot_be_told_fails_only_on_request(tree: Path) -> None:
    """A cost that the code does not tell is a row, with place and reason; it fails where the
    settings ask for it.
    """
    ended = scan(tree, "src/open.go")
    assert 0 == ended.code
    assert "src/open.go:2" in ended.out
    assert "cost is config.Cost" in " ".join(ended.out.split())
    (tree / "hashcost.toml").write_text('on-unknown = "fail"\n', "utf-8")
    assert 1 == scan(tree, "src/open.go").code


def test_what_is_not_read_fails_in_every_form(tree: Path) -> None:
    """A file that was not read fails whatever the settings say, by one name in every format."""
    (tree / "src" / "good.js").write_bytes(GOOD.encode("utf-16"))
    (tree / "hashcost.toml").write_text('on-unknown = "pass"\n', "utf-8")
    for form in ("table", "json", "sarif", "junit", "csv", "github", "gitlab", "markdown"):
        refused = scan(tree, "src/good.js", "--format", form)
        assert 1 == refused.code, form
        assert form == "github" or "unread" in refused.out, form  # That has only titles.
        assert "it is binary" in " ".join(refused.out.split()), form
    assert 0 == scan(tree, "src/open.go", "src/good.js", "--exclude", "good.js").code


def test_languages_that_are_not_read_are_named(tmp_path: Path) -> None:
    """Code that names a password hash is no silence where its language is not read."""
    (tmp_path / "a.dart").write_text("final h = BCrypt.hashpw(password, salt);\n")
    (tmp_path / "b.pl").write_text("print 'nothing of the kind';\n")
    refused = calibrate("scan", cwd=tmp_path)
    assert (2, "") == (refused.code, refused.out)
    assert "no source code except in Dart, which is not read" in refused.err
    named = calibrate("scan", "b.pl", cwd=tmp_path)
    assert 2 == named.code
    assert "it is in Perl, which is not read" in named.err
    (tmp_path / "c").write_text("#!/usr/bin/env perl\ncrypt('test', '$2b$05$');\n")
    (tmp_path / "d.py").write_text("print()\n")
    ended = calibrate("scan", cwd=tmp_path)
    assert 0 == ended.code
    assert ended.out.startswith("1 source file read; left out: 1 in Dart, 1 in Perl\n")
    assert "Code in Dart and Perl is not read: look for costs" in " ".join(ended.out.split())


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    """Where no password hash has a cost, that is said, without denying the cost of a key; where
    nothing is read, it is no all-clear.
    """
    nothing = calibrate("scan", cwd=tmp_path)
    assert (2, "") == (nothing.code, nothing.out)
    assert "found no source code in a supported language" in nothing.err
    key = 'box = Fernet(hashlib.pbkdf2_hmac("sha256", password, salt, 1000))\n'
    (tmp_path / "a.py").write_text(key)
    ended = calibrate("scan", cwd=tmp_path)
    assert (0, "") == (ended.code, ended.err)
    answer = " ".join(ended.out.partition("\n\n")[2].split())
    assert ended.out.startswith("1 source file read\n\n")
    made, _, answer = answer.partition("a.py:1 ")
    assert made.startswith("Keys for encryption, not judged: hasher cost where pbkdf2-sha256 ")
    assert answer == (
        "No cost of a password hash was found in the 1 source file read;"
        " 1 key for encryption is not judged."
    )
    (made_key,) = json.loads(calibrate("scan", "--format", "json", cwd=tmp_path).out)["keys"]
    assert {"iterations": 1000} == made_key["params"]
    compared = 'def f(p):\n    return hashlib.pbkdf2_hmac("sha256", p, s, 1000) == stored\n'
    (tmp_path / "a.py").write_text(compared)
    said = " ".join(calibrate("scan", cwd=tmp_path).out.split())
    assert said.endswith("tokens, and hashes that are only compared, are not judged.")
    (tmp_path / "a.py").write_text(key)
    (tmp_path / "b.py").write_text("import bcrypt\nbcrypt.gensalt(12)\n")
    assert "iterations=1000  a.py:1" in scan(tmp_path).out


def test_a_cost_outside_the_range_is_held_to_the_floor(tmp_path: Path) -> None:
    """A cost that no library accepts is a row of its own, and fails below a floor."""
    (tmp_path / "a.py").write_text("import bcrypt\nbcrypt.gensalt(1)\nbcrypt.gensalt(99)\n")
    ended = calibrate("scan", "-f", "json", cwd=tmp_path)
    rows = json.loads(ended.out)["results"]

    assert 1 == ended.code
    assert [("below-min", 2, 1), ("unknown", 3, 99)] == [
        (row["outcome"], row["place"]["line"], row["params"]["cost"]) for row in rows
    ]


def test_a_stored_hash_is_a_row_and_never_shown(tmp_path: Path) -> None:
    """A hash in a configuration is judged like any cost, as `stored`, and no format has a part of
    it. A waiver can accept it.
    """
    (tmp_path / "compose.yml").write_text(f'labels: ["a.users=ines:{STORED}"]\n')
    ended = scan(tmp_path, "-f", "json")
    [row] = json.loads(ended.out)["results"]
    assert 1 == ended.code
    assert ("stored", "below-min", 5, "stored hash") == (
        row["kind"], row["outcome"], row["params"]["cost"], row["note"],
    )  # fmt: skip
    assert {"path": "compose.yml", "line": 1} == row["place"]
    assert row["advice"].startswith("hash its password anew with cost=")
    for form in formats_of("scan"):
        shown = scan(tmp_path, "compose.yml", "-f", form)
        assert 1 == shown.code
        assert SALT not in shown.out + shown.err
        assert DIGEST not in shown.out + shown.err
    until = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=90)
    (tmp_path / "hashcost.toml").write_text(
        f'[[accept]]\ncost = "bcrypt=5"\nwhere = "compose.yml"\nuntil = {until}\nwhy = "a"\n'
        'verdict = "below-min"\n'
    )
    assert 0 == scan(tmp_path).code


def test_no_cost_of_ours_is_advised_where_clients_compute_the_hash(tmp_path: Path) -> None:
    """Clients of PostgreSQL refuse counts that would fit a target, and no login rehashes."""
    key = "d" * 43
    scram = f"SCRAM-SHA-256$4096:c2Fsc2Fsc2Fsc2Fs${key}=:{key}="
    (tmp_path / "userlist.txt").write_text(f'"app" "{scram}"\n')
    ended = scan(tmp_path, "-f", "json")
    [row] = json.loads(ended.out)["results"]
    assert (1, "below-min", None) == (ended.code, row["outcome"], row.get("recommended"))
    assert "highest cost that its clients accept" in row["advice"]


def test_no_other_cost_is_advised_for_a_hash_that_has_only_one(tmp_path: Path) -> None:
    """A stored hash whose format has one cost needs another format, not a number."""
    (tmp_path / "running.yml").write_text(f"secret: '$8${'a' * 14}${'b' * 43}'\n")
    (row,) = json.loads(scan(tmp_path, "-f", "json").out)["results"]

    assert ("below-min", None) == (row["outcome"], row["recommended"])
    assert NO_HIGHER_COST == row["advice"]
    assert "set instead" not in scan(tmp_path).out


def test_a_digest_and_an_old_hash_are_weak_at_any_cost(tmp_path: Path) -> None:
    """A stored digest is no password hash, and a fixed cost is below every minimum."""
    (tmp_path / "htpasswd").write_text(
        "ines:{SHA}MDEyMzQ1Njc4OTAxMjM0NTY3ODk=\notto:$apr1$saltsalt$" + "d" * 21 + "0\n"
    )
    ended = scan(tmp_path, "-f", "json")
    rows = json.loads(ended.out)["results"]
    assert 1 == ended.code
    assert [("unsuitable", "sha1"), ("below-min", "md5-crypt")] == [
        (row["outcome"], row["hasher"]) for row in rows
    ]


def test_an_old_hash_whose_cost_can_be_raised_is_outdated(tmp_path: Path) -> None:
    """NetBSD's sha1-crypt has any cost, so nobody says that it is fixed."""
    (tmp_path / "seed.yml").write_text(f"hash: '$sha1$480000$saltsalt${'d' * 28}'\n")
    (row,) = json.loads(scan(tmp_path, "-f", "json").out)["results"]
    assert ("below-min", "sha1-crypt is outdated") == (row["outcome"], row["message"])


def test_what_is_no_password_hash_fails(tmp_path: Path) -> None:
    """A library that is asked to store passwords as digests or plain text is unsuitable, except in
    the settings of a stage of tests.
    """
    made = (
        "from werkzeug.security import generate_password_hash as hash\nhash(p, method='plain')\n"
    )
    (tmp_path / "a.py").write_text(made)
    for name in ("settings_ci", "development", "production"):
        hashers = "PASSWORD_HASHERS = ['django.contrib.auth.hashers.MD5PasswordHasher']\n"
        (tmp_path / f"{name}.py").write_text(hashers)
    ended = scan(tmp_path, "-f", "json")
    assert 1 == ended.code
    assert [("a.py", "unsuitable", "plain text"), ("production.py", "unsuitable", "one MD5")] == [
        (row["place"]["path"], row["outcome"], row["hasher"])
        for row in json.loads(ended.out)["results"]
    ]


def test_hashes_that_are_nobodys_are_listed_apart(tmp_path: Path) -> None:
    """Hashes in documents, comments, tests and dummies are shown and fail nothing; those in tests
    are judged on request.
    """
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "users.json").write_text(f'["{STORED}", "{STORED}"]\n')
    (tmp_path / "README.md").write_text(STORED)
    (tmp_path / "a.py").write_text(f"# {STORED}\nDUMMY = '{STORED}'\n")
    ended = scan(tmp_path, "-f", "json")
    document = json.loads(ended.out)
    assert 0 == ended.code
    assert [] == document["results"]
    assert [
        ("README.md", 1, "documentation", 1),
        ("a.py", 1, "comment", 1),
        ("a.py", 2, "dummy", 1),
        ("tests/users.json", 1, "tests", 2),
    ] == [
        (found["place"]["path"], found["place"]["line"], found["why"], found["count"])
        for found in document["stored_apart"]
    ]
    assert "tests/users.json:1 and 1 more" in scan(tmp_path).out
    assert 1 == scan(tmp_path, "--include-tests").code


def test_a_dummy_that_the_code_makes_is_listed_apart(tmp_path: Path) -> None:
    """A dummy made when the program starts fails nothing, and is noted if it has another cost."""
    (tmp_path / "a.js").write_text(
        "const bcrypt = require('bcrypt');\nconst dummyHash = bcrypt.hashSync('x', 5);\n"
        "module.exports = (p) => bcrypt.hash(p, 12);\n"
    )
    ended = calibrate("scan", "--profile", str(MADE_UP), cwd=tmp_path)
    assert 0 == ended.code
    shown = " ".join(ended.out.split())
    assert "Hashes that nobody has, not judged: hasher cost why where bcrypt cost=5 dummy" in shown
    assert "a.js:2: the dummy hash is bcrypt cost=5" in " ".join(ended.err.split())


@table("code, dummy, said")
def test_a_dummy_hash_is_compared_with_the_cost(
    tmp_path: Path, code: str, dummy: str, said: str
) -> None:
    """A dummy hash of another hasher or cost than the only one that is set is a note, and fails
    nothing.
    """
    (tmp_path / "a.py").write_text(f"import bcrypt\n{code}\nDUMMY = '{dummy}{SALT}{DIGEST}'\n")
    ended = calibrate("scan", "--profile", str(MADE_UP), cwd=tmp_path)
    heard = " ".join(ended.err.split())
    assert 0 == ended.code
    assert bool(said) == ("stale-dummy" in heard)
    assert said in heard
    assert SALT not in ended.out + ended.err


def test_check_compares_a_dummy_too(tmp_path: Path) -> None:
    """`check` compares a dummy hash with the cost, for a project and for an application's file."""
    (tmp_path / "a.js").write_text(
        f"const bcrypt = require('bcrypt');\nbcrypt.hash(p, 12);\nconst dummyHash = '{STORED}';\n"
    )
    (tmp_path / "hashcost.toml").write_text('scan = ["."]\n')
    for words in (["check"], ["check", "--app", "node-bcrypt", "a.js"]):
        ended = calibrate(*words, "--profile", str(MADE_UP), cwd=tmp_path)
        heard = " ".join(ended.err.split())
        assert "a.js:3: the dummy hash is bcrypt cost=5, but new hashes are bcrypt" in heard


def test_a_hash_in_the_place_of_a_cost_is_not_shown(tmp_path: Path) -> None:
    """A row that tells why a cost is unknown quotes the code, but no part of a hash in it."""
    escaped = STORED.replace("$", "\\$")
    (tmp_path / "a.py").write_text(
        f"import bcrypt\nbcrypt.gensalt('{STORED}')\nbcrypt.gensalt({{'a': '{STORED}'}}['b'])\n"
    )
    (tmp_path / "b.php").write_text(
        f'<?php\npassword_hash($p, PASSWORD_BCRYPT, ["cost" => "{escaped}"]);\n'
    )
    (tmp_path / "c.js").write_text(
        f"const bcrypt = require('bcrypt');\nbcrypt.hash(p, x ? '{STORED}' : y);\n"
        f"bcrypt.hash(p, x ? '{STORED[:29]}' : y);\nbcrypt.hash(p, '{STORED[:29]}');\n"
    )
    for form in formats_of("scan"):
        ended = scan(tmp_path, "-f", form)
        assert SALT[:6] not in ended.out + ended.err, form
    assert "a text with a stored hash" in " ".join(scan(tmp_path).out.split())
