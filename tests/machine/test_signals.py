"""How quiet the machine was."""

import pytest

from fakes import QUIET
from hashcost.core.machine import Notice
from hashcost.core.measurement import Sample
from hashcost.machine.signals import Counters, noise_notices


def _samples(*cpu: float, slow: float = 1.0) -> list[Sample]:
    return [
        Sample(params={"rounds": 1000}, cpu_seconds=seconds, wall_seconds=slow * seconds)
        for seconds in cpu
    ]


def _after(
    *,
    queued: float | None = None,
    ticks: tuple[int, int] | None = None,
    throttled: float | None = None,
) -> tuple[Counters, Counters]:
    """Counters around a run of ten seconds, in which these totals grew by so much."""
    before = Counters(
        wall_seconds=100.0,
        run_queue_seconds=5.0,
        stolen_and_all=(1000, 100_000),
        throttled_seconds=2.0,
    )
    after = Counters(
        wall_seconds=110.0,
        run_queue_seconds=None if queued is None else 5.0 + queued,
        stolen_and_all=None if ticks is None else (1000 + ticks[0], 100_000 + ticks[1]),
        throttled_seconds=None if throttled is None else 2.0 + throttled,
    )
    return before, after


def _codes(notices: tuple[Notice, ...]) -> list[str]:
    return [notice.code for notice in notices]


def test_a_quiet_machine_is_not_spoken_of() -> None:
    """Without a signal, and with none to be had, nothing is said."""
    samples = [_samples(*[0.01] * 12)]
    assert noise_notices(QUIET, QUIET, samples) == ()
    assert noise_notices(*_after(queued=0.0, ticks=(0, 1000), throttled=0.0), samples) == ()


@pytest.mark.parametrize(("slow", "codes"), [(1.09, []), (1.11, ["busy"])])
def test_waiting_is_said_from_a_tenth_on(slow: float, codes: list[str]) -> None:
    """Wall time that exceeds CPU time by more than a tenth means a busy machine."""
    assert codes == _codes(noise_notices(QUIET, QUIET, [_samples(*[0.01] * 12, slow=slow)]))


def test_a_busy_machine_is_told_with_its_figures() -> None:
    """The notice gives the factor and the share of the run spent queueing."""
    (notice,) = noise_notices(*_after(queued=2.5), [_samples(*[0.01] * 12, slow=3.0)])
    assert notice.message == (
        "other processes wanted the same CPUs: one hash took 3.0 times its CPU time,"
        " 25 % of the run was spent waiting for a CPU"
    )
    assert "remain valid" in notice.advice


@pytest.mark.parametrize(("ticks", "codes"), [((19, 1000), []), ((21, 1000), ["steal"])])
def test_stolen_time_is_said_from_a_fiftieth_on(ticks: tuple[int, int], codes: list[str]) -> None:
    """CPU time that the hypervisor gave to others is said from 2 % on."""
    notices = noise_notices(*_after(ticks=ticks), [_samples(*[0.01] * 12)])
    assert codes == _codes(notices)
    assert all("gave 2.1 % of" in notice.message for notice in notices)


def test_all_causes_are_said_together() -> None:
    """One cause does not hide another, and every notice has its cure."""
    notices = noise_notices(
        *_after(queued=1.0, ticks=(500, 1000), throttled=0.01),
        [_samples(*[0.01] * 12, slow=2.0)],
        clock_measures_cpu=False,
    )
    assert ["coarse-clock", "busy", "steal"] == _codes(notices)
    assert all(notice.advice for notice in notices)
