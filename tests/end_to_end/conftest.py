"""What holds for runs of the command: each finds that this machine is known."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from end_to_end.command import calibrate

_NAME: Final = Path("hashcost") / "history.json"


@pytest.fixture(scope="session")
def _known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of one run: without one, each run would watch its core for seconds."""
    home = tmp_path_factory.mktemp("known")
    with mock.patch.dict(os.environ, {"XDG_STATE_HOME": str(home)}):
        calibrate("bcrypt", "--target", "3ms", "--fast")
    return home / _NAME


@pytest.fixture(autouse=True)
def known_machine(state_home: Path, _known: Path) -> None:
    """Give the test's own state folder a copy of that history."""
    if _known.exists():
        (state_home / _NAME).parent.mkdir()
        shutil.copy(_known, state_home / _NAME)
