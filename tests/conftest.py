"""What holds for every test: no speed counts, and nothing of the user's is touched."""

import functools
import gc
import itertools
import os
import re
import signal
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

import laws  # noqa: F401 - it registers the profiles of Hypothesis
from fakes import FakeClock
from hashcost.source_code import scan
from snapshots import snapshot  # noqa: F401 - a fixture

_NUMBERS: Final = itertools.count()

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and a command that inherits it is never interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Every look for garbage walks through thousands of collected tests: look less often.
gc.set_threshold(100_000)

# Commands are started by the hundred: each would compile the whole package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_sessionstart() -> None:
    """Forget what was cached before: a fault that mutmut forks a process with must show."""
    for each in gc.get_objects():
        # `isinstance` asks an object that stands for another, such as Django's settings, for it.
        if issubclass(type(each), functools._lru_cache_wrapper):
            each.cache_clear()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let outputs be written that `snapshots` holds, and skipped tests be limited."""
    parser.addoption("--write-snapshots", action="store_true")
    parser.addoption("--allowed-skips", type=Path, metavar="FILE", help="fail if a test is skipped"
                     " for a reason that matches no line of this file")  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest single test, so that no worker waits for it at the end."""
    items.sort(key=lambda item: "::test_blocks_can_be_pasted" not in item.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Count the skipped tests, and fail if one may not be skipped where the programs are."""
    # mutmut forks a process for each fault: they would share a child that reads source code,
    # and the first of them would end it.
    while scan._idle:
        scan._idle.pop().end()
    file: Path | None = session.config.getoption("--allowed-skips")
    if file is None or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    assert reporter is not None
    allowed = [line for line in file.read_text("utf-8").splitlines() if line[:1] not in {"", "#"}]
    skipped = Counter(report.longrepr[2] for report in reporter.stats.get("skipped", ()))
    refused = {
        reason: count
        for reason, count in skipped.items()
        if not any(re.fullmatch(rf"([\w.]+: )?({pattern})", reason) for pattern in allowed)
    }
    reporter.write_line(
        f"\n{skipped.total()} skipped, {sum(refused.values())} of them not allowed"
    )
    for reason, count in refused.items():
        reporter.write_line(f"  [{count}] {reason}")
    if refused:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def _state_homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder, since the time that pytest takes to make the next grows with their number."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture(autouse=True)
def state_home(_state_homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own, so that no test touches the user's history."""
    home = _state_homes / str(next(_NUMBERS))
    home.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(home))
    return home


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()
