"""``calibrate explain`` with a hash on standard input, or a cost."""

import json
import os
import pty
import re
import subprocess
from typing import Final

import pytest

from corpora import table
from end_to_end.command import COMMAND, MADE_UP, calibrate, environment, read_terminal

BCRYPT: Final = "$2b$10$" + "dEadBEef" * 6 + "d/9.Z"
BY_PROFILE: Final = ("--profile", str(MADE_UP))


@table("data, kind, params")
def test_whatever_comes_in_is_told(data: str, kind: str, params: dict[str, int]) -> None:
    """A hash is explained, whatever spaces, mark or user's name stands around it; so is a cost."""
    ended = calibrate("explain", "--format", "json", *BY_PROFILE, stdin=data.encode())
    explained = json.loads(ended.out)

    assert (0, "") == (ended.code, ended.err)
    assert (kind, params) == (explained["kind"], explained["params"])
    assert (kind == "hashed") == ((explained["time_seconds"] or 0) > 0)


@pytest.mark.parametrize("name", ["", "ines:"])
@pytest.mark.parametrize("digits", [80, 160, 512])
def test_a_key_of_unknown_length_is_no_name_of_a_user(digits: int, name: str) -> None:
    """A salt is not taken for a user's password: `explain` and `audit` read the whole alike."""
    text = f"{name}{'0a' * (digits // 2)}:a_store_a_storeH7GmsQMRBNQOuA6N".encode()
    explained = json.loads(calibrate("explain", "--format", "json", stdin=text).out)
    (group,) = json.loads(calibrate("audit", "-", "--format", "json", stdin=text).out)["groups"]
    for reading in (explained, group):
        assert reading["kind"] == "unrecognised"
        assert reading["format"] == f"fields, one of hex, {digits} characters"
        assert reading["notes"] == ["key-and-salt"]


def test_a_cost_that_is_timed_here() -> None:
    """Without a profile this machine is timed."""
    ended = calibrate("explain", "bcrypt=5")

    assert (0, "") == (ended.code, ended.err)
    assert "owasp    below the minimum (cost=10)" in ended.out
    assert "takes    " in ended.out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{BCRYPT}\n{BCRYPT}\n".encode(),
            "standard input has several lines; `calibrate audit -`",
        ),
        (b"\xff" * 9, "that hash cannot be read: it is malformed (no UTF-8)"),
        (b"a" * (10 << 20), "that hash cannot be read: it is malformed (overlong)"),
        (b"pbkdf2_sha256$1000$a$b", "begins like django pbkdf2, but is cut off, or another"),
        (b"$argon2id$v=19$m=65536", "`calibrate explain argon2id=m=19456,t=2,p=1`"),
        (b"$scrypt$ln=", "`calibrate explain scrypt=n=16384,r=8,p=1`"),
        (b"{SSHA}abc", "send the whole hash, or only its hasher: `calibrate explain ssha`"),
        (b"SCRAM-SHA-256$4096:", "begins like postgresql scram, but is cut off, or another"),
        (b"scrypt$15$8$1$salt$hash", "for example `calibrate explain scrypt=n="),
        (b"hunter2", "not a stored hash: it looks like plain text"),
        (b"\xff\xfea\0", "the input is text in UTF-16; convert it first"),
    ],
    ids=range(11),
)
def test_what_is_not_one_hash(text: bytes, message: str) -> None:
    """Many lines, and what is no hash, are refused."""
    ended = calibrate("explain", stdin=text)

    assert (2, "") == (ended.code, ended.out)
    assert message in ended.err


def test_a_prompt_does_not_echo() -> None:
    """On a terminal the hash is asked for, and what is typed is not shown."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [COMMAND, "explain", *BY_PROFILE],
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=follower,
        start_new_session=True,
        env=environment(),
    ) as process:
        os.close(follower)
        asked = read_terminal(leader, until="hash or cost: ")
        os.write(leader, BCRYPT.encode() + b"\n")
        assert process.stdout is not None
        out = process.stdout.read().decode()
        rest = read_terminal(leader)
    os.close(leader)

    assert 0 == process.returncode
    assert "hasher   bcrypt\ncost     cost=10\n" in out
    assert "dEadBEef" not in asked + rest + out


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        (
            "bcrypt=1",
            "takes cost from 4 to 31, not 1. Set at least cost=10, the minimum of owasp.",
        ),
        ("sha512-crypt=10", "not 10. Set one that is accepted."),
        ("phpass=99", "takes cost from 7 to 30, not 99; phpass cost=99 is outdated."),
    ],
)
def test_a_cost_out_of_range_is_explained(cost: str, said: str) -> None:
    """It is judged as `check` and `scan` do, with the range; nothing is timed or priced."""
    ended = calibrate("explain", cost, *BY_PROFILE)
    assert (0, "") == (ended.code, ended.err)
    assert said in " ".join(ended.out.split())
    assert "guessed" not in ended.out


def test_a_digest_that_is_not_computed_here_is_explained_by_one_of_the_same_work() -> None:
    """The command that is named judges the cost, and what no digest is like has none."""
    ended = calibrate("explain", "pbkdf2-sha384=12000", *BY_PROFILE)
    assert (0, "") == (ended.code, ended.err)
    command = re.search(r"`calibrate (explain pbkdf2-sha512=12000)`", " ".join(ended.out.split()))
    assert command is not None
    judged = calibrate(*command[1].split(), *BY_PROFILE)
    assert 0 == judged.code
    assert "is below the minimum of owasp" in judged.out
    assert "as much work" not in calibrate("explain", "pbkdf2-md5=12000", *BY_PROFILE).out
    checked = calibrate("check", "pbkdf2-sha384=12000", *BY_PROFILE)
    assert "`calibrate explain pbkdf2-sha512=12000`" in " ".join(checked.out.split())
    refused = calibrate("capacity", "pbkdf2-sha384=12000")
    assert "name pbkdf2-sha512, whose iterations take the same work" in refused.err


def test_the_next_step_for_an_unknown_hash_holds_for_a_program_in_any_language() -> None:
    """Its source has the cost, but `scan` does not read every language."""
    ended = calibrate("explain", *BY_PROFILE, stdin=b"5LK6KXA0dPBkrGj3APWwKz3GZvQ=")
    said = " ".join(ended.out.split())
    assert "look for them in the source of the program that made it" in said
    assert "`calibrate scan` if it reads that language" in said


def test_a_sign_names_standard_input_as_in_other_commands() -> None:
    """It is no cost."""
    text = b"scrypt$16384$8$1$" + b"0a" * 16 + b"$" + b"0a" * 32
    ended = calibrate("explain", "-", "--format", "json", *BY_PROFILE, stdin=text)
    assert {"n": 16384, "r": 8, "p": 1} == json.loads(ended.out)["params"]
