"""The command ``compare`` as it is installed."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from end_to_end.command import MADE_UP, calibrate
from fakes import slowed_profile
from hashcost.core.machine import HostIdentity
from hashcost.storage.profile import load_profile, save_profile

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
    other = replace(slow.machine, cpu_model="other")
    save_profile(profile, tmp_path / "old.json")
    save_profile(replace(slow, machine=other), tmp_path / "new.json")
    return tmp_path


def _fleet(folder: Path, factor: float = 1.0) -> None:
    """Profiles of three hosts that are alike, so many times as slow as the first time."""
    for index in range(3):
        slow = slowed_profile(load_profile(MADE_UP), factor * (1 + index / 1000))
        named = replace(slow, host=HostIdentity(name=f"web{index}"))
        save_profile(named, folder / f"web{index}.json")


def test_a_decision_is_kept_and_emitted(tmp_path: Path) -> None:
    """Measuring a fleet again leaves the file as it is; a snippet is written from it."""
    _fleet(tmp_path)
    decision = ("compare", "web0.json", "web1.json", "web2.json", "--decision", "decision.toml")
    first = calibrate(*decision, cwd=tmp_path)
    content = (tmp_path / "decision.toml").read_bytes()
    _fleet(tmp_path, 1.01)
    again = calibrate(*decision, cwd=tmp_path)
    asked = ("emit", "django", "--from", "decision.toml", "-q")
    emitted = calibrate(*asked, cwd=tmp_path)
    decided = {
        f"{cost['hasher']}@{cost['implementation']}": cost["params"]
        for cost in tomllib.loads(content.decode())["cost"]
    }

    assert (0, 0, 0) == (first.code, again.code, emitted.code)
    assert "sha512-crypt@libcrypt rounds=159000: new" in first.err
    assert "sha512-crypt@libcrypt rounds=159000: kept" in again.err
    assert content == (tmp_path / "decision.toml").read_bytes()
    assert "sha512-crypt                rounds=159000" in again.out
    assert again.out.rpartition("\n\n")[2].startswith("Use pbkdf2-sha256@")
    iterations = decided["pbkdf2-sha256@hashlib"]["iterations"]
    assert 600_000 == iterations
    assert f"iterations = {iterations}\n" in emitted.out


def test_no_answer_has_its_code(machines: Path) -> None:
    """Without a hasher in common nothing is told; what is decided on may lack what is asked."""
    _edited(machines / "alone.json", _another_hasher)
    apart = calibrate("compare", "old.json", "alone.json", cwd=machines)
    calibrate(*_ARGUMENTS, "--hasher", "bcrypt", "--decision", "b.toml", cwd=machines)
    lacking = calibrate("emit", "django", "--from", "b.toml", cwd=machines)

    assert (3, "", 4, "") == (apart.code, apart.out, lacking.code, lacking.out)
    assert "the machines have no hasher in common" in apart.err
    assert "nothing is decided on pbkdf2-sha256@" in lacking.err


def _another_hasher(profile: dict[str, Any]) -> None:
    """Leave only the first hasher, under a name that no other machine has."""
    for key in ("measurements", "results"):
        profile[key] = profile[key][:1]
        profile[key][0]["hasher"] = "house"
