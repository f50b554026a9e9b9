"""Logins that hash far away take as long as they do there."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from hashcost.hashers.interface import Hasher
from hashcost.logins.capacity import measure_level
from hashcost.logins.load import open_loop
from hashcost.machine.clock import system_clock
from hashcost.measure.runner import ready_calls
from hashcost.runtimes.delivery import Place
from hashcost.runtimes.elsewhere import Elsewhere
from runtimes import fake, far_away

PARAMS = {"iterations": 1000}
ROUGHLY = 0.25
"""How late a busy machine may wake a process that sleeps."""


@pytest.fixture(params=[0.0, 0.05], ids=["here", "far away"])
def hasher(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Hasher]:
    """It hashes for 20 ms; what is asked and answered is on its way for as long as five hashes."""
    place = Place(prefix=(far_away(tmp_path, request.param),), command=fake(tmp_path, "sleeps"))
    with Elsewhere(place) as elsewhere:
        yield next(
            each for each in elsewhere.candidates("node") if each.hasher == "pbkdf2-sha256"
        ).load()


@pytest.mark.parametrize("threads", [1, 3])
def test_a_process_far_away_is_never_idle(threads: int, hasher: Hasher) -> None:
    """As many logins a second as there, each as long as its hash."""
    level = measure_level(hasher, PARAMS, threads=threads, seconds=1.0, clock=system_clock())
    assert level.p50_seconds == pytest.approx(0.02, rel=ROUGHLY)
    # One hash at a time would be a sixth of it.
    assert level.logins_per_second > 0.5 * threads / level.p50_seconds


def test_a_login_far_away_waits_only_for_those_before_it(hasher: Hasher) -> None:
    """The way is no part of a response; of two that come at once, one waits."""
    due = [0.3 * moment for moment in range(4) for _ in range(2)]
    opened = open_loop(
        system_clock(),
        ready_calls(hasher, PARAMS, 1),
        due,
        patience_seconds=3600.0,
        where="",
    )
    responses = [each.response_seconds for each in opened.served]
    assert statistics.median(responses[::2]) == pytest.approx(0.02, rel=ROUGHLY)
    assert statistics.median(responses[1::2]) == pytest.approx(0.04, rel=ROUGHLY)
