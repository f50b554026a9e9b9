"""``calibrate audit`` of standard input, files and databases."""

import csv
import io
import json
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any, Final

from corpora import table
from end_to_end.command import COMMAND, MADE_UP, Ended, calibrate, calibrate_installed

BCRYPT: Final = "$2b$10$" + "d" * 53
MD5: Final = "0a" * 16
SCRAM: Final = f"SCRAM-SHA-256$4096:{'c2Fs' * 4}${'d' * 43}=:{'e' * 43}="


def piped(data: bytes, *arguments: str) -> Ended:
    """Run audit with these bytes on standard input."""
    return calibrate("audit", *arguments, stdin=data)


def counted(data: bytes | str, *arguments: str) -> dict[str, Any]:
    """Return the audit's JSON, with the kinds that there are any of."""
    ended = piped(data.encode() if isinstance(data, str) else data, "-", "-f", "json", *arguments)
    assert (0, "") == (ended.code, ended.err)
    audit: dict[str, Any] = json.loads(ended.out)
    return {**audit, "kinds": {kind: count for kind, count in audit["kinds"].items() if count}}


@table("lines, arguments, code")
def test_fail_on_weak(lines: list[str], arguments: list[str], code: int) -> None:
    """The code is 1 if a hash is weak, 3 if one cannot be judged, and 0 without the option;
    why is one line on standard error.
    """
    text = "\n".join(lines).encode()
    arguments = [word.format(profile=MADE_UP) for word in arguments]
    ended = piped(text, "-", "--fail-on-weak", *arguments)
    assert (code, int(code > 0)) == (ended.code, ended.err.count("\n"))
    assert 0 == piped(text, "-", *arguments).code


def test_the_reason_is_the_verdict() -> None:
    """Standard error repeats the verdict on one line, which gives the reason for the code."""
    ended = piped(b"!$2b$04$%b\n$2b$04$%b\n" % (b"a" * 53, b"a" * 53), "-", "--fail-on-weak")

    assert ended.out.endswith("\nThe hash is below the minimum of owasp.\n")
    assert "calibrate: --fail-on-weak: The hash is below the minimum of owasp.\n" == ended.err
    assert "\n1 lock has a hash behind it, which is not judged.\n" in ended.out


def test_damaged_hashes_are_counted() -> None:
    """A file of lines that only begin like hashes is counted; one of other bytes is refused."""
    ended = piped(b"pbkdf2_sha256$10000$a$b\n" * 3, "-")

    assert (0, "") == (ended.code, ended.err)
    assert "\n3 cannot be read: cut off, not text, or of a program unknown here;" in ended.out
    assert ended.out.endswith("\nNo hash was judged; 3 lines were not recognised.\n")
    assert 2 == piped(b"\xff\xfe\xfd\n" * 3, "-").code


def test_ids_and_numbers_are_not_counted_as_passwords() -> None:
    """Beside IDs, a number is a password only if a hash is there too, or a layout is named."""
    values = "babc8a65-2c24-4d17-958a-4c195b8482df\nm/12381/3600/0\n4\n"
    refused = piped(values.encode(), "-")
    assert refused.code == 2
    assert "no hash is recognised in 3 lines; if there are some, write only them" in refused.err
    alone = counted(values, "--layout", "hash")["kinds"]
    assert alone == {"plain": 2, "unrecognised": 1}
    beside = counted(f"$2b$10${'d' * 53}\n{values}")["kinds"]
    assert beside == {"hashed": 1, "plain": 2, "unrecognised": 1}


def test_comments_that_begin_like_locks_are_no_hashes() -> None:
    """A mark that locks an account also begins lines of text."""
    ended = piped(b"*\n* a licence\n* of this file\nvalue\n", "-")
    assert (2, True) == (ended.code, "no hash is recognised in 4 lines" in ended.err)
    assert 0 == piped(b"root:*:19000:0:99999:7:::\nbin:!:19000:0:99999:7:::\n", "-").code


def test_a_dump_without_passwords_says_what_to_do() -> None:
    """Its columns may be unknown."""
    ended = piped(b"INSERT INTO t VALUES (1, 'a', '0a0b0a0b0a0b0a0b0a0b0a0b0a0b0a0b');\n", "-")
    assert (2, True) == (ended.code, "none is recognised in a column" in ended.err)


def test_what_else_a_text_may_have_is_said() -> None:
    """In a text that is no list, hashes without a mark are not told from other values."""
    rows = b"host  user  hash\n----  ----  ----\na     b     *%b\nc     d     %b\n"
    ended = piped(rows % (b"0A" * 20, b"0a" * 16), "-")
    assert ended.out.startswith("1 stored hash\n")
    assert "\nThe text is not a list of hashes: only those that name a format" in ended.out


def test_a_closed_standard_input() -> None:
    """A closed standard input ends with 2 and a line."""
    shell = ("/bin/sh", "-c", 'exec "$0" "$@" <&-', COMMAND)
    ended = calibrate_installed("audit", "-", command=shell)

    assert 2 == ended.code
    assert ended.err.startswith("calibrate: cannot read standard input: it is closed")


def test_a_database(tmp_path: Path) -> None:
    """A query's first column is counted; its URL may come from the environment."""
    path = tmp_path / "users.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (password TEXT)")
        rows = [(BCRYPT,), (None,), (MD5,)]
        connection.executemany("INSERT INTO users VALUES (?)", rows)
    connection.close()
    env = {"HASHCOST_DATABASE": f"sqlite:///{path}"}
    query = ("audit", "--query", "SELECT password FROM users", "--format", "json")
    ended = calibrate(*query, env=env)
    audit = json.loads(ended.out)

    assert (0, "", "database", 3) == (ended.code, ended.err, audit["layout"], audit["total"])
    assert ended == calibrate(*query, "--database", f"sqlite:///{path}")


def test_a_forecast(tmp_path: Path) -> None:
    """A column of last logins tells how many stay below the minimum; a rate, how many at least."""
    path = tmp_path / "users.csv"
    weak = BCRYPT.replace("$10$", "$08$")
    now = time.time()
    ages = (0.0, 40, 100, 400)
    rows = [f"{weak},{now - days * 86400:.0f}" for days in ages]
    path.write_text("\n".join(["hash,seen", *rows, f"{weak},", f"{BCRYPT},0"]))
    read = ("audit", str(path), "--column", "hash")
    ended = calibrate(*read, "--last-login", "seen")
    bound = calibrate(*read, "--logins", "6/day")

    assert (0, "") == (ended.code, ended.err)
    assert "\nbelow the minimum    5           4            3             2\n" in ended.out
    assert ended.out.endswith(" 4 of 5 will be left in a month, 2 in 12 months.\n")
    assert " will be left in a month, perhaps none\n" in bound.out
    for option, value in (("--last-login", "seen"), ("--logins", "6/day")):
        forecast = json.loads(calibrate(*read, option, value, "-f", "json").out)["forecast"]
        assert [1, 3, 12] == [row["months"] for row in forecast["remaining"]]
    strong = tmp_path / "strong"
    strong.write_text(f"{BCRYPT}\n")
    none = calibrate("audit", str(strong), "--logins", "6/day")
    assert "No hash has to be made anew at a login." in none.out
    assert 2 == calibrate(*read, "--last-login", "seen", "--logins", "6/day").code
    assert 2 == calibrate("audit", str(path), "--last-login", "seen").code
    wrong = calibrate(*read, "--last-login", "hash")
    assert (2, 1) == (wrong.code, wrong.err.count("\n"))
    assert "dddd" not in wrong.err


def test_an_audit_is_compared_with_an_earlier_one(tmp_path: Path) -> None:
    """The answer says how many were below the minimum; another policy or file is refused."""
    old = tmp_path / "old.json"
    weak = BCRYPT.replace("$10$", "$08$")
    old.write_bytes(piped(f"{weak}\n{weak}\n{BCRYPT}".encode(), "-", "-f", "json").out.encode())
    ended = piped(f"{weak}\n{BCRYPT}".encode(), "-", "--since", str(old))

    said = "1 fewer than before are below the minimum: 2 of 3 were, 1 of 2 are now."
    assert (0, said) == (ended.code, ended.out.splitlines()[-1])
    rows = [line.split()[:4] for line in ended.out.splitlines()[2:6]]
    assert ["hasher", "cost", "before", "count"] == rows[0]
    assert [["bcrypt", "cost=8", "2", "1"], ["bcrypt", "cost=10", "1", "1"]] == rows[1:3]
    gone = piped(f"{weak}\n".encode(), "-", "--since", str(old)).out.splitlines()
    assert ["bcrypt", "cost=10", "1", "0", "met"] == gone[4].split()[:5]
    written = piped(f"{weak}\n".encode(), "-", "--since", str(old), "-f", "csv").out
    counts = [(row["count"], row["before"]) for row in csv.DictReader(io.StringIO(written))]
    assert [("1", "2"), ("0", "1")] == counts
    other = piped(BCRYPT.encode(), "-", "--since", str(old), "--policy", "none")
    assert 2 == other.code
    assert " was judged by other policies; " in other.err
    wrong = piped(BCRYPT.encode(), "-", "--since", str(MADE_UP))
    assert 2 == wrong.code
    assert " is not an audit; make one with " in wrong.err


def test_a_long_file_takes_no_memory(tmp_path: Path) -> None:
    """Fifty times as many hashes take no more memory: they are counted as they come."""
    peaks = []
    script = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True,"
        " stdout=subprocess.DEVNULL);"
        " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    path = tmp_path / "hashes"
    for times in (2_000, 100_000):
        path.write_text(f"alice:{BCRYPT}\nbob:{MD5}\n" * times)
        python = (sys.executable, "-c")
        measured = calibrate_installed(script, COMMAND, "audit", str(path), command=python)
        peaks.append(int(measured.out))

    assert peaks[1] < 1.1 * peaks[0]
