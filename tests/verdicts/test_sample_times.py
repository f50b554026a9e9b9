"""The times of single hashes behind a verdict."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import MADE_UP, MEMORY_HARD, configured, judged, measurement_of, with_rows
from hashcost.core.measurement import Sample
from hashcost.core.profile import Failure
from hashcost.verdicts.sample_times import distribution_of

factors = st.lists(st.floats(min_value=0.5, max_value=3.0), min_size=1, max_size=20)


def sample(seconds: float, wall: float | None = None, **params: int) -> Sample:
    """A hash that took so long."""
    return Sample(params=params, cpu_seconds=seconds, wall_seconds=wall or seconds * 2)


@given(off=factors)
def test_hashes_at_another_cost_are_scaled_as_the_model_has_it(off: list[float]) -> None:
    """A hash that took twice what the model says takes twice what it says at any cost."""
    row = measurement_of("pbkdf2-sha256")
    here, there = ({"iterations": count} for count in (600_000, 20_000))
    model = row.fitted.curves[0]
    times = [model.seconds(20_000) * factor for factor in off]
    profile = with_rows(
        MADE_UP,
        msgspec.structs.replace(row, samples=tuple(sample(each, **there) for each in times)),
    )
    found = distribution_of(configured("pbkdf2-sha256=600000"), profile)

    assert found is not None
    assert ((), (20_000,)) == (found.timed, found.scaled_from)
    assert [model.seconds(here["iterations"]) * factor for factor in off] == pytest.approx(
        found.scaled
    )


def test_hashes_at_the_cost_itself_stay_as_they_are() -> None:
    """What was timed at exactly the cost is neither scaled nor counted with what is."""
    row = measurement_of("pbkdf2-sha256")
    samples = (sample(0.2, iterations=600_000), sample(0.01, iterations=20_000))
    profile = with_rows(MADE_UP, msgspec.structs.replace(row, samples=samples))
    found = distribution_of(configured("pbkdf2-sha256=600000"), profile)

    assert found is not None
    assert ((0.2,), 1) == (found.timed, len(found.scaled))


def test_another_memory_says_nothing() -> None:
    """Time do not grow as memory does, so hashes in other memory are left out."""
    measurement = measurement_of("yescrypt", MEMORY_HARD)
    cost = 5
    found = distribution_of(configured(f"yescrypt={cost}"), MEMORY_HARD)

    assert found is not None
    assert len([each for each in measurement.samples if each.params == {"cost": cost}]) == len(
        found.timed
    )
    assert () == found.scaled
    assert distribution_of(configured("yescrypt=1"), MEMORY_HARD) is None


def test_several_threads_are_timed_on_the_wall() -> None:
    """Of a hash in several threads the CPU time is no time that a login takes."""
    row = measurement_of("pbkdf2-sha256")
    slow = msgspec.structs.replace(
        row, threads=2, samples=(sample(0.2, 0.12, iterations=600_000),)
    )
    found = distribution_of(configured("pbkdf2-sha256=600000"), with_rows(MADE_UP, slow))

    assert found is not None
    assert ((0.12,), 2) == (found.timed, found.threads)


@pytest.mark.parametrize("cost", ["bcrypt=9", "bcrypt=12", "sha512-crypt=100000"])
def test_times_surround_what_was_judged(cost: str) -> None:
    """The least of the times lies by the time of the verdict, at whatever cost it is."""
    found = distribution_of(configured(cost), MADE_UP)
    seconds = judged(cost).time_seconds

    assert found is not None
    assert seconds == pytest.approx(min(found.timed + found.scaled), rel=0.02)


def test_a_slower_library_is_slower_here_too() -> None:
    """Where the application's library takes longer, so do the hashes that are shown."""
    plain = distribution_of(configured("bcrypt=9"), MADE_UP)
    assert plain is not None

    class _Slower(type(configured("bcrypt=9"))):  # type: ignore[misc]
        multiple = 2.0

    slower = _Slower(hasher="bcrypt", implementation=None, params={"cost": 9})
    twice = distribution_of(slower, MADE_UP)
    assert twice is not None
    assert [2 * each for each in plain.timed] == pytest.approx(twice.timed)


def test_nothing_timed_is_nothing_to_show() -> None:
    """A hasher that is not there, or failed without a measurement, has no times."""
    failed = Failure(hasher="bcrypt", implementation="bcrypt", code="unavailable", error="gone")

    assert distribution_of(configured("yescrypt=5"), MADE_UP) is None
    assert distribution_of(configured("bcrypt=9"), with_rows(MADE_UP, failed)) is None
    kept = with_rows(MADE_UP, failed, measurement_of("bcrypt"))
    assert distribution_of(configured("bcrypt=9"), kept) is not None
