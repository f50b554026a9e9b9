"""The command ``fleet``, on hosts that a script makes up and that misbehave."""

import json
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from unittest.mock import Mock

import pytest
from jsonschema import Draft202012Validator

from corpora import cases
from end_to_end.command import COMMAND, Ended, calibrate, environment
from fakes import decided_cost
from hashcost.cli.commands import fleet
from hashcost.machines.hosts import FleetHost
from hashcost.machines.running import Ended as Ending
from hashcost.storage.decision import Decision, save_decision
from runtimes import fake, is_gone, pid_in

_WAY: Final = cases(__file__, "fleet.toml", "way")
"""What stands for ssh: the first word names the host, and so what it does."""
_SPEED: Final = "1e-7"
_QUICK: Final = (
    *("--hasher", "pbkdf2-sha256", "--target", "10ms"),
    *("--effort", "fast", "--policy", "none"),
)
_DECIDE: Final = ("--decision", "decision.toml")


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a way to hosts; what `host` adds there can be measured."""
    way = tmp_path / "way"
    way.write_text(_WAY.format(folder=tmp_path))
    way.chmod(0o755)
    return tmp_path


def host(folder: Path, name: str, mode: str = "", *, speed: float = 1.0) -> str:
    """A host with a probe that behaves so, and takes so many times as long."""
    (folder / name).mkdir(exist_ok=True)
    made = Path(fake(folder / name, mode))
    program = folder / name / f"hashcost-{mode or 'probe'}"
    program.write_text(made.read_text().replace(_SPEED, f"{speed * float(_SPEED)}"))
    program.chmod(0o755)
    link = folder / name / "hashcost-probe"
    if program != link:
        link.write_text(f'#!/bin/sh\nexec "{program}"\n')
        link.chmod(0o755)
    return name


def measure(folder: Path, *arguments: str, stdin: bytes = b"") -> Ended:
    """Measure hosts in this folder."""
    way = ("--exec", f"{folder}/way {{host}}", "--in", "program")
    return calibrate("fleet", *way, *_QUICK, *arguments, cwd=folder, stdin=stdin)


def outcomes(ended: Ended) -> dict[str, Any]:
    """The hosts of a JSON result by name."""
    fleet = json.loads(ended.out)
    schema = Path(__file__).parents[2] / "docs" / "schemas" / "fleet.schema.json"
    Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(fleet)
    return {host["host"]: host for host in fleet["hosts"]}


def know(folder: Path, *names: str, slower: float = 1.0, slowest: float = 1.03) -> None:
    """Let the profiles of hosts say how well their times are known, and how much longer."""
    for name in names:
        path = folder / "fleet" / f"{name}.json"
        profile = json.loads(path.read_text())
        for measurement in profile["measurements"]:
            measurement["doubt"] = ""
            for curve in measurement["fitted"]["curves"]:
                curve["relative_interval"] = [0.97, slowest]
                curve["model"]["seconds_per_unit"] *= slower
        path.write_text(json.dumps(profile))


def test_hosts_are_measured_compared_and_kept(hosts: Path) -> None:
    """Each host has a profile that is called as it is, and one cost stands for all, which is
    decided once enough is known and stays but for noise. What lies in the current folder is no
    module.
    """
    (hosts / "json.py").write_text("raise SystemExit(9)")
    names = [host(hosts, "web1"), host(hosts, "web2"), host(hosts, "slow", speed=1.5)]
    new = measure(hosts, *names)
    know(hosts, *names, slowest=1.3)
    first = measure(hosts, *names, *_DECIDE)
    undecided = (hosts / "decision.toml").exists()
    know(hosts, *names)
    ended = measure(hosts, *names, *_DECIDE)
    decided = (hosts / "decision.toml").read_bytes()
    know(hosts, "web1", slower=1.012)
    again = measure(hosts, *names, *_DECIDE)

    assert (3, 0, 0) == (first.code, ended.code, again.code)
    assert "Saved 3 profiles in fleet\n" in new.err
    assert "Saved the decision in decision.toml\n" in ended.err
    assert "Saved" not in first.err + again.err
    assert "too little is known for a cost for all" in first.err
    assert "Use " not in first.out
    assert not undecided
    assert {f"{name}.json": name for name in names} == {
        path.name: json.loads(path.read_bytes())["host"]["name"]
        for path in (hosts / "fleet").iterdir()
    }
    assert " and 2 others" in ended.out
    assert "Use pbkdf2-sha256 iterations=66600 on all 3 machines: it keeps" in ended.out
    assert b'hosts = [\n    "slow",\n    "web1",\n    "web2",\n]' in decided
    assert decided == (hosts / "decision.toml").read_bytes()
    assert ": kept" in again.err


def test_a_host_that_misbehaves_costs_its_own_row(hosts: Path) -> None:
    """Whatever one host does, the others are compared, and its row says what it did."""
    good = [host(hosts, "web1"), host(hosts, "web2")]
    bad = [host(hosts, mode, mode) for mode in ("dies", "wrong")]
    bad += ["refuses", "asks", "babbles", "absent"]
    ended = measure(hosts, *bad[:3], *good, *bad[3:], "--jobs", "3", "--format", "json")
    rows = outcomes(ended)
    errors = {name: row["error"] for name, row in rows.items() if row["error"]}

    assert 4 == ended.code
    assert errors.keys() == {*bad}
    assert ["measured"] * 2 == [rows[name]["outcome"] for name in good]
    for name, message in {
        "dies": "killed by SIGKILL",
        "wrong": "answer",
        "refuses": "Connection refused",
        "asks": "Permission denied",
        "babbles": "gives no shell: it writes without end",
        "absent": "there is no hashcost-probe there",
    }.items():
        assert message in errors[name]
        assert 1 == len(errors[name].splitlines())
    assert {"web1.json", "web2.json"} == {path.name for path in (hosts / "fleet").iterdir()}
    assert 2 == len(json.loads(ended.out)["comparison"]["machines"])
    assert "calibrate: dies, wrong, refuses, asks, babbles and absent could not be" in ended.err


def test_no_link_is_followed_that_nobody_typed(hosts: Path) -> None:
    """A checkout may have one where the profiles would be; who types it means it."""
    (hosts / "elsewhere").mkdir()
    (hosts / "fleet").symlink_to("elsewhere")
    (hosts / "typed").symlink_to("elsewhere")
    host(hosts, "web1")
    ended = measure(hosts, "web1")

    reason = "calibrate: cannot make the folder fleet: it is a link; remove it\n"
    assert (2, reason) == (ended.code, ended.err)
    assert [] == [*(hosts / "elsewhere").iterdir()]
    assert 0 == measure(hosts, "web1", "--save", "typed").code


@pytest.mark.slow
def test_a_host_that_hangs_is_given_up(hosts: Path) -> None:
    """Whether it gives no shell, or does not answer in the middle of its run."""
    good, hanging = [host(hosts, "web1"), host(hosts, "web2")], host(hosts, "hangs", "hangs")
    measure(hosts, *good)
    ended = measure(hosts, *good, hanging, "silent", "--time-limit", "6s", "--format", "json")
    rows = outcomes(ended)

    assert 4 == ended.code
    assert ["kept", "kept", "failed", "failed"] == [row["outcome"] for row in rows.values()]
    for name in (hanging, "silent"):
        assert "not done within 6.00 s (--time-limit)" == rows[name]["error"]
        assert 6.0 == rows[name]["seconds"]


def test_what_is_measured_is_kept(hosts: Path) -> None:
    """A second run measures only what is missing, or what another target asks for; hosts are
    lines of a file too, or of standard input.
    """
    text = "# the web\nweb1\n\n  web2  # the other\nweb1\n"
    (hosts / "hosts.txt").write_text(text)
    host(hosts, "web1")
    first = measure(hosts, "web1", "web2", "-f", "json")
    host(hosts, "web2")
    second = measure(hosts, "--hosts", "hosts.txt", "-f", "json")
    piped = ("web2", "--hosts", "-", "-f", "json", "--target", "20ms")
    third = measure(hosts, *piped, stdin=text.encode())

    assert [
        (4, [("web1", "measured"), ("web2", "failed")]),
        (0, [("web1", "kept"), ("web2", "measured")]),
        (0, [("web2", "measured"), ("web1", "measured")]),
    ] == [
        (ended.code, [(name, row["outcome"]) for name, row in outcomes(ended).items()])
        for ended in (first, second, third)
    ]


@pytest.mark.slow
def test_a_decision_for_a_host_that_is_lost_stays(hosts: Path) -> None:
    """Where nothing is known of a host that a decision is for, nothing is decided anew."""
    names = [host(hosts, "web1"), host(hosts, "web2"), host(hosts, "slow", speed=2)]
    measure(hosts, *names)
    know(hosts, *names)
    measure(hosts, *names, *_DECIDE)
    (hosts / "slow" / "hashcost-probe").unlink()
    (hosts / "fleet" / "slow.json").unlink()
    ended = measure(hosts, *names, *_DECIDE)
    without = measure(hosts, *names[:2], *_DECIDE)

    assert (4, 0) == (ended.code, without.code)
    assert "decision.toml stays as it is, because it is also for slow" in ended.err
    assert "raised from iterations=50000" in without.err


def test_too_few_hosts_decide_nothing(hosts: Path) -> None:
    """A decision stays to the byte if a host that it is for is lost, and one host decides
    nothing; the reason and the cure are said.
    """
    host(hosts, "web1")
    alone = measure(hosts, "web1", *_DECIDE)
    assert (3, False) == (alone.code, (hosts / "decision.toml").exists())
    assert "nothing was written, since fewer than two hosts were measured" in alone.err

    host(hosts, "web2")
    cost = decided_cost("pbkdf2-sha256", {"iterations": 1000}, hosts=("web1", "gone"))
    save_decision(Decision(cost=(cost,)), hosts / "decision.toml")
    before = (hosts / "decision.toml").read_bytes()
    ended = measure(hosts, "web1", "web2", "gone", *_DECIDE)

    assert (4, before) == (ended.code, (hosts / "decision.toml").read_bytes())
    assert "gone could not be measured; run the same command again" in ended.err
    assert "decision.toml stays as it is, because it is also for gone; measure them" in ended.err
    assert ended.out.endswith("\nNothing is decided.\n")


def test_each_host_is_asked_for_what_was_typed(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The project, the memory in whole KiB and the policies reach the run of every host."""
    requests: dict[str, str] = {}

    def refused(arguments: Mapping[FleetHost, Sequence[str]], **_: object) -> Iterator[Ending]:
        for asked, words in arguments.items():
            requests[asked.name] = " ".join(words)
            yield Ending(host=asked, seconds=0.0, profile=None, error="refused")

    monkeypatch.setattr(fleet, "measured", refused)
    for options, passed in (
        (("--memory", "3MiB"), "--memory 3072KiB"),
        (("--memory", "1.5KiB"), "--memory 1KiB"),
        (("--memory", "100B"), "--memory 1KiB"),
        (("--project", "/srv/a b"), "--project /srv/a b"),
        (("--policy", "owasp"), "--policy owasp"),
        (("--policy", "none"), "--policy none"),
    ):
        requests.clear()
        ended = calibrate("fleet", "web1", "web2", *_QUICK[2:6], *options, cwd=hosts)
        assert (4, {"web1", "web2"}) == (ended.code, set(requests))
        assert all(passed in words for words in requests.values()), requests
        for option in ("--memory", "--project"):
            assert (option in options) == (option in requests["web1"])


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_but_what_is_done(
    hosts: Path, sent: signal.Signals
) -> None:
    """No process goes on, here or on a host, and finished profiles stay."""
    names = [host(hosts, "web1"), host(hosts, "busy", "dawdles"), "silent"]
    (hosts / "tmp").mkdir()
    process = subprocess.Popen(
        [COMMAND, "fleet", *names, "--exec", f"{hosts}/way {{host}}", "--in", "program", *_QUICK],
        cwd=hosts,
        env=environment({"TMPDIR": str(hosts / "tmp")}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    done, deadline = hosts / "fleet" / "web1.json", time.monotonic() + 60
    silent, busy = (pid_in(hosts / name) for name in ("silent.pid", "busy/hashcost-dawdles.pid"))
    while not done.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    assert (130, b"", b"calibrate: interrupted\n") == (process.returncode, out, err)
    assert is_gone(silent)
    assert is_gone(busy)
    assert ["web1.json"] == [path.name for path in (hosts / "fleet").iterdir()]
    assert [] == [*(hosts / "tmp").iterdir()]


BIN: Final = str(Path(sys.executable).parent)
_INI: Final = cases(__file__, "fleet.toml", "ini")
_SCRIPT: Final = cases(__file__, "fleet.toml", "script")


@pytest.mark.slow
def test_an_inventory_of_ansible(tmp_path: Path) -> None:
    """Static and dynamic inventories, and both in one folder, tell the way to each host; without
    Ansible, without the file or without a host, it is said what to do.
    """
    if shutil.which("ansible-inventory", path=BIN) is None:
        pytest.skip("pip install ansible-core")
    folder, way = tmp_path / "inventory", tmp_path / "way"
    folder.mkdir()
    way.write_text('#!/bin/sh\necho "$*" >&2; exit 255\n')
    (folder / "hosts.ini").write_text(_INI)
    (folder / "cloud").write_text(_SCRIPT)
    for program in (folder / "cloud", way):
        program.chmod(0o755)

    def tried(*arguments: str, path: str = BIN) -> tuple[Ended, dict[str, str]]:
        prefix = ("--exec", f"{way} {{name}} {{user}}@{{host}}:{{port}}", "-f", "json")
        env = {"PATH": f"{path}:/usr/bin:/bin", "LOGNAME": "me"}
        ended = calibrate("fleet", *arguments, *prefix, cwd=tmp_path, env=env)
        rows = json.loads(ended.out)["hosts"] if ended.out else []
        return ended, {row["host"]: row["error"].rpartition(": ")[2] for row in rows}

    ini = ("--inventory", "inventory/hosts.ini")
    assert {"web1": "web1 deploy@10.0.0.1:2222 sh", "web2": "web2 me@web2:22 sh"} == tried(
        *ini, "--limit", "web"
    )[1]
    both = tried("more", "--inventory", "inventory", "--limit", "app1,db")[1]
    assert ("app1 ops@app1:22 sh", {"app1", "db1", "more"}) == (both["app1"], set(both))
    for arguments, path, code, message in (
        (ini, "/nonexistent", 4, "there is no ansible-inventory in the path; install it with"),
        ((*ini, "--limit", "mail"), BIN, 2, "hosts.ini has no host that matches --limit 'mail'"),
        (("--inventory", "other.ini"), BIN, 2, "other.ini"),
    ):
        refused, _ = tried(*arguments, path=path)
        assert (code, True) == (refused.code, message in refused.err)


def test_a_user_without_a_name_measures_as_any_other(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process whose user is in no list of users, as in a container, has no name and no home."""
    for name in ("HOME", "USER", "LOGNAME", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", Mock(side_effect=KeyError("uid not found: 12345")))
    ended = calibrate("fleet", "web1", "--exec", "false {host}", cwd=hosts)
    assert 4 == ended.code
    assert "web1 could not be measured" in ended.err
