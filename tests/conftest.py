"""What holds for every test: no speed counts, and nothing of the user's is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from fakes import FakeClock

settings.register_profile("no-test-depends-on-speed", deadline=None)
settings.register_profile("brief", deadline=None, max_examples=20)
"""For a second interpreter: what a law is broken by was looked for with the first."""
settings.load_profile("no-test-depends-on-speed")


@pytest.fixture(autouse=True)
def state_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own, so that no test touches the user's history."""
    home = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(home))
    return home


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()
