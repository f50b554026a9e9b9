"""The hosts that tests of fleets run on are hosts of their own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from end_to_end.command import calibrate
from end_to_end.fleet_hosts import Fleet, fleet, old_python
from end_to_end.runtimes.projects import AbsentError

pytestmark = pytest.mark.scenario

_FILL_DISKS: Final = """\
for each in "$HOME" /var/tmp /dev/shm; do
    mount -t tmpfs -o size=4k none "$each"; yes >"$each/full" 2>/dev/null
done
exit 0
"""
BIN: Final = str(Path(sys.executable).parent)
_FACTS: Final = """\
hostname; cat /etc/machine-id; python3 -c 'import sys; print((3, 8) <= sys.version_info < (3, 11))'
echo "${OPENSSL_ia32cap-}"; nice; wc -l </proc/self/cgroup; echo mine >/etc/only-here
"""


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Five hosts."""
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(fleet(tmp_path_factory.mktemp("fleet")))
        except AbsentError as error:
            pytest.skip(str(error))
        yield found


def test_each_is_a_host_of_its_own(hosts: Fleet) -> None:
    """Five names, five machine ids, and what is written in /etc on one is on no other."""
    told = [hosts.run(each, _FACTS).splitlines() for each in hosts.hosts]

    assert [each.name for each in hosts.hosts] == [name for name, *_ in told]
    assert len({machine_id for _, machine_id, *_ in told}) == len(hosts.hosts)
    assert [":~0x20000000"] == [mask for _, _, _, mask, *_ in told if mask]
    is_old = old_python() is not None
    assert [False, False, False, is_old, False] == [old == "True" for _, _, old, *_ in told]
    assert ["0", "0", "0", "0", "10"] == [each[4] for each in told]
    assert all((each.etc / "only-here").exists() for each in hosts.hosts)
    assert not Path("/etc/only-here").exists()


def test_real_hosts_are_measured(hosts: Fleet, tmp_path: Path) -> None:
    """Over ssh, by the inventory that Ansible reads: what tells a host from the others is in its
    row, a full disk keeps none from being measured, and one that is gone is a row.
    """
    if shutil.which("ansible-inventory", path=BIN) is None:
        pytest.skip("pip install ansible-core")
    (tmp_path / "hosts.ini").write_text(f"{hosts.inventory}gone ansible_host=192.0.2.1\n")
    hosts.run(hosts.named("plain"), _FILL_DISKS)
    ended = calibrate(
        *("fleet", "--inventory", "hosts.ini", "--limit", "web", "--jobs", "3", "-f", "json"),
        *("--effort", "fast", "--hasher", "pbkdf2-sha256", "--target", "4ms", "--policy", "none"),
        *("--decision", "decision.toml", "--time-limit", "60s"),
        cwd=tmp_path,
        env={"PATH": f"{BIN}:{os.environ['PATH']}"},
    )
    result = json.loads(ended.out)
    found = {each["host"]: each for each in result["hosts"]}
    machines = {each["name"]: each for each in result["comparison"]["machines"]}
    (compared,) = result["comparison"]["hashers"]

    assert 4 == ended.code, ended.err
    assert [*(each.name for each in hosts.hosts), "gone"] == list(found)
    assert ["measured"] * 5 + ["failed"] == [each["outcome"] for each in found.values()]
    assert "`ssh` gives no shell" in found["gone"]["error"]
    assert len({each["host"]["id"] for each in machines.values()}) == 5
    assert [0.3, 0.6] == [
        pytest.approx(machines[each]["machine"]["cpu_limit"]["quota_seconds"] / 0.1)
        for each in ("quota", "nice")
    ]
    assert ":~0x20000000" == machines["no-sha-ni"]["machine"]["openssl_ia32cap"]
    assert ["no-sha-ni"] in [each["machines"] for each in compared["groups"]]
    assert '"no-sha-ni",' in (tmp_path / "decision.toml").read_text()
