"""What tests of runtimes share."""

from collections.abc import Iterator

import pytest


@pytest.fixture
def nothing_stays(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """What is written on the other side is gone once the probe has ended."""
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setenv("TMPDIR", str(scratch))
    yield
    assert not list(scratch.glob("hashcost*"))
