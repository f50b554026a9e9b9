"""What holds for runs of the command: none waits for the core to fall quiet."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

import pytest

from hashcost.logins import queue_simulation
from hashcost.machine.history import History, PastRun, machine_key
from hashcost.machine.host import this_host
from hashcost.measure import effort
from hashcost.measure.core_watch import HashProbe, hash_probe

_NAME: Final = Path("hashcost") / "history.json"
_ANY_CORE_IS_QUIET: Final = 1e6
"""A ratio of the probes that no reading reaches: a run then trusts the lowest of its own."""


@pytest.fixture(scope="session")
def _known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of one run: without one, each run would watch its core for seconds.

    A true one would make each run wait for a core as quiet as that run's, while another
    worker of the tests keeps it busy.
    """
    host = this_host()
    machine, probe = machine_key(host.describe()), hash_probe(host.clock)
    path = tmp_path_factory.mktemp("known") / _NAME
    if machine is not None and probe is not None:
        seen = PastRun(
            ended=host.now(),
            machine=machine,
            probe=probe.name,
            quiet_ratio=_ANY_CORE_IS_QUIET,
            seconds_per_unit={"made-up@nowhere 1": 1.0},
        )
        History(path).add(seen)
    return path


@pytest.fixture(autouse=True)
def known_machine(state_home: Path, _known: Path) -> None:
    """Give the test's own state folder a copy of that history."""
    if _known.exists():
        (state_home / _NAME).parent.mkdir()
        shutil.copy(_known, state_home / _NAME)


@pytest.fixture(autouse=True)
def _quiet_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show runs in this process a quiet core; fakes show `measure` and `recommend` others.

    Where a run has no history, it is not watched for long either.
    """
    monkeypatch.setattr(HashProbe, "read", lambda _: (1e-3, 1e-3))
    monkeypatch.setattr(effort, "FAST", replace(effort.FAST, blind_seconds=0.0))


@pytest.fixture(scope="session", autouse=True)
def _packages_are_listed_once() -> Iterator[None]:
    """Look once through all packages that are installed here for the tests, not at each run."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hashcost.hashers.registry.entry_points", cache(entry_points))
        yield


@pytest.fixture(autouse=True)
def _brief_capacity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count and foresee logins by a few of them; `logins` is tested with as many as it takes."""
    monkeypatch.setattr(queue_simulation, "_TRIAL_LOGINS", 2000)
    monkeypatch.setattr(queue_simulation.simulate, "__kwdefaults__", {"logins": 5000})
