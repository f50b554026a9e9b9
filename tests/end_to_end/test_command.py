"""The main job: which hashers run, in which form, and where the result goes."""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from corpora import cases, table
from end_to_end.command import (
    MADE_UP,
    QUICK,
    QUICK_DEFAULT,
    calibrate,
    calibrate_installed,
    formats_of,
)
from hashcost import __version__
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT

DEFAULTS: Final = cases(__file__, "command.toml", "defaults")
NO_HISTORY: Final = {"XDG_STATE_HOME": os.devnull}
FORMATS: Final = sorted(formats_of("recommend"), key=lambda form: form != "json")
"""JSON first, whose profile the others are solved from."""


def test_default_hashers() -> None:
    """Without names the eight default hashers are run, in their order, each by the first of
    its implementations; without a target for 250 ms.
    """
    ended = calibrate(*QUICK_DEFAULT, "--format", "json")
    rows = json.loads(ended.out)["results"]

    assert DEFAULTS == [f"{row['hasher']}@{row['implementation']}" for row in rows]
    assert {"measured"} == {row["status"] for row in rows}
    assert "in at most 250 ms" in calibrate("pbkdf2-sha1", "--effort", "fast").out


def test_memory_limit() -> None:
    """No hash takes more memory than --memory allows, not even one that is only timed."""
    hashers = ("scrypt", "argon2id", "yescrypt")
    ended = calibrate(*hashers, *QUICK_DEFAULT, "--memory", "3MiB", "--format", "json")
    profile = json.loads(ended.out)
    samples = {each["hasher"]: each["samples"] for each in profile["measurements"]}

    for row in profile["results"]:
        [ladder] = [knob for knob in row["knobs"] if knob["scale"] == "ladder"]
        timed = {sample["params"][ladder["name"]] for sample in samples[row["hasher"]]}
        memory = [row["memory_bytes"], *(step["memory_bytes"] for step in row["neighbours"])]
        assert max(memory) <= 3 << 20
        assert timed <= set(ladder["steps"])


@table("form, start")
def test_formats(form: str, start: str, tmp_path: Path) -> None:
    """Each format goes to standard output, which `-o -` is too, or, the same, into a file."""
    arguments = ("--from", str(MADE_UP), "--target", "100ms", "--format", form)
    printed = calibrate(*arguments, "--output", "-", cwd=tmp_path)
    written = calibrate(*arguments, "--output", "result", cwd=tmp_path)

    assert start == printed.out[: len(start)]
    assert ("", printed.code) == (written.out, written.code)
    assert [tmp_path / "result"] == list(tmp_path.iterdir())
    assert printed.out == (tmp_path / "result").read_text("utf-8")


def test_module_is_the_same_command() -> None:
    """``python -m hashcost`` is the same command under the same name."""
    module = (sys.executable, "-m", "hashcost")
    for arguments in (("--help",), ("--from", str(MADE_UP)), ("--target", "40")):
        expected = calibrate(*arguments)
        assert expected == calibrate_installed(*arguments, command=module)
    assert f"hashcost {__version__}\n" == calibrate_installed("-V").out


def _runs(state_home: Path) -> list[dict[str, Any]]:
    """The runs that the history of this state folder holds."""
    files = sorted((state_home / "hashcost" / "history").iterdir())
    return [json.loads(path.read_bytes()) for path in files]


@table("arguments, remembered")
def test_commands_that_time_feed_the_history(
    state_home: Path, arguments: tuple[str, ...], *, remembered: bool
) -> None:
    """Each leaves what it saw to later runs of any other, but a sweep, and where the state folder
    is no folder.
    """
    before = len(_runs(state_home))
    calibrate(*arguments, env=NO_HISTORY)
    assert before == len(_runs(state_home))
    calibrate(*arguments)
    assert remembered is ("bcrypt@bcrypt" in str(_runs(state_home)[before:]))


def test_the_first_run_says_so(tmp_path: Path) -> None:
    """Only the first run with a history says that nothing is known of the machine yet; a state
    folder that cannot be made costs nothing but the history.
    """
    (tmp_path / "file").touch()
    ended = [calibrate("bcrypt", *QUICK, env={"XDG_STATE_HOME": str(tmp_path)}) for _ in range(2)]
    without = calibrate("bcrypt", *QUICK, env={"XDG_STATE_HOME": str(tmp_path / "file")})

    assert [True, False] == ["a first run" in each.out for each in ended]
    assert "cost=" in without.out


def test_no_secret_anywhere(tmp_path: Path) -> None:
    """No format, file or message holds a hash, a salt or the password that was hashed."""
    texts = []
    for form in FORMATS:
        saved = (tmp_path / "json.json").exists()
        measured = ("--from", "json.json") if saved else ("--effort", "fast", "--memory", "4MiB")
        ended = calibrate(
            *("--target", "5ms", *measured, "--format", form, "--save", f"{form}.json"),
            cwd=tmp_path,
            env={"XDG_STATE_HOME": str(tmp_path / "state")},
        )
        texts += [ended.out, ended.err]
    files = list(tmp_path.rglob("*.json"))
    texts += [file.read_text("utf-8") for file in files]
    secrets = [PROBE_PASSWORD.decode(), PROBE_SALT.decode(), "$2b$", "$5$", "$6$"]
    secrets += ["$7$", "$y$", "$argon2"]
    for row in json.loads((tmp_path / "json.json").read_bytes())["results"]:
        # A hasher that cannot keep 5 ms on a slow machine has no params.
        if "iterations" in row.get("params", {}):
            name, count = row["hasher"].removeprefix("pbkdf2-"), row["params"]["iterations"]
            digest = hashlib.pbkdf2_hmac(name, PROBE_PASSWORD, PROBE_SALT, count)
            secrets += [digest.hex(), digest.decode("latin-1")]

    assert {*FORMATS} <= {file.stem for file in files}
    assert [] == [secret for secret in secrets if any(secret in text for text in texts)]
