"""A calibration on a core that something else shares, on a fake clock."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import msgspec
import pytest

from fakes import NO_HISTORY, TWO_CPUS, FakeClock, FakeCore, FakeHasher, fake_host, measure
from hashcost.cli.output import exit_code
from hashcost.core.machine import Machine
from hashcost.core.measurement import SeenBy
from hashcost.core.profile import Profile, Recommendation
from hashcost.machine.history import History

TARGET: Final = 0.03995
"""Not where the fake's cost steps from one rounded value to the next."""
ROUNDS: Final = 39_900
FACTOR: Final = 1.5

ALWAYS: Final = ((0.0, math.inf),)
HALF: Final = tuple((at / 10, at / 10 + 0.3) for at in range(0, 400, 6))
"""Shared for 0.3 s, then quiet for 0.3 s."""


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A history without a run."""
    return History(tmp_path / "history.json")


def _run(
    history: History,
    shared: tuple[tuple[float, float], ...] = (),
    *,
    hasher: str = "fake",
    unit: float = 1e-6,
    machine: Machine = TWO_CPUS,
) -> Profile:
    """A run on a machine whose core is shared in these stretches."""
    clock = FakeClock()
    core = FakeCore(clock=clock, shared=shared, factor=FACTOR)
    row = FakeHasher(clock, name=hasher, seconds_per_unit=unit, noise=core.slowing)
    host = fake_host(clock, history=history, machine=machine)
    return measure(clock, row, target=TARGET, host=host, probe=core.start)


def _only(profile: Profile) -> Recommendation:
    (row,) = profile.recommendations
    return row


def _codes(profile: Profile) -> list[str]:
    """Of the notices of the run and of its row."""
    return [notice.code for notice in (*profile.warnings, *_only(profile).warnings)]


class TestSharedSpeed:
    """The time of a hash while the core is shared."""

    def test_a_core_that_is_shared_half_of_the_time_does_not_weaken_the_answer(self) -> None:
        """The cost is that of the quiet core; the time on a shared one stands beside it."""
        row = _only(_run(NO_HISTORY, HALF))
        assert {"rounds": ROUNDS} == row.params
        assert row.time_seconds == pytest.approx(ROUNDS * 1e-6)
        assert row.shared_seconds == pytest.approx(row.time_seconds * FACTOR)
        assert row.shared_share is not None
        assert 0 < row.shared_share < 1
        assert row.seen_by is SeenBy.THIS_RUN

    def test_a_core_that_was_not_shared_has_no_shared_speed(self) -> None:
        """Nothing is said of a shared core where none was seen."""
        row = _only(_run(NO_HISTORY))
        assert {"rounds": ROUNDS} == row.params
        assert (None, None) == (row.shared_seconds, row.shared_share)

    def test_it_is_of_the_recommended_cost(self) -> None:
        """The measurement keeps the factor, so that any answer by it has its own time."""
        (measurement,) = _run(NO_HISTORY, HALF).measurements
        assert measurement.shared is not None
        assert measurement.shared.factor == pytest.approx(FACTOR)


class TestEarlierRuns:
    """A run that something slows throughout."""

    @pytest.mark.parametrize("runs", [1, 3])
    def test_they_answer_for_it(self, history: History, runs: int) -> None:
        """The time is what earlier runs here saw of a quiet core, and the row says so."""
        for _ in range(runs):
            _run(history)
        profile = _run(history, ALWAYS)
        row = _only(profile)
        assert {"rounds": ROUNDS} == row.params
        assert row.time_seconds == pytest.approx(ROUNDS * 1e-6)
        assert row.seen_by is SeenBy.EARLIER_RUNS
        assert ["earlier-runs"] == _codes(profile)
        assert row.warnings[0].message.endswith("the time comes from earlier runs")

    @pytest.mark.parametrize("named", [True, False])
    def test_their_answer_is_conclusive(self, history: History, named: bool) -> None:
        """What earlier runs know well does not end the command with 3."""
        _run(history)
        assert 0 == exit_code(_run(history, ALWAYS), named=named)

    @pytest.mark.parametrize("named", [True, False])
    def test_without_any_nobody_saw_the_core_quiet(self, history: History, named: bool) -> None:
        """If they only timed another hasher, the row says that nobody knows: 3."""
        _run(history, hasher="other")
        profile = _run(history, ALWAYS)
        assert _only(profile).seen_by is SeenBy.NOBODY
        assert ["shared-core"] == _codes(profile)
        assert 3 == exit_code(profile, named=named)

    def test_the_quiet_speed_may_be_any_that_sharing_hides(self, history: History) -> None:
        """Where nobody saw the core quiet, the interval reaches down to its real speed."""
        _run(history, hasher="other")
        row = _only(_run(history, ALWAYS))
        assert row.interval_seconds is not None
        (rounds,) = row.params.values()
        assert row.interval_seconds[0] <= rounds * 1e-6 <= row.interval_seconds[1]

    def test_a_run_that_nobody_saw_quiet_is_not_remembered(self, history: History) -> None:
        """What a shared core took says nothing to later runs."""
        _run(history, hasher="other")
        _run(history, ALWAYS)
        assert 1 == len(history.all_runs())

    @pytest.mark.parametrize("named", [True, False])
    @pytest.mark.parametrize(
        "units", [(1.6e-6,), (1.6e-6, 1.3e-6, 2e-6), (1e-6, 3e-6, 1e-6, 1.5e-6, 9e-6)]
    )
    def test_their_spread_is_not_this_runs_doubt(
        self, history: History, units: tuple[float, ...], named: bool
    ) -> None:
        """However far earlier runs lie apart, a run that saw the core quiet knows its answer."""
        for unit in units:
            _run(history, unit=unit)
        profile = _run(history)
        assert {"rounds": ROUNDS} == _only(profile).params
        assert _only(profile).error_fraction == pytest.approx(0.02, abs=0.02)
        assert 0 == exit_code(profile, named=named)

    def test_several_that_agree_are_pooled(self, history: History) -> None:
        """A run a little off the others gives an answer between, and counts them."""
        for _ in range(3):
            _run(history)
        profile = _run(history, unit=1.03e-6)
        (measurement,) = profile.measurements
        assert 1e-6 < _only(profile).model.seconds_per_unit < 1.03e-6
        assert measurement.fitted.curves[0].earlier_runs == 3


class TestFirstRun:
    """Nothing but this run tells how quick the machine is."""

    def test_it_says_so_once(self, history: History) -> None:
        """The first run that leaves something to later ones says that it is the first."""
        assert ["first-run"] == _codes(_run(history))
        assert [] == _codes(_run(history))

    def test_where_no_history_is_kept_no_run_is_the_first(self) -> None:
        """Without a history, advice to run it again would lead nowhere."""
        assert [] == _codes(_run(NO_HISTORY))

    def test_on_an_unknown_cpu_no_run_is_the_first(self, history: History) -> None:
        """A machine whose CPU is unknown leaves nothing to later runs, and says nothing."""
        unknown = msgspec.structs.replace(TWO_CPUS, cpu_model=None)
        assert [] == _codes(_run(history, machine=unknown))
        assert () == history.all_runs()


class TestRemembered:
    """What a run leaves to later ones."""

    def test_its_speed_and_the_ratio_of_its_core(self, history: History) -> None:
        """A run leaves the quiet speed of its hashers, and the probe's quiet ratio."""
        _run(history, HALF)
        (run,) = history.all_runs()
        assert {"fake@memory 1.0": pytest.approx(1e-6)} == run.seconds_per_unit
        assert run.probe == "made up"
        assert run.quiet_ratio == pytest.approx(1.0)

    def test_a_run_that_the_budget_ended_leaves_nothing(self, history: History) -> None:
        """Too few samples to tell an error are not remembered."""
        clock = FakeClock()
        host = fake_host(clock, history=history)
        measure(clock, FakeHasher(clock), target=TARGET, host=host, budget=0.02)
        assert () == history.all_runs()

    def test_every_version_is_its_own(self, history: History) -> None:
        """Runs of another version of the library are not compared with this one."""
        clock = FakeClock()
        host = fake_host(clock, history=history)
        for version, unit in (("1.0", 1.2e-6), ("2.0", 1e-6)):
            hasher = FakeHasher(clock, version=version, seconds_per_unit=unit)
            row = _only(measure(clock, hasher, target=TARGET, host=host))
            assert row.model.seconds_per_unit == pytest.approx(unit)
