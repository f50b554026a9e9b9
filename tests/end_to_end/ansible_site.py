"""A folder with the example playbook of the Ansible collection, and the hosts that it is for."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from collection import COLLECTION, linked
from end_to_end.fleet_hosts import Fleet

_SECONDS: Final = 300
_RECAP: Final = re.compile(
    r"^(\S+) +: ok=\d+ +changed=(\d+) +unreachable=(\d) +failed=(\d)", re.MULTILINE
)


@dataclass(frozen=True)
class Ended:
    """What a run of a playbook came to."""

    code: int
    out: str

    @property
    def changed(self) -> dict[str, int]:
        """Tasks that changed something, by host."""
        return {host: int(count) for host, count, _, _ in _RECAP.findall(self.out)}

    @property
    def failed(self) -> list[str]:
        """The hosts that failed, or were not reached."""
        return [
            host for host, _, lost, failed in _RECAP.findall(self.out) if lost + failed != "00"
        ]


@dataclass(frozen=True)
class Site:
    """A folder with the example playbook, an inventory and variables."""

    folder: Path

    @classmethod
    def made(cls, folder: Path, inventory: str, handlers: str = "", **variables: str) -> Site:
        """Write all of it; ``variables`` are YAML by the name of a group or a host."""
        play = (COLLECTION / "playbooks/fleet.yml").read_text()
        (linked(folder) / "fleet.yml").write_text(f"{play}\n{handlers}")
        (folder / "inventory").write_text(inventory)
        for name, text in variables.items():
            path = folder / ("group_vars" if name == "all" else "host_vars") / f"{name}.yml"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        return cls(folder)

    def play(self, tags: str, *options: str) -> Ended:
        """Run the playbook."""
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder),
            "ANSIBLE_HOME": str(self.folder / "home"),
            "ANSIBLE_PIPELINING": "1",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_FORKS": "10",
        }
        ended = subprocess.run(
            ["ansible-playbook", "-i", "inventory", "fleet.yml", "--tags", tags, *options],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        return Ended(ended.returncode, ended.stdout + ended.stderr)

    @property
    def decision(self) -> dict[str, dict[str, Any]]:
        """The decided costs by hasher."""
        text = (self.folder / "decision.toml").read_text()
        return {each["hasher"]: each for each in tomllib.loads(text)["cost"]}


def inventory_of(hosts: Fleet) -> str:
    """The inventory, where the oldest Python is one that this ansible-core takes on a host."""
    from ansible.module_utils.basic import _PY_MIN

    old = hosts.python_on(hosts.named("old-python"))
    found = re.search(r"/versions/3\.(\d+)\.\d+/", old)
    if found is None or (3, int(found[1])) >= tuple(_PY_MIN):
        return hosts.inventory
    versions = Path(old).parents[2]
    newer = sorted(versions.glob(f"3.{_PY_MIN[1]}.*/bin/python3"))
    return hosts.inventory.replace(old, str(newer[0])) if newer else hosts.inventory
