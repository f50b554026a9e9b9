"""What was timed here, as an application's library takes it."""

import msgspec
import pytest

from fakes import MIB, PAGE, FakeClock, FakeLadder, measure
from hashcost.apps.references import Reference
from hashcost.apps.registry import load_tunable
from hashcost.apps.schemes import Scheme
from hashcost.core.measurement import Measurement
from hashcost.recommend.library_times import (
    in_place,
    longest_here,
    page_fault_seconds,
    with_reused_memory,
)

FRESH = 2.56e-4
"""What fresh pages take for each MiB."""


def measurement() -> Measurement:
    """A hasher that is given its memory afresh from 32 MiB on."""
    clock = FakeClock()
    hasher = FakeLadder(clock, cliff=32, page_seconds=FRESH / (MIB // PAGE))
    (found,) = measure(clock, hasher, target=0.2).measurements
    return found


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
        memory = before.params["memory"]
        pages = page_fault_seconds(timed, before.params)
        assert pages is not None
        assert pages == pytest.approx(FRESH * memory * (memory >= 32), rel=0.05)
        for value in (before.lowest, before.lowest + 3):
            assert after.seconds(value) == pytest.approx(before.seconds(value) - pages, rel=1e-3)
    assert kept == msgspec.convert(msgspec.to_builtins(kept), Measurement), "it can be stored"


def test_at_least_half_of_a_hash_remains_without_its_pages() -> None:
    """However long these took: a core that was busy then says little of them."""
    timed = measurement()
    surface = timed.fitted.surface
    assert surface is not None
    dear = msgspec.structs.replace(surface, fresh=surface.fresh * 100)
    fitted = msgspec.structs.replace(timed.fitted, surface=dear)
    kept = in_place(msgspec.structs.replace(timed, fitted=fitted), scheme(keeps_memory=True))
    half = kept.fitted.curves[-1].seconds(1)
    assert half * 2 == pytest.approx(timed.fitted.curves[-1].seconds(1))


def test_a_library_that_gives_its_memory_back_takes_what_was_timed() -> None:
    """So does one of which nothing is said, and one that runs what was timed."""
    timed = measurement()
    assert in_place(timed, scheme(keeps_memory=False)) is timed
    assert in_place(timed, None) is timed


def test_where_no_surface_tells_of_pages_the_time_stands() -> None:
    """As in a decision, which knows one setting."""
    timed = measurement()
    fitted = msgspec.structs.replace(timed.fitted, surface=None)
    bare = msgspec.structs.replace(timed, fitted=fitted)
    assert in_place(bare, scheme(keeps_memory=True)) is bare


def test_half_of_the_pages_take_half_of_their_time() -> None:
    """A share of what fresh memory takes goes, and the surface tells of the rest."""
    fitted = measurement().fitted
    surface = fitted.surface
    assert surface is not None
    half = with_reused_memory(fitted, surface, 0.5)
    assert half.surface is not None
    assert surface.fresh / 2 == pytest.approx(half.surface.fresh)


def test_a_library_that_keeps_its_memory_may_be_timed_for_twice_as_long() -> None:
    """Up to half of what was timed may be pages, which the application does without."""
    assert 0.2 == longest_here(scheme(keeps_memory=False), 0.2)
    assert 0.4 == longest_here(scheme(keeps_memory=True), 0.2)
