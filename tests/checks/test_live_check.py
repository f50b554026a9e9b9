"""The check where costs are timed for it, on a fake clock."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks import configured
from fakes import (
    KNOWN_LEVEL,
    STEPS,
    TWO_CPUS,
    FakeClock,
    FakeHasher,
    FakeLadder,
    broken,
    fake_host,
    still_probe,
)
from hashcost.checks import live_check as checking
from hashcost.checks.judgement import Configured, Judgement, Outcome, Standard
from hashcost.checks.judging import completed, installed_versions
from hashcost.core.errors import UnavailableError, UsageError
from hashcost.core.machine import Notice
from hashcost.core.profile import Profile
from hashcost.core.progress import Stage
from hashcost.hashers.registry import Candidate
from hashcost.machine.history import History
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate
from hashcost.strength.policies.catalogue import load_policy

TARGET = 0.0399
STANDARD = Standard(target_seconds=TARGET, policies=(load_policy("owasp"),))


def live(
    clock: FakeClock,
    costs: Sequence[Configured],
    *rows: FakeHasher | Candidate,
    standard: Standard = STANDARD,
    profiles: list[tuple[str, ...]] | None = None,
    history: History = KNOWN_LEVEL,
    known: list[int] | None = None,
) -> list[Judgement]:
    """Check costs by only these hashers.

    ``profiles`` gets the names of each measurement, ``known`` the number of earlier runs.
    """
    host = fake_host(clock, history=history)
    pool = tuple(row if isinstance(row, Candidate) else row.registered() for row in rows)

    def recorded(request: Request, **options: Any) -> Profile:
        if profiles is not None:
            profiles.append(tuple(request.hashers))
        if known is not None:
            known.append(len(options["host"].history.past(TWO_CPUS.context).runs))
        asked = (request.target_seconds, request.policies, request.enforce)
        assert (standard.target_seconds, standard.policies, True) == asked
        assert progress is options["progress"]
        return calibrate(request, **{**options, "probe": still_probe})

    def progress(_: Stage) -> None:
        pass

    complete = [completed(cost, None, pool) for cost in costs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checking, "calibrate", recorded)
        _, judgements = checking.check_here(
            complete, standard, host=host, pool=pool, progress=progress
        )
    return judgements


def outcomes(
    clock: FakeClock, costs: Sequence[str], *rows: FakeHasher | Candidate, **options: Any
) -> list[Outcome]:
    """What is found of each cost."""
    judgements = live(clock, [configured(cost) for cost in costs], *rows, **options)
    return [judgement.outcome for judgement in judgements]


class TestVerdicts:
    """What is timed here decides."""

    def test_memory_of_the_cost_is_timed(self, clock: FakeClock) -> None:
        """Of a memory-hard hasher the cost's own step is timed, wherever the target leads."""
        ladder = FakeLadder(clock, name="ladder")
        (found,) = live(clock, [configured("ladder=memory=512,passes=1")], ladder)

        assert Outcome.OVER_BUDGET is found.outcome
        assert found.time_seconds == pytest.approx(0.512, rel=0.02)

    def test_passes_of_the_cost_are_timed(self, clock: FakeClock) -> None:
        """A later pass takes less than the first: the cost itself is timed, not multiplied."""
        ladder = FakeLadder(clock, name="ladder", filling=1e-3, seconds_per_unit=1e-4)
        limited = Standard(target_seconds=TARGET, longest_seconds=0.05)
        cost = configured("ladder=memory=32,passes=4")
        (found,) = live(clock, [cost], ladder, standard=limited)

        assert found.time_seconds == pytest.approx(0.0448, rel=0.02)
        assert found.outcome is not Outcome.TOO_SLOW

    def test_lanes_have_a_measurement_each(self, clock: FakeClock) -> None:
        """Costs of different lanes are each judged by hashes of as many."""
        ladder = FakeLadder(clock, name="ladder", lanes=True)
        costs = [
            "ladder=memory=32,passes=1,parallelism=1",
            "ladder=memory=16,passes=1,parallelism=2",
            "ladder=memory=64,passes=1,parallelism=2",
        ]
        found = live(clock, [configured(cost) for cost in costs], ladder)

        assert [Outcome.FINE, Outcome.DRIFTED, Outcome.FINE] == [row.outcome for row in found]
        assert [0.032, 0.008, 0.032] == pytest.approx(
            [row.time_seconds for row in found], rel=0.02
        )

    def test_missing_library(self, clock: FakeClock) -> None:
        """A hasher that cannot be run here, or is wrong, judges nothing, and says why."""
        rows = (
            broken("gone@memory", UnavailableError("its library is missing")),
            FakeHasher(clock, name="wrong", answer=lambda value, output: output[:-1] + b"!"),
            FakeHasher(clock, name="steps", knob=STEPS),
        )
        costs = [configured(cost) for cost in ("gone=5", "wrong=40000", "steps=15")]
        found = live(clock, costs, *rows)

        unavailable = Outcome.UNAVAILABLE
        assert [unavailable, unavailable, Outcome.FINE] == [row.outcome for row in found]
        assert "its library is missing" in found[0].message

    def test_missing_library_beside_other_lanes(self, clock: FakeClock) -> None:
        """The reason is said as well where costs of several lanes take a run each."""
        ladder = FakeLadder(clock, name="ladder", lanes=True)
        gone = broken("gone@memory", UnavailableError("its library is missing"))
        costs = [configured("ladder=memory=16,passes=1,parallelism=2"), configured("gone=5")]
        found = live(clock, costs, ladder, gone)

        assert [Outcome.DRIFTED, Outcome.UNAVAILABLE] == [row.outcome for row in found]
        assert "its library is missing" in found[1].message

    def test_implementation_that_stands_for_the_hasher(self, clock: FakeClock) -> None:
        """A cost without an implementation is not judged by another that is named beside it."""
        first = FakeHasher(clock, implementation="first")
        second = FakeHasher(clock, implementation="second", seconds_per_unit=2e-6)
        costs = [configured("fake@second=19000"), configured("fake=39000")]
        found = live(clock, costs, first, second)

        assert ["second", "first"] == [row.implementation for row in found]
        assert [Outcome.FINE, Outcome.FINE] == [row.outcome for row in found]

    def test_unknown_hasher(self, clock: FakeClock) -> None:
        """A hasher that nobody knows is refused before anything is timed."""
        with pytest.raises(UsageError, match="unknown hasher 'fakke'; did you mean fake"):
            outcomes(clock, ["fakke=3"], FakeHasher(clock))

        assert clock.cpu == 0


def test_what_passes_is_measured_once(clock: FakeClock) -> None:
    """Nothing is measured again while no cost fails by its time."""
    profiles: list[tuple[str, ...]] = []
    outcomes(clock, ["fake=39000", "fake=90000"], FakeHasher(clock), profiles=profiles)

    assert 1 == len(profiles)


def test_what_fails_is_measured_once_more(clock: FakeClock) -> None:
    """Those that failed alone are measured again, once, in the reverse order."""
    rows = [FakeHasher(clock, name=name) for name in ("a", "b", "c")]
    profiles: list[tuple[str, ...]] = []
    found = outcomes(clock, ["a=9000", "b=39000", "c=9000"], *rows, profiles=profiles)

    assert [Outcome.DRIFTED, Outcome.FINE, Outcome.DRIFTED] == found
    assert [("a", "b", "c"), ("c", "a")] == profiles


def test_a_second_measurement_that_disagrees(clock: FakeClock) -> None:
    """What the second measurement does not find again nobody can tell; it is not retried."""
    profiles: list[tuple[str, ...]] = []
    # Twice as fast in the first measurement as in all that follow.
    fake = FakeHasher(clock, noise=lambda: 0.5 if len(profiles) == 1 else 1.0)
    (found,) = live(clock, [configured("fake=39000")], fake, profiles=profiles)

    assert (Outcome.INCONCLUSIVE, 2) == (found.outcome, len(profiles))
    assert found.message.endswith("a second measurement said fine")
    assert found.time_seconds == pytest.approx(0.0195)


@given(seed=st.integers(0, 2**32), most=st.floats(1.0, 8.0))
def test_noise_never_makes_drift(seed: int, most: float) -> None:
    """A cost that is fine on a quiet machine does not count as drifted on a busy one."""
    noise = _noise(seed, most)
    clock = FakeClock()
    steps = FakeHasher(clock, name="steps", knob=STEPS, noise=noise, slow=noise)
    found = outcomes(clock, ["steps=15", "steps=16"], steps)

    assert Outcome.DRIFTED not in found


@given(seed=st.integers(0, 2**32))
def test_a_weak_cost_is_caught_on_a_busy_machine(seed: int) -> None:
    """Waiting for the CPU does not hide a cost that is far too weak."""
    clock = FakeClock()
    slow = _noise(seed, 5.0)
    steps = FakeHasher(clock, name="steps", knob=STEPS, slow=slow)

    assert [Outcome.DRIFTED] == outcomes(clock, ["steps=10"], steps)


def test_a_bare_number_is_of_the_only_knob(clock: FakeClock) -> None:
    """Of a hasher that another package adds, a number is of its one knob."""
    steps = FakeHasher(clock, name="steps", knob=STEPS).registered()
    cost = completed(configured("steps=7"), None, (steps,))

    assert {"cost": 7} == cost.params


def test_versions_of_what_loads(clock: FakeClock) -> None:
    """The version of each implementation that loads is told; another is left out."""
    gone = broken("gone@memory", UnavailableError("gone"))
    found = (FakeHasher(clock).registered(), gone)
    versions = installed_versions(["fake@memory", "gone@memory", "un@known"], found)

    assert {"fake@memory": "1.0"} == versions


def _noise(seed: int, most: float) -> Callable[[], float]:
    source = random.Random(seed)
    return lambda: source.uniform(1.0, most)


def test_a_second_measurement_does_not_know_the_first(clock: FakeClock, tmp_path: Path) -> None:
    """A first measurement that is 15 % too quick does not sway the second, which sees the
    history as it was before; both are kept for later runs.
    """
    history = History(tmp_path / "state" / "history")
    profiles: list[tuple[str, ...]] = []
    known: list[int] = []
    fake = FakeHasher(clock, noise=lambda: 0.85 if len(profiles) == 1 else 1.0)
    cost = [configured("fake=31000")]
    (found,) = live(clock, cost, fake, profiles=profiles, history=history, known=known)

    assert (Outcome.INCONCLUSIVE, 2) == (found.outcome, len(profiles))
    assert [0, 0] == known
    assert 2 == len(history.past(TWO_CPUS.context).runs)


def test_a_notice_of_several_runs_is_told_once(clock: FakeClock) -> None:
    """Each number of lanes is a run of its own, and each notices a busy machine in figures."""
    hasher = FakeHasher(clock)
    request = Request(hashers=(hasher.name,))
    profile = calibrate(request, host=fake_host(clock), pool=(hasher.registered(),))
    runs = []
    for number in (1, 2):
        busy = Notice(
            code="busy", message=f"one hash took 1.{number} times its CPU time", advice=""
        )
        runs.append(msgspec.structs.replace(profile, warnings=(busy,)))
    assert runs[0].warnings == checking.together(runs).warnings
