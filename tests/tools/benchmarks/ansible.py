"""Ansible: what its engine takes beside 20 hosts, and a decision that is measured again.

CPU seconds of all that a run starts here, the modules of hosts over a local connection among
them, less those of the hashes: more than the engine takes of a core if the hosts are elsewhere.
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

from end_to_end.ansible_site import Ended, Site, inventory_of
from end_to_end.fleet_hosts import FIVE, fleet
from end_to_end.runtimes.projects import AbsentError

from .fresh import CommandError
from .report import Report, Table, seconds, verdict
from .settings import Settings

_HOSTS: Final = 20
_MOST_OVERHEAD: Final = 15.0
_AGAIN: Final = 5
_LOCAL: Final = """\
fleet_target: 5ms
fleet_watch: 50ms
fleet_hashers: [pbkdf2-sha256]
"""
_REAL: Final = "fleet_target: 100ms\nfleet_watch: 1s\n"


def run(settings: Settings) -> Report:
    """Measure hosts that are this machine, and real ones again and again where it has them."""
    notes = [
        f"{_HOSTS} hosts, 10 at a time; limit: {seconds(_MOST_OVERHEAD)} of a core",
        f"{_AGAIN} more runs on five real hosts; limits: one change in all, no cost lower",
    ]
    with tempfile.TemporaryDirectory() as name:
        rows = [_engine(Path(name))]
        try:
            rows.append(_again(Path(name), settings.size(_AGAIN, 2)))
        except AbsentError as error:
            notes.append(f"no real hosts: {error}")
    columns = ("what", "found", "verdict")
    return Report(tables=[Table("Ansible beside its hosts", columns, rows, notes)])


def _engine(folder: Path) -> tuple[str, ...]:
    hosts = [f"h{number} ansible_connection=local" for number in range(_HOSTS)]
    site = Site.made(folder / "local", "\n".join([*hosts, ""]), all=_LOCAL)
    before = os.times()
    _fine(site.play("measure", "-e", f"ansible_python_interpreter={sys.executable}"))
    after = os.times()
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    own = sum(_hashing(path) for path in (site.folder / "measured").iterdir())
    overhead = spent - own
    found = f"{seconds(overhead)} beside {seconds(own)} of hashes"
    return (f"{_HOSTS} hosts", found, verdict(met=overhead <= _MOST_OVERHEAD))


def _hashing(path: Path) -> float:
    document = json.loads(path.read_text())
    readings = (
        each["latency_seconds"] + each["throughput_seconds"] for each in document["readings"]
    )
    samples = (each["cpu_seconds"] for hasher in document["hashers"] for each in hasher["samples"])
    return float(sum(readings) + sum(samples))


def _again(folder: Path, runs: int) -> tuple[str, ...]:
    (folder / "hosts").mkdir()
    with fleet(folder / "hosts", FIVE) as hosts:
        site = Site.made(folder / "real", inventory_of(hosts), all=_REAL)
        costs = list(_decisions(site, runs + 1))
    steps = [
        (one[hasher], other[hasher]) for one, other in itertools.pairwise(costs) for hasher in one
    ]
    changed, lower = sum(a != b for a, b in steps), sum(b < a for a, b in steps)
    found = f"{changed} of {len(steps)} costs changed, {lower} lower"
    return (f"{runs} runs again", found, verdict(met=changed <= 1 and not lower))


def _decisions(site: Site, runs: int) -> Iterator[dict[str, int]]:
    for _ in range(runs):
        _fine(site.play("measure,decide"))
        yield {name: min(each["params"].values()) for name, each in site.decision.items()}


def _fine(ended: Ended) -> None:
    if ended.code:
        raise CommandError(ended.out[-2000:])
