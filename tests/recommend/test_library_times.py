"""What was timed here, as an application's library takes it."""

import msgspec
import pytest

from hashcost.apps.interface import Reference, Scheme
from hashcost.apps.registry import load_tunable
from hashcost.core.measurement import Measurement
from hashcost.documents.profile import load_profile
from hashcost.recommend.library_times import in_place, page_fault_seconds, slowed
from made_up import MEMORY_HARD_FILE

SHARE = 0.3


def measurement(share: float = SHARE) -> Measurement:
    """Argon2id whose fresh pages take this share of its shortest hash at each memory."""
    profile = load_profile(MEMORY_HARD_FILE)
    found = next(each for each in profile.measurements if each.hasher == "argon2id")
    memory = found.knobs[0].name
    least = {each.params[memory]: each.seconds(each.lowest) for each in found.fitted.curves}
    samples = tuple(
        msgspec.structs.replace(sample, system_seconds=share * least[sample.params[memory]])
        for sample in found.samples
        if sample.params[memory] in least
    )
    curves = tuple(
        msgspec.structs.replace(
            each,
            model=msgspec.structs.replace(
                each.model, overhead_seconds=share * least[each.params[memory]]
            ),
        )
        for each in found.fitted.curves
    )
    fitted = msgspec.structs.replace(found.fitted, curves=curves)
    return msgspec.structs.replace(found, samples=samples, fitted=fitted)


def scheme(*, keeps_memory: bool) -> Scheme:
    """Keycloak's argon2id, run by a library that keeps its memory, or does not."""
    known = load_tunable("keycloak").scheme("argon2id")
    assert known is not None
    reference = Reference(implementation="argon2-cffi", keeps_memory=keeps_memory)
    return msgspec.structs.replace(known, reference=reference)


def test_a_library_that_keeps_its_memory_pays_for_no_fresh_pages() -> None:
    """Every cost takes less by what the pages of its memory take, however many its passes."""
    timed = measurement()
    kept = in_place(timed, scheme(keeps_memory=True))
    for before, after in zip(timed.fitted.curves, kept.fitted.curves, strict=True):
        pages = page_fault_seconds(timed, before.params)
        assert pages is not None
        for value in (before.lowest, before.lowest + 3):
            assert after.seconds(value) == pytest.approx(before.seconds(value) - pages)
    assert all(sample.system_seconds == 0 for sample in kept.samples)


def test_pages_never_take_more_than_half_of_a_hash() -> None:
    """A clock that says otherwise is not believed."""
    timed = measurement(share=3.0)
    kept = in_place(timed, scheme(keeps_memory=True))
    for before, after in zip(timed.fitted.curves, kept.fitted.curves, strict=True):
        least = before.seconds(before.lowest)
        assert after.seconds(after.lowest) == pytest.approx(least / 2)


def test_a_library_that_gives_its_memory_back_takes_what_was_timed() -> None:
    """So does one of which nothing is said, and one that runs what was timed."""
    timed = measurement()
    assert in_place(timed, scheme(keeps_memory=False)) is timed
    assert in_place(timed, None) is timed


def test_where_no_sample_tells_of_pages_the_time_stands() -> None:
    """As in a profile that has no samples."""
    bare = msgspec.structs.replace(measurement(), samples=())
    assert in_place(bare, scheme(keeps_memory=True)) is bare


def test_a_slower_library_takes_as_many_times_as_long_at_every_cost() -> None:
    """Also in its samples, and at memory that was not timed."""
    timed = measurement()
    twice = slowed(timed, 2.0)
    for before, after in zip(timed.fitted.curves, twice.fitted.curves, strict=True):
        assert after.seconds(after.lowest) == pytest.approx(2 * before.seconds(before.lowest))
    assert [2 * each.cpu_seconds for each in timed.samples] == [
        each.cpu_seconds for each in twice.samples
    ]
    assert slowed(timed, 1.0) is timed
