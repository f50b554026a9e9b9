"""Watches how busy the core is with something else while hashes are timed on it."""

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol, TypeAlias

import msgspec

from hashcost.core.measurement import Params, Reading, Sample
from hashcost.fit.quiet_speed import (
    FEWEST_READINGS,
    SHARED_RATIO,
    SURELY_SHARED_RATIO,
    known_ratio,
    marked,
    quiet_ratio,
    visits_agree,
)
from hashcost.hashers.interface import Elsewhere, Hasher, ReadyCall, check_known_answers
from hashcost.hashers.registry import Candidate, candidates, load_first
from hashcost.machine.clock import Clock
from hashcost.measure.runner import PROBE_PASSWORD, PROBE_SALT

_STALE_SECONDS: Final = 8e-3
"""A reading tells of what is timed so soon after it."""
_LAST: Final = 3
PARTS: Final[tuple[tuple[str, Params], ...]] = (
    ("bcrypt@bcrypt", {"cost": 4}),
    ("pbkdf2-sha256@hashlib", {"iterations": 4000}),
)
"""Bound by latency and by throughput, about a millisecond each. A shared core slows the first by
a twentieth, the second by half (tests/tools/benchmarks/recordings)."""


class CoreProbe(Protocol):
    """Takes readings of the core that hashes run on."""

    @property
    def name(self) -> str:
        """What it runs, with versions: readings of others are not comparable."""
        ...

    def read(self) -> tuple[float, float]:
        """CPU seconds of the latency-bound and of the throughput-bound part."""
        ...


StartProbe: TypeAlias = Callable[[Clock], CoreProbe | None]
"""Starts a probe on these clocks; ``None`` if there is none."""


def no_probe(_clock: Clock) -> CoreProbe | None:
    """Nothing tells whether the core is shared."""
    return None


@dataclass(frozen=True)
class HashProbe:
    """Two short hashes in the process that is timed, or in one of those."""

    clock: Clock
    latency: tuple[Hasher, Params]
    throughput: tuple[Hasher, Params]

    @property
    def name(self) -> str:
        """The two implementations and their versions."""
        parts = (self.latency[0], self.throughput[0])
        return " / ".join(f"{each.name}@{each.implementation} {each.version}" for each in parts)

    def read(self) -> tuple[float, float]:
        """Time one hash of each."""
        return self._seconds(*self.latency), self._seconds(*self.throughput)

    def _seconds(self, hasher: Hasher, params: Params) -> float:
        if isinstance(hasher, Elsewhere):
            return hasher.timed(PROBE_PASSWORD, PROBE_SALT, params).cpu_seconds
        ready: ReadyCall = hasher.ready(PROBE_PASSWORD, PROBE_SALT, params)
        start = self.clock.cpu()
        ready.run()
        return self.clock.cpu() - start


def hash_probe(clock: Clock, pool: Sequence[Candidate] = ()) -> CoreProbe | None:
    """Start a probe on the machine that runs the hashers of a pool, by default this one.

    `None` if there is no library or no CPU clock for it.
    """
    if not clock.measures_cpu:
        return None
    remote = [candidate for candidate in pool if candidate.is_remote]
    try:
        probe = HashProbe(clock, *_parts(remote or candidates()))
        seconds = probe.read()  # The first of anything is slow; a broken library shows here.
    except Exception:
        return None  # A hashing library may raise anything; its own row says so.
    return probe if min(seconds) > 0 else None  # A clock this coarse tells nothing.


def _parts(pool: Sequence[Candidate]) -> Iterator[tuple[Hasher, Params]]:
    """The two hashes: of this process, or of the first runtime on another machine."""
    for label, params in PARTS:
        name, _, _ = label.partition("@")
        here = [each for each in pool if each.label == label]
        alike = [each for each in pool if each.hasher == name and each.runtime == pool[0].runtime]
        hasher = load_first(here or alike)[1]
        if isinstance(hasher, Elsewhere):
            check_known_answers(hasher)
            hasher.prepare(PROBE_PASSWORD, PROBE_SALT, lambda _: None)
        yield hasher, params


@dataclass(eq=False, kw_only=True)
class CoreWatch:
    """The readings of one run, and what they say.

    The run is settled once the core was seen quiet at moments ``spread_seconds`` apart, and
    they agree; where no earlier run tells quiet from shared, ``blind_seconds`` apart, or a third
    of that if both were seen. It is not waited for longer than ``patience_seconds``.
    """

    clock: Clock
    start_probe: StartProbe = no_probe
    """Called when the first sample is taken, so that no library is warm before."""
    past_ratios: Callable[[str], Sequence[float]] = lambda _: ()
    """The quiet ratios that earlier runs here had with a probe."""
    spread_seconds: float = 0.0
    blind_seconds: float = 0.0
    patience_seconds: float = 0.0
    readings: list[Reading] = field(default_factory=list)
    quiet_ratio: float | None = None
    """The probe's ratio on a quiet core; ``None`` if nothing tells."""
    _began: float = field(init=False)
    _known: float | None = None
    _seen_quiet: bool = False

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin the run now: what came before, such as a warm-up, does not count."""
        self._began = self.clock.wall()

    @cached_property
    def probe(self) -> CoreProbe | None:
        """What takes the readings; ``None`` if nothing can."""
        found = self.start_probe(self.clock)
        if found is not None:
            self._known = self.quiet_ratio = known_ratio(self.past_ratios(found.name))
        return found

    @property
    def name(self) -> str | None:
        """What took the readings; ``None`` if there are none."""
        return self.probe.name if self.probe is not None and self.readings else None

    @property
    def own_ratio(self) -> float | None:
        """The quiet ratio by this run's readings; ``None`` if they did not see the core quiet."""
        own = quiet_ratio(self.readings)
        if own is None or self.quiet_ratio is None or own > self.quiet_ratio * SHARED_RATIO:
            return None
        return own

    @property
    def elapsed(self) -> float:
        """Seconds of wall time since the run began."""
        return self.clock.wall() - self._began

    @property
    def is_settled(self) -> bool:
        """Whether no more samples are needed on account of the core."""
        return self._seen_quiet or (self.probe is None and self.elapsed >= self.blind_seconds)

    @property
    def has_patience(self) -> bool:
        """Whether more samples may be taken on account of the core."""
        return self.elapsed < self.patience_seconds

    @property
    def is_known(self) -> bool:
        """Whether earlier runs tell a quiet core from a shared one."""
        return self._known is not None

    @property
    def is_shared(self) -> bool:
        """Whether something else used the core in most of the last few readings."""
        if self.quiet_ratio is None or not self.readings:
            return False
        last = statistics.median_low(each.ratio for each in self.readings[-_LAST:])
        return last > self.quiet_ratio * SHARED_RATIO

    @property
    def patience_left(self) -> float:
        """So many seconds more are waited for a quiet core at most; none once it was seen."""
        return 0.0 if self.is_settled else max(self.patience_seconds - self.elapsed, 0.0)

    @property
    def seconds_left(self) -> float:
        """How long the core is still watched if it stays quiet."""
        quick = self._quick()
        seen = self.elapsed if self.probe is None else _span(quick)
        return min(max(self._needed_seconds(quick) - seen, 0.0), self.patience_left)

    def sample(self, take: Callable[[], Sample]) -> Sample:
        """Take a sample, and say when it began and whether the core was shared around it."""
        self._look()
        first, at = max(len(self.readings) - 1, 0), self.elapsed
        sample = msgspec.structs.replace(take(), at_seconds=at)
        self._look()
        (found,) = marked([sample], self.readings[first:], self.quiet_ratio)
        return found

    def marked(self, samples: Sequence[Sample]) -> tuple[Sample, ...]:
        """The samples, now that the quiet ratio is known better."""
        return marked(samples, self.readings, self.quiet_ratio)

    def _look(self) -> None:
        """Take a reading, unless the last one is still fresh."""
        if self.probe is None:
            return
        now = self.elapsed
        if self.readings and now - self.readings[-1].at_seconds < _STALE_SECONDS:
            return
        latency, throughput = self.probe.read()
        if latency > 0 and throughput > 0:
            self.readings.append(
                Reading(at_seconds=now, latency_seconds=latency, throughput_seconds=throughput)
            )
            self.quiet_ratio = quiet_ratio(self.readings, self._known)
            self._seen_quiet = self._seen_quiet or self._sees_quiet()

    def _sees_quiet(self) -> bool:
        if self.quiet_ratio is None:
            return False
        quick = self._quick()
        if len(quick) < FEWEST_READINGS:
            return False
        needed = self._needed_seconds(quick)
        return _span(quick) >= needed and visits_agree(quick)

    def _quick(self) -> list[Reading]:
        """The readings of a quiet core; all of them where nothing tells."""
        highest = math.inf if self.quiet_ratio is None else self.quiet_ratio * SHARED_RATIO
        return [each for each in self.readings if each.ratio <= highest]

    def _needed_seconds(self, quick: Sequence[Reading]) -> float:
        """How far apart the readings of a quiet core are to be."""
        if self._known is not None:
            return self.spread_seconds
        shared = (self.quiet_ratio or math.inf) * SURELY_SHARED_RATIO
        both_seen = sum(each.ratio >= shared for each in self.readings) >= FEWEST_READINGS
        return self.blind_seconds / 3 if both_seen else self.blind_seconds


def _span(readings: Sequence[Reading]) -> float:
    """Seconds from the first of the readings to the last."""
    return readings[-1].at_seconds - readings[0].at_seconds if readings else 0.0
