"""Whole outputs, each in a file beside the test that holds it.

``pytest --write-snapshots`` writes them anew; the difference is for a person to judge.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

Snapshot = Callable[[str], None]
"""Holds an output to the file that is named after the test."""


@pytest.fixture
def snapshot(request: pytest.FixtureRequest) -> Snapshot:
    """Compare an output with its file, or write the file."""
    name = re.sub(r"[ \[]", "_", request.node.name.removeprefix("test_").rstrip("]"))
    path = Path(
        request.path.parent, "snapshots", request.path.stem.removeprefix("test_"), f"{name}.txt"
    )

    def hold(text: str) -> None:
        if request.config.getoption("--write-snapshots"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
        assert path.read_text("utf-8") == text, "judge it, then pytest --write-snapshots"

    return hold
