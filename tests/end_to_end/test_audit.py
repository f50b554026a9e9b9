"""``calibrate audit`` of standard input, files and databases."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from end_to_end.command import (
    COMMAND,
    MADE_UP,
    Ended,
    calibrate,
    calibrate_installed,
    calibrate_on_terminal,
)

BCRYPT: Final = "$2b$10$" + "d" * 53
WEAK: Final = "$2b$08$" + "d" * 53
MD5: Final = "0a" * 16
UNRECOGNISED: Final = "{X-HMAC-SHA3}" + "0a" * 28
ENTRY: Final = "dn: uid=ann,dc=example\nobjectClass: person\n"
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


def test_a_shadow_file() -> None:
    """Locked accounts and empty passwords are told from hashes; line ends of Windows too."""
    lines = [f"a:{BCRYPT}", "b:!", "c:*", "d:", f"e:!{BCRYPT}", "f:hunter2", "g:$2b$10$x"]
    audit = counted("\ufeff# x\r\n" + "".join(f"{line}:19000:0:99999:7:::\r\n" for line in lines))
    kinds = {"hashed": 1, "locked": 3, "empty": 1, "plain": 1, "malformed": 1}

    assert ("user", kinds) == (audit["layout"], audit["kinds"])


@pytest.mark.parametrize(
    ("text", "arguments", "layout"),
    [
        (f"{BCRYPT}\n{SCRAM}\n", (), "hash"),
        (f"alice:{BCRYPT}\nbob:{SCRAM}\n", (), "user"),
        (f'name,hash\n"O""Neil, A",{BCRYPT}\nbob,"{SCRAM}"\n', ("--column", "hash"), "csv"),
        (f'{{"p":"{BCRYPT}"}}\n{{"p":"{SCRAM}"}}\n', ("--column", "p"), "jsonl"),
        (f"{ENTRY}userPassword: {{CRYPT}}{BCRYPT}\nuserPassword: {SCRAM}\n", (), "ldif"),
    ],
)
def test_every_layout(text: str, arguments: tuple[str, ...], layout: str) -> None:
    """The layout is told, and each hash is counted with its cost."""
    audit = counted(text, *arguments)

    assert (layout, 2) == (audit["layout"], audit["total"])
    assert [{"cost": 10}, {"iterations": 4096}] == [group["params"] for group in audit["groups"]]


@pytest.mark.parametrize(
    ("lines", "arguments", "code"),
    [
        ((BCRYPT,), (), 0),
        ((BCRYPT, WEAK), (), 1),
        ((BCRYPT, "hunter2"), (), 1),
        ((BCRYPT, "$2b$12$cut"), (), 3),
        ((WEAK, "$2b$12$cut"), (), 1),
        ((BCRYPT, UNRECOGNISED), (), 3),
        ((BCRYPT,), ("--policy", "fips"), 1),
        ((BCRYPT,), ("--target", "1s", "--profile", str(MADE_UP)), 1),
    ],
)
def test_fail_on_weak(lines: tuple[str, ...], arguments: tuple[str, ...], code: int) -> None:
    """The code is 1 where a hash is below the floor or the target, 3 where one cannot be read, and
    0 without the option; why is one line on standard error.
    """
    text = "\n".join(lines).encode()
    ended = piped(text, "-", "--fail-on-weak", *arguments)
    assert (code, int(code > 0)) == (ended.code, ended.err.count("\n"))
    assert 0 == piped(text, "-", *arguments).code


def test_a_target_by_a_profile() -> None:
    """Nothing is timed, so that the same file gives the same bytes."""
    arguments = ("-", "--target", "100ms", "--profile", str(MADE_UP))
    once, again = (piped(f"{BCRYPT}\n{WEAK}\n".encode(), *arguments) for _ in range(2))

    assert once == again
    assert "1 of 2 hashes is cheaper than the target of 100 ms." in once.out


def test_an_application_decides() -> None:
    """32 digits are NT for Samba and MD5 for nobody in particular."""
    for arguments, hasher in ((("--app", "samba"), "nt"), ((), "md5")):
        assert [hasher] == [group["hasher"] for group in counted(MD5, *arguments)["groups"]]


def test_what_is_unrecognised_is_shown_by_its_shape() -> None:
    """Each shape has its count, and no part of what has it is shown."""
    text = f"{UNRECOGNISED}\n{UNRECOGNISED}\nhunter2\n".encode()
    for form in ("table", "csv", "markdown", "json"):
        shown = piped(text, "-", "--layout", "hash", "--format", form).out
        assert "unrecognised" in shown
        assert "SCHEME" in shown
        assert "0a0a0a" not in shown


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


def test_progress(tmp_path: Path) -> None:
    """A bar is drawn while a file is read, on a terminal and unless it is to be quiet."""
    path = tmp_path / "hashes"
    path.write_text(f"{BCRYPT}\n" * 30_000)
    quiet = calibrate_on_terminal("audit", str(path), "--quiet", terminal="err")

    assert "reading hashes" in calibrate_on_terminal("audit", str(path), terminal="err").err
    assert (0, "") == (quiet.code, quiet.err)


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
