"""How quiet the machine was."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from end_to_end.command import MADE_UP, calibrate
from fakes import QUIET, TWO_CPUS, FakeClock, FakeHasher, fake_host, limited_to, measure
from hashcost.core.machine import Notice, Power
from hashcost.core.measurement import Sample
from hashcost.core.profile import LASTING
from hashcost.fit.slowdown import _data, shipped_ratios
from hashcost.machine.control_group import GroupUse
from hashcost.machine.signals import CORRECTED, Counters, emulation_notices, noise_notices
from hashcost.render.wording import machine_line, within_lines
from hashcost.storage.profile import load_profile, save_profile


def _samples(*cpu: float, slow: float = 1.0) -> list[Sample]:
    return [
        Sample(params={"rounds": 1000}, cpu_seconds=seconds, wall_seconds=slow * seconds)
        for seconds in cpu
    ]


def _after(
    *,
    queued: float | None = None,
    ticks: tuple[int, int] | None = None,
    groups: tuple[tuple[float, float | None], ...] = (),
) -> tuple[Counters, Counters]:
    """Counters around a run of ten seconds, in which these totals grew by so much."""
    begun = [
        GroupUse(limit=limited_to(cpus), cpu_seconds=None if used is None else 1.0)
        for cpus, used in groups
    ]
    ended = [
        replace(group, cpu_seconds=None if used is None else 1.0 + used)
        for group, (_, used) in zip(begun, groups, strict=True)
    ]
    before = Counters(
        wall_seconds=100.0,
        run_queue_seconds=5.0,
        stolen_and_all=(1000, 100_000),
        groups=tuple(begun),
    )
    after = Counters(
        wall_seconds=110.0,
        run_queue_seconds=None if queued is None else 5.0 + queued,
        stolen_and_all=None if ticks is None else (1000 + ticks[0], 100_000 + ticks[1]),
        groups=tuple(ended),
    )
    return before, after


def _codes(notices: tuple[Notice, ...]) -> list[str]:
    return [notice.code for notice in notices]


def test_a_quiet_machine_is_not_spoken_of() -> None:
    """Without a signal, and with none to be had, nothing is said."""
    samples = [_samples(*[0.01] * 12)]
    assert noise_notices(QUIET, QUIET, samples) == ()
    assert noise_notices(*_after(queued=0.0, ticks=(0, 1000), groups=((0.5, 0.2),)), samples) == ()


@pytest.mark.parametrize(("slow", "codes"), [(1.09, []), (1.11, ["busy"])])
def test_waiting_is_said_from_a_tenth_on(slow: float, codes: list[str]) -> None:
    """Wall time that exceeds CPU time by more than a tenth means a busy machine."""
    assert codes == _codes(noise_notices(QUIET, QUIET, [_samples(*[0.01] * 12, slow=slow)]))


@pytest.mark.parametrize(("threads", "remains_valid"), [(1, True), (4, False)])
def test_no_cost_of_several_threads_is_called_valid(threads: int, *, remains_valid: bool) -> None:
    """The time of several threads is wall time, which other processes lengthen."""
    params = {"memory": 65536, "parallelism": threads}
    samples = [replace(sample, params=params) for sample in _samples(*[0.01] * 12, slow=2.0)]
    (notice,) = noise_notices(QUIET, QUIET, [samples])
    assert remains_valid == ("remain valid" in notice.advice)
    assert remains_valid == ("measure when it is quiet" not in notice.advice)
    # Only what was corrected may be left out, and only what fits the screen is shown.
    assert remains_valid == (notice.code in CORRECTED)
    said = f"{notice.code}: {notice.message}; {notice.advice}"
    assert remains_valid or [said] == [*within_lines([said], 3)]


def test_a_busy_machine_is_told_with_its_figures() -> None:
    """The notice gives the factor and the share of the run spent queueing."""
    (notice,) = noise_notices(*_after(queued=2.5), [_samples(*[0.01] * 12, slow=3.0)])
    assert notice.message == (
        "other processes or guests wanted the same CPUs: one hash took 3.0 times its CPU time,"
        " 25 % of the run was spent waiting for a CPU"
    )
    assert "remain valid" in notice.advice


@pytest.mark.parametrize(
    ("groups", "codes"),
    [
        pytest.param(((0.5, 4.9),), [], id="used up"),
        pytest.param(((0.5, 4.0),), ["busy"], id="left over"),
        pytest.param(((0.5, 4.0), (2.0, 19.9)), [], id="used up above"),
        pytest.param(((0.5, 4.0), (2.0, 9.9)), ["busy"], id="left over above"),
        pytest.param(((0.5, None),), [], id="unknown"),
    ],
)
def test_a_quota_is_no_neighbour(
    groups: tuple[tuple[float, float | None], ...], codes: list[str]
) -> None:
    """In ten seconds a quota of 0.5 CPUs gives a group five. Whoever gets no more of a quota waits
    for nobody; where neighbours left some of it over, they are told of.
    """
    notices = noise_notices(*_after(groups=groups), [_samples(*[0.01] * 12, slow=3.0)])
    assert codes == _codes(notices)


@pytest.mark.parametrize(("ticks", "codes"), [((19, 1000), []), ((21, 1000), ["steal"])])
def test_stolen_time_is_said_from_a_fiftieth_on(ticks: tuple[int, int], codes: list[str]) -> None:
    """CPU time that the hypervisor gave to others is said from 2 % on."""
    notices = noise_notices(*_after(ticks=ticks), [_samples(*[0.01] * 12)])
    assert codes == _codes(notices)
    assert all("gave 2.1 % of" in notice.message for notice in notices)


def test_all_causes_are_said_together() -> None:
    """One cause does not hide another, and every notice has its cure."""
    notices = noise_notices(
        *_after(queued=1.0, ticks=(500, 1000), groups=((0.5, 0.2),)),
        [_samples(*[0.01] * 12, slow=2.0)],
        clock_measures_cpu=False,
    )
    assert ["coarse-clock", "busy", "steal"] == _codes(notices)
    assert all(notice.advice for notice in notices)


@pytest.mark.parametrize("emulated_on", ["", "x86_64"])
def test_an_emulator_is_said_wherever_its_times_are_read(
    clock: FakeClock, tmp_path: Path, emulated_on: str
) -> None:
    """One notice says that the times are an emulator's, in the run and for whoever reads its
    profile later; and no figure that was recorded on the CPU itself is used.
    """
    machine = replace(TWO_CPUS, architecture="aarch64", emulated_on=emulated_on)
    profile = measure(clock, FakeHasher(clock), host=fake_host(clock, machine=machine))
    codes = [notice.code for notice in profile.warnings]
    assert bool(emulated_on) == (codes.count("emulated") == 1)
    assert bool(emulated_on) == ("aarch64 emulated" in machine_line(machine))

    saved = tmp_path / "p.json"
    save_profile(replace(load_profile(MADE_UP), warnings=emulation_notices(machine)), saved)
    told = calibrate("bcrypt@bcrypt", "--from", str(saved))
    judged = calibrate("check", "bcrypt=12", "--profile", str(saved))
    for ended in (told, judged):
        assert bool(emulated_on) == ("this aarch64 process is emulated on x86_64" in ended.err)


def test_a_slow_clock_is_said_wherever_its_times_are_read(clock: FakeClock) -> None:
    """One notice names all that holds the CPU's clock down, in the run and of its profile."""
    power = Power(governor="powersave", driver="acpi-cpufreq", on_battery=True)
    machine = replace(TWO_CPUS, power=power)
    profile = measure(clock, FakeHasher(clock), host=fake_host(clock, machine=machine))
    (notice,) = [notice for notice in profile.warnings if notice.code in LASTING]
    assert "the CPU is slower than it can be: governor powersave, on battery" == notice.message
    assert "measure as the service will run" == notice.advice


@pytest.mark.parametrize("emulated_on", ["", "aarch64"])
def test_what_was_recorded_on_a_cpu_is_not_an_emulators(emulated_on: str) -> None:
    """The quiet ratios of a CPU model hold for its own instructions."""
    row = _data().quiet[0]
    machine = replace(
        TWO_CPUS, cpu_id=f"{row.cpu} 1", cpu_flags=row.flags, emulated_on=emulated_on
    )
    assert bool(emulated_on) == (shipped_ratios(machine, row.probes) is None)
