"""The command ``compare`` as it is installed."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from end_to_end.command import MADE_UP, calibrate
from fakes import slowed_profile
from hashcost.core.machine import HostIdentity
from hashcost.documents.profile import load_profile, save_profile

_ARGUMENTS = ("compare", "old.json", "new.json")


def _edited(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Write a changed profile to a file."""
    content = json.loads(MADE_UP.read_text())
    edit(content)
    path.write_text(json.dumps(content))


@pytest.fixture
def machines(tmp_path: Path) -> Path:
    """A folder of two profiles: on another CPU a hash takes half as long again."""
    profile = load_profile(MADE_UP)
    slow = slowed_profile(profile, 1.5)
    other = msgspec.structs.replace(slow.machine, cpu_model="other")
    save_profile(profile, tmp_path / "old.json")
    save_profile(msgspec.structs.replace(slow, machine=other), tmp_path / "new.json")
    return tmp_path


def test_the_target_and_the_hashers_are_chosen(machines: Path) -> None:
    """Costs are solved for another target, of the hashers that are named."""
    ended = calibrate(
        *_ARGUMENTS, "-t", "100ms", "--hasher", "bcrypt@bcrypt", "-f", "json", cwd=machines
    )
    found = json.loads(ended.out)

    assert ("comparison", 0.1) == (found["kind"], found["target_seconds"])
    assert ["bcrypt"] == [each["hasher"] for each in found["hashers"]]
    assert {"cost": 10} == found["hashers"][0]["common"]["params"]


def test_warnings_are_passed_on(machines: Path) -> None:
    """That a machine was robbed of CPU time when it was measured is said again."""
    notice = {"code": "steal", "message": "others took 9.0 % of the CPU", "advice": "try later"}
    _edited(machines / "old.json", lambda profile: profile.update(warnings=[notice]))
    ended = calibrate(*_ARGUMENTS, cwd=machines)

    assert "steal: old and new: " in ended.err
    assert "others took 9.0 % of the CPU (the figure of old)" in " ".join(ended.err.split())


def test_a_hundred_profiles(tmp_path: Path) -> None:
    """A hundred machines have a record each and a row for each kind; a quarter of a kind may take
    longer than the target, and is named.
    """
    profile = load_profile(MADE_UP)
    for index in range(100):
        slow = slowed_profile(profile, 1.5 if index >= 90 else 1.0)
        save_profile(slow, tmp_path / f"web{index:02}.json")
    table = calibrate("compare", ".", "--hasher", "sha512-crypt", cwd=tmp_path).out
    ended = calibrate("compare", ".", "-f", "csv", "--hasher", "sha512-crypt", cwd=tmp_path)
    records = list(csv.DictReader(io.StringIO(ended.out)))

    assert 100 == len(records)
    assert 10 == sum(float(record["for_all_seconds"]) > 0.04 for record in records)
    assert "web90, web91, web92, web93, web94 and 5 others take up to" in " ".join(table.split())
    assert "and 99 others" in table
    assert len(table.splitlines()) < 40
    assert max(map(len, table.splitlines())) <= 80
    assert table.endswith(" on all 100 machines.\n")


def _fleet(folder: Path, factor: float = 1.0) -> None:
    """Profiles of three hosts that are alike, so many times as slow as the first time."""
    for index in range(3):
        slow = slowed_profile(load_profile(MADE_UP), factor * (1 + index / 1000))
        named = msgspec.structs.replace(slow, host=HostIdentity(name=f"web{index}"))
        save_profile(named, folder / f"web{index}.json")


def test_a_decision_is_kept_and_emitted(tmp_path: Path) -> None:
    """Measuring a fleet again leaves the file as it is; a snippet is written from it."""
    _fleet(tmp_path)
    decision = ("compare", "web0.json", "web1.json", "web2.json", "--decision", "decision.toml")
    first = calibrate(*decision, cwd=tmp_path)
    content = (tmp_path / "decision.toml").read_bytes()
    _fleet(tmp_path, 1.01)
    again = calibrate(*decision, cwd=tmp_path)
    emitted = calibrate(
        "emit", "django", "--from", "decision.toml", "-q", "--policy", "none", cwd=tmp_path
    )
    costs = tomllib.loads(content.decode())["cost"]
    (cost,) = (
        each
        for each in costs
        if (each["hasher"], each["implementation"]) == ("pbkdf2-sha256", "hashlib")
    )

    assert (0, 0, 0) == (first.code, again.code, emitted.code)
    assert "sha512-crypt@libcrypt rounds=159000: new" in first.err
    assert "sha512-crypt@libcrypt rounds=159000: kept" in again.err
    assert content == (tmp_path / "decision.toml").read_bytes()
    assert "Use sha512-crypt rounds=159000" in first.out
    assert "Use sha512-crypt rounds=159000" in again.out
    assert f"iterations = {cost['params']['iterations']}\n" in emitted.out


def test_a_slower_fleet_is_not_weakened_in_silence(tmp_path: Path) -> None:
    """A cost that takes too long is kept and named, and lowered if asked."""
    _fleet(tmp_path)
    decision = ("compare", ".", "--hasher", "sha512-crypt", "--decision", "decision.toml")
    calibrate(*decision, cwd=tmp_path)
    _fleet(tmp_path, 1.5)
    kept = calibrate(*decision, cwd=tmp_path)
    lowered = calibrate(*decision, "--lower", cwd=tmp_path)

    assert "rounds=159000: kept, though measuring again says that it takes longer" in " ".join(
        kept.err.split()
    )
    assert kept.out.endswith("Use sha512-crypt rounds=159000 on all 3 machines.\n")
    assert "rounds=105000: lowered from rounds=159000" in lowered.err
    assert lowered.out.endswith("Use sha512-crypt rounds=105000 on all 3 machines.\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("compare", ".", "--lower"), 2, "--lower needs a decision"),
        (("compare", ".", "--decision", "web0.json"), 2, "web0.json is not a decision"),
        (("compare", "web0.json", "web1.json", "--decision", "web0.json"), 2, "that is read"),
        (("emit", "django", "--from", "none.toml"), 2, "--from: cannot read none.toml"),
        (("emit", "django", "--from", "bcrypt.toml", "-t", "9ms"), 2, "--target does not apply"),
        (("emit", "django", "--from", "bcrypt.toml"), 4, "nothing is decided on pbkdf2-sha256@"),
        (("compare", ".", "--decision", "no/where.toml"), 2, "cannot write no/where.toml"),
    ],
)
def test_what_is_no_decision(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    """What is wrong is said in one line; nothing is written."""
    _fleet(tmp_path)
    calibrate("compare", ".", "--hasher", "bcrypt", "--decision", "bcrypt.toml", cwd=tmp_path)
    ended = calibrate(*arguments, cwd=tmp_path)

    assert (code, "") == (ended.code, ended.out)
    assert message in ended.err
    assert 1 == ended.err.count("\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("compare",), 2, "Missing argument"),
        (("compare", "old.json"), 2, "name at least two"),
        (("compare", "old.json", "old.json"), 2, "name at least two"),
        (("compare", "old.json", "none.json"), 2, "cannot read none.json"),
        (("compare", "old.json", "half.json"), 2, "half.json is incomplete or broken JSON"),
        (("compare", "old.json", "other.json"), 2, "other.json is not a profile"),
        (("compare", "."), 2, "half.json is incomplete or broken JSON"),
        (("compare", "old.json", "newer.json"), 2, "newer.json has schema 3, newer than the 1"),
        (("compare", "old.json", "alone.json"), 3, "the machines have no hasher in common"),
        ((*_ARGUMENTS, "--baseline", "odl"), 2, "did you mean old?"),
        (
            (*_ARGUMENTS, "alone.json", "--hasher", "bcrypt", "--baseline", "alone"),
            2,
            "alone has none of the hashers that are compared; name another machine, such as old",
        ),
        (
            (*_ARGUMENTS, "--hasher", "argon2id"),
            2,
            "no file has 'argon2id'; choose sha512-crypt",
        ),
        ((*_ARGUMENTS, "--target", "40"), 2, "no unit"),
        ((*_ARGUMENTS, "--target", "2h"), 2, "--target"),
        ((*_ARGUMENTS, "-o", "no/where"), 2, "cannot write no/where"),
        ((*_ARGUMENTS, "--policy", "owsap"), 2, "did you mean owasp?"),
    ],
)
def test_what_cannot_be_done(
    machines: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    """What is wrong is said in one line, with the code that it has; nothing else is printed."""
    (machines / "half.json").write_bytes(MADE_UP.read_bytes()[:-9])
    (machines / "other.json").write_text("{}")
    _edited(machines / "newer.json", lambda profile: profile.update(schema=3))
    _edited(machines / "alone.json", _another_hasher)
    ended = calibrate(*arguments, cwd=machines)

    assert (code, "") == (ended.code, ended.out)
    assert message in ended.err
    assert 1 == ended.err.count("\n")


def _another_hasher(profile: dict[str, Any]) -> None:
    """Leave only the first hasher, under a name that no other machine has."""
    for key in ("measurements", "results"):
        profile[key] = profile[key][:1]
        profile[key][0]["hasher"] = "house"
