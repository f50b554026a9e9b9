"""The command ``fleet`` as it is installed, on hosts that a script makes up and that misbehave."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from end_to_end.command import COMMAND, Ended, calibrate, environment
from runtimes import fake

_WAY: Final = """\
#!/bin/sh
case $1 in
refuses) echo 'ssh: connect to host refuses port 22: Connection refused' >&2; exit 255 ;;
asks) read -r answer </dev/tty; echo 'Permission denied (publickey,password).' >&2; exit 255 ;;
silent) echo $$ >"{folder}/silent.pid"; exec sleep 60 ;;
babbles) exec yes welcome ;;
esac
PATH={folder}/$1:$PATH; shift
exec "$@"
"""
"""What stands for ssh: the first word names the host, and so what it does."""
_SPEED: Final = "1e-7"
_QUICK: Final = (
    "--hasher",
    "pbkdf2-sha256",
    "--target",
    "10ms",
    "--effort",
    "fast",
    "--policy",
    "none",
)


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


def measure(folder: Path, *arguments: str) -> Ended:
    """Measure hosts in this folder."""
    way = ("--exec", f"{folder}/way {{host}}", "--in", "program")
    return calibrate("fleet", *way, *_QUICK, *arguments, cwd=folder)


def outcomes(ended: Ended) -> dict[str, Any]:
    """The hosts of a JSON result by name."""
    found = json.loads(ended.out)
    schema = files("hashcost.documents").joinpath("schemas", "fleet.schema.json")
    Draft202012Validator(json.loads(schema.read_text("utf-8"))).validate(found)
    return {each["host"]: each for each in found["hosts"]}


def test_hosts_are_measured_and_compared(hosts: Path) -> None:
    """Each host has a profile that is called as it is, and one cost stands for all; what lies in
    the current folder is none of the command's modules.
    """
    (hosts / "json.py").write_text("raise SystemExit(9)")
    names = [host(hosts, "web1"), host(hosts, "web2"), host(hosts, "slow", speed=1.5)]
    ended = measure(hosts, *names, "--decision", "decision.toml")
    profiles = {path.name: json.loads(path.read_text()) for path in (hosts / "fleet").iterdir()}

    assert 0 == ended.code, ended.err
    assert {"web1.json", "web2.json", "slow.json"} == set(profiles)
    assert ["slow", "web1", "web2"] == sorted(each["host"]["name"] for each in profiles.values())
    assert " and 2 others" in ended.out
    assert ended.out.endswith("Use pbkdf2-sha256 iterations=66600 on all 3 machines.\n")
    assert (
        'hosts = [\n    "slow",\n    "web1",\n    "web2",\n]'
        in (hosts / "decision.toml").read_text()
    )


def test_measuring_again_changes_nothing(hosts: Path) -> None:
    """A decision stays byte for byte where the hosts are as they were, but for noise."""
    names = [host(hosts, "web1"), host(hosts, "web2", speed=1.01)]
    first = measure(hosts, *names, "--decision", "decision.toml")
    decided = (hosts / "decision.toml").read_bytes()
    before = (hosts / "fleet" / "web1.json").read_bytes()
    host(hosts, "web1", speed=1.012)
    host(hosts, "web2", speed=0.995)
    again = measure(hosts, *names, "--decision", "decision.toml", "--fresh")

    assert (0, 0) == (first.code, again.code)
    assert before != (hosts / "fleet" / "web1.json").read_bytes()
    assert decided == (hosts / "decision.toml").read_bytes()
    assert "pbkdf2-sha256@program:own" in again.err
    assert ": kept" in again.err


def test_a_host_that_misbehaves_costs_its_own_row(hosts: Path) -> None:
    """Whatever one host does, the others are compared, and its row says what it did."""
    good = [host(hosts, "web1"), host(hosts, "web2")]
    bad = [host(hosts, mode, mode) for mode in ("dies", "lies", "wrong", "leaves")]
    bad += ["refuses", "asks", "babbles", "absent"]
    ended = measure(hosts, *bad[:5], *good, *bad[5:], "--jobs", "3", "--format", "json")
    found = outcomes(ended)
    errors = {name: each["error"] for name, each in found.items() if each["error"]}

    assert 4 == ended.code
    assert errors.keys() == {*bad}
    assert ["measured"] * 2 == [found[name]["outcome"] for name in good]
    assert "killed by SIGKILL" in errors["dies"]
    assert "gives an answer that is none" in errors["lies"]
    assert "answer" in errors["wrong"]
    assert "has ended" in errors["leaves"]
    assert errors["refuses"].endswith("Connection refused")
    assert "Permission denied" in errors["asks"]
    assert "gives no shell: it writes without end" in errors["babbles"]
    assert "there is no hashcost-probe there" in errors["absent"]
    assert all(len(error.splitlines()) == 1 for error in errors.values())
    assert {"web1.json", "web2.json"} == {path.name for path in (hosts / "fleet").iterdir()}
    assert 2 == len(json.loads(ended.out)["comparison"]["machines"])
    assert "calibrate: dies, lies, wrong, leaves, refuses and 3 others could not be" in ended.err


def test_a_host_that_hangs_is_given_up(hosts: Path) -> None:
    """Whether it gives no shell, or does not answer in the middle of its run."""
    good, hanging = [host(hosts, "web1"), host(hosts, "web2")], host(hosts, "hangs", "hangs")
    measure(hosts, *good)
    ended = measure(hosts, *good, hanging, "silent", "--time-limit", "6s", "--format", "json")
    found = outcomes(ended)

    assert 4 == ended.code
    assert ["kept", "kept", "failed", "failed"] == [each["outcome"] for each in found.values()]
    for name in (hanging, "silent"):
        assert "not done within 6.00 s (--time-limit)" == found[name]["error"]
    assert 2 == len(json.loads(ended.out)["comparison"]["machines"])


def test_what_is_measured_is_kept(hosts: Path) -> None:
    """A second run measures only what is missing, or what another target asks for."""
    host(hosts, "web1")
    first = measure(hosts, "web1", "web2", "-f", "json")
    host(hosts, "web2")
    second = measure(hosts, "web1", "web2", "-f", "json")
    third = measure(hosts, "web1", "web2", "-f", "json", "--target", "20ms")

    def told(ended: Ended) -> list[str]:
        return [each["outcome"] for each in outcomes(ended).values()]

    assert ["measured", "failed"] == told(first)
    assert ["kept", "measured"] == told(second)
    assert ["measured", "measured"] == told(third)
    assert (4, 0, 0) == (first.code, second.code, third.code)


def test_a_decision_for_a_host_that_is_lost_stays(hosts: Path) -> None:
    """Where nothing is known of a host that a decision is for, nothing is decided anew."""
    names = [host(hosts, "web1"), host(hosts, "web2"), host(hosts, "slow", speed=2)]
    measure(hosts, *names, "--decision", "decision.toml")
    decided = (hosts / "decision.toml").read_bytes()
    (hosts / "slow" / "hashcost-probe").unlink()
    (hosts / "fleet" / "slow.json").unlink()
    ended = measure(hosts, *names, "--decision", "decision.toml")
    without = measure(hosts, *names[:2], "--decision", "decision.toml")

    assert (4, 0) == (ended.code, without.code)
    assert "decision.toml stays as it is, because it is also for slow" in ended.err
    assert "raised from iterations=50000" in without.err
    assert decided != (hosts / "decision.toml").read_bytes()


def test_hosts_of_a_file(hosts: Path) -> None:
    """One a line, with comments; standard input is a file, too, and a host comes once."""
    for name in ("web1", "web2"):
        host(hosts, name)
    text = "# the web\nweb1\n\n  web2  # the other\nweb1\n"
    (hosts / "hosts.txt").write_text(text)
    ended = measure(hosts, "--hosts", "hosts.txt", "-f", "json")
    piped = calibrate(
        *("fleet", "web2", "--hosts", "-", "--exec", f"{hosts}/way {{host}}", "--in", "program"),
        *(*_QUICK, "-f", "json"),
        cwd=hosts,
        stdin=text.encode(),
    )

    assert ["web1", "web2"] == list(outcomes(ended))
    assert ["web2", "web1"] == list(outcomes(piped))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "no host given"),
        (("--", "-oProxyCommand=x"), "is not the name of a host"),
        (("web1;reboot",), "is not the name of a host"),
        (("me@-oProxyCommand=x",), "is not the name of a host"),
        (("web1", "--hosts", "bad.txt"), "--hosts: line 2: '-x' is not the name of a host"),
        (("web1", "--exec", "ssh"), "--exec names no host"),
        (("web1", "--exec", "ssh {hostname}"), "there is no {hostname}"),
        (("web1", "--exec", "ssh '{host}"), "--exec: No closing quotation"),
        (("web1", "--limit", "web"), "--limit needs an inventory"),
        (("web1", "--lower"), "--lower needs a decision"),
        (("web1", "--in", "cobol"), "no runtime 'cobol'"),
        (("web1", "--hasher", "md5"), "unknown hasher 'md5'"),
        (("web1", "--jobs", "0"), "--jobs"),
        (("web1", "--save", "bad.txt"), "bad.txt"),
    ],
)
def test_what_is_wrong_for_all_is_refused_at_once(
    tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    """A mistake that no host can mend ends the command before anything runs."""
    (tmp_path / "bad.txt").write_text("web1\n-x\n")
    ended = calibrate("fleet", *arguments, cwd=tmp_path)

    assert (2, "") == (ended.code, ended.out)
    assert told.lower() in ended.err.lower()
    assert not (tmp_path / "fleet").exists()


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


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
    done, pids = hosts / "fleet" / "web1.json", [hosts / "silent.pid"]
    pids.append(hosts / "busy" / "hashcost-dawdles.pid")
    deadline = time.monotonic() + 60
    while not (done.exists() and all(map(Path.exists, pids))) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(sent)
    out, err = process.communicate(timeout=30)
    ended = [int(path.read_text()) for path in pids]
    deadline = time.monotonic() + 10
    while not all(map(_gone, ended)) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert (130, b"", b"calibrate: interrupted\n") == (process.returncode, out, err)
    assert all(map(_gone, ended))
    assert ["web1.json"] == [path.name for path in (hosts / "fleet").iterdir()]
    assert [] == [*(hosts / "tmp").iterdir()]
