"""The Ansible collection on five hosts: from measuring to one cost that is applied once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from apps.realistic import LOGIN_DEFS
from collection import COLLECTION, linked
from end_to_end.fleet_hosts import FIVE, Fleet, fleet
from end_to_end.runtimes.projects import AbsentError

PAM: Final = "password\t[success=1 default=ignore]\tpam_unix.so obscure sha512 rounds=65536\n"
ENV: Final = "ADMIN_TOKEN=hunter2\nPASSWORD_ITERATIONS=100000\nSMTP_PASSWORD=hunter3\n"
POSTGRESQL: Final = "port = 5432\n#scram_iterations = 4096\ninclude_dir = 'conf.d'\n"
SETTINGS: Final = """\
from django.contrib.auth.hashers import PBKDF2PasswordHasher
SECRET_KEY = "hunter4"


class Hasher(PBKDF2PasswordHasher):
    iterations = 20_000


PASSWORD_HASHERS = ["settings.Hasher"]
"""
VARIABLES: Final = """\
fleet_target: 100ms
fleet_watch: 500ms
fleet_files:
  - {app: vaultwarden, path: /etc/app/vaultwarden.env}
"""
OF_ONE: Final = """\
fleet_files:
  - {app: login-defs, path: /etc/login.defs}
  - {app: pam-unix, path: /etc/pam.d/common-password}
  - {app: vaultwarden, path: /etc/app/vaultwarden.env, notify: [Restart the app]}
  - {app: postgresql, path: /etc/pg/postgresql.conf, with: ['/etc/pg/conf.d/*.conf'], notify: []}
  - {app: django, path: /etc/app/settings.py, validate: python3 -m py_compile %s}
"""
HANDLER: Final = """\
  handlers:
    - name: Restart the app
      ansible.builtin.file: {path: /etc/app/restarted, state: touch, mode: "0600"}
"""
ALL: Final = ("nice", "no-sha-ni", "old-python", "plain", "quota")
_SECONDS: Final = 120
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
    """A folder with the example playbook, and the hosts that it is for."""

    folder: Path
    hosts: Fleet

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

    def snapshot(self) -> dict[str, tuple[str, int]]:
        """Every file that the role may touch, with its mode, and what is beside it."""
        return {
            str(path): (path.read_text(errors="replace"), path.stat().st_mode)
            for host in self.hosts.hosts
            for name in ("app", "pg", "pam.d")
            for path in [host.etc / "login.defs", *sorted((host.etc / name).rglob("*"))]
            if path.is_file()
        }

    @property
    def decision(self) -> dict[str, dict[str, Any]]:
        """The decided costs by hasher."""
        text = (self.folder / "decision.toml").read_text()
        return {each["hasher"]: each for each in tomllib.loads(text)["cost"]}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Five hosts that were measured and decided on."""
    if shutil.which("ansible-playbook", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("ansible-core is absent")
    with contextlib.ExitStack() as stack:
        try:
            hosts = stack.enter_context(fleet(tmp_path_factory.mktemp("fleet"), FIVE))
        except AbsentError as error:
            pytest.skip(str(error))
        folder = linked(tmp_path_factory.mktemp("site"))
        play = (COLLECTION / "playbooks/fleet.yml").read_text()
        (folder / "fleet.yml").write_text(play.rstrip("\n") + "\n\n" + HANDLER)
        (folder / "inventory").write_text(_on_taken_pythons(hosts))
        for name, text in {"group_vars/all": VARIABLES, "host_vars/plain": OF_ONE}.items():
            (folder / f"{name}.yml").parent.mkdir()
            (folder / f"{name}.yml").write_text(text)
        for host in hosts.hosts:
            files = {
                "login.defs": LOGIN_DEFS,
                "pam.d/common-password": PAM,
                "app/vaultwarden.env": ENV,
                "app/settings.py": SETTINGS,
                "pg/postgresql.conf": POSTGRESQL,
            }
            (host.etc / "pg/conf.d").mkdir(parents=True)
            for name, text in files.items():
                (host.etc / name).parent.mkdir(exist_ok=True)
                (host.etc / name).write_text(text)
            (host.etc / "app/vaultwarden.env").chmod(0o640)
            os.chown(host.etc / "app/vaultwarden.env", 0, 12)
        found = Site(folder, hosts)
        ended = found.play("measure,decide")
        assert (0, []) == (ended.code, ended.failed), ended.out
        yield found


def _on_taken_pythons(hosts: Fleet) -> str:
    """The inventory, where the oldest Python is one that this ansible-core takes on a host."""
    from ansible.module_utils.basic import _PY_MIN

    old = hosts.python_on(hosts.named("old-python"))
    found = re.search(r"/versions/3\.(\d+)\.\d+/", old)
    if found is None or (3, int(found[1])) >= tuple(_PY_MIN):
        return hosts.inventory
    versions = Path(old).parents[2]
    newer = sorted(versions.glob(f"3.{_PY_MIN[1]}.*/bin/python3"))
    return hosts.inventory.replace(old, str(newer[0])) if newer else hosts.inventory


def test_the_slowest_kind_of_host_sets_the_cost(site: Site) -> None:
    """Five hosts are in the decision by their names, and the one without SHA-NI sets PBKDF2."""
    decided = site.decision

    assert {"bcrypt", "pbkdf2-sha256", "sha512-crypt"} == set(decided)
    assert all(set(ALL) == set(each["hosts"]) for each in decided.values())
    if "sha_ni" in Path("/proc/cpuinfo").read_text():
        assert ["no-sha-ni"] == decided["pbkdf2-sha256"]["slowest"]
    documents = [json.loads(each.read_text()) for each in (site.folder / "measured").iterdir()]
    assert {*ALL} == {each["host"]["name"] for each in documents}
    assert 5 == len({each["host"]["id"] for each in documents})


def test_applied_once(site: Site) -> None:
    """A check changes nothing and shows all; the first run changes, and the second does not."""
    before = site.snapshot()
    checked = site.play("apply", "--check", "--diff", "--limit", "plain")

    assert (0, before) == (checked.code, site.snapshot())
    assert "+SHA_CRYPT_MAX_ROUNDS" in checked.out
    assert "hunter" not in checked.out

    first = site.play("apply")
    assert (0, dict.fromkeys(ALL, 1)) == (
        first.code,
        {host: min(count, 1) for host, count in first.changed.items()},
    )
    applied = site.snapshot()
    rounds = site.decision["sha512-crypt"]["params"]["rounds"]
    iterations = site.decision["pbkdf2-sha256"]["params"]["iterations"]
    for host in site.hosts.hosts:
        wanted = ENV.replace("=100000", f"={iterations}")
        assert wanted == (host.etc / "app/vaultwarden.env").read_text()
        status = (host.etc / "app/vaultwarden.env").stat()
        assert (0o640, 0, 12) == (status.st_mode & 0o777, status.st_uid, status.st_gid)
        (backup,) = (host.etc / "app").glob("vaultwarden.env.*~")
        assert backup.read_text() == ENV
    plain = site.hosts.named("plain").etc
    assert f"SHA_CRYPT_MAX_ROUNDS {rounds}\n" in (plain / "login.defs").read_text()
    assert "rounds=65536" not in (plain / "pam.d/common-password").read_text()
    assert f"iterations = {iterations:_}\n" in (plain / "app/settings.py").read_text()
    assert "\nscram_iterations = " in (plain / "pg/postgresql.conf").read_text()
    assert (plain / "app/restarted").exists()

    second = site.play("apply")
    assert (0, dict.fromkeys(ALL, 0)) == (second.code, second.changed)
    assert applied == site.snapshot()


def test_a_stronger_cost_stays(site: Site) -> None:
    """It is named and kept, unless the role is told to lower it."""
    host = site.hosts.named("quota")
    file = host.etc / "app/vaultwarden.env"
    stronger = ENV.replace("=100000", "=9000000")
    file.write_text(stronger)
    kept = site.play("apply", "--limit", host.name)

    assert (0, stronger) == (kept.code, file.read_text())
    assert "it has iterations=9000000, and iterations=" in kept.out
    lowered = site.play("apply", "--limit", host.name, "-e", "{cost_lower: true}")
    assert (0, {host.name: 1}) == (lowered.code, lowered.changed)
    assert "9000000" not in file.read_text()


def test_a_host_that_fails_costs_its_own_row(site: Site) -> None:
    """The others are measured, and a second measurement of unchanged hosts decides the same."""
    before = site.decision
    lost = site.hosts.named("nice")
    lost.kill()
    ended = site.play("measure,decide")

    assert [lost.name] == ended.failed
    after = site.decision
    for hasher, cost in after.items():
        least = min(cost["params"].values())
        assert least >= min(before[hasher]["params"].values())
    assert len([1 for hasher in after if before[hasher]["params"] != after[hasher]["params"]]) <= 1
