"""What reads the core is kept on the one that hashes elsewhere run on."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hashcost.machine.one_core import kept_on_one_core

if sys.platform != "linux":
    pytest.skip("only Linux keeps a thread where it is told", allow_module_level=True)


@pytest.fixture
def other() -> Iterator[int]:
    """Another process, which waits."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()


def test_both_run_on_one_core_and_are_free_afterwards(other: int) -> None:
    """Inside, both may run on the same core and no other; afterwards, wherever they could."""
    before = os.sched_getaffinity(0), os.sched_getaffinity(other)
    with kept_on_one_core({other}):
        here = os.sched_getaffinity(0)
        assert (1, here) == (len(here), os.sched_getaffinity(other))
    assert before == (os.sched_getaffinity(0), os.sched_getaffinity(other))


def test_an_error_frees_them_too(other: int) -> None:
    """Whatever ends the block, nothing stays on its core."""
    before = os.sched_getaffinity(0)
    with pytest.raises(KeyboardInterrupt), kept_on_one_core({other}):
        raise KeyboardInterrupt
    assert before == os.sched_getaffinity(0) == os.sched_getaffinity(other)


def test_it_is_a_core_that_all_may_use(other: int) -> None:
    """Where the other may not run here, this thread goes to where it may."""
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(other, {core})
    with kept_on_one_core({other}):
        assert {core} == os.sched_getaffinity(0)
    assert {core} == os.sched_getaffinity(other)


def test_nothing_is_kept_without_another() -> None:
    """A run in this process alone is left to the system."""
    with kept_on_one_core(()):
        assert os.sched_getaffinity(0) == os.sched_getaffinity(os.getppid())


def test_one_that_has_ended_is_passed_over(other: int) -> None:
    """A thread that is gone takes nothing from the others."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    with kept_on_one_core({other, gone.pid}):
        assert 1 == len(os.sched_getaffinity(other))
