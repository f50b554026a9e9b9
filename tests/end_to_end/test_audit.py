"""``calibrate audit`` as it is installed."""

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
    """The audit's JSON."""
    ended = piped(data.encode() if isinstance(data, str) else data, "-", "-f", "json", *arguments)
    assert (0, "") == (ended.code, ended.err)
    found: dict[str, Any] = json.loads(ended.out)
    return found


def kinds(found: dict[str, Any]) -> dict[str, int]:
    """The kinds that there are any of."""
    return {kind: many for kind, many in found["kinds"].items() if many}


def test_a_shadow_file() -> None:
    """Locked accounts and empty passwords are told from hashes; line ends of Windows too."""
    lines = [f"a:{BCRYPT}", "b:!", "c:*", "d:", f"e:!{BCRYPT}", "f:hunter2", "g:$2b$10$x"]
    text = "\ufeff# accounts\r\n" + "".join(f"{line}:19000:0:99999:7:::\r\n" for line in lines)
    found = counted(text)
    assert "user" == found["layout"]
    assert {
        "hashed": 1,
        "locked": 3,
        "empty": 1,
        "plain": 1,
        "malformed": 1,
    } == kinds(found)


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
    found = counted(text, *arguments)
    assert (layout, 2) == (found["layout"], found["total"])
    assert [{"cost": 10}, {"iterations": 4096}] == [group["params"] for group in found["groups"]]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfa\n\xf0\n", {"malformed": 2}),
        (b"a" * (10 << 20) + b"\n" + BCRYPT.encode(), {"hashed": 1, "malformed": 1}),
        (b"$6$rounds=" + b"9" * 30 + b"$salt$" + b"d" * 86, {"malformed": 1}),
        (b"$2b$99$" + b"d" * 53, {"malformed": 1}),
        (b"$argon2id$v=19$m=-1,t=0,p=1$c2FsdHNhbHQ$" + b"d" * 43, {"malformed": 1}),
        (b"{SSHA}\n{SSHA}broken", {"malformed": 2}),
    ],
)
def test_bytes_that_are_no_hash(data: bytes, expected: dict[str, int]) -> None:
    """Whatever the bytes, they are counted for what they are."""
    assert expected == kinds(counted(data, "--layout", "hash"))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# nothing\n", b" \r\n\t"])
def test_nothing_to_count(data: bytes) -> None:
    """An empty file is no file without weak hashes."""
    assert Ended(
        code=2, out="", err="calibrate: no hashes found; name another file or column\n"
    ) == piped(data, "-")


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
    0 without the option.
    """
    text = "\n".join(lines).encode()
    assert code == piped(text, "-", "--fail-on-weak", *arguments).code
    assert 0 == piped(text, "-", *arguments).code


def test_a_target_by_a_profile() -> None:
    """Nothing is timed, so that the same file gives the same bytes."""
    arguments = ("-", "--target", "100ms", "--profile", str(MADE_UP))
    once, again = (piped(f"{BCRYPT}\n{WEAK}\n".encode(), *arguments) for _ in range(2))
    assert once == again
    assert "1 of 2 is cheaper than the target of 100 ms." in once.out


def test_an_application_decides() -> None:
    """32 digits are NT for Samba and MD5 for nobody in particular."""
    assert ["nt"] == [each["hasher"] for each in counted(MD5, "--app", "samba")["groups"]]
    assert ["md5"] == [each["hasher"] for each in counted(MD5)["groups"]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name a file of hashes, `-` for standard input, or --database URL"),
        (("-", "--app", "toy"), "unknown application '(not shown: it may be a secret)'; name one"),
        (("-", "--query", "SELECT 1"), "--query needs --database URL"),
        (("-", "--database", "sqlite://"), "--database replaces FILE, --layout and"),
        (("--database", "sqlite://"), "--database needs a --query, such as 'SELECT password"),
        (("-", "--target", "40"), "has no unit; write 40ms for milliseconds or 40s"),
        (("-", "--layout", "hash", "--column", "2"), "--column does not apply to --layout "),
        (("-", "--layout", "csv"), "--column: name the column of the hashes"),
    ],
)
def test_wrong_options(arguments: tuple[str, ...], said: str) -> None:
    """Each is refused with what to change."""
    ended = piped(b"x", *arguments)
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert said in ended.err


def test_what_is_unrecognised_is_shown_by_its_shape() -> None:
    """Each shape has its count, and no part of what has it is shown."""
    text = f"{UNRECOGNISED}\n{UNRECOGNISED}\nhunter2\n"
    groups = [
        (group["formats"][0]["format"], group["count"])
        for group in counted(text, "--layout", "hash")["groups"]
        if group["kind"] == "unrecognised"
    ]
    assert [("{x-hmac-sha3} scheme, hex, 56 characters", 2)] == groups
    for form in ("table", "csv", "markdown"):
        shown = piped(text.encode(), "-", "--layout", "hash", "--format", form).out
        assert "unrecognised" in shown
        assert "56 characters" in shown
        assert "0a0a0a" not in shown


def test_devices_and_closed_inputs(tmp_path: Path) -> None:
    """A folder, an empty device and a closed standard input each end with 2 and a line."""
    shell = ("/bin/sh", "-c", 'exec "$0" "$@" <&-', COMMAND)
    said = [
        calibrate("audit", str(tmp_path)),
        calibrate("audit", "/dev/null"),
        calibrate_installed("audit", "-", command=shell),
        calibrate_installed("explain", command=shell),
    ]
    assert [
        "calibrate: cannot read the file: is a directory",
        "calibrate: no hashes found; name another file or column\n",
        "calibrate: cannot read standard input: it is closed\n",
        "calibrate: cannot read standard input: it is closed\n",
    ] == [ended.err.partition("; name a file of")[0] for ended in said]
    assert [2] * 4 == [ended.code for ended in said]


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
    assert (0, "") == (ended.code, ended.err)
    assert ended == calibrate(*query, "--database", f"sqlite:///{path}")
    assert ("database", {"hashed": 1, "fast": 1, "empty": 1}) == (
        json.loads(ended.out)["layout"],
        kinds(json.loads(ended.out)),
    )


def test_progress(tmp_path: Path) -> None:
    """A bar is drawn while a file is read, on a terminal and unless it is to be quiet."""
    path = tmp_path / "hashes"
    path.write_text(f"{BCRYPT}\n" * 30_000)
    assert "reading hashes" in calibrate_on_terminal("audit", str(path), terminal="err").err
    quiet = calibrate_on_terminal("audit", str(path), "--quiet", terminal="err")
    assert (0, "") == (quiet.code, quiet.err)
    assert "" == calibrate("audit", str(path)).err


def test_a_long_file_takes_no_memory(tmp_path: Path) -> None:
    """Fifty times as many hashes take no more memory: they are counted as they come."""
    peaks = []
    for times in (2_000, 100_000):
        path = tmp_path / "hashes"
        path.write_text(f"alice:{BCRYPT}\nbob:{MD5}\n" * times)
        script = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True,"
            " stdout=subprocess.DEVNULL);"
            " print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        measured = calibrate_installed(
            script,
            COMMAND,
            "audit",
            str(path),
            command=(sys.executable, "-c"),
        )
        peaks.append(int(measured.out))
    assert peaks[1] < 1.1 * peaks[0]


def test_a_database_is_no_file_of_lines(tmp_path: Path) -> None:
    """An SQLite file, and any other without text, is refused with how a database is asked."""
    database, binary = tmp_path / "users.db", tmp_path / "users.bin"
    with sqlite3.connect(database) as connection:
        connection.execute("create table users (password text)")
        connection.execute("insert into users values (?)", (BCRYPT,))
    connection.close()
    binary.write_bytes(bytes(range(256)) * 20)
    ends = [calibrate("audit", str(path)) for path in (database, binary)]

    assert [(2, "", 1)] * 2 == [(ended.code, ended.out, ended.err.count("\n")) for ended in ends]
    assert "an SQLite database; read it with --database sqlite:///FILE" in ends[0].err
    assert "the file is binary" in ends[1].err
    assert not [ended for ended in ends if "--query" not in ended.err]
