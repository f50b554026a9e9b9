"""Files for what hosts measured: whole, by the names of hosts, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from collection import linked


def kept(folder: Path, *documents: dict[str, Any], check: bool = False) -> dict[str, Any]:
    """What the module says, run as Ansible runs it on a host."""
    collections = folder / "collections"
    if not collections.exists():
        linked(collections)
    name = "ansible_collections.hashcost.calibrate.plugins.modules.keep_measured"
    given = {"folder": str(folder / "measured"), "measured": documents}
    of_ansible = {"_ansible_check_mode": check, "_ansible_remote_tmp": str(folder)}
    program = (
        "import json, sys\nfrom ansible.module_utils import basic\n"
        "basic._ANSIBLE_ARGS = sys.stdin.buffer.read()\n"
        "basic._ANSIBLE_PROFILE = 'legacy'\n"
        f"from {name} import main\nmain()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps({"ANSIBLE_MODULE_ARGS": {**given, **of_ansible}}),
        env={**os.environ, "PYTHONPATH": str(collections)},
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def document(name: str, **others: object) -> dict[str, Any]:
    """As much of a document as tells whose it is."""
    return {"kind": "samples", "host": {"name": name}, **others}


def test_a_file_for_each_host(tmp_path: Path) -> None:
    """The second time nothing changes, and a host that is not named keeps its file."""
    first = kept(tmp_path, document("web1"), document("web2", schema=1))
    folder = tmp_path / "measured"

    assert first["changed"]
    assert ["web1.json", "web2.json"] == sorted(each.name for each in folder.iterdir())
    assert document("web2", schema=1) == json.loads((folder / "web2.json").read_text())
    assert not kept(tmp_path, document("web1"))["changed"]
    again = kept(tmp_path, document("web1", schema=2))
    assert [str(folder / "web1.json")] == again["files"]
    assert (folder / "web2.json").exists()


def test_check_mode_writes_nothing(tmp_path: Path) -> None:
    """It says what it would change."""
    assert kept(tmp_path, document("web1"), check=True)["changed"]
    assert not (tmp_path / "measured").exists()


@pytest.mark.parametrize("name", ["", "..", "../web1", "/etc/passwd", "a/b", ".web1"])
def test_no_other_place_is_written(tmp_path: Path, name: str) -> None:
    """A host cannot choose where its file goes."""
    found = kept(tmp_path, document(name))

    assert found["failed"]
    assert "is no host that measure_info could have measured" in found["msg"]
    assert not (tmp_path / "measured").exists()
