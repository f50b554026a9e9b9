"""Fleet: how much longer `calibrate fleet` and Ansible take than the hosts themselves.

Hosts on one machine share its cores and slow each other. So the hosts that show the engine only
sleep, and of Ansible's the CPU time of all that it starts counts, less that of the hashes.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from end_to_end.ansible_site import Site, inventory_of
from end_to_end.fleet_hosts import FIVE, Kind, fleet
from end_to_end.runtimes.projects import AbsentError

from .fresh import Command, CommandError, command
from .report import Report, Table, seconds, verdict
from .settings import Settings

_HOSTS, _AT_ONCE = 20, 10
_MOST_OVERHEAD: Final = 15.0
_MOST_RATIO: Final = 1.3
_SLEEPER: Final = """\
#!{python} -IS
import hashlib, json, os, sys, time

def answer(q):
    if q["op"] == "load":
        return dict(version="made up 1.0", salt="given")
    if not q["hasher"].startswith("pbkdf2-"):
        return dict(error="unavailable", message="only PBKDF2")
    iterations, password, salt = q["params"]["iterations"], *map(
        bytes.fromhex, (q["password"], q["salt"]))
    time.sleep(iterations * 1e-7)
    shown = iterations if iterations <= 2000 else 1
    output = hashlib.pbkdf2_hmac(q["hasher"][7:], password, salt, shown).hex()
    return dict(output=output, cpu=iterations * 1e-7, wall=iterations * 1e-7)

def say(**message):
    print(json.dumps(message), flush=True)

say(hashcost=1, runtime="sleeper 1.0", pid=os.getpid(), clock="made up")
for line in sys.stdin:
    q = json.loads(line)
    if q["op"] == "bye":
        break
    say(id=q["id"], **answer(q))
"""
_LOCAL: Final = "fleet_target: 5ms\nfleet_watch: 50ms\nfleet_hashers: [pbkdf2-sha256]\n"
_REAL: Final = "fleet_target: 100ms\nfleet_watch: 1s\n"


def run(settings: Settings) -> Report:
    """Measure hosts that sleep or are this machine, and real ones where it can have them."""
    notes = []
    with command() as calibrate, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [_engine(calibrate, folder), _ansible(folder)]
        try:
            rows += [*_pairs(calibrate, folder), _again(folder, settings.size(5, 2))]
        except AbsentError as error:
            notes.append(f"no real hosts: {error}")
    return Report([Table("A fleet beside its hosts", ("what", "found", "verdict"), rows, notes)])


def _engine(calibrate: Command, folder: Path) -> tuple[str, ...]:
    """Keep the engine to one core, and the hosts that sleep to another."""
    sleeper = folder / "hashcost-probe"
    sleeper.write_text(_SLEEPER.format(python=sys.executable))
    sleeper.chmod(0o755)
    cores = sorted(os.sched_getaffinity(0))
    way = ("--exec", f"taskset -c {cores[-1]} env {{host}}=1", "--in", f"program={sleeper}")
    asked = ("--target", "40ms", "--policy", "none", *way)
    os.sched_setaffinity(0, cores[:1])
    try:
        taken, own = _measured(calibrate, folder / "engine", *asked, "--jobs", str(_AT_ONCE),
                               *(f"h{number}" for number in range(_HOSTS)))  # fmt: skip
    finally:
        os.sched_setaffinity(0, cores)
    overhead = taken - own / _AT_ONCE
    result = f"{seconds(overhead)} more than the {seconds(own / _AT_ONCE)} that the hosts take"
    what = f"calibrate fleet, {_HOSTS} hosts, {_AT_ONCE} at a time"
    return what, result, verdict(met=overhead <= _MOST_OVERHEAD)


def _pairs(calibrate: Command, folder: Path) -> Iterator[tuple[str, ...]]:
    (folder / "six").mkdir()
    kinds = tuple(Kind(name=f"host-{number}") for number in range(1, 7))
    with fleet(folder / "six", kinds) as hosts:
        way = ("--policy", "none", "--exec", hosts.prefix, *(host.name for host in hosts.hosts))
        for target in ("40ms", "250ms"):
            asked = (*way, "--target", target, "--jobs")
            _, own = _measured(calibrate, folder / f"serial-{target}", *asked, "1")
            taken, _ = _measured(calibrate, folder / f"pairs-{target}", *asked, "2")
            ratio = taken * 2 / own
            result = f"{ratio:.2f} times half of {seconds(own)}"
            met = verdict(met=ratio <= _MOST_RATIO)
            yield f"six real hosts, two at a time, {target}", result, met


def _measured(calibrate: Command, folder: Path, *arguments: str) -> tuple[float, float]:
    """Return the seconds of the command, and those of the hosts by themselves."""
    taken = calibrate.call("fleet", *arguments, "--save", str(folder)).wall_seconds
    profiles = [json.loads(path.read_text()) for path in folder.iterdir()]
    return taken, float(sum(profile["duration_seconds"] for profile in profiles))


def _ansible(folder: Path) -> tuple[str, ...]:
    hosts = [f"h{number} ansible_connection=local" for number in range(_HOSTS)]
    site = Site.made(folder / "local", "\n".join([*hosts, ""]), all=_LOCAL)
    before = os.times()
    _play(site, "measure", "-e", f"ansible_python_interpreter={sys.executable}")
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    own = sum(_hashing(path) for path in (site.folder / "measured").iterdir())
    result = f"{seconds(spent - own)} of a core beside {seconds(own)} of hashes"
    return f"Ansible, {_HOSTS} hosts", result, verdict(met=spent - own <= _MOST_OVERHEAD)


def _hashing(path: Path) -> float:
    document = json.loads(path.read_text())
    readings = (
        reading["latency_seconds"] + reading["throughput_seconds"]
        for reading in document["readings"]
    )
    samples = (
        sample["cpu_seconds"] for hasher in document["hashers"] for sample in hasher["samples"]
    )
    return float(sum(readings) + sum(samples))


def _again(folder: Path, runs: int) -> tuple[str, ...]:
    """Decide on five real hosts, and again with further runs: one cost may change, none fall."""
    (folder / "five").mkdir()
    costs: list[dict[str, int]] = []
    with fleet(folder / "five", FIVE) as hosts:
        site = Site.made(folder / "real", inventory_of(hosts), all=_REAL)
        for _ in range(runs + 1):
            _play(site, "measure,decide")
            costs.append(
                {name: min(cost["params"].values()) for name, cost in site.decision.items()}
            )
    steps = [(one[name], other[name]) for one, other in itertools.pairwise(costs) for name in one]
    changed, lower = sum(a != b for a, b in steps), sum(b < a for a, b in steps)
    result = f"{changed} of {len(steps)} costs changed, {lower} lower"
    met = verdict(met=changed <= 1 and not lower)
    return f"Ansible, five real hosts measured {runs} more times", result, met


def _play(site: Site, *arguments: str) -> None:
    ended = site.play(*arguments)
    if ended.code:
        raise CommandError(ended.out[-2000:])
