"""The runtimes that are installed hash right, and time themselves as a clock from outside does."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator
from typing import Final

import pytest

from end_to_end.runtimes.projects import FETCH, AbsentError, project
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import Candidate
from hashcost.runtimes.elsewhere import Elsewhere
from hashcost.runtimes.hasher import ElsewhereHasher
from hashcost.runtimes.table import RUNTIMES, Place

pytestmark = pytest.mark.slow


def _place(runtime: str) -> Place:
    """An application with the runtime's libraries, if they were fetched."""
    try:
        return Place(project=str(project(runtime)))
    except AbsentError:
        return Place()


_PLACES: Final = {name: Elsewhere(_place(name)) for name, each in RUNTIMES.items() if each.probe}
LABELS: Final = {
    each.label: each for runtime, place in _PLACES.items() for each in place.candidates(runtime)
}
EXACT: Final = ("node", "php", "ruby", "perl", "python", "go")
"""Their clock is that of the whole process."""


@pytest.fixture(scope="module", autouse=True)
def processes() -> Iterator[None]:
    """One process a runtime for all tests of a worker."""
    with contextlib.ExitStack() as places:
        for each in _PLACES.values():
            places.enter_context(each)
        yield


def loaded(candidate: Candidate) -> ElsewhereHasher:
    """The hasher, or the test is skipped with what installs it."""
    try:
        hasher = candidate.load()
    except UnavailableError as error:
        if "was ended" in str(error):
            raise
        fetched = _PLACES[candidate.runtime].place.project is not None
        pytest.skip(f"{candidate.label}: {error}" + ("" if fetched else f"; {FETCH}"))
    assert isinstance(hasher, ElsewhereHasher)
    return hasher


@pytest.mark.parametrize("label", LABELS)
def test_a_library_hashes_right_and_is_named(label: str) -> None:
    """Known answers at two costs, or accepted and refused passwords; library and runtime have a
    version.
    """
    hasher = loaded(LABELS[label])
    check_known_answers(hasher)
    sample = hasher.timed(b"probe-pass12", b"abcdefghIJKLMOPQ", hasher.lowest)
    assert 0 <= sample.cpu_seconds < 5
    assert sample.wall_seconds < 5
    runtime = label.partition("@")[2].partition(":")[0]
    assert f", {runtime} " in hasher.version


def clock_of(pid: int) -> float:
    """CPU seconds of a whole process, by the exact clock that Linux keeps of it."""
    return time.clock_gettime((~pid << 3) | 2)


@pytest.mark.parametrize("runtime", EXACT)
def test_a_clock_is_exact(runtime: str) -> None:
    """Ten hashes of some milliseconds lie within what the process took in all.

    A sampled clock is off by several milliseconds at each. What is beside the hash may take
    longer now and then.
    """
    if runtime not in RUNTIMES:
        pytest.skip("no such probe")
    known = [each for each in LABELS.values() if each.runtime == runtime]
    candidate = next(each for each in known if each.hasher in {"pbkdf2-sha256", "sha512-crypt"})
    hasher = loaded(candidate)
    params = dict.fromkeys(hasher.lowest, 20000)
    pid = hasher.session.greeting.pid
    beside = []
    for _ in range(10):
        before = clock_of(pid)
        inside = hasher.timed(b"probe-pass12", b"abcdefghIJKLMOPQ", params).cpu_seconds
        outside = clock_of(pid) - before
        assert inside <= outside + 1e-4
        beside.append(outside - inside)
    assert statistics.median(beside) < 3e-3
