"""Recordings of single hashes, and a machine that plays one back: its clocks, hashes and probe."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import statistics
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from hashcost.core.machine import Machine
from hashcost.core.measurement import Knob, Params, Reading, Sample, Scale, work
from hashcost.fit.quiet_speed import marked, quiet_ratio
from hashcost.hashers.registry import Candidate
from hashcost.machine.clock import Clock
from hashcost.machine.history import History, PastRun
from hashcost.machine.host import Host
from hashcost.machine.signals import Counters

FOLDER: Final = Path(__file__).with_name("recordings")
NAMES: Final = ("calm-1", "neighbours-1", "quiet-2", "busy-2")

_LATENCY: Final = ("bcrypt", (16, 32))
_THROUGHPUT: Final = ("pbkdf2-sha256", (4_000, 5_000))
"""What the probe runs, in the units that were recorded."""
_BETWEEN_SECONDS: Final = 50e-6
"""What the tool itself takes between two hashes."""
_NOW: Final = 1_800_000_000.0


@dataclass(frozen=True)
class Series:
    """Hashes of one hasher at one cost, in the order of time."""

    units: int
    starts: tuple[float, ...]
    rates: tuple[float, ...]
    """CPU seconds a unit."""
    waits: tuple[float, ...]
    """Wall time per CPU time."""


class Recording:
    """What was recorded of one machine.

    A round is one moment: what its hashes took is how quick the machine was for each of them
    until the next round.
    """

    def __init__(self, path: Path) -> None:
        lines: dict[tuple[str, int], list[tuple[float, float, float]]] = {}
        began: list[float] = []
        with gzip.open(path, "rt", newline="") as file:
            for line in csv.DictReader(file):
                cpu, units = float(line["cpu_us"]) / 1e6, int(line["units"])
                found = lines.setdefault((line["hasher"], units), [])
                wait = max(float(line["wall_us"]) / 1e6 / cpu, 1.0)
                if len(found) == len(began):
                    began.append(float(line["t_us"]) / 1e6)
                found.append((began[len(found)], cpu / units, wait))
        self.name = path.name.removesuffix(".csv.gz")
        self._series = {
            (hasher, units): Series(units, *map(tuple, zip(*rows, strict=True)))
            for (hasher, units), rows in lines.items()
        }
        self.seconds = max(each.starts[-1] for each in self._series.values())

    def series(self, hasher: str, among: Sequence[int] = ()) -> Series:
        """The hashes of a hasher: of those costs, else of the one nearest to 8,000 units."""
        found = [s for (name, units), s in self._series.items() if name == hasher]
        if among:
            return next(each for each in found if each.units in among)
        return min(found, key=lambda each: abs(each.units - (64 if hasher == "bcrypt" else 8_000)))

    @cached_property
    def readings(self) -> list[Reading]:
        """What the probe would have read throughout."""
        latency, throughput = self.series(*_LATENCY), self.series(*_THROUGHPUT)
        return [
            Reading(at_seconds=start, latency_seconds=a * 16, throughput_seconds=b * 4_000)
            for start, a, b in zip(latency.starts, latency.rates, throughput.rates, strict=False)
        ]

    def quiet_rate(self, hasher: str) -> float:
        """CPU seconds a unit on a quiet core: the median of the quick cluster of all samples."""
        series = self.series(hasher)
        samples = [
            Sample(
                params={},
                cpu_seconds=rate * series.units,
                wall_seconds=rate * series.units,
                at_seconds=start,
            )
            for start, rate in zip(series.starts, series.rates, strict=True)
        ]
        found = marked(samples, self.readings, quiet_ratio(self.readings))
        quick = [each.cpu_seconds / series.units for each in found if not each.shared]
        return statistics.median(quick)

    @cached_property
    def shared_share(self) -> float:
        """The share of the readings that saw the core shared."""
        quiet = quiet_ratio(self.readings) or 0.0
        return statistics.fmean(each.ratio > quiet * 1.2 for each in self.readings)


class Memory(History):
    """A history that is forgotten when the test ends."""

    def __init__(self) -> None:
        super().__init__(Path("memory"))
        self.kept: list[PastRun] = []

    def all_runs(self) -> tuple[PastRun, ...]:
        """Every run so far."""
        return tuple(self.kept)

    def add(self, run: PastRun) -> None:
        """Keep a run."""
        self.kept.append(run)


class Replay:
    """A machine that is as quick as the recorded one was at that moment."""

    def __init__(self, recording: Recording, start: float, history: History) -> None:
        self._recording, self._cpu, self._wall = recording, 0.0, start
        clock = Clock("recorded", lambda: self._cpu, lambda: self._wall)
        self.host = Host(
            clock=clock,
            now=lambda: _NOW,
            describe=lambda: _MACHINE,
            available_memory=lambda: 1 << 30,
            used_memory=lambda: 0,
            counters=lambda: Counters(wall_seconds=self._wall),
            environment={},
            home=None,
            history=history,
        )

    def run(self, series: Series, units: float) -> tuple[float, float]:
        """Let a hash of so many units run; its CPU and wall seconds."""
        cpu = wall = 0.0
        left, starts = units, series.starts
        at = self._wall + _BETWEEN_SECONDS
        index = max(bisect_right(starts, at) - 1, 0)
        while True:
            rate, wait = series.rates[index], series.waits[index]
            last = index + 1 >= len(starts)
            room = float("inf") if last else max(starts[index + 1] - at - wall, 0.0)
            needed = left * rate * wait
            if needed <= room:
                cpu, wall = cpu + left * rate, wall + needed
                break
            cpu, wall = cpu + room / wait, wall + room
            left -= room / wait / rate
            index += 1
        self._cpu, self._wall = self._cpu + cpu, at + wall
        return cpu, wall

    def recorded(self, hasher: str) -> RecordedRunner:
        """What runs a hasher."""
        return RecordedRunner(self.run, self._recording.series(hasher), traits(hasher))

    def start(self, candidates: Sequence[Candidate]) -> tuple[Candidate, RecordedRunner]:
        """Start the hasher that was recorded."""
        return candidates[0], self.recorded(candidates[0].hasher)

    def probe(self, _clock: Clock) -> RecordedProbe:
        """Start the probe."""
        series = self._recording.series
        return RecordedProbe(self.run, series(*_LATENCY), series(*_THROUGHPUT))


@dataclass(frozen=True)
class RecordedTraits:
    """What is known of a recorded hasher."""

    name: str
    knobs: tuple[Knob, ...]
    lowest: Params
    drift: float = 0.04
    implementation: str = "recorded"
    version: str = "1"

    def memory_bytes(self, params: Params) -> int:
        """Little."""
        return 1024

    def threads(self, params: Params) -> int:
        """One."""
        return 1


def traits(hasher: str) -> RecordedTraits:
    """The knob and the drift of a hasher."""
    knob = (
        Knob(name="cost", scale=Scale.LOG2, minimum=4, maximum=31)
        if hasher == "bcrypt"
        else Knob(name="iterations", scale=Scale.LINEAR, minimum=1000, maximum=2**31 - 1)
    )
    return RecordedTraits(hasher, (knob,), {knob.name: knob.minimum})


@dataclass(frozen=True)
class RecordedRunner:
    """Runs a recorded hasher at any cost."""

    run: Callable[[Series, float], tuple[float, float]]
    series: Series
    traits: RecordedTraits
    clock_name: str = "recorded"

    def prepare(self, told: Callable[[float], None]) -> None:
        """Nothing to warm."""

    def check(self) -> None:
        """Nothing to check."""

    def units_of(self, seconds: float) -> float:
        """Units of about so long a hash."""
        return seconds / statistics.median(self.series.rates)

    def run_units(self, units: float) -> tuple[float, float]:
        """CPU and wall seconds of a hash of so many units."""
        return self.run(self.series, units)

    def warm_up(self, params: Params) -> None:
        """Run one hash that nobody times."""
        self.sample(params)

    def sample(self, params: Params) -> Sample:
        """Time one hash."""
        (knob,) = self.traits.knobs
        cpu, wall = self.run(self.series, work(knob.scale, params[knob.name]))
        return Sample(params=params, cpu_seconds=cpu, wall_seconds=wall)


@dataclass(frozen=True)
class RecordedProbe:
    """Takes the readings that the recorded machine would have given."""

    run: Callable[[Series, float], tuple[float, float]]
    latency: Series
    throughput: Series
    name: str = "recorded"

    def read(self) -> tuple[float, float]:
        """CPU seconds of the two parts."""
        return self.run(self.latency, 16)[0], self.run(self.throughput, 4_000)[0]


_MACHINE: Final = Machine(
    cpu_model="recorded",
    cpu_count=2,
    cpu_flags=(),
    cpu_limit=None,
    memory_bytes=None,
    os="recorded",
    kernel="1",
    architecture="recorded",
    virtualization=None,
    python="CPython",
    openssl="OpenSSL",
    page_bytes=4096,
)
DATE: Final = dt.datetime.fromtimestamp(_NOW, dt.UTC)
