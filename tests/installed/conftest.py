"""These tests need what `.ci/installed FOLDER` makes; without it, none is collected."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = os.environ.get("HASHCOST_INSTALLED")

collect_ignore_glob = [] if FOLDER else ["test_*.py"]


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home of the user that runs the command."""
    from installed.user import HOMES, give_to_user

    folder = Path(tempfile.mkdtemp(dir=HOMES))
    give_to_user(folder)
    yield folder
    shutil.rmtree(folder)
