"""``calibrate explain`` as it is installed."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import Any, Final

import pytest

from end_to_end.command import COMMAND, MADE_UP, Ended, calibrate, environment, read_terminal

BCRYPT: Final = "$2b$10$" + "dEadBEef" * 6 + "d/9.Z"
BY_PROFILE: Final = ("--profile", str(MADE_UP))


def piped(text: str | bytes, *arguments: str) -> Ended:
    """Run explain with a text on standard input."""
    stdin = text.encode() if isinstance(text, str) else text
    return calibrate("explain", *arguments, stdin=stdin)


def explained(text: str | bytes, *arguments: str) -> dict[str, Any]:
    """The explanation's JSON."""
    ended = piped(text, "--format", "json", *BY_PROFILE, *arguments)
    assert (0, "") == (ended.code, ended.err)
    found: dict[str, Any] = json.loads(ended.out)
    return found


@pytest.mark.parametrize(
    "text",
    [
        BCRYPT,
        f"\ufeff {BCRYPT}\r\n\r\n",
        f"alice:{BCRYPT}",
        f"a:{BCRYPT}:1::::::",
    ],
)
def test_a_hash_on_standard_input(text: str) -> None:
    """A hash is explained, whatever spaces, mark or user's name stands around it."""
    found = explained(text)
    assert ("hashed", "bcrypt", {"cost": 10}) == (found["kind"], found["hasher"], found["params"])
    assert found["time_seconds"] > 0


@pytest.mark.parametrize("named", [True, False])
def test_a_cost(*, named: bool) -> None:
    """A cost may be an argument, for it is no secret, or come from standard input."""
    cost = "pbkdf2-sha256=600000"
    arguments = ("--format", "json", *BY_PROFILE)
    ended = calibrate("explain", cost, *arguments) if named else piped(cost, *arguments)
    found = json.loads(ended.out)
    assert (0, None, {"iterations": 600_000}) == (ended.code, found["format"], found["params"])


def test_a_cost_that_is_timed_here() -> None:
    """Without a profile this machine is timed."""
    ended = calibrate("explain", "bcrypt=5")
    assert (0, "") == (ended.code, ended.err)
    assert "owasp    below the minimum (cost=10)" in ended.out
    assert "takes    " in ended.out


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ("bcrypt=99", "bcrypt takes cost from 4 to 31, not 99"),
        ("bcrypt=" + "9" * 30, "that is not a cost; write for example bcrypt=12 or argon2id="),
        ("bcrypt", "that is not a cost such as bcrypt=12; put a hash on standard input"),
        ("bcrypt@toy=5", "no implementation 'toy' of bcrypt; choose bcrypt@bcrypt"),
        (BCRYPT, "that is not a cost such as bcrypt=12; put a hash on standard input"),
    ],
)
def test_a_wrong_cost(cost: str, said: str) -> None:
    """Each is refused with what to write; a hash is not repeated."""
    ended = calibrate("explain", cost)
    assert (2, "", 1) == (ended.code, ended.out, ended.err.count("\n"))
    assert said in ended.err
    assert "dEadBEef" not in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing to explain"),
        (f"{BCRYPT}\n{BCRYPT}\n", "standard input has several lines; `calibrate audit -` counts"),
        (b"\xff\xfea\0", "the text is UTF-16; convert it first"),
    ],
)
def test_what_is_not_one_hash(text: str | bytes, said: str) -> None:
    """Nothing, many lines and two bytes a character are refused."""
    ended = piped(text)
    assert (2, "") == (ended.code, ended.out)
    assert said in ended.err


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff" * 9, "malformed"),
        (b"a" * (10 << 20), "malformed"),
        (b"!", "locked"),
        (b"hunter2", "plain"),
        (b"{NEW}" + b"a" * 40, "unrecognised"),
    ],
)
def test_any_bytes(data: bytes, kind: str) -> None:
    """Whatever comes in is told for what it is."""
    assert kind == explained(data)["kind"]


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


def test_an_application_has_no_use_with_a_cost() -> None:
    """A cost is the same whatever wrote it, so --app beside one is refused."""
    ended = calibrate("explain", "bcrypt=12", "--app", "django", "--profile", str(MADE_UP))

    assert (2, "") == (ended.code, ended.out)
    assert "calibrate: --app applies only to a hash, not to a cost; leave it out\n" == ended.err
