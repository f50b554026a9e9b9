"""What holds for runs of the command: none waits for the core to fall quiet."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from hashcost.core.measurement import Point, Timed
from hashcost.logins import queue_simulation
from hashcost.machine.history import History, PastRun
from hashcost.machine.host import this_host
from hashcost.measure.core_watch import HashProbe

_NAME: Final = Path("hashcost") / "history"


@pytest.fixture(scope="session")
def _known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of one run of another hasher: what a first run says is left to other tests."""
    host = this_host()
    context = host.describe().context
    path = tmp_path_factory.mktemp("known") / _NAME
    if context is not None:
        seen = Timed(points=(Point((1,), 1.0, 0, 1),), error=0.01)
        run = PastRun(context=context, timed={"made-up@nowhere 1": seen})
        History(path).add(run)
    return path


@pytest.fixture(autouse=True)
def known_machine(state_home: Path, _known: Path) -> None:
    """Give the test's own state folder a copy of that history."""
    if _known.exists():
        shutil.copytree(_known, state_home / _NAME)


@pytest.fixture(autouse=True)
def _quiet_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show runs in this process a quiet core; fakes show `measure` and `recommend` others."""
    monkeypatch.setattr(HashProbe, "read", lambda _, cold=False: (1e-3, 1e-3, 1e-3))


@pytest.fixture(autouse=True)
def _brief_capacity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Count and foresee logins by a few of them; `logins` is tested with as many as it takes."""
    monkeypatch.setattr(queue_simulation, "_TRIAL_LOGINS", 2000)
    monkeypatch.setattr(queue_simulation.simulate, "__kwdefaults__", {"logins": 5000})
