"""Reads how busy the core is with other work, between the hashes that are timed on it."""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol, TypeAlias

import msgspec

from hashcost.core.measurement import Params, Reading, Sample
from hashcost.fit.curves import COLD
from hashcost.fit.level import Level, Probes, level_of, seconds_until_rest, smoothed
from hashcost.fit.slowdown import Sensitivity
from hashcost.hashers.registry import Candidate, candidates, load_first
from hashcost.machine.clock import Clock
from hashcost.measure.runner import Runner, runner_of

_FRESH_SECONDS: Final = 2e-3
"""Age up to which a reading counts as taken just before a hash: another takes 2.5 ms."""
_MINOR: Final = re.compile(r"(?<!\d)(\d++\.\d+)[.\d]*")
PARTS: Final[tuple[tuple[tuple[str, ...], Params], ...]] = (
    (("pbkdf2-sha256@hashlib",), {"iterations": 1000}),
    (("bcrypt@bcrypt",), {"cost": 4}),
    (
        ("argon2id@argon2-cffi", "argon2id@cryptography"),
        {"memory_kib": 1024, "time_cost": 1, "parallelism": 1},
    ),
)
"""Labels and params of the probes, bound by throughput, by latency and by memory; they take 2.5 ms
together. The last is left out if no library for it is installed."""


class CoreProbe(Protocol):
    """Takes readings of the core that hashes run on."""

    @property
    def name(self) -> str:
        """The implementations with versions; readings of other probes are not comparable."""
        ...

    def read(self, *, cold: bool = False) -> tuple[float, ...]:
        """CPU seconds of two or three short hashes; ``cold`` if memory has filled the caches."""
        ...


StartProbe: TypeAlias = Callable[[Clock], CoreProbe | None]
"""Starts a probe on these clocks; returns ``None`` if it cannot."""


@dataclass(frozen=True)
class HashProbe:
    """Short hashes, in this process or in a program that runs one of the timed hashers."""

    parts: tuple[tuple[Runner, Params], ...]

    @property
    def name(self) -> str:
        """The implementations and their versions, without patch levels."""
        names = []
        for runner, _ in self.parts:
            hasher = runner.hasher
            # The history outlives a patch release of a library.
            version = _MINOR.sub(r"\1", hasher.version)
            names.append(f"{hasher.name}@{hasher.implementation} {version}")
        return " / ".join(names)

    def read(self, *, cold: bool = False) -> tuple[float, ...]:
        """Time one hash of each probe.

        The code of the first probe, which takes longest to load, is loaded by its shortest hash,
        which is not timed. Nor are two whole readings while the caches are ``cold``: after a hash
        in 56 MiB, or 50 ms of sleep, the first in memory takes 1.2 times as long, the second up to
        1.07 times (Intel 6 167).
        """
        first, _ = self.parts[0]
        first.sample(first.hasher.lowest)
        if cold:
            self._round()
            self._round()
        return self._round()

    def _round(self) -> tuple[float, ...]:
        return tuple(runner.sample(params).cpu_seconds for runner, params in self.parts)


def hash_probe(clock: Clock, pool: Sequence[Candidate] = ()) -> CoreProbe | None:
    """Start a probe on the machine that runs the hashers of a pool, by default this one.

    Returns:
        `None` if a library or a CPU clock for it is missing.
    """
    if not clock.measures_cpu:
        return None
    remote = [candidate for candidate in pool if candidate.is_remote]
    try:
        probe = HashProbe(tuple(_parts(remote or candidates(), clock)))
        # The first of anything is slow; a broken library shows here.
        for _ in range(COLD - 1):
            probe.read()
        seconds = probe.read()
    except Exception:
        # A hashing library may raise anything; its own row says so.
        return None
    # On a clock that is too coarse, a short hash takes no time.
    if min(seconds) <= 0:
        return None
    return probe


def _parts(pool: Sequence[Candidate], clock: Clock) -> Iterator[tuple[Runner, Params]]:
    """The runners and params of the probe, in this process or else in one runtime."""
    for index, (labels, params) in enumerate(PARTS):
        name = labels[0].partition("@")[0]
        here = []
        for label in labels:
            here += [candidate for candidate in pool if candidate.label == label]
        there = [one for one in pool if one.hasher == name and one.runtime == pool[0].runtime]
        try:
            _, hasher = load_first(here or there)
            runner = runner_of(hasher, clock)
            runner.prepare(lambda _: None)
        except Exception:
            # Only the last one, bound by memory, may be missing.
            if index < len(PARTS) - 1:
                raise
            return
        yield runner, params


@dataclass(eq=False, kw_only=True)
class CoreReadings:
    """The readings of one run, and the corrections that follow from them."""

    readings: list[Reading] = field(default_factory=list)
    _level: tuple[int, Level | None] = (0, None)
    """The number of readings, and the level by them."""

    @property
    def level(self) -> Level | None:
        """The level of this run; ``None`` without readings."""
        count, level = self._level
        if count != len(self.readings):
            level = level_of(smoothed(self.readings), *self._levels_before())
            self._level = len(self.readings), level
        return level

    @property
    def shared_seconds(self) -> float:
        """Seconds for which the core may go on to look as if it was shared all the time."""
        level = self.level
        if level is None or not level.may_be_shared:
            return 0.0
        return seconds_until_rest(self.readings)

    def corrected(
        self, samples: Sequence[Sample], sensitivity: Sensitivity, level: Level | None
    ) -> tuple[Sample, ...]:
        """Return the samples, each with its slowdown by the readings around it.

        Args:
            samples: those of one hasher.
            sensitivity: how its hashes are slowed.
            level: the probes on a quiet core; without it nothing is corrected.
        """
        if level is None:
            return tuple(samples)
        readings = smoothed(self.readings)
        times = [reading.at_seconds for reading in readings]
        corrected = []
        for sample in samples:
            # The last reading before it, or the first of all.
            before = max(bisect_right(times, sample.at_seconds) - 1, 0)
            # The first that follows it, or the last of all.
            ended = sample.at_seconds + sample.wall_seconds
            after = max(bisect_left(times, ended), before)
            after = min(after, len(times) - 1)
            probes = level.slowdown((readings[before], readings[after]))
            # A coarse clock may count no CPU time at all.
            waited = sample.wall_seconds / max(sample.cpu_seconds, 1e-9)
            log_waited = math.log(max(waited, 1.0))
            factor = math.exp(sensitivity.log_slowdown(probes, log_waited))
            corrected.append(msgspec.structs.replace(sample, slowdown=factor))
        return tuple(corrected)

    def _levels_before(self) -> tuple[Sequence[Probes], Probes | None]:
        """The levels that are known of the probes beside these readings: none."""
        return (), None


@dataclass(eq=False, kw_only=True)
class CoreWatch(CoreReadings):
    """Takes the readings of one run on this core."""

    clock: Clock
    start_probe: StartProbe = lambda _: None
    """Called for the first sample, so that no library is warm before."""
    past_levels: Callable[[str], Sequence[Probes]] = lambda _: ()
    """The levels of earlier runs here, by the probe's name."""
    shipped: Callable[[str], Probes | None] = lambda _: None
    """The shipped quiet ratios of this CPU, by the probe's name."""
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin the run now; earlier work, such as a warm-up, does not count."""
        self._began = self.clock.wall()

    @cached_property
    def probe(self) -> CoreProbe | None:
        """The probe that takes the readings, if any."""
        return self.start_probe(self.clock)

    @property
    def name(self) -> str | None:
        """The name of the probe; ``None`` without readings."""
        if self.probe is None or not self.readings:
            return None
        return self.probe.name

    @property
    def elapsed(self) -> float:
        """Seconds of wall time since the run began."""
        return self.clock.wall() - self._began

    def _levels_before(self) -> tuple[Sequence[Probes], Probes | None]:
        """The levels of earlier runs with this probe, and the shipped quiet ratios."""
        name = self.name or ""
        return self.past_levels(name), self.shipped(name)

    def sample(self, take: Callable[[], Sample], *, in_memory: bool = False) -> Sample:
        """Take a sample between two readings; a hash in memory leaves the caches cold."""
        # A reading after one hash serves as that before the next, if it is soon.
        now = self.elapsed
        if not self.readings or now - self.readings[-1].at_seconds > _FRESH_SECONDS:
            self._read(cold=in_memory)
        at = self.elapsed
        sample = msgspec.structs.replace(take(), at_seconds=at)
        self._read(cold=in_memory)
        return sample

    def _read(self, *, cold: bool = False) -> None:
        if self.probe is None:
            return
        seconds = self.probe.read(cold=cold)
        # A coarse clock may not have ticked.
        if min(seconds) <= 0:
            return
        memory_seconds = None
        if len(seconds) == len(PARTS):
            memory_seconds = seconds[-1]
        self.readings.append(
            Reading(
                at_seconds=self.elapsed,
                throughput_seconds=seconds[0],
                latency_seconds=seconds[1],
                memory_seconds=memory_seconds,
            )
        )
