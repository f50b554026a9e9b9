"""The runtimes that are installed hash right."""

import contextlib
from collections.abc import Iterator
from typing import Final

import pytest

from end_to_end.real_programs import FETCH, AbsentError, project
from hashcost.core.errors import UnavailableError
from hashcost.hashers.interface import check_known_answers
from hashcost.hashers.registry import Candidate
from hashcost.runtimes.hasher import RuntimeHasher
from hashcost.runtimes.processes import Runtimes
from hashcost.runtimes.table import RUNTIMES, Location

pytestmark = pytest.mark.slow


def _place(runtime: str) -> Location:
    """An application with the runtime's libraries, if they were fetched."""
    try:
        return Location(project=str(project(runtime)))
    except AbsentError:
        return Location()


_PLACES: Final = {name: Runtimes(_place(name)) for name, each in RUNTIMES.items() if each.probe}
LABELS: Final = {
    each.label: each for runtime, place in _PLACES.items() for each in place.candidates(runtime)
}


@pytest.fixture(scope="module", autouse=True)
def processes() -> Iterator[None]:
    """One process a runtime for all tests of a worker."""
    with contextlib.ExitStack() as places:
        for each in _PLACES.values():
            places.enter_context(each)
        yield


def loaded(candidate: Candidate) -> RuntimeHasher:
    """The hasher, or the test is skipped with what installs it."""
    try:
        hasher = candidate.load()
    except UnavailableError as error:
        if "was ended" in str(error):
            raise
        fetched = _PLACES[candidate.runtime].location.project is not None
        pytest.skip(f"{candidate.label}: {error}" + ("" if fetched else f"; {FETCH}"))
    assert isinstance(hasher, RuntimeHasher)
    return hasher


@pytest.mark.parametrize("label", LABELS)
def test_a_library_hashes_right_and_is_named(label: str) -> None:
    """Known answers at two costs, or accepted and refused passwords; library and runtime have a
    version.
    """
    hasher = loaded(LABELS[label])
    check_known_answers(hasher)
    sample = hasher.timed(b"probe-pass12", b"abcdefghIJKLMOPQ", hasher.lowest)
    assert sample.cpu_seconds >= 0
    runtime = label.partition("@")[2].partition(":")[0]
    assert f", {runtime} " in hasher.version
