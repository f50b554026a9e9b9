"""Hosts of an Ansible inventory, read by Ansible itself."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import Ended, calibrate

BIN: Final = str(Path(sys.executable).parent)
_INI: Final = """\
[web]
web1 ansible_host=10.0.0.1 ansible_port=2222 ansible_user=deploy
web2
[db]
db1
"""
_SCRIPT: Final = """\
#!/bin/sh
echo '{"app": {"hosts": ["app1", "app2"]},'
echo '"_meta": {"hostvars": {"app1": {"ansible_user": "ops"}}}}'
"""
_WAY: Final = """\
#!/bin/sh
echo "$*" >&2; exit 255
"""


def fleet(folder: Path, *arguments: str, path: str = BIN) -> Ended:
    """Try hosts that all refuse, and say how they are reached."""
    way = folder / "way"
    way.write_text(_WAY)
    way.chmod(0o755)
    return calibrate(
        *(
            "fleet",
            *arguments,
            "--exec",
            f"{way} {{name}} {{user}}@{{host}}:{{port}}",
            "-f",
            "json",
        ),
        cwd=folder,
        env={"PATH": f"{path}:/usr/bin:/bin", "LOGNAME": "me"},
    )


def ways(ended: Ended) -> dict[str, str]:
    """How each host is reached, by what it said."""
    hosts = json.loads(ended.out)["hosts"]
    return {each["host"]: each["error"].rpartition(": ")[2] for each in hosts}


@pytest.fixture(autouse=True)
def _ansible() -> None:
    if shutil.which("ansible-inventory", path=BIN) is None:
        pytest.skip("pip install ansible-core")


def test_a_file_a_script_and_a_folder(tmp_path: Path) -> None:
    """Static and dynamic inventories, and both in one folder, with the way to each host."""
    folder = tmp_path / "inventory"
    folder.mkdir()
    (folder / "hosts.ini").write_text(_INI)
    (folder / "cloud").write_text(_SCRIPT)
    (folder / "cloud").chmod(0o755)
    static = fleet(tmp_path, "--inventory", "inventory/hosts.ini", "--limit", "web")
    dynamic = fleet(tmp_path, "--inventory", "inventory/cloud")
    both = fleet(tmp_path, "more", "--inventory", "inventory", "--limit", "app1,db")

    assert {
        "web1": "web1 deploy@10.0.0.1:2222 sh",
        "web2": "web2 me@web2:22 sh",
    } == ways(static)
    assert "app1 ops@app1:22 sh" == ways(dynamic)["app1"]
    assert {"app1", "db1", "more"} == set(ways(both))
    assert (4, 4, 4) == (static.code, dynamic.code, both.code)


def test_what_is_wrong_with_an_inventory(tmp_path: Path) -> None:
    """Without Ansible, without the file or without a host, it is said what to do."""
    (tmp_path / "hosts.ini").write_text(_INI)
    absent = fleet(tmp_path, "--inventory", "hosts.ini", path="/nonexistent")
    nothing = fleet(tmp_path, "--inventory", "hosts.ini", "--limit", "mail")
    nowhere = fleet(tmp_path, "--inventory", "other.ini")

    assert (4, 2, 2) == (absent.code, nothing.code, nowhere.code)
    assert "there is no ansible-inventory in the path; install it with `pip install" in absent.err
    assert "hosts.ini has no host that matches --limit 'mail'" in nothing.err
    assert "other.ini" in nowhere.err
    assert not (tmp_path / "fleet").exists()
