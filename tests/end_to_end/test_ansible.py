"""The Ansible collection on five hosts: from measuring to one cost that is applied once."""

import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from apps.realistic import REALISTIC
from corpora import cases
from end_to_end.ansible_site import Site, inventory_of
from end_to_end.fleet_hosts import FIVE, Fleet, fleet
from hashcost.core.measurement import Params
from hashcost.fit.times import setting_at
from hashcost.recommend.recorded import profile_from_json
from hashcost.storage.profile import load_profile

pytestmark = pytest.mark.scenario

FILES: Final[dict[str, str]] = cases(__file__, "ansible.toml", "files")
PLAY: Final[dict[str, str]] = cases(__file__, "ansible.toml", "play")
ENV: Final = FILES["app/vaultwarden.env"]
ALL: Final = ("nice", "no-sha-ni", "old-python", "plain", "quota")
_DECIDED: Final = {"bcrypt", "pbkdf2-sha256", "sha512-crypt"}


@pytest.fixture(scope="module")
def on_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Fleet]]:
    """Five hosts that were measured and decided on."""
    if shutil.which("ansible-playbook", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("ansible-core is absent")
    with fleet(tmp_path_factory.mktemp("fleet"), FIVE) as hosts:
        found = Site.made(
            tmp_path_factory.mktemp("site"),
            inventory_of(hosts),
            PLAY["handler"],
            all=PLAY["all"],
            plain=PLAY["of_one"],
        )
        for host in hosts.hosts:
            defs = REALISTIC["login-defs"].replace("#SHA_CRYPT", "SHA_CRYPT")
            (host.etc / "pg/conf.d").mkdir(parents=True)
            for name, text in {**FILES, "login.defs": defs}.items():
                (host.etc / name).parent.mkdir(exist_ok=True)
                (host.etc / name).write_text(text)
            (host.etc / "app/vaultwarden.env").chmod(0o640)
            os.chown(host.etc / "app/vaultwarden.env", 0, 12)
        # One after the other: on a machine of few cores, five at once slow each other.
        ended = found.play("measure,decide", "--forks", "1")
        assert (0, []) == (ended.code, ended.failed), ended.out
        assert set(found.decision) >= _DECIDED, ended.out
        yield found, hosts


def snapshot(hosts: Fleet) -> dict[str, tuple[str, int]]:
    """Every file that the role may touch, with its mode, and what is beside it."""
    return {
        str(path): (path.read_text(errors="replace"), path.stat().st_mode)
        for host in hosts.hosts
        for name in ("app", "pg", "pam.d")
        for path in [host.etc / "login.defs", *sorted((host.etc / name).rglob("*"))]
        if path.is_file()
    }


def test_the_slowest_host_sets_the_cost(on_hosts: tuple[Site, Fleet]) -> None:
    """Five hosts are in the decision by their names; the one that waits longest is named."""
    site, _ = on_hosts
    decided = site.decision

    assert set(decided) >= _DECIDED
    assert all(set(ALL) == set(each["hosts"]) for each in decided.values())
    measured = (site.folder / "measured").iterdir()
    profiles = [load_profile(each, profile_from_json) for each in measured]
    machines = {each.host.name: each for each in profiles if each.host is not None}
    assert {*ALL} == {*machines}
    assert 5 == len({each.host.id for each in profiles if each.host is not None})
    for name in ("pbkdf2-sha256", "sha512-crypt"):
        params = decided[name]["params"]

        def waits(host: str, name: str = name, params: Params = params) -> float:
            """How long a login there waits for one hash."""
            (row,) = [each for each in machines[host].measurements if each.hasher == name]
            (solution,) = filter(None, [setting_at(row, params)])
            return row.waits(solution.seconds)

        assert max(ALL, key=waits) in decided[name]["slowest"]


def test_applied_once(on_hosts: tuple[Site, Fleet]) -> None:
    """A check changes nothing and shows all; the first run changes, and the second does not."""
    site, hosts = on_hosts
    before = snapshot(hosts)
    checked = site.play("apply", "--check", "--diff", "--limit", "plain")

    assert (0, before) == (checked.code, snapshot(hosts)), checked.out
    assert "+SHA_CRYPT_MAX_ROUNDS" in checked.out
    assert "hunter" not in checked.out

    first = site.play("apply")
    assert (0, dict.fromkeys(ALL, 1)) == (
        first.code,
        {host: min(count, 1) for host, count in first.changed.items()},
    )
    applied = snapshot(hosts)
    rounds = site.decision["sha512-crypt"]["params"]["rounds"]
    # Below OWASP's minimum, which is written then.
    iterations = max(site.decision["pbkdf2-sha256"]["params"]["iterations"], 600_000)
    written = (hosts.hosts[0].etc / "app/vaultwarden.env").read_text()
    (by_ring,) = re.findall(r"ITERATIONS=(\d+)$", written, re.MULTILINE)
    assert int(by_ring) >= 600_000  # Its library computes another number in the same time.
    wanted = ENV.replace("=100000", f"={by_ring}")
    for host in hosts.hosts:
        assert wanted == (host.etc / "app/vaultwarden.env").read_text()
        status = (host.etc / "app/vaultwarden.env").stat()
        assert (0o640, 0, 12) == (status.st_mode & 0o777, status.st_uid, status.st_gid)
        assert [*(host.etc / "app").glob("vaultwarden.env?*")] == []
    plain = hosts.named("plain").etc
    assert f"SHA_CRYPT_MAX_ROUNDS {rounds}\n" in (plain / "login.defs").read_text()
    assert "rounds=65536" not in (plain / "pam.d/common-password").read_text()
    assert f"iterations = {iterations:_}\n" in (plain / "app/settings.py").read_text()
    assert "\nscram_iterations = " in (plain / "pg/postgresql.conf").read_text()
    assert (plain / "app/restarted").exists()

    second = site.play("apply")
    assert (0, dict.fromkeys(ALL, 0)) == (second.code, second.changed)
    assert applied == snapshot(hosts)


def test_a_stronger_cost_stays(on_hosts: tuple[Site, Fleet]) -> None:
    """It is named and kept, unless the role is told to lower it."""
    site, hosts = on_hosts
    host = hosts.named("quota")
    file = host.etc / "app/vaultwarden.env"
    stronger = ENV.replace("=100000", "=9000000")
    file.write_text(stronger)
    kept = site.play("apply", "--limit", host.name)

    assert (0, stronger) == (kept.code, file.read_text())
    assert "it has iterations=9000000, and iterations=" in kept.out
    lowered = site.play("apply", "--limit", host.name, "-e", "{cost_lower: true}")
    assert (0, {host.name: 1}) == (lowered.code, lowered.changed)
    assert "9000000" not in file.read_text()


def test_a_host_that_fails_costs_its_own_row(on_hosts: tuple[Site, Fleet]) -> None:
    """The others are measured, and a second measurement of unchanged hosts decides the same."""
    site, hosts = on_hosts
    before = site.decision
    lost = hosts.named("nice")
    earlier = (site.folder / "measured/nice.json").read_bytes()
    lost.kill()
    ended = site.play("measure,decide")

    assert [lost.name] == ended.failed
    assert earlier == (site.folder / "measured/nice.json").read_bytes()
    after = site.decision
    for hasher, cost in after.items():
        least = min(cost["params"].values())
        assert least >= min(before[hasher]["params"].values())
    assert len([1 for hasher in after if before[hasher]["params"] != after[hasher]["params"]]) <= 1
