"""A clock that only moves when told, a host around it, and hashers that move it."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import Mock

from msgspec.structs import replace

from hashcost.core.cpu_limit import CpuLimit
from hashcost.core.machine import Machine
from hashcost.core.measurement import (
    CostModel,
    Curve,
    Fit,
    Knob,
    Measurement,
    Params,
    Sample,
    Scale,
    work,
)
from hashcost.core.profile import Profile, Result
from hashcost.core.progress import Progress
from hashcost.fit.slowdown import sensitivity_of
from hashcost.hashers.interface import Hasher, KnownAnswer, ReadyCall
from hashcost.hashers.registry import Candidate
from hashcost.logins.model import ThreadLevel
from hashcost.machine.clock import Clock, Usage
from hashcost.machine.history import History, Past, PastRun
from hashcost.machine.host import Host
from hashcost.machine.signals import Counters
from hashcost.measure.core_watch import CoreProbe, StartProbe
from hashcost.measure.request import Request
from hashcost.recommend.calibration import calibrate
from hashcost.recommend.recommendation import solve_again
from hashcost.recommend.sweeping import Sweep, SweepRequest, sweep
from hashcost.storage.decision import DecidedCost
from hashcost.strength.policies.policy import Floor, Policy

LINEAR = Knob(name="rounds", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1)
STEPS = Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)
LADDER = Knob(
    name="memory",
    scale=Scale.LADDER,
    minimum=1,
    maximum=2**20,
    steps=tuple(2**exponent for exponent in range(11)),
)
"""MiB, from 1 to 1024."""
PASSES = Knob(name="passes", scale=Scale.LINEAR, minimum=1, maximum=2**31 - 1)

MIB = 1 << 20
PAGE = 4096

SHARED = (1.9, 1.1, 1.25)
"""What a stranger on the core makes of the three probes."""

NOW = 1_800_000_000.0
"""When every fake host thinks that it is."""

NO_HISTORY = History(None)
"""Neither read nor written."""

PROBES_SECONDS = (3e-4, 1e-3, 6e-4)
"""What the probes of a fake core take when nobody shares it."""


class KnownLevel(History, frozen=True):
    """Earlier runs that know what the probes of a fake core take, and nothing else."""

    def past(self, context: str | None, *_: Any) -> Past:
        """As many runs as make it certain."""
        level = tuple(map(math.log, PROBES_SECONDS))
        run = PastRun(context=context or "", probe="made up", level=level)
        return Past((run,) * 20)


KNOWN_LEVEL = KnownLevel(None)


@dataclass(frozen=True)
class StillProbe:
    """A probe that takes no time, of a core that nobody shares."""

    name: str = "made up"

    def read(self, *, cold: bool = False) -> tuple[float, ...]:
        """What a quiet core takes."""
        return PROBES_SECONDS


def still_probe(_clock: Clock) -> CoreProbe | None:
    """Start a probe that takes no time."""
    return StillProbe()


QUIET = Counters(wall_seconds=0.0)
"""Read before and after a run, these say nothing against the machine."""

TWO_CPUS = Machine(
    cpu_model="Fake CPU",
    cpu_count=2,
    cpu_flags=(),
    cpu_limit=None,
    memory_bytes=None,
    os="Fake OS",
    kernel="1",
    architecture="fake",
    virtualization=None,
    python="CPython 3",
    openssl="OpenSSL 3",
    page_bytes=PAGE,
)


def curve_of(turned: Knob, seconds_per_unit: float, overhead: float = 0.0, **fields: Any) -> Curve:
    """What hashes take by one knob, from its lowest value on."""
    model = CostModel(
        parameter=turned.name,
        scale=turned.scale,
        overhead_seconds=overhead,
        seconds_per_unit=seconds_per_unit,
    )
    usual: dict[str, Any] = {
        "params": {turned.name: turned.minimum},
        "knob": turned,
        "model": model,
    }
    return Curve(**{**usual, **fields})


def step_curve(step: int, seconds: float, knob: Knob | None = PASSES, **fields: Any) -> Curve:
    """What hashes take in so many MiB: each pass as long as the first, if there are any."""
    turned, unit = (LADDER, seconds / step) if knob is None else (knob, seconds)
    params = {LADDER.name: step} | ({knob.name: 1} if knob else {})
    usual: dict[str, Any] = {"params": params, "knob": knob, "memory_bytes": step * MIB}
    return curve_of(turned, unit, **{**usual, **fields})


def known(fitted: Fit, *knobs: Knob, **fields: Any) -> Measurement:
    """A measurement of a fake hasher of which this is known."""
    names = {"hasher": "fake", "implementation": "memory", "implementation_version": "1.0"}
    usual: dict[str, Any] = {**names, "clock": "fake", "threads": 1}
    return Measurement(**{**usual, "knobs": knobs, "fitted": fitted, **fields})


def made_up_policy(*floors: Floor, **fields: Any) -> Policy:
    """A policy of these floors."""
    usual: dict[str, Any] = {"id": "made-up", "title": "Made up", "source": "nowhere"}
    return Policy(**{**usual, "date": dt.date(2026, 1, 1), "floors": floors, **fields})


def decided_cost(
    hasher: str, params: Params, implementation: str = "own", **fields: Any
) -> DecidedCost:
    """A cost that was decided on for one host."""
    seconds = fields.setdefault("time_seconds", 0.2312)
    usual: dict[str, Any] = {
        "implementation_version": "1",
        "target_seconds": 0.25,
        "interval_seconds": (seconds * 0.97, seconds * 1.03),
        "decided": dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
        "why": "all machines are alike",
        "slowest": ("web1",),
        "hosts": ("web1",),
    }
    named = {"hasher": hasher, "implementation": implementation, "params": params}
    return DecidedCost(**{**usual, **named, **fields})


def limited_to(cpus: float, *, burst: float = 0.0) -> CpuLimit:
    """A quota of so many CPUs in periods of 100 ms."""
    return CpuLimit(quota_seconds=cpus / 10, period_seconds=0.1, burst_seconds=burst)


def under_quota(profile: Profile, limit: CpuLimit) -> Profile:
    """The profile as measured in a control group with this quota."""
    return replace(
        profile,
        machine=replace(profile.machine, cpu_limit=limit),
        measurements=tuple(replace(one, cpu_limit=limit) for one in profile.measurements),
    )


@dataclass
class FakeClock:
    """CPU time and wall time in seconds, which `advance` alone moves.

    ``cpu`` is the thread's time, ``process`` that of all threads.
    """

    cpu: float = 0.0
    wall: float = 0.0
    process: float = 0.0
    system: float = 0.0
    faults: int = 0

    def advance(
        self,
        cpu: float,
        wall: float,
        *,
        process: float | None = None,
        system: float = 0.0,
        faults: int = 0,
    ) -> None:
        """Let time pass; unless told more, no other thread burnt any."""
        self.cpu += cpu
        self.wall += wall
        self.process += cpu if process is None else process
        self.system += system
        self.faults += faults

    def as_clock(self) -> Clock:
        """The clocks that the sampler reads."""
        return Clock(
            name="fake",
            cpu=lambda: self.cpu,
            wall=lambda: self.wall,
            process_cpu=lambda: self.process,
            usage=lambda: Usage(system_seconds=self.system, page_faults=self.faults),
        )


def fake_host(
    clock: FakeClock | Clock,
    *,
    machine: Machine = TWO_CPUS,
    free: int | None = 4 << 30,
    used: int | None = 0,
    history: History = KNOWN_LEVEL,
) -> Host:
    """A quiet machine with this clock; ``free`` is the memory that it has left."""
    return Host(
        clock=clock.as_clock() if isinstance(clock, FakeClock) else clock,
        now=lambda: NOW,
        describe=lambda: machine,
        available_memory=lambda: free,
        used_memory=lambda: used,
        counters=lambda: QUIET,
        state=None,
        history=history,
    )


@dataclass(eq=False, kw_only=True)
class FakeCore:
    """A core that something else shares during some stretches of the clock's wall time.

    Meanwhile its probes take `SHARED` times as long, and a hasher whose ``noise`` is `slowing`
    as much longer as one bound by throughput does. No neighbour is steady: ``unsteady`` is the
    factor of every other reading of the first probe then. `start` starts the probe, which moves
    the clock. ``slower`` is a factor of the CPU's own clock.
    """

    clock: FakeClock
    shared: Sequence[tuple[float, float]] = ()
    slower: float = 1.0
    unsteady: float = 1.0
    quiet: tuple[float, ...] = PROBES_SECONDS
    name: str = "made up"
    starts: int = 0
    reads: int = 0
    warmed: int = 0

    @property
    def is_shared(self) -> bool:
        """Whether something else uses it now."""
        return any(begin <= self.clock.wall < end for begin, end in self.shared)

    def slowing(self) -> float:
        """How many times as long a hash takes that begins now."""
        logs = [math.log(factor) for factor in SHARED]
        curve = sensitivity_of("any", "library")
        return self.slower * (math.exp(curve.log_slowdown(logs)) if self.is_shared else 1.0)

    def start(self, _clock: Clock) -> CoreProbe:
        """The probe is the core itself."""
        self.starts += 1
        return self

    def read(self, *, cold: bool = False) -> tuple[float, ...]:
        """Let the time of all parts pass."""
        self.reads += 1
        self.warmed += cold
        swing = self.unsteady if self.reads % 2 else 1.0
        factors = (SHARED[0] * swing, *SHARED[1:]) if self.is_shared else (1.0, 1.0, 1.0)
        pairs = zip(self.quiet, factors, strict=True)
        parts = tuple(quiet * factor * self.slower for quiet, factor in pairs)
        self.clock.advance(sum(parts), sum(parts))
        return parts


@dataclass(frozen=True)
class Call:
    """One run of a fake hasher: whose, of which password, at which value of its knob."""

    hasher: str
    password: bytes
    value: int


@dataclass(eq=False)
class FakeHasher:
    """Takes ``overhead + seconds_per_unit * work`` of the fake clock for each hash.

    ``surcharge`` is time that this value takes on top, ``noise`` the factor of the
    next hash, ``slow`` its wall time per CPU time. ``answer`` may return, or
    raise, anything in place of the true output. ``calls`` may be shared.
    """

    clock: FakeClock
    name: str = "fake"
    implementation: str = "memory"
    version: str = "1.0"
    knob: Knob = LINEAR
    overhead: float = 0.0
    seconds_per_unit: float = 1e-6
    surcharge: Callable[[int], float] = lambda value: 0.0
    noise: Callable[[], float] = lambda: 1.0
    slow: Callable[[], float] = lambda: 1.0
    answer: Callable[[int, bytes], bytes | None] = lambda value, output: output
    known_answers: tuple[KnownAnswer, ...] = ()
    memory: int = 1024
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known_answers = self.known_answers or (known_answer(self.lowest),)

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """The one knob."""
        return (self.knob,)

    @property
    def lowest(self) -> Params:
        """The knob at its lowest value."""
        return {self.knob.name: self.knob.minimum}

    @property
    def label(self) -> str:
        """``name@implementation``."""
        return f"{self.name}@{self.implementation}"

    def registered(self) -> Candidate:
        """This hasher as the registry would find it."""
        return candidate(self.label, lambda: self)

    def memory_bytes(self, params: Params) -> int:
        """The same at all params."""
        return self.memory

    def threads(self, params: Params) -> int:
        """One."""
        return 1

    def seconds(self, value: int) -> float:
        """CPU time of one undisturbed hash."""
        units = work(self.knob.scale, value)
        return self.overhead + self.seconds_per_unit * units + self.surcharge(value)

    def cpu_seconds(self, params: Params) -> float:
        """CPU time of one undisturbed hash at these params."""
        return self.seconds(params[self.knob.name])

    def ready(self, password: bytes, salt: bytes, params: Params) -> ReadyCall:
        """A call that moves the clock."""
        value = params[self.knob.name]
        output = true_output(params)

        def run() -> bytes | None:
            self.calls.append(Call(self.label, password, value))
            self.spend(params)
            return self.answer(value, output)

        return ReadyCall(run=run, prefix=output[: output.rindex(b"$") + 1], length=len(output))

    def spend(self, params: Params) -> None:
        """Let the time of one hash pass."""
        seconds = self.cpu_seconds(params) * self.noise()
        self.clock.advance(seconds, seconds * self.slow())


@dataclass(eq=False)
class FakeLadder(FakeHasher):
    """Takes ``seconds_per_unit`` for each MiB of memory and each pass over it.

    Without ``passes`` there is one pass. ``filling`` is what a MiB takes once, on
    top. With ``lanes`` it runs in as many threads on ``cores``. From ``cliff`` MiB
    on each hash gets fresh pages, which take ``page_seconds`` each.
    """

    knob: Knob = LADDER
    passes: Knob | None = PASSES
    seconds_per_unit: float = 1e-3
    filling: float = 0.0
    lanes: bool = False
    cores: int = 2
    cliff: int | None = None
    page_seconds: float = 1e-6

    @property
    def knobs(self) -> tuple[Knob, ...]:
        """Memory, and passes where there are any."""
        return (self.knob, self.passes) if self.passes is not None else (self.knob,)

    @property
    def lowest(self) -> Params:
        """The first step, one pass, one lane."""
        return {
            self.knob.name: self.knob.steps[0],
            **({self.passes.name: self.passes.minimum} if self.passes is not None else {}),
            **({"parallelism": 1} if self.lanes else {}),
        }

    def memory_bytes(self, params: Params) -> int:
        """A step is a MiB."""
        return params[self.knob.name] * MIB

    def threads(self, params: Params) -> int:
        """As many as lanes."""
        return params.get("parallelism", 1)

    def fresh_pages(self, params: Params) -> int:
        """Pages that one hash is given."""
        memory = params[self.knob.name]
        return memory * MIB // PAGE if self.cliff is not None and memory >= self.cliff else 0

    def cpu_seconds(self, params: Params) -> float:
        """CPU time of one undisturbed hash over all its threads."""
        memory = params[self.knob.name]
        passes = params[self.passes.name] if self.passes is not None else 1
        hashing = memory * (self.filling + self.seconds_per_unit * passes)
        pages = self.fresh_pages(params) * self.page_seconds
        return self.overhead + hashing + pages + self.surcharge(memory)

    def spend(self, params: Params) -> None:
        """Let the time of one hash pass."""
        threads = self.threads(params)
        cpu, fresh = self.cpu_seconds(params) * self.noise(), self.fresh_pages(params)
        self.clock.advance(
            cpu / threads,
            cpu / min(threads, self.cores) * self.slow(),
            process=cpu,
            system=fresh * self.page_seconds,
            faults=fresh,
        )


def true_output(params: Params) -> bytes:
    """What a fake hasher returns at these params."""
    return b"$%s$0123456789abcdef" % ",".join(map(str, params.values())).encode()


def known_answer(params: Params, output: bytes | None = None) -> KnownAnswer:
    """A vector of the cheapest hash, right unless another output is given."""
    return KnownAnswer(
        password=b"known",
        salt=b"salt",
        params=params,
        output=output or true_output(params),
        source="made up",
    )


def candidate(label: str, factory: Callable[[], Hasher]) -> Candidate:
    """A registered hasher that this factory makes."""
    name, _, implementation = label.partition("@")
    return Candidate(name, implementation, factory)


def broken(label: str, error: Exception) -> Candidate:
    """A registered hasher that does not load."""
    return candidate(label, Mock(side_effect=error))


def level(threads: int, rate: float, *, now: float | None = None) -> ThreadLevel:
    """A level of a hundred hashes that all took the same; ``now`` is the rate if it is busy."""
    shown = rate if now is None else now
    latency, quiet, lasted = threads / shown, threads / rate, 100 / shown
    return ThreadLevel(
        params={"cost": 10},
        threads=threads,
        hashes=100,
        duration_seconds=lasted,
        logins_per_second=shown,
        quiet_logins_per_second=rate,
        p50_seconds=latency,
        p95_seconds=latency,
        p95_is_rough=False,
        memory_bytes=threads * 4096,
        cpu_seconds=100 * quiet,
        latency_seconds=(latency,) * 100,
        quiet_seconds=(quiet,) * 100,
    )


def measure(
    clock: FakeClock,
    *rows: FakeHasher | Candidate,
    target: float = 0.04,
    names: Sequence[str] | None = None,
    host: Host | None = None,
    probe: StartProbe = still_probe,
    **options: Any,
) -> Profile:
    """Calibrate only these rows, by default all of them, on this clock's fake host."""
    pool = tuple(row if isinstance(row, Candidate) else row.registered() for row in rows)
    progress = options.pop("progress", None)
    labels = [row.label for row in pool] if names is None else names
    return calibrate(
        Request(target_seconds=target, hashers=labels, **options),
        host=host or fake_host(clock),
        pool=pool,
        probe=probe,
        progress=progress,
    )


def every_kind(clock: FakeClock) -> Profile:
    """Rows with counts, with steps, with two kinds of ladder, and one that failed."""
    return measure(
        clock,
        FakeHasher(clock, name="counts", overhead=20e-6),
        FakeHasher(clock, name="steps", knob=STEPS),
        FakeLadder(clock, name="ladder"),
        FakeLadder(clock, name="memory-only", passes=None),
        broken("gone@absent", ModuleNotFoundError(name="absent")),
    )


def swept(
    clock: FakeClock,
    *rows: FakeHasher | Candidate,
    names: Sequence[str] | None = None,
    host: Host | None = None,
    probe: StartProbe = still_probe,
    progress: Progress | None = None,
    **options: Any,
) -> Sweep:
    """Sweep only these rows, by default all of them, on this clock's fake host."""
    pool = tuple(row if isinstance(row, Candidate) else row.registered() for row in rows)
    if names is None:
        names = [row.label for row in pool]
    request = SweepRequest(hashers=names, **options)
    host = host or fake_host(clock)
    return sweep(request, host=host, pool=pool, probe=probe, progress=progress)


def samples_of(profile: Profile, row: Result) -> tuple[Sample, ...]:
    """The hashes that a row rests on."""
    measurement = profile.measurement_of(row)
    assert measurement is not None
    return measurement.samples


def slowed(measurement: Measurement, factor: float) -> Measurement:
    """Multiply every time of a measurement, also those of its samples."""
    samples = [
        replace(
            sample,
            cpu_seconds=sample.cpu_seconds * factor,
            wall_seconds=sample.wall_seconds * factor,
            system_seconds=sample.system_seconds * factor,
        )
        for sample in measurement.samples
    ]
    fitted = measurement.fitted.slowed(factor)
    return replace(measurement, fitted=fitted, samples=tuple(samples))


def slowed_profile(profile: Profile, factor: float) -> Profile:
    """A profile of a machine that takes so many times as long for every hash."""
    measurements = tuple(slowed(row, factor) for row in profile.measurements)
    slower = replace(profile, measurements=measurements)
    return solve_again(slower, profile.target_seconds)
