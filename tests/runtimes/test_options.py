"""``--in`` and what goes with it, as the command takes them."""

import json
from pathlib import Path

import pytest

from end_to_end.command import calibrate
from fakes import still_probe
from hashcost.machine.clock import Clock
from hashcost.measure.core_watch import CoreProbe
from runtimes import fake

QUICK = ("--target", "4ms", "--effort", "fast")


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that nobody shares: what a made-up clock says is not corrected."""

    def start(clock: Clock, pool: object) -> CoreProbe | None:
        return still_probe(clock)

    monkeypatch.setattr("hashcost.recommend.calibration.hash_probe", start)


@pytest.fixture
def probe(tmp_path: Path) -> tuple[str, str]:
    """A made-up runtime of 100 ns an iteration."""
    return "--in", f"node={fake(tmp_path, 'good')}"


def test_a_runtime_instead_of_this_python(probe: tuple[str, str]) -> None:
    """With --in only the runtime's hashers are run, and its failures are not the command's."""
    ended = calibrate("--in", "node", *probe, *QUICK, "--format", "csv", "--memory", "64MiB")
    rows = [line.split(",")[:2] for line in ended.out.splitlines()[1:]]
    assert ended.code != 4, ended.err
    assert ["pbkdf2-sha256", "node:crypto"] in rows
    assert all(implementation.startswith("node:") for _, implementation in rows)


def test_every_library_of_a_runtime(probe: tuple[str, str]) -> None:
    """With --in, --all compares what the runtime can run, and nothing of this Python."""
    ended = calibrate("--in", "node", *probe, "--all", *QUICK, "--format", "csv")
    libraries = [line.split(",")[1] for line in ended.out.splitlines()[1:]]
    assert libraries
    assert all(library.startswith("node:") for library in libraries)


def test_a_probe_of_the_users_own(tmp_path: Path) -> None:
    """Any program that speaks the protocol, and what is missing if it is not named."""
    label, own = "pbkdf2-sha256@program:own", f"program={fake(tmp_path, 'good')}"
    ended = calibrate(label, "--in", own, *QUICK, "--format", "json")
    (row,) = json.loads(ended.out)["results"]
    assert row["implementation_version"] == "made up 1.0, fake 1.0"
    assert {"iterations": 40_000} == row["params"]
    assert "no hashcost-probe; name it with --in RUNTIME=PATH" in " ".join(
        calibrate(label).out.split()
    )


def test_every_timing_command_takes_a_runtime(probe: tuple[str, str]) -> None:
    """Check, sweep and capacity run the same library."""
    label = "pbkdf2-sha256@node:crypto"
    checked = calibrate("check", f"{label}=38000", *probe, "--target", "4ms", "--policy", "none")
    assert "iterations=38000  3.80 ms" in checked.out
    swept = calibrate(
        *("sweep", f"{label}=1000,2000,4000,8000"), *probe, "--budget", "1s", "--format", "csv"
    )
    assert (0, 4) == (swept.code, swept.out.count("node:crypto"))
    loaded = calibrate("capacity", f"{label}=1000", *probe, "--budget", "100ms", "--format", "csv")
    assert (0, True) == (loaded.code, "node:crypto" in loaded.out)


@pytest.mark.parametrize(
    ("project", "cure"),
    [
        ((), "name the folder that has it with --project"),
        (("--project", "."), "install it with `npm install bcrypt`"),
    ],
)
def test_the_hashers_of_a_runtime_are_listed(
    probe: tuple[str, str], project: tuple[str, ...], cure: str
) -> None:
    """What works there, and why the rest does not."""
    ended = calibrate("list", "hashers", "--in", "node", *probe, *project, "--format", "json")
    listed = {f"{e['hasher']}@{e['implementation']}": e for e in json.loads(ended.out)}
    assert listed["pbkdf2-sha256@node:crypto"]["available"]
    assert cure in listed["bcrypt@node:bcrypt"]["reason"]


@pytest.mark.parametrize(
    ("runtime", "label", "cure"),
    [
        ("ruby", "argon2id@ruby:argon2", "; install it with `gem install argon2`"),
        ("php", "argon2id@php:sodium", "no library sodium"),
    ],
)
def test_a_missing_library_has_a_cure_where_there_is_one(
    tmp_path: Path, runtime: str, label: str, cure: str
) -> None:
    """A package is installed by its manager; what comes with the runtime has no such command."""
    made = f"{runtime}={fake(tmp_path, 'good')}"
    ended = calibrate("list", "hashers", "--in", made, "--format", "json")
    reasons = {f"{e['hasher']}@{e['implementation']}": e["reason"] for e in json.loads(ended.out)}

    assert reasons[label].endswith(cure)
