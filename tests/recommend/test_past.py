"""What the remembered runs are summed up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from fakes import NOW
from hashcost.core.measurement import Params
from hashcost.machine.history import PastRun, hasher_key, hasher_of
from hashcost.recommend.past import HasherPast, MachinePast, summary

HERE = "Fake CPU x2 | fake | 1"
PROBE = "one / another"


def run(
    rates: Mapping[str, float], *, ago: float = 60.0, machine: str = HERE, ratio: float = 1.0
) -> PastRun:
    """A run that ended so many seconds ago."""
    return PastRun(
        ended=NOW - ago,
        machine=machine,
        probe=PROBE,
        quiet_ratio=ratio,
        seconds_per_unit=dict(rates),
    )


def machines(*runs: PastRun) -> tuple[MachinePast, ...]:
    """The runs summed up on this machine now."""
    return summary(runs, path="history.json", here=HERE, now=NOW).machines


def only(key: str, *rates: float) -> HasherPast:
    """What runs with these rates, the oldest first, are summed up to."""
    runs = [run({key: rate}, ago=1000.0 - index) for index, rate in enumerate(rates)]
    ((row,),) = (machine.hashers for machine in machines(*runs))
    return row


@pytest.mark.parametrize(
    ("key", "rate", "params", "seconds"),
    [
        ("bcrypt@bcrypt 5.0.0", 1e-4, {"cost": 12}, 0.4096),
        ("bcrypt@other 1", 1e-4, {"cost": 12}, 0.4096),
        ("sha512-crypt@libcrypt 4.4.33-2", 2e-7, {"rounds": 5000}, 1e-3),
        ("pbkdf2-sha256@hashlib OpenSSL 3.0.19", 2e-7, {"iterations": 1_000_000}, 0.2),
        ("pbkdf2-sha256@hashlib OpenSSL 3.0.19", 1.0, {"iterations": 1}, 1.0),
        ("scrypt@hashlib OpenSSL 3 n 16384, r 8, p 1", 0.03, {"n": 16384, "r": 8, "p": 1}, 0.03),
        (
            "argon2id@argon2-cffi 25.1.0 memory_kib 65536, time_cost 3, parallelism 4",
            0.09,
            {"memory_kib": 65536, "time_cost": 3, "parallelism": 4},
            0.09,
        ),
        (
            "argon2id@argon2-cffi 25.1.0 memory_kib 19456, time_cost 1, parallelism 1",
            0.01,
            {"memory_kib": 19456, "time_cost": 1, "parallelism": 1},
            0.01,
        ),
        ("yescrypt@libcrypt 4.4.33-2 cost 8", 0.16, {"cost": 8}, 0.16),
        ("house@ours 1.0", 1e-6, None, 1e-6),
    ],
)
def test_the_time_is_that_of_a_cost_people_know(
    key: str, rate: float, params: Params | None, seconds: float
) -> None:
    """The time is that of the setting that was timed, the library's default or a round cost."""
    row = only(key, rate)
    assert params == row.params
    assert seconds == pytest.approx(row.time_seconds)
    assert rate == row.seconds_per_unit


@pytest.mark.parametrize(
    "version", ["5.0.0", "OpenSSL 3.0.19", "50.0.2 OpenSSL 4.0.3", "4.4.33-2"]
)
@pytest.mark.parametrize("fixed", [{}, {"cost": 8}, {"memory_kib": 65536, "parallelism": 1}])
def test_a_key_tells_what_it_was_made_of(version: str, fixed: Params) -> None:
    """Hasher, library, version and memory are read back from the key of the file."""
    assert ("a@b", version, fixed) == hasher_of(hasher_key("a@b", version, fixed))


class TestSpread:
    """How well the runs know a hasher."""

    def test_it_goes_from_the_quickest_to_the_slowest_that_counts(self) -> None:
        """The interval encloses the runs that agree, around their median."""
        row = only("house@ours 1.0", 1.00, 1.02, 1.04)
        assert (1.02, (1.00, 1.04)) == (row.time_seconds, row.interval_seconds)

    def test_a_run_that_does_not_agree_is_ignored(self) -> None:
        """A slow run among quick ones is counted as ignored and changes no figure."""
        row = only("house@ours 1.0", 1.00, 1.60, 1.02, 1.04)
        assert (4, 1, 1.02) == (row.runs, row.ignored, row.time_seconds)

    def test_a_single_run_has_no_spread(self) -> None:
        """One run cannot disagree with another."""
        assert only("house@ours 1.0", 1.0).interval_seconds is None


class TestMachines:
    """Whose runs these are."""

    def test_this_machine_comes_first(self) -> None:
        """A file that several machines share is told apart, this machine's runs first."""
        found = machines(run({"a@b 1": 1.0}, machine="A"), run({"a@b 1": 2.0}))
        assert [(HERE, True), ("A", False)] == [(each.machine, each.here) for each in found]

    def test_runs_that_are_too_old_count_no_longer(self) -> None:
        """A run older than thirty days is left out, and a machine without another one too."""
        old = run({"a@b 1": 1.0}, ago=31 * 86400.0)
        assert machines(old) == ()
        assert [1] == [each.runs for each in machines(old, run({"a@b 1": 1.0}))]

    def test_the_last_run_is_dated(self) -> None:
        """A hasher's date is that of the last run that timed it, not of the machine's last."""
        (machine,) = machines(run({"a@b 1": 1.0}, ago=3600), run({"c@d 1": 1.0}, ago=60))
        dates: Sequence[float] = [row.last.timestamp() for row in machine.hashers]
        assert [NOW - 3600, NOW - 60] == dates
        assert NOW - 60 == machine.last.timestamp()

    def test_the_quiet_ratio_is_that_of_the_runs_that_agree(self) -> None:
        """The core probe's ratio is the median of those that agree."""
        runs = [run({"a@b 1": 1.0}, ratio=ratio) for ratio in (1.0, 1.6, 1.01, 1.02)]
        assert [(PROBE, 1.01)] == [(each.probe, each.quiet_ratio) for each in machines(*runs)]

    def test_memory_rises(self) -> None:
        """The steps of a ladder are in the order of their memory."""
        keys = [f"yescrypt@libcrypt 4 cost {cost}" for cost in (10, 9, 8)]
        (machine,) = machines(run(dict.fromkeys(keys, 0.1)))
        assert [{"cost": 8}, {"cost": 9}, {"cost": 10}] == [row.params for row in machine.hashers]
