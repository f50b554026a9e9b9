"""The decided cost in the terms of Ansible's own filter."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from collection import linked
from fakes import decided_cost
from hashcost.storage.decision import Decision, save_decision


@pytest.fixture
def decision(tmp_path: Path) -> Path:
    """What `calibrate compare --decision` writes."""
    path = tmp_path / "decision.toml"
    costs = (
        decided_cost("bcrypt", {"cost": 13}, "bcrypt"),
        decided_cost("bcrypt", {"cost": 12}, "libcrypt"),
        decided_cost("sha512-crypt", {"rounds": 480_000}, "passlib"),
    )
    save_decision(Decision(cost=costs), path)
    return path


def filtered(decision: Path, *hashtype: str) -> Any:
    """What the filter gives."""
    name = "ansible_collections.hashcost.calibrate.plugins.filter.password_hash_cost"
    return importlib.import_module(name).password_hash_cost(decision.read_text(), *hashtype)


def test_arguments(decision: Path) -> None:
    """Of two libraries, the one that checks logins counts."""
    assert {"hashtype": "sha512", "rounds": 480_000} == filtered(decision)
    assert {"hashtype": "bcrypt", "rounds": 12, "ident": "2b"} == filtered(decision, "bcrypt")


@pytest.mark.parametrize(
    ("hashtype", "told"), [("md5", "no hash type 'md5'"), ("sha256", "no cost for sha256-crypt")]
)
def test_what_is_not_there(decision: Path, hashtype: str, told: str) -> None:
    """It never falls back to a default cost."""
    with pytest.raises(ValueError, match=told):
        filtered(decision, hashtype)


def test_ansible_hashes_with_it(decision: Path, tmp_path: Path) -> None:
    """Its arguments are those that password_hash takes."""
    text = (
        "{{ 'secret' | ansible.builtin.password_hash(**(lookup("
        f"'ansible.builtin.file', '{decision}') | hashcost.calibrate.password_hash_cost)) }}}}"
    )
    ended = subprocess.run(
        [
            Path(sys.executable).with_name("ansible"),
            "localhost",
            "-m",
            "debug",
            "-a",
            f"msg={text}",
        ],
        env={
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": str(linked(tmp_path)),
            "ANSIBLE_HOME": str(tmp_path / "home"),
            "ANSIBLE_NOCOLOR": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert "$6$rounds=480000$" in ended.stdout, ended.stdout + ended.stderr
