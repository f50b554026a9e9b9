"""Fleet: what measuring many hosts takes beside what the hosts themselves take.

Hosts on one machine share its cores and slow each other. So those that show what the engine
takes only sleep; real ones, over ssh, are measured two at a time.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from end_to_end.fleet_hosts import Kind, fleet
from end_to_end.runtimes.projects import AbsentError

from .fresh import Command, command
from .report import Report, Table, seconds, verdict
from .settings import Settings

_HOSTS: Final = 20
_AT_ONCE: Final = 10
_MOST_OVERHEAD: Final = 15.0
_MOST_RATIO: Final = 1.3
_SLEEPER: Final = """\
#!{python} -IS
import hashlib, json, os, sys, time

def key(q, iterations):
    password, salt = bytes.fromhex(q["password"]), bytes.fromhex(q["salt"])
    return hashlib.pbkdf2_hmac(q["hasher"][7:], password, salt, iterations).hex()

def answer(q):
    if q["op"] == "load":
        return dict(version="made up 1.0", salt="given")
    if not q["hasher"].startswith("pbkdf2-"):
        return dict(error="unavailable", message="only PBKDF2")
    iterations = q["params"]["iterations"]
    time.sleep(iterations * 1e-7)
    output = key(q, iterations if iterations <= 2000 else 1)
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
_SLEEPING: Final = ("--in", "program", "--target", "40ms", "--policy", "none")
_ALIKE: Final = tuple(Kind(name=f"host-{number}") for number in range(1, 7))
"""No one of which others wait for at the end."""
_REAL: Final = ("--policy", "none")
_TARGETS: Final = ("40ms", "250ms")


def run(settings: Settings) -> Report:
    """Measure hosts that sleep, and real ones where this machine can have them."""
    notes = [
        f"engine: {_HOSTS} hosts that sleep, and all else on one core",
        "real: six hosts over ssh, on the cores that the engine has too",
        "own: what timing takes on the hosts; alone: what one after the other takes from here",
        "ratio: of what was taken to each of them, shared among as many as run at a time",
        f"limits: {seconds(_MOST_OVERHEAD)} of overhead for the engine, {_MOST_RATIO} of own",
    ]
    with command() as calibrate, tempfile.TemporaryDirectory() as name:
        rows = [_engine(calibrate, Path(name))]
        try:
            rows += _real(calibrate, Path(name))
        except AbsentError as error:
            notes.append(f"no real hosts: {error}")
    columns = ("what", "own", "alone", "at a time", "taken", "overhead", "ratio", "verdict")
    return Report(tables=[Table("A fleet beside its hosts", columns, rows, notes)])


def _engine(calibrate: Command, folder: Path) -> tuple[str, ...]:
    sleeper = folder / "hashcost-probe"
    sleeper.write_text(_SLEEPER.format(python=sys.executable))
    sleeper.chmod(0o755)
    cores = sorted(os.sched_getaffinity(0))
    # What a host that sleeps needs of a core is not the engine's.
    way = ("--exec", f"taskset -c {cores[-1]} env {{host}}=1", "--in", f"python={sleeper}")
    hosts = [f"h{number}" for number in range(_HOSTS)]
    os.sched_setaffinity(0, cores[:1])
    try:
        three = _measure(calibrate, folder / "alone", *_SLEEPING, *way, "--jobs", "1", *hosts[:3])
        jobs = ("--jobs", str(_AT_ONCE))
        taken = _measure(calibrate, folder / "together", *_SLEEPING, *way, *jobs, *hosts)
    finally:
        os.sched_setaffinity(0, cores)
    own = _own(folder / "alone") / 3 * _HOSTS
    overhead = taken - own / _AT_ONCE
    alone = three / 3 * _HOSTS
    return _row("engine", own, alone, _AT_ONCE, taken, met=overhead <= _MOST_OVERHEAD)


def _real(calibrate: Command, folder: Path) -> Iterator[tuple[str, ...]]:
    (folder / "hosts").mkdir()
    with fleet(folder / "hosts", _ALIKE) as found:
        way = ("--exec", found.prefix, *(each.name for each in found.hosts))
        for target in _TARGETS:
            asked = (*_REAL, *way, "--target", target)
            serial = folder / f"serial-{target}"
            alone = _measure(calibrate, serial, *asked, "--jobs", "1")
            taken = _measure(calibrate, folder / f"pairs-{target}", *asked, "--jobs", "2")
            own = _own(serial)
            met = taken <= _MOST_RATIO * own / 2
            yield _row(f"real, {target}", own, alone, 2, taken, met=met)


def _measure(calibrate: Command, folder: Path, *arguments: str) -> float:
    return calibrate.call("fleet", *arguments, "--save", str(folder)).wall_seconds


def _own(folder: Path) -> float:
    """Seconds of all runs, by themselves."""
    profiles = [json.loads(path.read_text()) for path in folder.iterdir()]
    return float(sum(each["duration_seconds"] for each in profiles))


def _row(
    what: str, own: float, alone: float, at_once: int, taken: float, *, met: bool
) -> tuple[str, ...]:
    overhead = seconds(taken - own / at_once)
    ratio = f"{taken * at_once / own:.2f}, {taken * at_once / alone:.2f}"
    times = (seconds(own), seconds(alone), f"{at_once}", seconds(taken))
    return (what, *times, overhead, ratio, verdict(met=met))
