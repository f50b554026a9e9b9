"""What a saved profile has of a hasher, and what one run adds to it."""

import datetime as dt
from typing import Any

import msgspec
import pytest

from fakes import TWO_CPUS, FakeClock, FakeHasher, FakeLadder, measure
from hashcost.core.errors import UnreadableInputError
from hashcost.core.machine import HUGE_PAGES, Notice
from hashcost.core.profile import Failure, Profile, Recommendation
from hashcost.recommend.saved import labels_in, may_add, merged, rows_named
from hashcost.storage.profile import encode_json, from_json
from measured import EVERY, HARD

DAY = dt.timedelta(days=1)
NOISE, BUSY = (Notice(code=code, message=code) for code in ("noise", "busy"))


def run_of(clock: FakeClock, *names: str, seconds: float = 1e-6, **options: Any) -> Profile:
    """A run that measures hashers of these names."""
    hashers = [FakeHasher(clock, name=name, seconds_per_unit=seconds) for name in names]
    return measure(clock, *hashers, **options)


def older(profile: Profile) -> Profile:
    """The same, made a day before."""
    return msgspec.structs.replace(profile, created=profile.created - DAY)


class TestMerged:
    """A profile that a run adds to."""

    def test_new_rows_are_added_and_the_others_kept(self, clock: FakeClock) -> None:
        """What the run did not measure stays as it was; the whole is as old as that."""
        old, new = older(run_of(clock, "a", "b")), run_of(clock, "c")
        old = msgspec.structs.replace(old, warnings=(NOISE,))
        new = msgspec.structs.replace(new, warnings=(BUSY, NOISE))
        whole = merged(old, new)

        assert [*old.results, *new.results] == [*whole.results]
        assert (NOISE, BUSY) == whole.warnings
        assert (*old.measurements, *new.measurements) == whole.measurements
        assert old.created == whole.created
        assert old.duration_seconds + new.duration_seconds == whole.duration_seconds

    def test_what_is_measured_again_is_replaced(self, clock: FakeClock) -> None:
        """A hasher has one row, that of the latest run."""
        old, new = older(run_of(clock, "a", "b")), run_of(clock, "b", seconds=2e-6)
        whole = merged(old, new)

        assert ["a@memory", "b@memory"] == [row.label for row in whole.results]
        assert new.results == whole.results[1:]
        assert new.measurements == whole.measurements[1:]

    def test_a_profile_that_is_measured_anew_is_new(self, clock: FakeClock) -> None:
        """Nothing of the older one is left, not even its day."""
        old, new = older(run_of(clock, "a")), run_of(clock, "a")
        old = msgspec.structs.replace(old, warnings=(NOISE,))

        assert new == merged(old, new)

    def test_rows_are_answered_for_the_new_target(self, clock: FakeClock) -> None:
        """All rows of a profile are for one target."""
        whole = merged(run_of(clock, "a", target=0.1), run_of(clock, "b", target=0.05015))
        first, second = whole.recommendations

        assert 0.05015 == whole.target_seconds
        assert first.params == second.params

    def test_lanes_are_told_apart(self, clock: FakeClock) -> None:
        """A hasher in another number of lanes is another measurement."""
        one, two = (
            measure(clock, FakeLadder(clock, lanes=True), parallelism=lanes) for lanes in (1, 2)
        )
        whole = merged(one, two)

        assert [1, 2] == [each.lanes for each in whole.measurements]
        assert [1, 2] == [row.params["parallelism"] for row in whole.recommendations]
        assert whole.results == merged(whole, two).results

    def test_a_failure_takes_no_measurement_away(self, clock: FakeClock) -> None:
        """What a run could not measure is as the older one has it."""
        old = run_of(clock, "a")
        failed = msgspec.structs.replace(
            old,
            measurements=(),
            results=(
                Failure(hasher="a", implementation="memory", code="unavailable", error="gone"),
            ),
        )

        assert old.results == merged(old, failed).results
        assert failed.results == merged(failed, failed).results
        assert old.results == merged(failed, old).results

    def test_a_row_that_was_asked_for_stays_one(self, clock: FakeClock) -> None:
        """A later run that measures its hasher only beside others leaves it its row."""
        old = run_of(clock, "a", "b")
        beside = msgspec.structs.replace(
            run_of(clock, "c", "b", seconds=2e-6), results=run_of(clock, "c").results
        )
        whole = merged(old, beside)
        (found,) = (row for row in whole.recommendations if row.hasher == "b")

        assert ["a@memory", "b@memory", "c@memory"] == [row.label for row in whole.results]
        assert found.time_seconds == pytest.approx(0.04, rel=0.1)
        assert whole.measurement_of(found) is beside.measurements[1]

    def test_it_is_a_profile_that_can_be_read(self) -> None:
        """A file of it is as good as any, and adding the same again changes nothing."""
        whole = merged(EVERY, HARD)

        assert whole == from_json(encode_json(whole), name="it")
        assert whole.results == merged(whole, HARD).results


LASTING = {"cpu_model": "x", "architecture": "x", "virtualization": "x"}
PASSING = {"kernel": "2", "os": "x", "python": "4", "openssl": "5", "cpu_count": 9}


@pytest.mark.parametrize("memory", [(None, None), (1000, 990), (989, 1000), (9, None), (None, 9)])
def test_only_the_same_machine_may_add(memory: tuple[int | None, int | None]) -> None:
    """A fact that no update changes tells two machines apart, and memory by more than 1 %; of an
    unknown CPU nobody can tell.
    """

    def may(before: dict[str, Any], now: dict[str, Any]) -> bool:
        old, new = (
            msgspec.structs.replace(TWO_CPUS, memory_bytes=size, **facts)
            for size, facts in zip(memory, (before, now), strict=True)
        )
        return may_add(msgspec.structs.replace(EVERY, machine=old, host=None), new, None)

    alike = memory in {(None, None), (1000, 990)}
    assert alike is may({}, {}) is may({}, PASSING)
    assert not may({"cpu_model": None}, {"cpu_model": None})
    for fact, value in {**LASTING, "cpu_flags": ("x",)}.items():
        assert not may({}, {fact: value})


def test_contexts_are_kept_and_never_mixed(clock: FakeClock) -> None:
    """A run adds to what was measured as it was; the rest stays beside it."""
    small = run_of(clock, "a", "b")
    huge = in_huge_pages(run_of(clock, "a", seconds=2e-6))
    again = in_huge_pages(run_of(clock, "c"))
    whole = merged(merged(small, huge), again)

    assert small == msgspec.structs.replace(whole, other_contexts=())
    (beside,) = whole.other_contexts
    assert [*huge.results, *again.results] == [*beside.results]
    assert whole == from_json(encode_json(whole), name="it") == merged(whole, small)


def test_a_process_reads_its_own_context(clock: FakeClock) -> None:
    """Without a word; in another, it is told what differs."""
    small, huge = run_of(clock, "a"), in_huge_pages(run_of(clock, "a"))
    both = merged(small, huge)

    assert small == both.in_context_of(small.machine)
    assert huge == both.in_context_of(huge.machine)
    assert small.results == small.in_context_of(huge.machine).results
    (notice,) = small.in_context_of(huge.machine).warnings[len(small.warnings) :]
    assert huge.machine.huge_pages in notice.message


def test_contexts_hold_no_contexts(clock: FakeClock) -> None:
    """A file that nests them is refused."""
    both = merged(run_of(clock, "a"), in_huge_pages(run_of(clock, "a")))
    nested = msgspec.structs.replace(both, other_contexts=(both,))
    with pytest.raises(UnreadableInputError, match="damaged"):
        from_json(encode_json(nested), name="it")


def in_huge_pages(profile: Profile) -> Profile:
    """The profile as measured by a process whose malloc asks for huge pages."""
    asking = {"huge_pages": "madvise", "libc": "glibc 2.36", "malloc": HUGE_PAGES}
    machine = msgspec.structs.replace(profile.machine, **asking)
    return msgspec.structs.replace(profile, machine=machine)


def test_what_was_measured_beside_is_answered(clock: FakeClock) -> None:
    """A measurement without a row is answered for the profile's target."""
    both = run_of(clock, "a", "b")
    profile = msgspec.structs.replace(both, results=both.results[:1])
    (row,) = rows_named(profile, "b@memory")

    assert isinstance(row, Recommendation)
    assert isinstance(both.results[1], Recommendation)
    assert both.results[1].params == row.params
    assert both.results[:1] == rows_named(profile, "a")
    assert () == rows_named(profile, "c")
    assert ("a@memory", "b@memory") == labels_in(profile)
